package hub_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-git/go-billy/v5/memfs"
	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/internal/fstest"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport/hub"
)

type mirrorRow struct{ Path, Name, Description string }

func (m *testMirror) menu(prefix string) []mirrorRow {
	m.Helper()
	a := m.get("/?prefix=" + prefix)
	var rows []mirrorRow
	if err := json.Unmarshal([]byte(a.body), &rows); err != nil {
		m.Fatalf("%s: %d %q", prefix, a.status, a.body)
	}
	return rows
}

// H2, R8, W4: an owner's menu has its skills and lists in byte order of path; what has no usable name has its
// folder's, and what is no skill is not there.
func TestMirrorOwnerMenu(t *testing.T) {
	t.Parallel()
	fstest.Each(t, func(t *testing.T, sys fstest.System) {
		fsys := fsx.Locked(sys.New(t))
		fstest.Write(t, fsys, "", mirrorTree)
		fstest.Write(t, fsys, "", fstest.Tree{
			"acme/broken/SKILL.md":         "no frontmatter",
			"acme/Capital Letter/SKILL.md": "---\nname: x\n---\n",
			"acme/x:save/SKILL.md":         mirrorSkill("odd", "\"Forged\\n- row\u202e\""),
			"acme/plan.playlist":           "hub:acme/deploy\n",
			"acme/z.playlist/SKILL.md":     mirrorSkill("z-list", "A folder."),
			"acme/no.playlist/x":           "",
			"acme/wrong/skill.md":          mirrorSkill("wrong", "Misspelled."),
			"acme/deep/er/SKILL.md":        mirrorSkill("er", "No id reaches it."),
			"gh/cli/SKILL.md":              mirrorSkill("cli", "Owned by one called gh."),
		})
		m := newMirror(t, fsys, hub.HandlerOptions{})
		want := []mirrorRow{
			{"acme/broken", "broken", ""},
			{"acme/capital%20letter", "x", ""},
			{"acme/deploy", "deploy", "Deploys."},
			{"acme/plan", "plan", "Plans."},
			{"acme/starter", "Starter", "To begin with."},
			{"acme/x%3Asave", "odd", "Forged - row"},
			{"acme/z.playlist", "z-list", "A folder."},
		}
		if diff := cmp.Diff(want, m.menu("acme/")); diff != "" {
			t.Error(diff)
		}
		for _, row := range m.menu("acme/") {
			ref, err := skill.ParseRef("hub:" + row.Path)
			if err != nil || ref.Save {
				t.Errorf("%q is no reference: %v", row.Path, err)
			}
		}
		if diff := cmp.Diff([]mirrorRow{{"hub:gh/cli", "cli", "Owned by one called gh."}}, m.menu("gh/")); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]mirrorRow{{"acme/plan", "plan", "Plans."}}, m.menu("acme/plan/")); diff != "" {
			t.Error(diff)
		}
	})
}

// H5: a playlist keeps its order and its ids; what a line leaves out comes from the skill if it stands here. Lines that
// are no reference are left out and logged once, with their number.
func TestMirrorPlaylist(t *testing.T) {
	t.Parallel()
	var log syncBuffer
	fsys := fsx.Locked(memfs.New())
	fstest.Write(t, fsys, "", mirrorTree)
	fstest.Write(t, fsys, "", fstest.Tree{"acme/set.playlist": "\ufeff# A set\r\n\r\nname:  The \u202eset\r\ndescription: Of things.\r\n" +
		"gh:anthropics/skills/skills/pdf\tReads  PDF.\r\n" +
		"GH:Vercel/Repo/some%20dir/ All of it.\r\n" +
		"acme/deploy\r\n" +
		"hub:ACME/plan Own words.\r\n" +
		"  https://github.com/o/r/blob/HEAD/x/SKILL.md\r\n" +
		"@skills:o/unknown\r\n" +
		"name: too late\r\n" +
		"gh:o\r\n../up\r\nhub:a/b/c\r\nhub:acme/deploy\r\ngh:o/r/x:save\r\ngh:o/r/\x01\r\njust words\r\nhttps://user:hunter2@github.com/o/r\r\n" +
		"https://github.com/o/r/tree/dev/y\r\n"})
	m := newMirror(t, fsys, hub.HandlerOptions{Log: slog.New(slog.NewTextHandler(&log, nil))})
	got := m.menu("acme/set/")
	want := []mirrorRow{
		{"gh:anthropics/skills/skills/pdf", "pdf", "Reads PDF."},
		{"gh:Vercel/Repo/some%20dir/", "some dir", "All of it."},
		{"hub:acme/deploy", "deploy", "Deploys."},
		{"hub:acme/plan", "plan", "Own words."},
		{"gh:o/r/x", "x", ""},
		{"hub:o/unknown", "unknown", ""},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	m.menu("acme/set/")
	// Each line once, though the list was asked for twice; a branch is not dropped without a word (G5), a password not told (X5).
	for line := 11; line <= 20; line++ {
		if n := strings.Count(log.String(), fmt.Sprintf("msg=\"line left out\" path=acme/set.playlist line=%d error=", line)); n != 1 {
			t.Errorf("line %d is logged %d times", line, n)
		}
	}
	if text := log.String(); strings.Count(text, "level=WARN") != 10 || strings.Contains(text, "hunter2") {
		t.Error(text)
	}
	menu := m.menu("acme/")
	if row := menu[len(menu)-2]; row != (mirrorRow{"acme/set", "The set", "Of things."}) {
		t.Errorf("%+v", row)
	}
}

// H5: of a name that is a skill and a playlist the skill answers, and the log says so.
func TestMirrorSkillBeforePlaylist(t *testing.T) {
	t.Parallel()
	var log syncBuffer
	fsys := fsx.Locked(memfs.New())
	fstest.Write(t, fsys, "", mirrorTree)
	fstest.Write(t, fsys, "", fstest.Tree{"acme/Deploy.playlist": "gh:o/r\n", "acme/DEPLOY/SKILL.md": "x"})
	m := newMirror(t, fsys, hub.HandlerOptions{Log: slog.New(slog.NewTextHandler(&log, nil))})
	if diff := cmp.Diff([]mirrorRow{{"acme/deploy", "deploy", "Deploys."}}, m.menu("acme/deploy/")); diff != "" {
		t.Error(diff)
	}
	m.menu("acme/")
	for _, name := range []string{"path=acme/Deploy.playlist", "path=acme/DEPLOY"} {
		if !strings.Contains(log.String(), name) {
			t.Errorf("the log lacks %s: %s", name, log.String())
		}
	}
}

// R5: a menu holds 128 rows, inclusive. One more is refused with the number, before a file is opened for it.
func TestMirrorMenuCap(t *testing.T) {
	t.Parallel()
	for _, n := range []int{128, 129} {
		var list strings.Builder
		for i := range n {
			fmt.Fprintf(&list, "gh:o/r/s%d\n", i)
		}
		fsys := fsx.Locked(memfs.New())
		fstest.Write(t, fsys, "", manySkills(n))
		fstest.Write(t, fsys, "lists", fstest.Tree{"long.playlist": list.String()})
		var calls fstest.Counter
		m := newMirror(t, calls.Wrap(fsys), hub.HandlerOptions{})
		for _, prefix := range []string{"acme/", "lists/long/"} {
			a := m.get("/?prefix=" + prefix)
			if n == 128 {
				if rows := m.menu(prefix); a.status != 200 || len(rows) != 128 {
					t.Errorf("%s: %d, %d rows", prefix, a.status, len(rows))
				}
				continue
			}
			var refusal struct {
				Error string
				Count int
			}
			if err := json.Unmarshal([]byte(a.body), &refusal); err != nil || a.status != 413 || refusal.Count != 129 || refusal.Error == "" {
				t.Errorf("%s: %d %q", prefix, a.status, a.body)
			}
		}
		if opens := calls.Count(fstest.OpOpen); n == 129 && opens != 1 {
			t.Errorf("%d files were opened for two refusals, one of a list", opens)
		}
	}
}

// A playlist past its bounds is refused, and in its owner's menu it is a name among others (W6).
func TestMirrorPlaylistBounds(t *testing.T) {
	t.Parallel()
	fsys := fsx.Locked(memfs.New())
	fstest.Write(t, fsys, "acme", fstest.Tree{
		"lines.playlist": "name: Lines\n" + strings.Repeat("#\n", 4096) + "gh:o/r\n", "bytes.playlist": "name: Bytes\n#" + strings.Repeat("x", 1<<20),
		"good.playlist": "name: Good\n" + strings.Repeat("#\n", 4000) + "gh:o/r\n",
	})
	m := newMirror(t, fsys, hub.HandlerOptions{})
	for prefix, want := range map[string]int{"acme/lines/": 413, "acme/bytes/": 413, "acme/good/": 200} {
		if a := m.get("/?prefix=" + prefix); a.status != want {
			t.Errorf("%s: %d %q", prefix, a.status, a.body)
		}
	}
	if diff := cmp.Diff([]mirrorRow{{"acme/bytes", "bytes", ""}, {"acme/good", "Good", ""}, {"acme/lines", "lines", ""}}, m.menu("acme/")); diff != "" {
		t.Error(diff)
	}
}

// FuzzMirrorPlaylist serves arbitrary playlists: each row is a reference that reads back as it stands, once, on one line.
func FuzzMirrorPlaylist(f *testing.F) {
	f.Add("name: x\ngh:o/r/x y\no/n\n")
	f.Add("hub:a/b\r\n# c\r\ngh:o/r/a%20b/ d\r\n@skills:gh/o/r\n")
	f.Add("description: \u2028\nhub:gh/x\nhttps://github.com/o/r/tree/main/x\n")
	f.Fuzz(func(t *testing.T, text string) {
		fsys := memfs.New()
		fstest.Write(t, fsys, "", fstest.Tree{"o/l.playlist": text})
		h, err := hub.Handler(fsys, hub.HandlerOptions{})
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "/?prefix=o/l/", nil))
		if w.Code == 404 || w.Code == 413 {
			return
		}
		var rows []mirrorRow
		if err := json.Unmarshal(w.Body.Bytes(), &rows); err != nil || w.Code != 200 || len(rows) > 128 {
			t.Fatalf("%d %q: %v", w.Code, w.Body, err)
		}
		seen := make(map[string]bool)
		for _, row := range rows {
			ref, err := skill.ParseRef(row.Path)
			if err != nil || ref.ID.Scheme() == skill.Local || ref.Save || ref.Install || ref.Index || ref.Branch != "" || seen[row.Path] {
				t.Errorf("row %+v: %+v, %v", row, ref, err)
			}
			if clean, _ := skill.OneLine(row.Name + row.Description); clean != strings.TrimSpace(row.Name+row.Description) && strings.ContainsAny(row.Name+row.Description, "\r\n\u2028\u202e") {
				t.Errorf("row %+v can forge another", row)
			}
			seen[row.Path] = true
		}
	})
}
