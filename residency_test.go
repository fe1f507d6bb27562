package atskills_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-git/go-billy/v5/memfs"
	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/internal/fstest"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/transporttest"
)

const header = "Auto-triggered Skills (.atskills/.autotrigger):"

// project writes files below .atskills/; a value of one line is a skill's description, its name that of the folder.
func (w *world) project(files map[string]string) {
	w.Helper()
	all := make(map[string]string)
	for name, body := range files {
		if dir, ok := strings.CutSuffix(name, "/"); ok {
			all[".atskills/"+dir+"/SKILL.md"] = skillText(dir[strings.LastIndexByte(dir, '/')+1:], body, "Body.")
			continue
		}
		all[".atskills/"+name] = body
	}
	write(w.T, w.env.Project, all)
}

// trigger makes lines the trigger file.
func (w *world) trigger(lines ...string) {
	w.Helper()
	w.project(map[string]string{".autotrigger": strings.Join(lines, "\n") + "\n"})
}

// block computes the block and checks what holds for every one.
func (w *world) block() *atskills.Block {
	w.Helper()
	b, err := atskills.Residency(w.Context(), w.env)
	if err != nil {
		w.Fatalf("Residency error: %v", err)
	}
	checkBlock(w.T, b)
	return b
}

// checkBlock holds B2 and B8 for any block: the text is the header and the rows, the indexes and numbers agree.
func checkBlock(t interface {
	Helper()
	Errorf(string, ...any)
}, b *atskills.Block) {
	t.Helper()
	want := ""
	if len(b.Rows) > 0 {
		want = header
	}
	for _, r := range b.Rows {
		want += "\n" + r.Text
		if clean, hidden := skill.OneLine(r.Text); clean != r.Text || len(hidden) > 0 || !strings.HasPrefix(r.Text, "- ") {
			t.Errorf("row %q is not one clean line that begins with %q (B7)", r.Text, "- ")
		}
		if len(r.Lines) == 0 || !slices.IsSorted(r.Lines) {
			t.Errorf("row %q is of lines %v", r.Text, r.Lines)
		}
	}
	if b.Text != want {
		t.Errorf("the text is\n%s\nand header and rows are\n%s", b.Text, want)
	}
	for _, l := range b.Lines {
		tokens := 0
		for _, i := range l.Rows {
			tokens += b.Rows[i].Tokens
			if !slices.Contains(b.Rows[i].Lines, l.Number) {
				t.Errorf("line %d has row %q, which is of lines %v", l.Number, b.Rows[i].Text, b.Rows[i].Lines)
			}
		}
		if tokens != l.Tokens {
			t.Errorf("line %d costs %d tokens, its rows %d (B8)", l.Number, l.Tokens, tokens)
		}
	}
	for _, n := range b.Notes {
		if clean, _ := skill.OneLine(n.Message); clean != n.Message || n.Message == "" {
			t.Errorf("the note %q is not one clean line", n.Message)
		}
	}
}

// told lists notes as "line code id-or-path".
func told(notes []atskills.Note) []string {
	var out []string
	for _, n := range notes {
		about := n.ID.String()
		if n.ID.IsZero() {
			about = n.Path
		}
		out = append(out, fmt.Sprintf("%d %s %s", n.Line, n.Code, about))
	}
	return out
}

// noted returns the message of the only note with that code.
func (w *world) noted(b *atskills.Block, code string) string {
	w.Helper()
	message := ""
	for _, n := range b.Notes {
		if n.Code != code {
			continue
		}
		if message != "" {
			w.Errorf("two notes %q: %q and %q", code, message, n.Message)
		}
		message = n.Message
	}
	if message == "" {
		w.Fatalf("no note %q among %v", code, b.Notes)
	}
	return message
}

func (w *world) expectText(b *atskills.Block, rows ...string) {
	w.Helper()
	want := ""
	if len(rows) > 0 {
		want = header + "\n" + strings.Join(rows, "\n")
	}
	if diff := cmp.Diff(want, b.Text); diff != "" {
		w.Errorf("text (-want +got):\n%s", diff)
	}
}

func (w *world) expectNotes(b *atskills.Block, want ...string) {
	w.Helper()
	if diff := cmp.Diff(want, told(b.Notes)); diff != "" {
		w.Errorf("notes (-want +got):\n%s\n%v", diff, b.Notes)
	}
}

// B1, B2, B3: local matches in walk order, then cloud lines in file order; the path of the project's files is relative
// to it, that of the cache's as the host spells it.
func TestResidencyText(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.project(map[string]string{"b/": "Second.", "a/x/": "First.", "off/": "Never.", "b-2/": "Third."})
	w.trigger("@gh:acme/kit/skills/review", "# a comment", "", "b*", "@gh:acme/kit/.claude/skills/plan", "a/")
	b := w.block()
	root := w.env.Cache.Root()
	w.expectText(b,
		"- x: First. (.atskills/a/x/SKILL.md)",
		"- b: Second. (.atskills/b/SKILL.md)",
		"- b-2: Third. (.atskills/b-2/SKILL.md)",
		"- review: Reads a change. ("+root+"gh/acme/kit/skills/review/SKILL.md)",
		"- plan: Plans work. ("+root+"gh/acme/kit/.claude/skills/plan/SKILL.md)")
	w.expectNotes(b)
	var lines []string
	for _, l := range b.Lines {
		lines = append(lines, fmt.Sprintf("%d %s %v %s", l.Number, l.Kind, l.Rows, l.Text))
	}
	if diff := cmp.Diff([]string{"1 cloud [3] @gh:acme/kit/skills/review", "2 comment [] # a comment", "4 pattern [1 2] b*",
		"5 cloud [4] @gh:acme/kit/.claude/skills/plan", "6 pattern [0] a/"}, lines); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	var where []string
	for _, r := range b.Rows {
		where = append(where, fmt.Sprintf("%s %s %s", r.Where, r.ID, r.Path))
	}
	if diff := cmp.Diff([]string{"yours a/x .atskills/a/x/SKILL.md", "yours b .atskills/b/SKILL.md", "yours b-2 .atskills/b-2/SKILL.md",
		"cloud gh:acme/kit/skills/review " + root + "gh/acme/kit/skills/review/SKILL.md",
		"cloud gh:acme/kit/.claude/skills/plan " + root + "gh/acme/kit/.claude/skills/plan/SKILL.md"}, where); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if again := w.block(); !reflect.DeepEqual(b, again) {
		t.Errorf("the same inputs give another block (B3):\n%+v\n%+v", b, again)
	}
}

// B2: nothing resident is the empty text, and no error, for whatever reason there is nothing.
func TestResidencyEmpty(t *testing.T) {
	t.Parallel()
	for name, setup := range map[string]func(w *world){
		"no project":      func(w *world) { w.env.Project = nil },
		"empty project":   func(*world) {},
		"no trigger file": func(w *world) { w.project(map[string]string{"a/": "A."}) },
		"no line":         func(w *world) { w.project(map[string]string{"a/": "A.", ".autotrigger": ""}) },
		"no match":        func(w *world) { w.project(map[string]string{"a/": "A.", ".autotrigger": "b\n!a\n# a\n"}) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, acme)
			setup(w)
			b := w.block()
			w.expectText(b)
			w.expectNotes(b)
			if b.Tokens != 0 || len(b.Rows) > 0 {
				t.Errorf("%d tokens, rows %v", b.Tokens, b.Rows)
			}
			w.asked("nothing resident", transporttest.Counts{})
		})
	}
}

// B1: a skill loads once however many lines cover it, and knows them all: those that match it or a folder above it, but
// not one that a later negation takes back.
func TestResidencyOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.project(map[string]string{
		"team/a/": "A.", "team/b/": "B.", "other/c/": "C.",
		"gh/acme/kit/skills/deploy/": "Mine now.", "gh/acme/kit/skills/deploy/.source": "gh:acme/kit/skills/deploy\n2026-01-01 rev:0\n",
	})
	w.trigger("team/", "/team/a", "c", "!c", "other/*", "@gh:acme/kit/skills/deploy", "deploy", "@gh:acme/kit/skills/review",
		"@gh:acme/kit/skills/review/", "@GH:acme/kit/skills/review", "team/a/")
	b := w.block()
	var rows []string
	for _, r := range b.Rows {
		rows = append(rows, fmt.Sprintf("%s %s %v", r.Name, r.Where, r.Lines))
	}
	want := []string{"deploy saved [6 7]", "c yours [5]", "a yours [1 2 11]", "b yours [1]", "review cloud [8 9 10]"}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	w.expectNotes(b)
}

// B1, T2, G9: a saved copy answers its own line without a request, a skill with or without a slash, a collection with
// one. Where no stamp covers what answers a collection, that is said (R11).
func TestResidencySaved(t *testing.T) {
	t.Parallel()
	stamp := "gh:acme/kit/skills\n2026-01-01 rev:0\n"
	for _, c := range []struct {
		name, line  string
		stamp       string
		rows, notes []string
	}{
		{"skill", "@gh:acme/kit/skills/deploy", "skills/", []string{"deploy"}, nil},
		{"skill with a slash", "@gh:acme/kit/skills/deploy/", "skills/", []string{"deploy"}, nil},
		{"collection", "@gh:acme/kit/skills/", "skills/", []string{"deploy", "review"}, nil},
		{"collection without slash", "@gh:acme/kit/skills", "skills/", nil, []string{"1 menu gh:acme/kit/skills"}},
		{"only a child's stamp", "@gh:acme/kit/", "skills/deploy/", []string{"deploy", "review"}, []string{"1 partial gh:acme/kit"}},
		{"disk spelling", "@gh/acme/kit/skills/deploy", "skills/", []string{"deploy"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, acme)
			w.project(map[string]string{"gh/acme/kit/skills/deploy/": "D.", "gh/acme/kit/skills/review/": "R.",
				"gh/acme/kit/" + c.stamp + ".source": stamp})
			w.trigger(c.line)
			b := w.block()
			w.asked("a line with a saved copy", transporttest.Counts{})
			var rows []string
			for _, r := range b.Rows {
				rows = append(rows, r.Name)
				if !strings.HasPrefix(r.Path, ".atskills/gh/acme/kit/") {
					t.Errorf("path %q", r.Path)
				}
			}
			if !slices.Equal(rows, c.rows) {
				t.Errorf("rows %q, want %q", rows, c.rows)
			}
			w.expectNotes(b, c.notes...)
			if len(b.Drift) > 0 {
				t.Errorf("a saved copy drifts: %v", b.Drift)
			}
		})
	}
}

// B1: a folder of the project that holds no skill does not answer a line, and neither does one the walk never enters.
func TestResidencyNoCopy(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.project(map[string]string{"gh/acme/kit/skills/deploy/notes.txt": "loose", "gh/acme/kit/skills/deploy/.git/x/": "Hidden."})
	w.trigger("@gh:acme/kit/skills/deploy")
	b := w.block()
	if len(b.Rows) != 1 || b.Rows[0].Where != atskills.WhereCloud {
		t.Errorf("rows %+v", b.Rows)
	}
}

// B1, R1, W1, W3: the copy at an id's path answers also where the walk of the tree passed it over: inside another skill,
// and behind a second link to one folder, which stays one skill.
func TestResidencyCopyPassedOver(t *testing.T) {
	t.Parallel()
	fstest.Each(t, func(t *testing.T, sys fstest.System) {
		w := newWorld(t, acme)
		w.env.Project = fsx.Locked(sys.New(t))
		fstest.Write(t, w.env.Project, "", fstest.Tree{
			".atskills/gh/acme/kit/SKILL.md":            skillText("kit", "All.", ""),
			".atskills/gh/acme/kit/skills/one/SKILL.md": skillText("one", "Inner.", ""),
			".atskills/mine/SKILL.md":                   skillText("mine", "Mine.", ""),
			".atskills/gh/acme/linked@":                 "../../mine",
			".atskills/.autotrigger":                    "mine\n@gh:acme/linked\n@gh:acme/kit/skills/one\n",
		})
		b := w.block()
		w.asked("three copies", transporttest.Counts{})
		w.expectText(b, "- mine: Mine. (.atskills/mine/SKILL.md)", "- one: Inner. (.atskills/gh/acme/kit/skills/one/SKILL.md)")
		if !slices.Equal(b.Rows[0].Lines, []int{1, 2}) {
			t.Errorf("the folder behind the link is of lines %v", b.Rows[0].Lines)
		}
		w.expectNotes(b)
	})
}

// B4: a skill lacking a name or a description is left out with exactly one note: id, path, line and cause. Its siblings
// stay.
func TestResidencyIncomplete(t *testing.T) {
	t.Parallel()
	archive := acme
	files := map[string]string{"fine/": "Fine."}
	for name, text := range map[string]string{
		"bare":       "No frontmatter.",
		"unnamed":    "---\ndescription: D.\n---\n",
		"silent":     "---\nname: silent\n---\n",
		"blank":      "---\nname: blank\ndescription: \"  \"\n---\n",
		"invisible":  "---\nname: invisible\ndescription: \"\\u200b\\u202e\"\n---\n",
		"listed":     "---\nname: [a]\ndescription: D.\n---\n",
		"unreadable": "---\nname: \"\\u2060\"\ndescription: D.\n---\n",
		"filler":     "---\nname: \"\\u3164\\u2800\\uffa0\"\ndescription: D.\n---\n",
	} {
		files["all/"+name+"/SKILL.md"] = text
		archive += "-- acme/kit/bad/" + name + "/SKILL.md --\n" + text + "\n"
	}
	archive += "-- acme/kit/bad/good/SKILL.md --\n" + skillText("good", "Good.", "")
	w := newWorld(t, archive)
	w.project(files)
	w.trigger("fine", "all/", "all/bare", "@gh:acme/kit/bad/", "@gh:acme/kit/bad/bare")
	b := w.block()
	w.expectText(b, "- fine: Fine. (.atskills/fine/SKILL.md)", "- good: Good. ("+w.env.Cache.Root()+"gh/acme/kit/bad/good/SKILL.md)")
	var want []string
	for _, at := range []string{"2 incomplete all/", "4 incomplete gh:acme/kit/bad/"} {
		for _, name := range []string{"bare", "blank", "filler", "invisible", "listed", "silent", "unnamed", "unreadable"} {
			want = append(want, at+name)
		}
	}
	w.expectNotes(b, want...)
	for _, n := range b.Notes {
		if !strings.HasSuffix(n.Path, "/SKILL.md") || n.Message == "" {
			t.Errorf("note %+v has no path or cause", n)
		}
	}
	if first := b.Notes[0].Message; !strings.Contains(first, "SKILL.md, line 1") || !strings.Contains(first, "frontmatter-missing") {
		t.Errorf("cause %q", first)
	}
}

// B5: a collection without trailing "/" brings nothing, and the note has the line that would.
func TestResidencyMenu(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.trigger("@gh:acme/kit/skills", "@gh:acme/kit/skills/deploy/")
	b := w.block()
	w.expectNotes(b, "1 menu gh:acme/kit/skills")
	if note := w.noted(b, atskills.NoteMenu); !strings.HasSuffix(note, "follow all 2 skills: @gh:acme/kit/skills/") {
		t.Errorf("note %q", note)
	}
	if len(b.Rows) != 1 || b.Rows[0].Name != "deploy" {
		t.Errorf("rows %v: a slash behind a skill is no harm", b.Rows)
	}
	w.trigger("@gh:acme/kit/skills/")
	if b := w.block(); len(b.Rows) != 2 || len(b.Notes) > 0 {
		t.Errorf("with the slash: rows %v, notes %v", b.Rows, b.Notes)
	}
}

// B4: bodies are not read into the block.
func TestResidencyNoBody(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.project(map[string]string{"a/": "A."})
	w.trigger("*", "@gh:acme/kit/skills/")
	b := w.block()
	for _, body := range []string{"Body.", "Look twice.", "run.sh"} {
		if strings.Contains(b.Text, body) {
			t.Errorf("the block holds %q of a body", body)
		}
	}
}

// B6, T2: each failing line says so once, in words of its own, and the rest goes on.
func TestResidencyFailures(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme+many("acme/big", "skills/a", 100)+many("acme/big", "skills/b", 100)+
		"-- acme/secret/x/SKILL.md --\n"+skillText("x", "X.", "")+"-- hub:acme/notes/SKILL.md --\n"+skillText("notes", "N.", ""))
	if err := w.fake.SetAccess("acme/secret", &transporttest.Access{Password: "p"}); err != nil {
		t.Fatal(err)
	}
	w.env.Transport = transport.Mux{GitHub: w.env.Transport}
	w.project(map[string]string{"a/": "A."})
	w.trigger("@gh:acme", "@deploy", "@gh:acme/none/x", "@gh:acme/kit/skills/reviw", "@gh:acme/secret/x", "@gh:acme/big/skills/",
		"@hub:acme/notes", "@gh:acme/kit/skills/review", "a", "@", "@gh:acme/none/x")
	b := w.block()
	w.expectNotes(b, "1 bad-id ", "2 bad-id ", "3 not-found gh:acme/none/x", "4 not-found gh:acme/kit/skills/reviw",
		"5 no-access gh:acme/secret/x", "6 too-large gh:acme/big/skills", "7 not-configured hub:acme/notes", "10 bad-id ", "11 not-found gh:acme/none/x")
	if len(b.Rows) != 2 {
		t.Errorf("rows %v", b.Rows)
	}
	for i, want := range map[int]string{3: "did you mean gh:acme/kit/skills/review", 5: "200 skills", 0: "gh:acme"} {
		if got := b.Notes[i].Message; !strings.Contains(got, want) {
			t.Errorf("note %q does not hold %q", got, want)
		}
	}
	if got := b.Notes[5].Message; !strings.Contains(got, "try gh:acme/big/skills/a (100), gh:acme/big/skills/b (100)") {
		t.Errorf("a refusal without suggestions: %q (R6)", got)
	}
	for _, l := range b.Lines {
		for _, n := range l.Notes {
			if n.Line != l.Number {
				t.Errorf("line %d has the note of line %d", l.Number, n.Line)
			}
		}
	}
}

// R5: the cap holds for the project's own copy of a followed collection, and not for what plain lines select.
func TestResidencyCap(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	files := make(map[string]string)
	for i := range atskills.MaxSkills + 1 {
		files[fmt.Sprintf("gh/acme/big/%c/s%03d/", 'a'+i%2, i)] = "Numbered."
	}
	w.project(files)
	w.trigger("@gh:acme/big/")
	b := w.block()
	w.expectNotes(b, "1 too-large gh:acme/big")
	if note := w.noted(b, atskills.NoteTooLarge); !strings.Contains(note, "try gh:acme/big/a (65), gh:acme/big/b (64)") {
		t.Errorf("note %q", note)
	}
	w.trigger("gh/")
	if b := w.block(); len(b.Rows) != atskills.MaxSkills+1 {
		t.Errorf("a pattern selects %d", len(b.Rows))
	}
}

// B6, C4: upstream silent with a cached copy marks the row; without one the line says why.
func TestResidencyOffline(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.trigger("@gh:acme/kit/skills/review")
	w.block()
	w.fake.SetOffline(true)
	w.trigger("@gh:acme/kit/skills/review", "@gh:acme/kit/skills/deploy")
	b := w.block()
	w.expectText(b, "- review: Reads a change. ("+w.env.Cache.Root()+
		"gh/acme/kit/skills/review/SKILL.md) [served from cache, upstream unreachable, may be stale]")
	w.expectNotes(b, "1 stale gh:acme/kit/skills/review", "2 unreachable gh:acme/kit/skills/deploy")
	if !b.Rows[0].Stale || len(b.Drift) > 0 {
		t.Errorf("row %+v, drift %v", b.Rows[0], b.Drift)
	}
}

// B6, C5: gone upstream, the cached copy answers with a dated warning and no mark in the row; without one the line fails.
func TestResidencyGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.trigger("@gh:acme/kit/skills/review")
	w.block()
	w.fake.Remove("acme/kit")
	w.trigger("@gh:acme/kit/skills/review", "@gh:acme/kit/skills/deploy")
	b := w.block()
	w.expectText(b, "- review: Reads a change. ("+w.env.Cache.Root()+"gh/acme/kit/skills/review/SKILL.md)")
	w.expectNotes(b, "1 gone gh:acme/kit/skills/review", "2 not-found gh:acme/kit/skills/deploy")
	if note := w.noted(b, atskills.WarnGone); !strings.Contains(note, "gone upstream, cached 2026-03-04") {
		t.Errorf("note %q", note)
	}
}

// rowsExist fails the test unless a file stands at each row's path (B2).
func (w *world) rowsExist(what string, b *atskills.Block) {
	w.Helper()
	for _, r := range b.Rows {
		if _, err := os.Stat(r.Path); err != nil {
			w.Errorf("%s: row %q of lines %v: %v", what, r.Name, r.Lines, err)
		}
	}
}

// B2, C5: a row names a file that is there, also where one line's folder was replaced, in the same block, by that of
// another line which no longer holds it.
func TestResidencyGoneBelow(t *testing.T) {
	t.Parallel()
	const deploy, kit, skills, list = "@gh:acme/kit/skills/deploy", "@gh:acme/kit/", "@gh:acme/kit/skills/", "@hub:acme/starter/"
	for _, lines := range [][]string{{kit, deploy}, {deploy, kit}, {skills, kit}, {skills, kit, deploy}, {deploy, list}, {skills, list}} {
		w := newWorld(t, acme+"-- hub:acme/starter/.playlist --\ngh:acme/kit/\n")
		w.env.Cache = fsx.OS(t.TempDir())
		w.trigger(lines...)
		w.rowsExist("the first block", w.block())
		w.dropDeploy()
		b := w.block()
		w.rowsExist("deploy is gone", b)
		if slices.Contains(names(b), "deploy") || !slices.Contains(names(b), "plan") || !slices.Contains(names(b), "review") {
			t.Errorf("%q: rows %q, want plan and review alone; notes %q", lines, names(b), told(b.Notes))
		}
		w.commit(map[string]string{"skills/review/SKILL.md": "", "skills/review/ref/style.md": ""})
		b = w.block()
		w.rowsExist("all are gone", b)
		if !slices.Equal(names(b), []string{"plan"}) {
			t.Errorf("%q: rows %q, want plan alone; notes %q", lines, names(b), told(b.Notes))
		}
		if again := w.block(); again.Text != b.Text {
			t.Errorf("%q: the next block has rows %q", lines, names(again))
		}
	}
}

// B4: the frontmatter is all that a block needs of a skill, however long its text is: upstream's as the project's own.
func TestResidencyLongFile(t *testing.T) {
	t.Parallel()
	long := skillText("review", "Reads a change.", strings.Repeat("x", 2*skill.MaxFile))
	w := newWorld(t, acme)
	w.commit(map[string]string{"skills/review/SKILL.md": long})
	w.project(map[string]string{"mine/SKILL.md": long})
	w.trigger("mine", "@gh:acme/kit/skills/review", "@gh:acme/kit/skills/")
	want := transporttest.Counts{Probes: 1, Opens: 1, Fetches: 1, Bodies: 6}
	for _, what := range []string{"the first block", "the second block"} {
		b := w.block()
		if got := names(b); !slices.Equal(got, []string{"review", "review", "deploy"}) || len(b.Notes) != 0 {
			t.Errorf("%s: rows %q, notes %v", what, got, b.Notes)
		}
		w.asked(what, want)
		want = transporttest.Counts{Probes: 1}
	}
	w.fake.SetOffline(true)
	if b := w.block(); len(b.Rows) != 3 || !b.Rows[1].Stale {
		t.Errorf("offline: rows %+v", b.Rows)
	}
}

// C6: a refresh that fails keeps the old copy, marked, and says why.
func TestResidencyRefreshFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.trigger("@gh:acme/kit/skills/review")
	w.block()
	w.commit(map[string]string{"skills/review/SKILL.md": skillText("review", "Reads it all.", "")})
	w.fake.Intercept(func(_ context.Context, op string, _ skill.ID) error {
		if op == "fetch" {
			return transport.ErrProtocol
		}
		return nil
	})
	b := w.block()
	w.expectNotes(b, "1 refresh gh:acme/kit/skills/review")
	if r := b.Rows[0]; !r.Stale || r.Description != "Reads a change." {
		t.Errorf("row %+v", r)
	}
}

// B2, C1: content that is kept in memory has no path; its row shows the reference that reads it.
func TestResidencyInMemory(t *testing.T) {
	t.Parallel()
	for name, cache := range map[string]func(*world){
		"no cache":         func(w *world) { w.env.Cache = nil },
		"unwritable cache": func(w *world) { w.env.Cache = fstest.ReadOnly(memfs.New()) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, acme+"-- acme/kit/API Gateway/SKILL.md --\n"+skillText("api", "Calls.", ""))
			cache(w)
			w.trigger("@gh:acme/kit/API Gateway", "@gh:acme/kit/skills/")
			b := w.block()
			w.expectText(b, "- api: Calls. (@skills:gh:acme/kit/API%20Gateway)",
				"- deploy: Ships a build. (@skills:gh:acme/kit/skills/deploy)", "- review: Reads a change. (@skills:gh:acme/kit/skills/review)")
			if b.Rows[0].Path != "" || len(b.Drift) > 0 {
				t.Errorf("path %q, drift %v", b.Rows[0].Path, b.Drift)
			}
			if w.env.Cache != nil {
				w.expectNotes(b, "1 cache gh:acme/kit/API Gateway", "2 cache gh:acme/kit/skills", "0 record ")
			}
		})
	}
}

// B7: what could forge a row or hide in one is taken out and told with its position; long texts are cut and told.
func TestResidencySafe(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", skill.MaxDescriptionLength)
	for _, c := range []struct{ name, description, row, note string }{
		{"a", `"one\n- forged: row (x)\u2028two\u0085three"`, "- a: one - forged: row (x) two three (.atskills/s/SKILL.md)", ""},
		{"a", `"x\u202ey\u200b\U000E0041z"`, "- a: xyz (.atskills/s/SKILL.md)", "removed from the description: U+202E at byte 1, U+200B at byte 5, U+E0041 at byte 8"},
		{"a", `"x\ufe01y \u2764\ufe0f\ufe0f\u2065"`, "- a: xy \u2764\ufe0f (.atskills/s/SKILL.md)", "removed from the description: U+FE01 at byte 1, U+FE0F at byte 12, U+2065 at byte 15"},
		{`"b\u2066c"`, "D.", "- bc: D. (.atskills/s/SKILL.md)", "removed from the name: U+2066 at byte 1"},
		{"a", long, "- a: " + long + " (.atskills/s/SKILL.md)", ""},
		{"a", long + "!", "- a: " + long + "… (.atskills/s/SKILL.md)", "the description has 1025 characters and is cut after 1024"},
		{strings.Repeat("n", 300), "D.", "- " + strings.Repeat("n", 256) + "…: D. (.atskills/s/SKILL.md)", "the name has 300 characters and is cut after 256"},
	} {
		w := newWorld(t, "")
		w.project(map[string]string{"s/SKILL.md": skillText(c.name, c.description, "")})
		w.trigger("s")
		b := w.block()
		w.expectText(b, c.row)
		got := ""
		for _, n := range b.Notes {
			got += n.Message
		}
		if got != c.note {
			t.Errorf("notes %q, want %q", got, c.note)
		}
	}
}

// B7, G12: a folder's name cannot break a row either. What cannot stand in one is shown by its reference, or quoted when
// it has none.
func TestResidencySafePath(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	files := make(map[string]string)
	for _, dir := range []string{"z  z", "a\nb", "dep\u200bloy", "gh:x", "plain name"} {
		files[dir+"/SKILL.md"] = skillText("s", "D.", "")
	}
	w.project(files)
	w.trigger("*")
	b := w.block()
	w.expectText(b, `- s: D. (".atskills/a\nb/SKILL.md")`, "- s: D. (@skills:dep%E2%80%8Bloy)", "- s: D. (.atskills/gh:x/SKILL.md)",
		"- s: D. (.atskills/plain name/SKILL.md)", "- s: D. (@skills:z%20%20z)")
	w.expectNotes(b, "1 hidden .atskills/a\nb/SKILL.md", "1 hidden dep\u200bloy", "1 hidden z  z")
	if b.Rows[0].Path != ".atskills/a\nb/SKILL.md" || !b.Rows[0].ID.IsZero() {
		t.Errorf("row %+v", b.Rows[0])
	}
}

// W1, W3, W6: what a line would have selected and the walk could not use is told at that line, and nothing else is.
func TestResidencyWalkProblems(t *testing.T) {
	t.Parallel()
	fstest.Each(t, func(t *testing.T, sys fstest.System) {
		w := newWorld(t, acme)
		w.env.Project = fsx.Locked(sys.New(t))
		fstest.Write(t, w.env.Project, "", fstest.Tree{
			".atskills/team/a/SKILL.md":    skillText("a", "A.", ""),
			".atskills/team/gone@":         "nowhere",
			".atskills/off/away@":          "../../..",
			".atskills/gh/acme/kit/out@":   "../../../../../elsewhere",
			".atskills/gh/acme/kit/x/y.md": "loose",
			".atskills/.autotrigger":       "# one\nteam/\n@gh:acme/kit/skills/review\n",
		})
		b := w.block()
		w.expectNotes(b, "2 unreadable .atskills/team/gone")
		if len(b.Rows) != 2 {
			t.Errorf("rows %v", b.Rows)
		}
	})
}

// G5, F2, F5: what Resolve warns of is told at the line, links that did not land in one note.
func TestResidencyWarnings(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme+"-- acme/kit/skills/l1 (symlink) --\ndeploy\n-- acme/kit/skills/l2 (symlink) --\nreview\n")
	w.trigger("@https://github.com/acme/kit/tree/dev/skills/review", "@gh:acme/kit/skills/")
	b := w.block()
	w.expectNotes(b, "1 branch gh:acme/kit/skills/review", "2 skipped gh:acme/kit/skills")
	if note := w.noted(b, atskills.WarnSkipped); !strings.Contains(note, "l1") || !strings.HasSuffix(note, "(and 1 more)") {
		t.Errorf("note %q", note)
	}
	w.project(map[string]string{"gh/acme/kit/skills/review/": "Mine."})
	w.expectNotes(w.block(), "1 branch gh:acme/kit/skills/review", "2 partial gh:acme/kit/skills")
	if err := w.fake.Rename("acme/kit", "acme/tools"); err != nil {
		t.Fatal(err)
	}
	w.trigger("@gh:acme/kit/skills/deploy")
	w.expectNotes(w.block(), "1 moved gh:acme/kit/skills/deploy")
}

// W3, R1: a link in the place of a copy that leads out of the project does not answer, and the line says so; a folder that
// cannot be read may hold the copy, and nothing else answers for it.
func TestResidencyBrokenCopy(t *testing.T) {
	t.Parallel()
	fstest.Each(t, func(t *testing.T, sys fstest.System) {
		w := newWorld(t, acme)
		w.env.Project = fsx.Locked(sys.New(t))
		fstest.Write(t, w.env.Project, "", fstest.Tree{
			".atskills/gh/acme/kit/skills/review@":         "../../../../../../elsewhere",
			".atskills/gh/acme/kit/skills/deploy/SKILL.md": skillText("deploy", "Mine.", ""),
			".atskills/.autotrigger":                       "@gh:acme/kit/skills/review\n@gh:acme/kit/skills/deploy\n",
		})
		w.env.Project = fstest.Hook(w.env.Project, func(c fstest.Call) error {
			if c.Op == fstest.OpReadDir && strings.HasSuffix(c.Name, "deploy") {
				return fstest.ErrInjected
			}
			return nil
		})
		b := w.block()
		w.expectNotes(b, "1 unreadable gh:acme/kit/skills/review", "2 unreadable gh:acme/kit/skills/deploy")
		if len(b.Rows) != 1 || b.Rows[0].Name != "review" || b.Rows[0].Where != atskills.WhereCloud {
			t.Errorf("rows %+v", b.Rows)
		}
	})
}

// V6: a SKILL.md at the top of the tree hides every other by the leaf rule; the block says so, and saved copies still
// answer their own paths.
func TestResidencyTopSkill(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.project(map[string]string{"SKILL.md": skillText("top", "T.", ""), "a/": "A.", "gh/acme/kit/skills/deploy/": "Mine."})
	w.trigger("*", "@gh:acme/kit/skills/deploy")
	b := w.block()
	w.expectText(b, "- deploy: Mine. (.atskills/gh/acme/kit/skills/deploy/SKILL.md)")
	w.expectNotes(b, "0 unreadable .atskills")
}

// B8: tokens are the host's where it counts them and the documented estimate otherwise; more than ten skills are advice.
func TestResidencyTokens(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	files := make(map[string]string)
	for i := range atskills.AdvisedSkills {
		files[fmt.Sprintf("s%02d/", i)] = "Ünï."
	}
	w.project(files)
	w.trigger("s*", "s03")
	b := w.block()
	w.expectNotes(b)
	row := "- s00: Ünï. (.atskills/s00/SKILL.md)" // 36 characters
	if b.Rows[0].Text != row || b.Rows[0].Tokens != 9 || b.Lines[0].Tokens != 90 || b.Lines[1].Tokens != 9 {
		t.Errorf("row %+v, lines %+v", b.Rows[0], b.Lines)
	}
	if want := (len(header) + 10*37 + 3) / 4; b.Tokens != want {
		t.Errorf("the block costs %d, want %d", b.Tokens, want)
	}
	w.env.Tokens = func(s string) int { return strings.Count(s, "s") }
	w.project(map[string]string{"s99/": "One more."})
	b = w.block()
	if b.Tokens != strings.Count(b.Text, "s") || b.Rows[0].Tokens != 4 {
		t.Errorf("counted %d and %d", b.Tokens, b.Rows[0].Tokens)
	}
	w.expectNotes(b, "0 many ")
	if note := w.noted(b, atskills.NoteMany); !strings.HasPrefix(note, "11 skills are resident; at most 10") {
		t.Errorf("note %q", note)
	}
}

// B10: cloud lines are asked about together, a bounded number at a time, and the end of the context ends them.
func TestResidencyConcurrent(t *testing.T) {
	t.Parallel()
	const repos = 20
	archive, lines := "", []string(nil)
	for i := range repos {
		archive += fmt.Sprintf("-- acme/r%02d/SKILL.md --\n%s", i, skillText("s", "D.", ""))
		lines = append(lines, fmt.Sprintf("@gh:acme/r%02d", i))
	}
	w := newWorld(t, archive)
	w.trigger(lines...)
	arrived, open := make(chan struct{}, repos), make(chan struct{})
	w.fake.Intercept(func(ctx context.Context, op string, _ skill.ID) error {
		if op != "probe" {
			return nil
		}
		arrived <- struct{}{}
		select {
		case <-open:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		b, err := atskills.Residency(ctx, w.env)
		if b != nil {
			err = errors.New("a cancelled call returned a block")
		}
		done <- err
	}()
	for range 8 { // these wait at once, and would for ever if they came one by one
		<-arrived
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	close(open)
	if b := w.block(); len(b.Rows) != repos {
		t.Errorf("%d rows", len(b.Rows))
	}
}

// C2: a cache inside a skill tree is refused. A trigger file that cannot be read is an error and not an empty block.
func TestResidencyErrors(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.trigger("a")
	w.env.Cache = fsx.OS(t.TempDir() + "/.atskills/cache")
	if _, err := atskills.Residency(t.Context(), w.env); !errors.Is(err, atskills.ErrCacheInTree) {
		t.Errorf("error %v", err)
	}
	w = newWorld(t, acme)
	w.env.Project = fstest.Hook(w.env.Project, func(c fstest.Call) error {
		if c.Op == fstest.OpOpen && strings.HasSuffix(c.Name, atskills.TriggerFile) {
			return fstest.ErrInjected
		}
		return nil
	})
	w.trigger("a")
	if _, err := atskills.Residency(t.Context(), w.env); !errors.Is(err, fstest.ErrInjected) {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), -time.Second)
	defer cancel()
	if b, err := atskills.Residency(ctx, newWorld(t, acme).env); !errors.Is(err, context.DeadlineExceeded) || b != nil {
		t.Errorf("after its time: %v, error %v", b, err)
	}
}

// W6, R8: a skill whose file cannot be read is one note, and the others stay.
func TestResidencyUnreadable(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.project(map[string]string{"a/": "A.", "b/": "B.", "c/": "C."})
	w.trigger("a", "*", "b")
	w.env.Project = fstest.Hook(w.env.Project, func(c fstest.Call) error {
		if c.Op == fstest.OpOpen && c.Name == ".atskills/b/SKILL.md" {
			return fstest.ErrInjected
		}
		return nil
	})
	b := w.block()
	w.expectText(b, "- a: A. (.atskills/a/SKILL.md)", "- c: C. (.atskills/c/SKILL.md)")
	w.expectNotes(b, "2 unreadable b")
}
