package atskills_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/osfs"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/fsx"
)

// meddled is a disk on which somebody acts just before and just after the first step that moves the folder dest away.
type meddled struct {
	billy.Filesystem
	dest          string
	before, after func()
	state         *meddling
}

type meddling struct{ moved, dead bool }

var errDead = errors.New("the process was killed")

func (m meddled) Unwrap() billy.Filesystem { return m.Filesystem }

func (m meddled) step(do func() error) error {
	if m.state.moved {
		if m.state.dead {
			return errDead
		}
		return do()
	}
	m.state.moved = true
	m.before()
	err := do()
	m.after()
	return err
}

func (m meddled) Exchange(a, b string) error {
	x, ok := m.Filesystem.(fsx.Exchanger)
	if !ok {
		return errors.ErrUnsupported
	}
	return m.step(func() error { return x.Exchange(a, b) })
}

func (m meddled) Rename(from, to string) error {
	if from != m.dest {
		if m.state.dead {
			return errDead
		}
		return m.Filesystem.Rename(from, to)
	}
	return m.step(func() error { return m.Filesystem.Rename(from, to) })
}

func (m meddled) Lstat(name string) (os.FileInfo, error) {
	if m.state.dead {
		return nil, errDead
	}
	return m.Filesystem.Lstat(name)
}

func (m meddled) OpenFile(name string, flag int, perm os.FileMode) (billy.File, error) {
	if m.state.dead {
		return nil, errDead
	}
	return m.Filesystem.OpenFile(name, flag, perm)
}

func (m meddled) Remove(name string) error {
	if m.state.dead {
		return errDead
	}
	return m.Filesystem.Remove(name)
}

// S8: an editor writes into the copy just before it is moved away, and again while another tree stands in its place; or
// the process dies right then. Whatever the disk can do, both edits are in the project afterwards, a conflict or an error
// says so, and the call after that works.
func TestEditsAroundTheSwapAreKept(t *testing.T) {
	t.Parallel()
	disks := map[string]func(string) billy.Filesystem{
		"exchange": fsx.OS,
		"renames":  func(dir string) billy.Filesystem { return osfs.New(dir) },
	}
	calls := map[string]func(*world) error{
		"save": func(w *world) error { _, err := atskills.Save(w.Context(), w.env, deployRef); return err },
		"remove": func(w *world) error {
			_, err := atskills.Remove(w.Context(), w.env, deployRef, atskills.RemoveOptions{})
			return err
		},
	}
	for disk, open := range disks {
		for name, call := range calls {
			for _, dies := range []bool{false, true} {
				if dies && disk == "renames" {
					continue // fsx puts the old folder back from its journal, and sweeps that
				}
				label := disk + "/" + name
				if dies {
					label += "/dies"
				}
				t.Run(label, func(t *testing.T) {
					t.Parallel()
					w := newWorld(t, acme)
					dir := t.TempDir()
					sound := open(dir)
					w.env.Project = sound
					w.save(deployRef)
					w.commitUpstream()
					at := filepath.Join(dir, ".atskills", "gh", "acme", "kit", "skills", "deploy")
					edit := func(file string) {
						if err := errors.Join(os.MkdirAll(at, 0o755), os.WriteFile(filepath.Join(at, file), []byte("edit of "+file), 0o644)); err != nil {
							t.Error(err)
						}
					}
					state := &meddling{}
					w.env.Project = meddled{sound, ".atskills/gh/acme/kit/skills/deploy", func() { edit("first.txt") }, func() {
						if state.dead = dies; !dies {
							edit("second.txt")
						}
					}, state}
					if err := call(w); err == nil || !dies && !errors.Is(err, atskills.ErrConflict) {
						t.Errorf("error %v, want a conflict", err)
					}
					w.env.Project = sound
					if dies { // what the dead left behind is found and told
						waitForLock(t, sound)
						if err := call(w); err == nil || !strings.Contains(err.Error(), "deploy.kept-") {
							t.Errorf("after the crash: error %v, want where the edit is kept", err)
						}
					}
					want := []string{"first.txt", "second.txt"}
					if dies {
						want = want[:1]
					}
					found := tree(t, sound, ".atskills")
					for _, file := range want {
						if !holds(found, "/"+file, "edit of "+file) {
							t.Errorf("the edit of %s is gone: %v", file, keys(found))
						}
					}
					if _, err := atskills.Resolve(t.Context(), w.env, "gh:acme/kit/skills"); err != nil {
						t.Errorf("Resolve error: %v", err)
					}
				})
			}
		}
	}
}

// commitUpstream moves upstream on, so that a save has something to do.
func (w *world) commitUpstream() {
	w.commit(map[string]string{"skills/deploy/scripts/run.sh": "#!/bin/bash\n"})
}

// waitForLock removes the lock of a process that died, as waiting for it would.
func waitForLock(t *testing.T, fsys billy.Filesystem) {
	t.Helper()
	if err := fsys.Remove(".atskills/.atskills-grd-00000000000000000000000000000000"); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
}

func holds(files map[string]string, suffix, body string) bool {
	for name, text := range files {
		if strings.HasSuffix(name, suffix) && text == body {
			return true
		}
	}
	return false
}

// S4: making every file executable is an edit like any other, the stamp's included.
func TestStampMadeExecutable(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	dir := t.TempDir()
	w.env.Project = fsx.OS(dir)
	w.save(deployRef)
	w.commitUpstream()
	for _, name := range []string{".source", "SKILL.md"} {
		if err := os.Chmod(filepath.Join(dir, ".atskills", "gh", "acme", "kit", "skills", "deploy", name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	var conflict *atskills.ConflictError
	if _, err := atskills.Save(t.Context(), w.env, deployRef); !errors.As(err, &conflict) || len(conflict.Files) != 1 || conflict.Files[0].Change != atskills.Mode {
		t.Errorf("Save error %v, want the mode of SKILL.md named", err)
	}
}

// S9: a left-over that cannot be removed does not keep anybody from saving beside it.
func TestStubbornLeftover(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	sound := fsx.OS(t.TempDir())
	w.env.Project = sound
	w.save(deployRef)
	stage, err := fsx.Stage(sound, ".atskills/gh/acme/kit/skills/deploy")
	if err != nil {
		t.Fatal(err)
	}
	write(t, sound, map[string]string{stage + "/stuck": "x"})
	w.env.Project = stubborn{sound, stage + "/stuck"}
	w.commitUpstream()
	if got := w.save(deployRef); got.State != atskills.SavedReplaced {
		t.Errorf("Save = %+v", got)
	}
	w.save(reviewRef)
}

// stubborn holds a file that nobody can remove.
type stubborn struct {
	billy.Filesystem
	file string
}

func (s stubborn) Unwrap() billy.Filesystem { return s.Filesystem }

func (s stubborn) Exchange(a, b string) error {
	x, ok := s.Filesystem.(fsx.Exchanger)
	if !ok {
		return errors.ErrUnsupported
	}
	return x.Exchange(a, b)
}

func (s stubborn) Remove(name string) error {
	if name == s.file {
		return &os.PathError{Op: "remove", Path: name, Err: os.ErrPermission}
	}
	return s.Filesystem.Remove(name)
}
