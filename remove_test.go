package atskills_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/internal/fstest"
	"github.com/atskills-go/atskills/internal/gittest"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport/transporttest"
)

func (w *world) removeCopy(ref string, force bool) *atskills.Removed {
	w.Helper()
	got, err := atskills.Remove(w.Context(), w.env, ref, atskills.RemoveOptions{Force: force})
	if err != nil {
		w.Fatalf("Remove(%q) error: %v", ref, err)
	}
	return got
}

// S11: an unedited copy goes, with the folders that held nothing else; the lines that name it are told.
func TestRemove(t *testing.T) {
	t.Parallel()
	fstest.Each(t, func(t *testing.T, sys fstest.System) {
		w := newWorld(t, acme)
		w.env.Project = quick(t, sys)
		w.save(deployRef)
		w.edit(".atskills/.autotrigger", "# x\n@"+deployRef+"/\n/gh/acme/kit/skills/deploy/\n!gh/acme/kit/skills/deploy\ngh/acme\n")
		w.edit(".atskills/gh/acme/notes.md", "mine")
		w.counter.Reset()
		got := w.removeCopy(deployRef, false)
		w.asked("a removal", transporttest.Counts{Opens: 1})
		want := []string{".hidden", "SKILL.md", "nested/SKILL.md", "scripts/run.sh"}
		if !cmp.Equal(got.Files, want) || got.Origin == nil || got.Origin.ID.String() != deployRef || !cmp.Equal(got.Lines, []int{2, 3}) || got.Git != nil {
			t.Errorf("Remove = %+v", got)
		}
		for name := range fstest.Read(t, w.env.Project, ".atskills") {
			if name != ".autotrigger" && name != "gh/acme/notes.md" {
				t.Errorf("%s is still there", name)
			}
		}
		var miss *atskills.NotFoundError
		if _, err := atskills.Remove(t.Context(), w.env, deployRef, atskills.RemoveOptions{}); !errors.As(err, &miss) {
			t.Errorf("Remove again error %v", err)
		}
	})
}

// S11, T6: asked to, a removal deletes the lines that named the folder, and no other byte of the file.
func TestRemoveLines(t *testing.T) {
	t.Parallel()
	for _, bom := range []string{"", "\ufeff"} {
		w := newWorld(t, acme)
		w.save(deployRef)
		w.edit(".atskills/.autotrigger", bom+"# gh/acme/kit/skills/deploy\r\n@"+deployRef+"\r\n\r\n  /gh/acme/kit/skills/deploy/\n!gh/acme/kit/skills/deploy\n\xff gh/acme\n@"+deployRef+"/")
		got, err := atskills.Remove(t.Context(), w.env, deployRef, atskills.RemoveOptions{Lines: true})
		if err != nil || !cmp.Equal(got.Lines, []int{2, 4, 7}) {
			t.Fatalf("Remove = %+v, error %v", got, err)
		}
		want := bom + "# gh/acme/kit/skills/deploy\r\n\r\n!gh/acme/kit/skills/deploy\n\xff gh/acme\n"
		if text := fstest.Read(t, w.env.Project, ".atskills")[".autotrigger"]; text != want {
			t.Errorf(".autotrigger = %q, want %q", text, want)
		}
	}
}

// T6: a lock that somebody left beside the file is named and not taken over; the folder is gone, and that is said.
func TestRemoveLinesLocked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, acme)
		w.save(deployRef)
		w.edit(".atskills/.autotrigger", "@"+deployRef+"\n")
		w.edit(".atskills/.autotrigger.lock", "")
		got, err := atskills.Remove(t.Context(), w.env, deployRef, atskills.RemoveOptions{Lines: true})
		if got == nil || !errors.Is(err, fsx.ErrLocked) || !strings.Contains(err.Error(), ".autotrigger.lock") {
			t.Errorf("Remove = %+v, error %v", got, err)
		}
	})
}

// S11: what nobody could bring back is refused, and goes by force.
func TestRemoveNeedsForce(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		prepare func(w *world)
		ref     string
		want    error
	}{
		"edited":      {func(w *world) { w.save(deployRef); w.edit(deployCopy+"/SKILL.md", "mine") }, deployRef, atskills.ErrConflict},
		"unreachable": {func(w *world) { w.save(deployRef); w.fake.SetOffline(true) }, deployRef, atskills.ErrUnreachable},
		"no revision": {func(w *world) { w.save(deployRef); w.edit(deployCopy+"/.source", deployRef) }, deployRef, atskills.ErrConflict},
		"own work":    {func(w *world) { w.edit(".atskills/team/deploy/SKILL.md", "mine") }, "team/deploy", atskills.ErrOwnWork},
		"own beside":  {func(w *world) { w.save(deployRef); w.edit(skillsCopy+"/own/SKILL.md", "mine") }, skillsRef, atskills.ErrConflict},
		"edited child": {func(w *world) { w.save(skillsRef); w.save(deployRef); w.edit(deployCopy+"/x", "mine") },
			skillsRef, atskills.ErrConflict},
		"link": {func(w *world) {
			fstest.Write(w.T, w.env.Project, "", fstest.Tree{"there/SKILL.md": "mine", ".atskills/here@": "../there"})
		}, "here", atskills.ErrOwnWork},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, acme)
			tt.prepare(w)
			before := fstest.Read(t, w.env.Project, "")
			_, err := atskills.Remove(t.Context(), w.env, tt.ref, atskills.RemoveOptions{})
			if !errors.Is(err, tt.want) {
				t.Fatalf("Remove error %v, want %v", err, tt.want)
			}
			var e *atskills.ConflictError
			if errors.As(err, &e) && (e.Op != "remove" || len(e.WaysOut()) != 2 || !strings.Contains(err.Error(), "force")) {
				t.Errorf("conflict %v", err)
			}
			if diff := cmp.Diff(before, fstest.Read(t, w.env.Project, "")); diff != "" {
				t.Errorf("a refusal changed the project:\n%s", diff)
			}
			w.removeCopy(tt.ref, true)
			if left := tree(t, w.env.Project, ".atskills"); len(left) > 0 {
				t.Errorf("still there: %v", left)
			}
		})
	}
}

// S2: a copy that was moved to a folder of the project's own is still compared with what it is a copy of; G3: the
// spelling that exists is removed.
func TestRemoveMovedCopy(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.save(deployRef)
	fstest.Write(t, w.env.Project, ".atskills/My Deploy", fstest.Read(t, w.env.Project, deployCopy))
	if got := w.removeCopy("My%20Deploy", false); got.ID.String() != "My Deploy" || got.Origin.ID.String() != deployRef {
		t.Errorf("Remove = %+v", got)
	}
	if got := w.removeCopy(skillsRef, false); !cmp.Equal(got.Absorbed, ids(w, deployRef), cmp.AllowUnexported(skill.ID{})) || got.Origin != nil {
		t.Errorf("Remove = %+v", got)
	}
}

// S11: what git still has of the files is told from its index, in each of its versions.
func TestRemoveTellsWhatGitKeeps(t *testing.T) {
	t.Parallel()
	binary := gittest.Git(t)
	for _, version := range []string{"2", "3", "4"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, acme)
			dir := t.TempDir()
			w.env.Project = fsx.OS(dir)
			w.save(deployRef)
			git := func(args ...string) {
				t.Helper()
				cmd := exec.Command(binary, append([]string{"-C", dir}, args...)...)
				cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("git %q: %v\n%s", args, err, out)
				}
			}
			git("init", "-q")
			git("add", ".")
			if version == "3" { // written for entries with more flags alone
				w.edit("later", "x")
				git("add", "-N", "later")
			} else {
				git("update-index", "--index-version", version)
			}
			w.edit(deployCopy+"/SKILL.md", "mine")
			w.edit(deployCopy+"/new", "mine")
			got := w.removeCopy(deployRef, true)
			want := &atskills.GitKeeps{
				Same:  []string{".hidden", "nested/SKILL.md", "scripts/run.sh"},
				Other: []string{"SKILL.md"},
				None:  []string{"new"},
			}
			if diff := cmp.Diff(want, got.Git); diff != "" {
				t.Errorf("git keeps (-want +got):\n%s", diff)
			}
		})
	}
}

// FuzzIndex: whatever stands in .git/index, reading it ends and does not panic.
func FuzzIndex(f *testing.F) {
	f.Add([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x00" + strings.Repeat("\x00", 20)))
	f.Add([]byte("DIRC\x00\x00\x00\x04\xff\xff\xff\xff" + strings.Repeat("a", 70) + strings.Repeat("\x00", 20)))
	f.Fuzz(func(t *testing.T, data []byte) {
		if index, err := atskills.ParseIndex(data); err == nil && len(index) > len(data) {
			t.Errorf("%d entries in %d bytes", len(index), len(data))
		}
	})
}

// A removal while an editor writes leaves the edit in place.
func TestRemoveFindsLateEdit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	project := fsx.OS(t.TempDir())
	w.env.Project = project
	w.save(deployRef)
	done := false
	w.env.Project = fstest.Hook(project, func(c fstest.Call) error {
		if (c.Op == fstest.OpExchange || c.Op == fstest.OpRename) && !done {
			done = true
			write(t, project, map[string]string{deployCopy + "/SKILL.md": "mine"})
		}
		return nil
	})
	if _, err := atskills.Remove(t.Context(), w.env, deployRef, atskills.RemoveOptions{}); !errors.Is(err, atskills.ErrConflict) || !done {
		t.Errorf("Remove error %v", err)
	}
	if got := tree(t, project, deployCopy)[filepath.ToSlash(deployCopy+"/SKILL.md")]; got != "mine" {
		t.Errorf("the edit became %q", got)
	}
}
