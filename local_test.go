package atskills_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-git/go-billy/v5"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/internal/fstest"
	"github.com/atskills-go/atskills/transport/transporttest"
)

func symlink(t *testing.T, fsys billy.Filesystem, target, name string) {
	t.Helper()
	if err := fsys.Symlink(target, name); err != nil {
		t.Fatal(err)
	}
}

// W3: in the project's own tree a link is followed when it ends inside the project; each real folder counts once, cycles
// are cut, and links that leave or dangle are refused and reported.
func TestProjectLinks(t *testing.T) {
	t.Parallel()
	fstest.Each(t, func(t *testing.T, sys fstest.System) {
		w := newWorld(t, "")
		w.env.Project = sys.New(t)
		write(t, w.env.Project, map[string]string{
			".claude/skills/plan/SKILL.md":  skillText("plan", "Plans.", "Plan."),
			".claude/skills/plan/ref/a.md":  "a",
			".atskills/team/own/SKILL.md":   skillText("own", "Own.", "Own."),
			".atskills/team/files/notes.md": "n",
			"shared/SKILL.md":               skillText("files", "By link.", "Linked."),
		})
		symlink(t, w.env.Project, "../../.claude/skills/plan", ".atskills/team/plan")
		symlink(t, w.env.Project, "../../../shared/SKILL.md", ".atskills/team/files/SKILL.md")
		symlink(t, w.env.Project, "own", ".atskills/team/again")
		symlink(t, w.env.Project, "..", ".atskills/team/loop")
		symlink(t, w.env.Project, "../../../../../outside", ".atskills/team/leaves")
		symlink(t, w.env.Project, "nowhere", ".atskills/team/dangles")

		res := w.resolve("team")
		want := "team/files: By link.\nteam/own: Own.\nteam/plan: Plans."
		if res.Content != want {
			t.Errorf("menu = %q, want %q", res.Content, want)
		}
		for _, name := range []string{"leaves", "dangles"} {
			if !hasWarning(res.Warnings, atskills.WarnUnreadable, "team/"+name) {
				t.Errorf("the link %s is not reported: %v", name, res.Warnings)
			}
		}
		if res := w.resolve("team/plan"); res.Content != "Plan." || len(res.Files) != 1 {
			t.Errorf("through a link: %q, files %v", res.Content, res.Files)
		}
		err := w.refuse("team/leaves", fsx.ErrLinkEscapes)
		if !strings.Contains(err.Error(), ".atskills/team/leaves") {
			t.Errorf("error %q does not name the link", err)
		}
		w.refuse("team/dangles", fsx.ErrLinkDangles)
		w.asked("links of the project", transporttest.Counts{})
	})
}

// W6: a folder that cannot be read is reported, and its siblings are listed.
func TestUnreadableFolder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	write(t, w.env.Project, map[string]string{
		".atskills/team/a/SKILL.md":   skillText("a", "A.", "a"),
		".atskills/team/bad/x":        "x",
		".atskills/team/z/b/SKILL.md": skillText("b", "B.", "b"),
	})
	w.env.Project = fstest.Hook(w.env.Project, func(c fstest.Call) error {
		if c.Op == fstest.OpReadDir && strings.HasSuffix(c.Name, "team/bad") {
			return errors.New("no permission")
		}
		return nil
	})
	res := w.resolve("team")
	if want := "team/a: A.\nteam/z/b: B."; res.Content != want || !hasWarning(res.Warnings, atskills.WarnUnreadable, "team/bad", "no permission") {
		t.Errorf("menu = %q, warnings %v; want %q and a report", res.Content, res.Warnings, want)
	}
}

// W2, S9: .git and this library's staging names are never walked nor addressed; other dot-folders are.
func TestHiddenFolders(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	stage, err := fsx.Stage(w.env.Project, ".atskills/team/x")
	if err != nil {
		t.Fatal(err)
	}
	write(t, w.env.Project, map[string]string{
		".atskills/team/.git/x/SKILL.md":   skillText("x", "X.", "x"),
		".atskills/team/.GIT/x/SKILL.md":   skillText("x", "X.", "x"),
		".atskills/team/.extra/y/SKILL.md": skillText("y", "Y.", "y"),
		stage + "/SKILL.md":                skillText("z", "Z.", "z"),
	})
	if res := w.resolve("team"); res.Content != "team/.extra/y: Y." {
		t.Errorf("menu = %q", res.Content)
	}
	w.refuse("team/.git/x", atskills.ErrNotFound)
	w.refuse(strings.TrimPrefix(stage, ".atskills/"), atskills.ErrNotFound)
}

// R8: a row that vanishes between the walk and the read is skipped.
func TestVanishedRow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	write(t, w.env.Project, map[string]string{
		".atskills/team/a/SKILL.md": skillText("a", "A.", "a"),
		".atskills/team/b/SKILL.md": skillText("b", "B.", "b"),
	})
	sound := w.env.Project
	w.env.Project = fstest.Hook(sound, func(c fstest.Call) error {
		if c.Op == fstest.OpOpen && strings.HasSuffix(c.Name, "team/a/SKILL.md") {
			return sound.Remove(c.Name)
		}
		return nil
	})
	if res := w.resolve("team"); res.Content != "team/b: B." || len(res.Entries) != 1 {
		t.Errorf("menu = %q", res.Content)
	}
}

// A link that is not followed does not keep a marked id from its provider.
func TestRefusedLinkOfMarkedID(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	symlink(t, w.env.Project, "nowhere", ".atskills/"+"gh/acme/kit/skills/deploy")
	if res := w.resolve(deployRef); res.Served != atskills.ServedFresh {
		t.Errorf("served %s, want fresh", res.Served)
	}
}
