package atskills_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/internal/fstest"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport/transporttest"
)

func (w *world) toggle(row string) *atskills.Change {
	w.Helper()
	c, err := atskills.Toggle(w.Context(), w.env, row)
	if err != nil {
		w.Fatalf("Toggle(%q) error: %v", row, err)
	}
	return c
}

// V2, V5, T6: each row in turn, with what is said of it.
func TestToggle(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.own("deploy", "team/flows/ci", "team/flows/plan", "team/notes", "Upper/Case")
	w.edit(triggerFile, "\ufeff# mine\r\n\r\nteam/\r\n@gh:acme/kit/skills/\r\n")
	steps := []struct{ row, note, want string }{
		{"deploy", "wrote line 5, `deploy`", "\ufeff# mine\r\n\r\nteam/\r\n@gh:acme/kit/skills/\r\ndeploy\r\n"},
		{"team/flows/ci", "removed line 3, `team/`; wrote line 3, `team/flows/plan`; line 4, `team/notes`",
			"\ufeff# mine\r\n\r\nteam/flows/plan\r\nteam/notes\r\n@gh:acme/kit/skills/\r\ndeploy\r\n"},
		{"team/flows", "removed line 3, `team/flows/plan`; wrote line 6, `team/flows/`",
			"\ufeff# mine\r\n\r\nteam/notes\r\n@gh:acme/kit/skills/\r\ndeploy\r\nteam/flows/\r\n"},
		{"@skills:team/flows/", "removed line 6, `team/flows/`", "\ufeff# mine\r\n\r\nteam/notes\r\n@gh:acme/kit/skills/\r\ndeploy\r\n"},
		{"@gh:acme/kit/skills/", "removed line 4, `@gh:acme/kit/skills/`", "\ufeff# mine\r\n\r\nteam/notes\r\ndeploy\r\n"},
		{"@gh:acme/kit/skills/", "wrote line 5, `@gh:acme/kit/skills/`", "\ufeff# mine\r\n\r\nteam/notes\r\ndeploy\r\n@gh:acme/kit/skills/\r\n"},
		{"gh:acme/kit/skills", "removed line 5, `@gh:acme/kit/skills/`; to have it again, toggle `@gh:acme/kit/skills/`", "\ufeff# mine\r\n\r\nteam/notes\r\ndeploy\r\n"},
		{"GH:acme/kit/My%20Skill:save", "wrote line 5, `@gh:acme/kit/My%20Skill`", "\ufeff# mine\r\n\r\nteam/notes\r\ndeploy\r\n@gh:acme/kit/My%20Skill\r\n"},
		{"@gh:acme/kit/My%20Skill", "removed line 5, `@gh:acme/kit/My%20Skill`", "\ufeff# mine\r\n\r\nteam/notes\r\ndeploy\r\n"},
		{"Upper/Case", "wrote line 5, `Upper/Case`", "\ufeff# mine\r\n\r\nteam/notes\r\ndeploy\r\nUpper/Case\r\n"},
	}
	for _, s := range steps {
		c := w.toggle(s.row)
		if c.Note != s.note {
			t.Errorf("Toggle(%q) notes %q, want %q", s.row, c.Note, s.note)
		}
		w.wantTriggers("Toggle("+s.row+")", s.want)
	}
	w.asked("toggling", transporttest.Counts{})
	if c := w.toggle("team/flows"); c.ID.String() != "team/flows" || c.Row != "team/flows" ||
		!slices.Equal(c.Written, []atskills.TriggerLine{{Number: 6, Text: "team/flows/"}}) || c.Removed != nil {
		t.Errorf("change %+v", c)
	}
}

// V2: broken lines and lines that match nothing are rows too, and go.
func TestToggleBroken(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.own("a", "@gh:x", "line:1:gone")
	w.edit(triggerFile, "@nonsense\ngone/\n@nonsense \n@skills:gh:acme/kit\n!a\n")
	var keys []string
	for _, r := range w.readTree().Rows {
		if r.Kind == atskills.RowBroken {
			keys = append(keys, r.Key)
		}
	}
	if diff := cmp.Diff([]string{"@nonsense", "line:2:gone/", "@nonsense", "line:4:@skills:gh:acme/kit"}, keys); diff != "" {
		t.Errorf("keys of broken rows (-want +got):\n%s", diff)
	}
	for _, row := range []string{"line:5", "line:6", "line:9999999999", "line:0", "line:2:other", "line:4:"} {
		if _, err := atskills.Toggle(t.Context(), w.env, row); err == nil {
			t.Errorf("Toggle(%q) works", row)
		}
	}
	w.toggle("line:4")
	w.wantTriggers("line 4", "@nonsense\ngone/\n@nonsense \n!a\n")
	w.toggle("@nonsense")
	w.wantTriggers("@nonsense", "gone/\n!a\n")
	// A folder of that name comes first, and the row of the line has a key that says which.
	key := w.readTree().Rows[3].Key
	if key != "line:01:gone/" {
		t.Errorf("key %q", key)
	}
	w.toggle("line:1:gone/")
	w.toggle(`@gh:x`)
	w.wantTriggers("their namesakes", "gone/\n!a\nline:1:gone\n\\@gh:x\n")
	w.toggle(key)
	w.wantTriggers(key, "!a\nline:1:gone\n\\@gh:x\n")
}

// V2: a line that is no row is refused for what it is.
func TestToggleNoRow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.own("a")
	const file = "a\n# why\n\n!a\n"
	w.edit(triggerFile, file)
	for row, want := range map[string]string{
		"line:1": "line 1, `a` is no row of the tree: toggle the skills that it is about",
		"line:2": "line 2 is a comment",
		"line:3": "line 3 is blank",
		"line:4": "line 4, `!a` is no row of the tree: toggle the skills that it is about",
		"line:9": "there is no line 9",
	} {
		_, err := atskills.Toggle(t.Context(), w.env, row)
		var refused *atskills.ToggleError
		if !errors.As(err, &refused) || refused.Reason != want || refused.Covered {
			t.Errorf("Toggle(%q): error %v, want %q", row, err, want)
		}
	}
	w.wantTriggers("refused toggles", file)
}

// T6: a key that was read before somebody else edited the file does not take another line away.
func TestToggleMovedLine(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.own("a")
	w.edit(triggerFile, "one\nmine\n")
	key := w.readTree().Rows[1].Key
	const now = "precious/for/later\none\nmine\n"
	w.edit(triggerFile, now)
	var refused *atskills.ToggleError
	if _, err := atskills.Toggle(t.Context(), w.env, key); !errors.As(err, &refused) || !strings.Contains(err.Error(), "since the tree was read") {
		t.Errorf("Toggle(%q) error %v", key, err)
	}
	w.wantTriggers("toggling a row that moved", now)
	w.edit(triggerFile, "one\n")
	w.toggle(key)
	w.wantTriggers("toggling it in its place", "")
}

// V2: the key of a line's row toggles that line, whatever the line holds.
func TestToggleKeys(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"@gh:o/r\u00a0", "@gh:o/r\u2028", " @gh:o/r", "@gh:o/r:save", "@ gh:o/r", "@@gh:o/r", "@skills:gh:o/r", "@workflow:gh:o/r",
		"@gh:o/r/\t", "@gh:o/r\x00", "@gh:o/r\xff", "@GH:o/R/", "@https://github.com/o/r/tree/main/x", "@gh/o/r", "@", "@gh:o",
		"@gh:o/r/SKILL.md", "@gh:o/r//", "@line:3", "\u00a0x", "line:1", "line:2:x", "zz\\", "\xff", "\v@gh:o/r", "@gh:o/r#x",
	} {
		w := newWorld(t, "")
		w.own("a", "b")
		w.edit(triggerFile, "# c\n"+line+"\nb\n")
		tree := w.readTree()
		w.toggle(tree.Rows[len(tree.Rows)-1].Key)
		w.wantTriggers(fmt.Sprintf("toggling the row of %q", line), "# c\nb\n")
	}
}

// V2, B1: a copy that the line of its id makes resident is on, and is turned off by removing that line.
func TestToggleCopy(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	if _, err := atskills.Save(t.Context(), w.env, "gh:acme/kit/skills"); err != nil {
		t.Fatal(err)
	}
	w.trigger("@gh:acme/kit/skills/deploy", "x")
	w.toggle("gh/acme/kit/skills/deploy")
	w.wantTriggers("turning it off", "x\n")
	w.toggle("gh:acme/kit/skills/deploy")
	w.wantTriggers("turning it on by its id", "x\ngh/acme/kit/skills/deploy\n")

	w.trigger("@gh:acme/kit/skills/")
	_, err := atskills.Toggle(t.Context(), w.env, "gh/acme/kit/skills/deploy")
	var refused *atskills.ToggleError
	if !errors.As(err, &refused) || !errors.Is(err, atskills.ErrCovered) || refused.Line != (atskills.TriggerLine{Number: 1, Text: "@gh:acme/kit/skills/"}) {
		t.Errorf("under a followed directory: error %v", err)
	}
	w.wantTriggers("a refusal", "@gh:acme/kit/skills/\n")
	w.wantTree("[x] gh/acme/kit/skills :1 (2/2)\n  [#] deploy :1\n  [#] review :1\n[x] @gh:acme/kit/skills/ :1\n")
	w.toggle("gh/acme/kit/skills")
	w.wantTriggers("turning the folder off", "")
}

// V2, V3: a refusal names the line and what would help, and nothing is written.
func TestToggleRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.own("t/a", "t/b", "u/a\nb")
	tests := []struct {
		file, row string
		want      atskills.ToggleError
		covered   bool
		text      string
	}{
		{"# c\nt/*\n", "t/a", atskills.ToggleError{Row: "t/a", Line: atskills.TriggerLine{Number: 2, Text: "t/*"}, Fix: "!t/a", Covered: true},
			true, "toggle \"t/a\": line 2, `t/*`, covers `t/a` as a pattern: edit that line, or add `!t/a` below it"},
		{"t/\n!t/b\n", "t/a", atskills.ToggleError{Row: "t/a", Line: atskills.TriggerLine{Number: 2, Text: "!t/b"}},
			false, "toggle \"t/a\": `t/b` would be off too, by line 2, `!t/b`: edit that line first"},
		{"", "u/a\nb", atskills.ToggleError{Row: "u/a\nb"}, false, `toggle "u/a\nb": no line can name "u/a\nb": it holds a line break or NUL`},
	}
	for _, tt := range tests {
		w.edit(triggerFile, tt.file)
		_, err := atskills.Toggle(t.Context(), w.env, tt.row)
		var got *atskills.ToggleError
		if !errors.As(err, &got) {
			t.Errorf("Toggle(%q) in %q: error %v", tt.row, tt.file, err)
			continue
		}
		tt.want.Reason = got.Reason
		if diff := cmp.Diff(tt.want, *got); diff != "" || errors.Is(err, atskills.ErrCovered) != tt.covered || err.Error() != tt.text {
			t.Errorf("Toggle(%q) in %q: %v (-want +got):\n%s", tt.row, tt.file, err, diff)
		}
		w.wantTriggers("a refusal", tt.file)
	}
}

// V2: what is no row says why, and where it looked.
func TestToggleMiss(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.own("team/deploy", "team/deploy/inner", "loose/x.md/y")
	var miss *atskills.NotFoundError
	for row, want := range map[string]string{
		"team/deplo":        "did you mean team/deploy",
		"team/deploy/inner": "it lies inside the skill team/deploy",
		"Nowhere":           "looked in .atskills/Nowhere, .atskills/nowhere",
	} {
		_, err := atskills.Toggle(t.Context(), w.env, row)
		if !errors.As(err, &miss) || !errors.Is(err, atskills.ErrNotFound) || !strings.Contains(err.Error(), want) {
			t.Errorf("Toggle(%q) error %v, want one that says %q", row, err, want)
		}
	}
	var syntax *skill.SyntaxError
	for _, row := range []string{"", ".", "/", "a//b", "@gh:x/", "gh:acme", "@gh:a/b\n@gh:c/d"} {
		if _, err := atskills.Toggle(t.Context(), w.env, row); !errors.As(err, &syntax) {
			t.Errorf("Toggle(%q) error %v, want a syntax error", row, err)
		}
	}
	w.edit(".atskills/SKILL.md", "x")
	if _, err := atskills.Toggle(t.Context(), w.env, "team/deploy"); !errors.As(err, &miss) || !strings.Contains(err.Error(), "at the top") {
		t.Errorf("below a skill at the top: error %v", err)
	}
	if _, err := atskills.Toggle(t.Context(), atskills.Env{}, "a"); err == nil || !strings.Contains(err.Error(), `toggle "a"`) {
		t.Errorf("without a project: error %v", err)
	}
}

// B4: what is turned on and will load nothing is said.
func TestToggleWarns(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.project(map[string]string{"bare/SKILL.md": "---\nname: bare\n---\n", "fine/": "F."})
	if c := w.toggle("bare"); !hasWarning(c.Warnings, atskills.WarnFrontmatter, ".atskills/bare/SKILL.md", "description") {
		t.Errorf("warnings %v", c.Warnings)
	}
	for _, row := range []string{"bare", "fine"} {
		if c := w.toggle(row); len(c.Warnings) > 0 {
			t.Errorf("toggling %s warns %v", row, c.Warnings)
		}
	}
}

// T6: of two that toggle at once none loses the other's line, and the rest of the file keeps its bytes.
func TestToggleConcurrent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.env.Project = fsx.OS(t.TempDir())
	names := []string{"a", "b", "c", "d", "e", "f"}
	w.own(names...)
	w.edit(triggerFile, "# head\r\n")
	var wg sync.WaitGroup
	for _, name := range names {
		wg.Go(func() {
			if _, err := atskills.Toggle(t.Context(), w.env, name); err != nil {
				t.Errorf("Toggle(%q) error: %v", name, err)
			}
		})
	}
	wg.Wait()
	lines := strings.Split(strings.TrimSuffix(w.triggers(), "\r\n"), "\r\n")
	slices.Sort(lines[1:])
	if diff := cmp.Diff(append([]string{"# head"}, names...), lines); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	w.edit(triggerFile+".lock", "held")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := atskills.Toggle(ctx, w.env, "a"); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
}

// V4: checking every child leaves a line for each, and a skill that joins them is off.
func TestToggleChildren(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.own("t/a", "t/b")
	w.toggle("t/a")
	w.toggle("t/b")
	w.wantTriggers("checking every child", "t/a\nt/b\n")
	tree := w.wantTree("[~] t (2/2)\n  [x] a :1\n  [x] b :2\n")
	if r := tree.Rows[0]; r.On != r.Skills {
		t.Errorf("row %+v", r)
	}
	w.own("t/c")
	w.wantTree("[~] t (2/3)\n  [x] a :1\n  [x] b :2\n  [ ] c\n")
	w.toggle("t")
	w.wantTriggers("checking the folder", "t/\n")
	w.own("t/d")
	w.wantTree("[x] t :1 (4/4)\n  [#] a :1\n  [#] b :1\n  [#] c :1\n  [#] d :1\n")
}

// V2: a link of the project is toggled by the name it has there (W3).
func TestToggleLink(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	dir := t.TempDir()
	w.env.Project = fsx.OS(dir)
	w.edit(".claude/skills/x/SKILL.md", skillText("x", "Linked.", ""))
	w.own("a")
	if err := os.Symlink("../.claude/skills/x", dir+"/.atskills/x"); err != nil {
		t.Skip(err)
	}
	w.toggle("x")
	w.wantTriggers("turning it on", "x\n")
	w.wantTree("[ ] a\n[x] x :1\n")
}

// H5, V1, V2: a copy that a followed playlist lists is on by that line, and is not taken out of it.
func TestTogglePlaylistRow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, followedList)
	w.save("gh:acme/kit/skills/review")
	w.trigger("@hub:acme/starter/")
	const row = "gh/acme/kit/skills/review"
	w.wantTree("[ ] gh/acme/kit/skills (0/1)\n  [ ] review\n[x] @hub:acme/starter/ :1 !uncached\n")
	w.block()
	w.counter.Reset()
	tree := w.wantTree("[~] gh/acme/kit/skills (1/1)\n  [#] review :1\n[x] @hub:acme/starter/ :1 !skipped !uncached !menu !failed\n")
	if tree.On != 3 {
		t.Errorf("%d are on, want the list's three", tree.On)
	}
	for _, file := range []string{"@hub:acme/starter/\n", row + "\n@hub:acme/starter/\n", "!gh/\n@hub:acme/starter/\n"} {
		w.edit(triggerFile, file)
		for _, key := range []string{row, "gh/acme/kit/skills"} {
			_, err := atskills.Toggle(t.Context(), w.env, key)
			var refused *atskills.ToggleError
			if !errors.As(err, &refused) || !errors.Is(err, atskills.ErrCovered) || refused.Line.Text != "@hub:acme/starter/" {
				t.Errorf("Toggle(%q) in %q error %v, want the list's line in it", key, file, err)
			}
			w.wantTriggers("a refusal", file)
		}
	}
	w.asked("the tree and toggling", transporttest.Counts{})
	w.trigger(row, "@hub:acme/starter/")
	w.toggle("@hub:acme/starter/")
	w.toggle(row)
	w.wantTriggers("turning off both", "")
	if b := w.block(); b.Text != "" {
		t.Errorf("resident is still %q", b.Text)
	}
}

// W3, B1: a skill that a copy's link leads to is on by the line of that copy's id.
func TestToggleLinkedCopy(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.own("a", "b")
	fstest.Write(t, w.env.Project, ".atskills", fstest.Tree{"gh/acme/kit/x@": "../../../a"})
	w.trigger("@gh:acme/kit/x", "b")
	w.wantTree("[#] a :1\n[x] b :2\n[x] @gh:acme/kit/x :1\n")
	if b := w.block(); len(b.Rows) != 2 {
		t.Errorf("rows %q", names(b))
	}
	if _, err := atskills.Toggle(t.Context(), w.env, "a"); !errors.Is(err, atskills.ErrCovered) || !strings.Contains(err.Error(), "line 1, `@gh:acme/kit/x`") {
		t.Errorf("Toggle error %v", err)
	}
	w.toggle("@gh:acme/kit/x")
	w.wantTree("[ ] a\n[x] b :1\n")
	w.toggle("a")
	w.wantTriggers("turning it on by itself", "b\na\n")
}

// V7, B5: a typed id stands for the line that follows its whole directory, and brings it back when the cache knows it.
func TestToggleTyped(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.trigger("@"+skillsRef+"/", "@"+deployRef)
	w.block()
	c := w.toggle(skillsRef)
	if want := "removed line 1, `@" + skillsRef + "/`; to have it again, toggle `@" + skillsRef + "/`"; c.Note != want {
		t.Errorf("note %q, want %q", c.Note, want)
	}
	w.toggle(skillsRef)
	w.toggle(deployRef)
	w.toggle(deployRef)
	w.wantTriggers("toggling twice", "@"+skillsRef+"/\n@"+deployRef+"\n")
	w.toggle("@" + skillsRef)
	w.wantTriggers("toggling what names a line", "@"+skillsRef+"/\n@"+deployRef+"\n@"+skillsRef+"\n")
}

// T7, T9: installing and toggling write the same line.
func TestToggleWritesWhatInstallDoes(t *testing.T) {
	t.Parallel()
	for _, skills := range [][]string{
		{"a", "b"}, {"a", "t/a"}, {"a/a", "b"}, {"a/b", "t/a/x"}, {"t/u/a", "t/u/b", "u/x"}, {"[z]", "t/[z]"}, {"!x/#y", "c#"}, {"t/a b", "a b"},
	} {
		for _, ref := range skills {
			for _, ref := range []string{ref, strings.Split(ref, "/")[0]} {
				installed, toggled := newWorld(t, ""), newWorld(t, "")
				installed.own(skills...)
				toggled.own(skills...)
				installed.install(ref)
				toggled.toggle(ref)
				toggled.wantTriggers("toggling "+ref, installed.triggers())
			}
		}
	}
}
