package atskills_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/go-git/go-billy/v5/memfs"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/internal/fstest"
	"github.com/atskills-go/atskills/transport/transporttest"
)

const triggerFile = ".atskills/.autotrigger"

// own puts skills of the project's at paths below .atskills/.
func (w *world) own(paths ...string) {
	w.Helper()
	for _, p := range paths {
		w.edit(".atskills/"+p+"/SKILL.md", skillText("s", "Does it.", "Body."))
	}
}

func (w *world) install(ref string) *atskills.Change {
	w.Helper()
	c, err := atskills.Install(w.Context(), w.env, ref)
	if err != nil {
		w.Fatalf("Install(%q) error: %v", ref, err)
	}
	return c
}

func (w *world) uninstall(ref string) *atskills.Change {
	w.Helper()
	c, err := atskills.Uninstall(w.Context(), w.env, ref)
	if err != nil {
		w.Fatalf("Uninstall(%q) error: %v", ref, err)
	}
	return c
}

// triggers returns the trigger file, "" when there is none.
func (w *world) triggers() string {
	w.Helper()
	data, err := fsx.ReadFile(w.env.Project, triggerFile, -1)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.Fatal(err)
	}
	return string(data)
}

// wantTriggers fails the test unless the trigger file is want.
func (w *world) wantTriggers(after, want string) {
	w.Helper()
	if got := w.triggers(); got != want {
		w.Errorf("after %s the file is %q, want %q", after, got, want)
	}
}

// T7, T9: the line of a skill, and of a folder of skills, is a literal; the bare name alone where that says enough.
func TestInstallPath(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, ref, file, want string
		skills                []string
	}{
		{"no file", "deploy", "", "deploy\n", []string{"deploy"}},
		{"suffixes", "@skills:deploy:save:install", "", "deploy\n", []string{"deploy"}},
		{"last line", "deploy", "# mine\r\n\r\nx", "# mine\r\n\r\nx\r\ndeploy\r\n", []string{"deploy"}},
		{"BOM", "deploy", "\ufeff# mine\n", "\ufeff# mine\ndeploy\n", []string{"deploy"}},
		{"deep", "team/deploy", "", "team/deploy\n", []string{"team/deploy", "x/team/deploy"}},
		{"folder", "team", "", "team/\n", []string{"team/deploy", "team/sub/review", "x"}},
		{"typed slash", "deploy/", "", "deploy\n", []string{"deploy"}},
		{"name elsewhere", "deploy", "", "/deploy\n", []string{"deploy", "team/deploy"}},
		{"name elsewhere, a folder", "deploy", "", "/deploy\n", []string{"deploy", "team/deploy/x"}},
		{"folder elsewhere", "team", "", "/team/\n", []string{"team/deploy", "x/team/review"}},
		{"elsewhere, selected anyway", "deploy", "team/\n", "team/\n/deploy\n", []string{"deploy", "team/deploy"}},
		{"no skill elsewhere", "deploy", "", "deploy\n", []string{"deploy", "team/deploy-all"}},
		{"taken back before", "team/x", "team/*\n!team/x\n", "team/*\n!team/x\nteam/x\n", []string{"team/x", "team/y"}},
		{"its own line, taken back", "x", "x\n!x\n", "x\n!x\nx\n", []string{"x"}},
		{"all of a folder one by one", "team", "team/x\nteam/y\n", "team/x\nteam/y\nteam/\n", []string{"team/x", "team/y"}},
		{"exact case", "Deploy", "", "Deploy\n", []string{"Deploy"}},
		{"folded case", "Deploy", "", "deploy\n", []string{"deploy"}},
		{"copy", deployRef, "", "gh/acme/kit/skills/deploy\n", []string{"gh/acme/kit/skills/deploy"}},
		{"copies", "gh:acme/kit/skills", "", "gh/acme/kit/skills/\n", []string{"gh/acme/kit/skills/deploy"}},
		{"copy by its path", "gh/acme/kit/skills/deploy", "", "gh/acme/kit/skills/deploy\n", []string{"gh/acme/kit/skills/deploy"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, acme)
			w.own(tt.skills...)
			if tt.file != "" {
				w.edit(triggerFile, tt.file)
			}
			c := w.install(tt.ref)
			w.wantTriggers("Install", tt.want)
			line := strings.TrimRight(tt.want[strings.LastIndex(strings.TrimRight(tt.want, "\r\n"), "\n")+1:], "\r\n")
			line = strings.TrimPrefix(line, "\ufeff")
			want := []atskills.TriggerLine{{Number: strings.Count(tt.want, "\n"), Text: line}}
			if diff := cmp.Diff(want, c.Written); diff != "" || len(c.Removed) > 0 {
				t.Errorf("Install wrote (-want +got):\n%s and removed %v", diff, c.Removed)
			}
			if !strings.Contains(c.Note, want[0].String()) || strings.Contains(c.Note, "\n") {
				t.Errorf("note %q does not say %q", c.Note, want[0])
			}
			again := w.install(tt.ref)
			w.wantTriggers("Install again", tt.want)
			if len(again.Written)+len(again.Removed) > 0 || !strings.Contains(again.Note, "already names") {
				t.Errorf("Install again = %+v", again)
			}
			w.asked("a skill of the project's", transporttest.Counts{})
		})
	}
}

// T8: a cloud id is followed in reference spelling, a collection with a slash behind it.
func TestInstallCloud(t *testing.T) {
	t.Parallel()
	up := acme + "-- acme/kit/skills/API Gateway/SKILL.md --\n" + skillText("gateway", "Routes.", "Body.")
	tests := []struct{ name, ref, file, want string }{
		{"skill", deployRef, "", "@" + deployRef + "\n"},
		{"collection", skillsRef, "", "@" + skillsRef + "/\n"},
		{"pasted", "https://github.com/acme/kit/tree/main/skills/deploy", "a\r\n", "a\r\n@" + deployRef + "\r\n"},
		{"blank in the name", "gh:acme/kit/skills/API%20Gateway", "", "@gh:acme/kit/skills/API%20Gateway\n"},
		{"slash at a skill", deployRef + "/", "", "@" + deployRef + "\n"},
		{"beside a bad line", deployRef, "@gh:acme\n", "@gh:acme\n@" + deployRef + "\n"},
		{"beside a collection without it", deployRef, "@gh:acme/kit/.claude/\n", "@gh:acme/kit/.claude/\n@" + deployRef + "\n"},
		{"collection followed as a skill", skillsRef, "# x\n@" + skillsRef + "\ny\n", "# x\n@" + skillsRef + "/\ny\n"},
		{"the same twice", skillsRef, "@" + skillsRef + "\nx\n@GH:acme/kit/skills\n", "@" + skillsRef + "/\nx\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, up)
			w.edit(triggerFile, tt.file)
			c := w.install(tt.ref)
			w.wantTriggers("Install", tt.want)
			if len(c.Written) != 1 || len(c.Removed) != max(0, strings.Count(tt.file, "\n")+1-strings.Count(tt.want, "\n")) ||
				!strings.Contains(c.Note, c.Written[0].String()) {
				t.Errorf("Install = %+v", c)
			}
			for _, l := range c.Removed {
				if !strings.Contains(c.Note, l.String()) {
					t.Errorf("note %q does not say that %v is gone", c.Note, l)
				}
			}
			again := w.install(tt.ref)
			w.wantTriggers("Install again", tt.want)
			if len(again.Written)+len(again.Removed) > 0 || !strings.Contains(again.Note, "already names") {
				t.Errorf("Install again = %+v", again)
			}
		})
	}
}

// T9: what fires already is left alone, and the line that does it is named.
func TestInstallCovered(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, ref, file, note string }{
		{"folder", "team/x", "# a\nteam/\n", "line 2, `team/` already covers team/x"},
		{"pattern", "team/x", "team/*\n", "line 1, `team/*` already covers team/x"},
		{"bare name", "team/x", "x\n", "line 1, `x` already covers team/x"},
		{"spelling", "team", "/team\n", "line 1, `/team` already names team"},
		{"other spelling", "team/x", "/team/x/\n", "line 1, `/team/x/` already names team/x"},
		{"cloud", deployRef, "@GH:acme/kit/skills/deploy/\n", "line 1, `@GH:acme/kit/skills/deploy/` already names " + deployRef},
		{"collection", deployRef, "@" + skillsRef + "/\n", "line 1, `@" + skillsRef + "/` already covers " + deployRef},
		{"collection of collections", skillsRef, "@gh:acme/kit/\n", "line 1, `@gh:acme/kit/` already covers " + skillsRef},
		{"copy that is followed", "gh:acme/kit/mine", "@gh:acme/kit/mine\n", "line 1, `@gh:acme/kit/mine` already names gh:acme/kit/mine"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, acme)
			w.own("team/x", "team/y")
			if strings.Contains(tt.ref, "mine") {
				w.own("gh/acme/kit/mine")
			}
			w.edit(triggerFile, tt.file)
			c := w.install(tt.ref)
			w.wantTriggers("Install", tt.file)
			if len(c.Written)+len(c.Removed) > 0 || !strings.Contains(c.Note, tt.note) {
				t.Errorf("Install = %+v, want the note %q", c, tt.note)
			}
		})
	}
}

// T9, H5: what a followed playlist brings, as far as the cache knows, needs no line of its own; neither does what the
// followed id of a link leads to (W3).
func TestInstallListed(t *testing.T) {
	t.Parallel()
	const review = "gh:acme/kit/skills/review"
	for name, saved := range map[string]bool{"a copy": true, "upstream": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, followedList)
			if saved {
				w.save(review)
			}
			w.trigger("@hub:acme/starter/")
			w.block()
			if c := w.install(review); !strings.Contains(c.Note, "line 1, `@hub:acme/starter/` already covers "+review) {
				t.Errorf("Install = %+v", c)
			}
			w.wantTriggers("Install", "@hub:acme/starter/\n")
			w.install(deployRef)
			if got := w.triggers(); !strings.HasSuffix(got, "/\n@"+deployRef+"\n") {
				t.Errorf("after installing what is not listed the file is %q", got)
			}
		})
	}
	w := newWorld(t, acme)
	w.own("a")
	fstest.Write(t, w.env.Project, ".atskills", fstest.Tree{"gh/acme/kit/x@": "../../../a"})
	w.trigger("@gh:acme/kit/x")
	if c := w.install("a"); !strings.Contains(c.Note, "already covers a") {
		t.Errorf("Install = %+v", c)
	}
}

// C11: what covers an id is asked about together with it.
func TestInstallAsksOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.edit(triggerFile, "@"+skillsRef+"/\n@gh:acme/kit/.claude/\n")
	w.install(deployRef)
	w.asked("Install", transporttest.Counts{Probes: 1, Opens: 1, Fetches: 1, Bodies: 6})
}

// T8: what would load nothing is refused, loudly, with the findings.
func TestInstallRefuses(t *testing.T) {
	t.Parallel()
	const noDescription, noName = "---\nname: x\n---\nBody.\n", "---\ndescription: Does.\n---\nBody.\n"
	up := acme + "-- acme/kit/bad/SKILL.md --\n" + noDescription + many("acme/kit", "crowd", 129)
	tests := []struct {
		name, ref string
		want      error
		files     map[string]string
		text      string
	}{
		{"no description", "bad", atskills.ErrNotLoadable, map[string]string{"bad/SKILL.md": noDescription}, "description-missing"},
		{"no name", "bad", atskills.ErrNotLoadable, map[string]string{"bad/SKILL.md": noName}, "name-missing"},
		{"no frontmatter", "bad", atskills.ErrNotLoadable, map[string]string{"bad/SKILL.md": "Body."}, "frontmatter-missing"},
		{"nothing visible", "bad", atskills.ErrNotLoadable, map[string]string{"bad/SKILL.md": "---\nname: x\ndescription: \"\u200b\"\n---\n"}, "description"},
		{"folder", "bad", atskills.ErrNotLoadable, map[string]string{"bad/a/SKILL.md": noName, "bad/b/SKILL.md": "Body."}, "none of its skills"},
		{"copy", "gh:acme/kit/bad", atskills.ErrNotLoadable, map[string]string{"gh/acme/kit/bad/SKILL.md": noName}, "name-missing"},
		{"upstream", "gh:acme/kit/bad", atskills.ErrNotLoadable, nil, "description-missing"},
		{"too many", "gh:acme/kit/crowd", atskills.ErrTooLarge, nil, "129"},
		{"gone", "gh:acme/nowhere", atskills.ErrNotFound, nil, ""},
		{"nothing there", "gh:acme/kit/nowhere", atskills.ErrNotFound, nil, ""},
		{"miss", "nowhere", atskills.ErrNotFound, map[string]string{"here/SKILL.md": noName}, "gh:"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, up)
			for name, body := range tt.files {
				w.edit(".atskills/"+name, body)
			}
			before := fstest.Read(t, w.env.Project, "")
			c, err := atskills.Install(t.Context(), w.env, tt.ref)
			if c != nil || !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.text) {
				t.Fatalf("Install = %+v, error %v; want %v with %q", c, err, tt.want, tt.text)
			}
			var e *atskills.NotLoadableError
			if errors.As(err, &e) && (len(e.Findings) == 0 || e.ID.Reference() != tt.ref) {
				t.Errorf("error %+v", e)
			}
			if tt.want == atskills.ErrNotFound {
				if _, want := atskills.Resolve(t.Context(), w.env, tt.ref); err.Error() != want.Error() {
					t.Errorf("Install error %v, Resolve error %v", err, want)
				}
			}
			if diff := cmp.Diff(before, fstest.Read(t, w.env.Project, "")); diff != "" {
				t.Errorf("a refusal changed the project:\n%s", diff)
			}
		})
	}
}

// T4, W1, W3: what no line can select is refused rather than installed without effect.
func TestInstallUnseen(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.own("deploy", "deploy/nested", "a")
	fstest.Write(t, w.env.Project, ".atskills", fstest.Tree{"b@": "a"})
	for ref, text := range map[string]string{"deploy/nested": "belongs to the skill deploy", "b": ".atskills/b"} {
		if _, err := atskills.Install(t.Context(), w.env, ref); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("Install(%q) error %v, want one with %q", ref, err, text)
		}
	}
	w.own("gh/acme/kit/skills", "gh/acme/kit/skills/deploy") // a cloud line finds a copy that no pattern selects
	w.install(deployRef)
	w.wantTriggers("Install", "@"+deployRef+"\n")
	w.edit(".atskills/SKILL.md", "Body.")
	if _, err := atskills.Install(t.Context(), w.env, "a"); err == nil || !strings.Contains(err.Error(), "hides") {
		t.Errorf("Install below a SKILL.md at the top: error %v", err)
	}
}

// T8, C4: an answer that upstream did not confirm is installed, with the warning.
func TestInstallStale(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.resolve(deployRef)
	w.fake.SetOffline(true)
	if c := w.install(deployRef); !hasWarning(c.Warnings, atskills.WarnStale) {
		t.Errorf("Install = %+v", c)
	}
	w.wantTriggers("Install", "@"+deployRef+"\n")
	if _, err := atskills.Install(t.Context(), w.env, "gh:acme/other"); !errors.Is(err, atskills.ErrUnreachable) {
		t.Errorf("Install of what is not cached: error %v", err)
	}
	if c := w.uninstall(deployRef); len(c.Removed) != 1 {
		t.Errorf("Uninstall offline = %+v", c)
	}
}

// T9: uninstalling removes every line that is the skill's own, and says what goes on firing.
func TestUninstall(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, ref, file, want, note string
		removed                     []int
	}{
		{"all spellings", "team/x", "team/x\r\n# team/x\n/team/x/\n\n!team/x\nteam/xx\n  team/x\nteam/x", "# team/x\n\n!team/x\nteam/xx\n  team/x\n",
			"removed line 1, `team/x`; line 3, `/team/x/`; line 8, `team/x`", []int{1, 3, 8}},
		{"escaped", "team/x", `team\/x` + "\n", "", "removed line 1", []int{1}},
		{"cloud", deployRef, "@" + deployRef + "\n@" + deployRef + "/\ngh/acme/kit/skills/deploy\n@gh:acme/kit/skills/deployx\n",
			"@gh:acme/kit/skills/deployx\n", "removed line 1", []int{1, 2, 3}},
		{"no line", "team/x", "# x\n", "# x\n", "nothing changed: no line names team/x", nil},
		{"no skill", "nowhere", "# x\n", "# x\n", "no line names nowhere, and the project has no such skill", nil},
		{"misspelled", "team/xx", "# x\n", "# x\n", "no line names team/xx, and the project has no such skill; did you mean team/x", nil},
		{"misspelled id", deployRef + "s", "@" + deployRef + "\n", "@" + deployRef + "\n", "no line names " + deployRef + "s; did you mean " + deployRef, nil},
		{"line of a skill that is gone", "nowhere", "nowhere\n", "", "removed line 1, `nowhere`", []int{1}},
		{"case as in the line", "Gone", "Gone\n", "", "removed line 1, `Gone`", []int{1}},
		{"case folded", "Gone", "gone\n", "", "removed line 1, `gone`", []int{1}},
		{"folder", "team", "team/x\nteam/\n", "team/x\n", "team/x still fires through line 1, `team/x`", []int{2}},
		{"covered", "team/x", "# x\nteam/x\nteam/\n", "# x\nteam/\n", "team/x still fires through line 2, `team/`", []int{2}},
		{"covered alone", "team/x", "t*/\n", "t*/\n", "nothing changed: no line names team/x; team/x still fires through line 1, `t*/`", nil},
		{"followed above", deployRef, "@" + deployRef + "\n@" + skillsRef + "/\n", "@" + skillsRef + "/\n",
			deployRef + " may still fire through line 1, `@" + skillsRef + "/` (the cache does not hold", []int{1}},
		{"others by its name", "y", "y\n", "", "no longer fires with it: team/y", []int{1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, acme)
			w.own("team/x", "team/y", "y")
			w.edit(triggerFile, tt.file)
			c := w.uninstall(tt.ref)
			w.wantTriggers("Uninstall", tt.want)
			var removed []int
			for _, l := range c.Removed {
				removed = append(removed, l.Number)
			}
			if !cmp.Equal(removed, tt.removed) || len(c.Written) > 0 || !strings.Contains(c.Note, tt.note) {
				t.Errorf("Uninstall = %+v, want %v removed and the note %q", c, tt.removed, tt.note)
			}
			again := w.uninstall(tt.ref)
			w.wantTriggers("Uninstall again", tt.want)
			if len(again.Removed) > 0 || !strings.HasPrefix(again.Note, "nothing changed") {
				t.Errorf("Uninstall again = %+v", again)
			}
			w.asked("Uninstall", transporttest.Counts{})
		})
	}
}

// T9, H5: what still fires through followed lines is what a block of the new file has.
func TestUninstallFollowed(t *testing.T) {
	t.Parallel()
	const list = "@hub:acme/starter/"
	tests := []struct {
		name, ref, file string
		saved           []string
		note            string // "" for none about what still fires
	}{
		{"collection", deployRef, "@" + deployRef + "\n@" + skillsRef + "/\n", nil, deployRef + " still fires through line 1, `@" + skillsRef + "/`"},
		{"part of a collection", skillsRef, "@" + skillsRef + "/\n@" + deployRef + "\n", nil, deployRef + " still fires through line 1, `@" + deployRef + "`"},
		{"collection that is not taken", deployRef, "@" + deployRef + "\n@" + skillsRef + "\n", nil, ""},
		{"copies that do not have it", deployRef, "@gh:acme/kit/\n@" + deployRef + "\n", []string{"gh:acme/kit/skills/review"}, ""},
		{"copies that have it", deployRef, "@gh:acme/kit/\n@" + deployRef + "\n", []string{deployRef}, deployRef + " still fires through line 1, `@gh:acme/kit/`"},
		{"playlist", "gh:acme/kit/skills/review", list + "\n@gh:acme/kit/skills/review\n", nil, "gh:acme/kit/skills/review still fires through line 1, `" + list + "`"},
		{"playlist, a copy", "gh:acme/kit/skills/review", list + "\ngh/acme/kit/skills/review\n", []string{"gh:acme/kit/skills/review"},
			"gh:acme/kit/skills/review still fires through line 1, `" + list + "`"},
		{"playlist that lists others", deployRef, list + "\n@" + deployRef + "\n", nil, ""},
		{"both", deployRef, "skills/\n@gh:acme/kit/\n@" + deployRef + "\n", []string{deployRef}, deployRef + " still fires through line 1, `skills/`; " + deployRef + " still fires through line 2, `@gh:acme/kit/`"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, followedList)
			for _, ref := range tt.saved {
				w.save(ref)
			}
			w.edit(triggerFile, tt.file)
			w.block()
			w.counter.Reset()
			note := w.uninstall(tt.ref).Note
			w.asked("Uninstall", transporttest.Counts{})
			if tt.note == "" && strings.Contains(note, "fire") || !strings.HasSuffix(note, tt.note) {
				t.Errorf("note %q, want one that ends in %q", note, tt.note)
			}
			fires := false
			for _, r := range w.block().Rows {
				fires = fires || strings.HasPrefix(r.ID.Reference(), tt.ref)
			}
			if fires != (tt.note != "") {
				t.Errorf("it still fires: %v; note %q", fires, note)
			}
		})
	}
}

// G3, T9: of two folders whose names differ in case alone, each has its own line.
func TestUninstallTwin(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ file, ref, want string }{
		{"deploy\n", "Deploy", "deploy\n"}, {"Deploy\n", "deploy", "Deploy\n"}, {"deploy\nDeploy\n", "Deploy", "deploy\n"},
		{"deploy\nDeploy\n", "deploy", "Deploy\n"}, {"deploy\n", "DEPLOY", ""},
	} {
		w := newWorld(t, "")
		w.own("deploy", "Deploy")
		w.edit(triggerFile, tt.file)
		w.uninstall(tt.ref)
		w.wantTriggers("uninstalling "+tt.ref, tt.want)
	}
}

// T7: a name that is a pattern is installed and uninstalled like any other, and selects itself alone.
func TestInstallPatternNames(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, ref, want string }{
		{"[z]", "[z]", `\[z]`}, {"!bang", "!bang", `\!bang`}, {"#x", "#x", `\#x`}, {"a b ", "a%20b%20", `a b\ `}, {"c#", "c#", "c#"},
		{"**", "**", `\*\*`}, {"@scope", "@scope", `\@scope`}, {" lead", "%20lead", `\ lead`}, {" #x", "%20#x", `\ #x`}, {"ünï", "ünï", "ünï"},
		{"?", "?", `\?`}, {"team/[z]", "team/[z]", `team/\[z]`}, {"team/!x", "team/!x", "team/!x"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, acme)
			w.own(tt.name, "z", "b", "a b", "x", "bang", "team/z", "team/x")
			const before = "# mine\r\n"
			w.edit(triggerFile, before)
			w.install(tt.ref)
			w.wantTriggers("Install", before+tt.want+"\r\n")
			if c := w.install(tt.ref); len(c.Written) > 0 {
				t.Errorf("Install again = %+v", c)
			}
			w.uninstall(tt.ref)
			w.wantTriggers("Uninstall", before)
		})
	}
}

// T9, B7: a note shows the line exactly, and what would not show in it is escaped.
func TestNotesAreVisible(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.own("a\u202eb", "x`y", "a\u2028b")
	for ref, want := range map[string]string{
		"a%E2%80%AEb": `line 1, "a\u202eb"`, "x`y": "line 1, \"x`y\"", "a%E2%80%A8b": `line 1, "a\u2028b"`,
	} {
		if c := w.install(ref); !strings.HasSuffix(c.Note, want) {
			t.Errorf("note %q, want one with %s", c.Note, want)
		}
		w.uninstall(ref)
	}
}

// T9: nothing is created where nothing changes, not even for a moment.
func TestUninstallWritesNothing(t *testing.T) {
	t.Parallel()
	fsys := memfs.New()
	w := newWorld(t, acme)
	w.env.Project = fstest.Hook(fsys, func(c fstest.Call) error {
		if c.Op.Mutates() {
			t.Errorf("%s %s", c.Op, c.Name)
		}
		return nil
	})
	w.uninstall("nowhere")
	w.uninstall(deployRef)
	fstest.Write(t, fsys, ".atskills", fstest.Tree{".autotrigger": "x\n", "x/SKILL.md": skillText("x", "Does.", "")})
	w.install("x")
}

func TestInstallWithoutProject(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.env.Project = nil
	for _, ref := range []string{"x", deployRef} {
		if _, err := atskills.Install(t.Context(), w.env, ref); err == nil || !strings.Contains(err.Error(), "no project") {
			t.Errorf("Install(%q) error %v", ref, err)
		}
		if _, err := atskills.Uninstall(t.Context(), w.env, ref); err == nil || !strings.Contains(err.Error(), "no project") {
			t.Errorf("Uninstall(%q) error %v", ref, err)
		}
	}
	w.asked("no project", transporttest.Counts{})
}

// T6: a lock that somebody left beside the file is named and not taken over, and nothing is written.
func TestInstallLocked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, acme)
		w.own("x")
		w.edit(triggerFile+".lock", "")
		_, err := atskills.Install(t.Context(), w.env, "x")
		var locked *fsx.LockedError
		if !errors.Is(err, fsx.ErrLocked) || !errors.As(err, &locked) || locked.Name != triggerFile+".lock" || !strings.Contains(err.Error(), "delete that file") ||
			!strings.Contains(err.Error(), "it stands at "+w.env.Project.Join(w.env.Project.Root(), triggerFile+".lock")) {
			t.Errorf("Install error %v", err)
		}
		if diff := cmp.Diff(map[string]string{triggerFile + ".lock": ""}, tree(t, w.env.Project, ".atskills"),
			cmpopts.IgnoreMapEntries(func(k, _ string) bool { return strings.HasSuffix(k, "SKILL.md") })); diff != "" {
			t.Errorf("the project (-want +got):\n%s", diff)
		}
	})
}
