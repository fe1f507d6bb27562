package atskills_test

import (
	"context"
	"errors"
	"path"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/go-git/go-billy/v5"
	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/internal/fstest"
)

// tiny is an upstream with as little in it as the faults need: two skills, one with an executable, and a list of both.
const tiny = `
-- acme/kit/deploy/SKILL.md --
---
name: deploy
description: Ships a build.
---
Old.
-- acme/kit/deploy/run.sh (executable) --
#!/bin/sh
-- acme/kit/review/SKILL.md --
---
name: review
description: Reads a change.
---
-- hub:acme/starter/.playlist --
gh:acme/kit/deploy
gh:acme/kit/review
`

const (
	tinyRef   = "gh:acme/kit"
	tinyChild = "gh:acme/kit/deploy"
)

// theirWork is what a person has in the project beside saved copies: no call may touch it.
var theirWork = fstest.Tree{
	".atskills/mine/SKILL.md":      skillText("mine", "Written here.", "Mine."),
	".atskills/.autotrigger":       "mine\n",
	".atskills/gh/acme/notes/x.md": "notes",
	"src/main.go":                  "package main\n",
}

// sweepCase is an operation that every fault is tried on.
type sweepCase struct {
	saved string // what was saved before upstream changed, "" for nothing
	ref   string // what the operation is about
	watch string // the folder whose copy has to be old or new
	op    func(ctx context.Context, env atskills.Env, ref string) error

	memory, disk int // from one faulty call to the next, in memory and on a real disk; 1 tries each
}

// The cases share most of their steps, so that an ordinary run leaves some out; ATSKILLS_SWEEP=all tries every call.
var sweepCases = map[string]sweepCase{
	"new":     {"", tinyRef, tinyRef, saveOnly, 1, 19},
	"replace": {tinyChild, tinyChild, tinyChild, saveOnly, 1, 7},
	"widen":   {tinyChild, tinyRef, tinyRef, saveOnly, 1, 23},
	"child":   {tinyRef, tinyChild, tinyRef, saveOnly, 1, 29},
	"set":     {"", listRef, tinyChild, saveSet, 5, 71},
	"remove":  {tinyRef, tinyRef, tinyRef, removeOnly, 1, 17},
}

func saveOnly(ctx context.Context, env atskills.Env, ref string) error {
	_, err := atskills.Save(ctx, env, ref)
	return err
}

// saveSet saves a playlist, all of it (S12).
func saveSet(ctx context.Context, env atskills.Env, ref string) error {
	saved, err := atskills.Save(ctx, env, ref)
	if err != nil {
		return err
	}
	return saved.Err()
}

// removeOnly forces, so that it does not ask upstream; what is gone already is no error.
func removeOnly(ctx context.Context, env atskills.Env, ref string) error {
	_, err := atskills.Remove(ctx, env, ref, atskills.RemoveOptions{Force: true})
	var miss *atskills.NotFoundError
	if errors.As(err, &miss) {
		return nil
	}
	return err
}

// S8, S9: whatever file-system call fails, and wherever the process dies, the old copy stands whole and answers or the
// new one does, nobody's work is touched, and the next call succeeds and leaves nothing behind.
func TestSaveFaults(t *testing.T) {
	t.Parallel()
	faults := map[string]func(billy.Filesystem, int) (billy.Filesystem, func() bool){
		"fails": fstest.FailNth, "dies": fstest.LosePower,
	}
	for name, c := range sweepCases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, before := c.scene(t)
			for faultName, fault := range faults {
				t.Run(faultName, func(t *testing.T) {
					t.Parallel()
					fstest.Each(t, func(t *testing.T, sys fstest.System) {
						fstest.Sweep(t, func(t *testing.T, n int) (reached bool) {
							n = c.nth(sys, n)
							synctest.Test(t, func(t *testing.T) { // waiting for the lock of the dead takes no time here
								reached = c.step(&world{t, w.fake, w.counter, w.env}, sys, before, func(fsys billy.Filesystem) (billy.Filesystem, func() bool) {
									return fault(fsys, n)
								})
							})
							return reached
						})
					})
				})
			}
		})
	}
}

// nth spreads the faults over the calls, at another offset on each kind of disk.
func (c sweepCase) nth(sys fstest.System, n int) int {
	if everyFault() {
		return n
	}
	if !sys.Disk {
		return (n-1)*c.memory + 1
	}
	return (n-1)*c.disk + 1 + len(sys.Name)%c.disk
}

// scene makes the world that each step of the sweep begins with: upstream, a warm cache, and the project's files. The
// cache has its own sweep, and is only read here.
func (c sweepCase) scene(t *testing.T) (*world, fstest.Tree) {
	w := newWorld(t, tiny)
	fstest.Write(t, w.env.Project, "", theirWork)
	if c.saved != "" {
		w.save(c.saved)
	}
	w.commit(map[string]string{"deploy/SKILL.md": skillText("deploy", "Ships.", "New."), "deploy/run.sh": "", "deploy/a/b": "new"})
	w.resolve(tinyRef, atskills.FromUpstream())
	w.resolve(c.ref, atskills.FromUpstream())
	return w, fstest.Read(t, w.env.Project, "")
}

func (c sweepCase) step(w *world, sys fstest.System, before fstest.Tree, fault func(billy.Filesystem) (billy.Filesystem, func() bool)) bool {
	sound := quick(w.T, sys)
	fstest.Write(w.T, sound, "", before)
	folder := ".atskills/" + strings.Replace(c.watch, ":", "/", 1)
	old := copyAt(w.T, sound, folder)

	env := w.env
	broken, reached := fault(sound)
	env.Project = broken
	faultErr := c.op(w.Context(), env, c.ref)

	env.Project = sound
	if _, err := atskills.Resolve(w.Context(), env, c.watch); err != nil {
		w.Fatalf("Resolve after the fault (%v): %v", faultErr, err)
	}
	between := copyAt(w.T, sound, folder)
	if err := c.op(w.Context(), env, c.ref); err != nil {
		w.Fatalf("again after the fault (%v): %v", faultErr, err)
	}
	want := copyAt(w.T, sound, folder)
	if !cmp.Equal(between, old) && !cmp.Equal(between, want) {
		w.Errorf("after the fault (%v) neither the old nor the new copy stands:\n%s", faultErr, cmp.Diff(old, between))
	}
	if faultErr == nil && !cmp.Equal(between, want) {
		w.Errorf("success was reported, and the new copy is not there:\n%s", cmp.Diff(want, between))
	}
	w.untouched(sound)
	w.noLeftovers(sound)
	return reached()
}

// quick returns a file system of the kind that does not wait for the disk.
func quick(t *testing.T, sys fstest.System) billy.Filesystem {
	return fsx.Locked(fstest.Hook(sys.New(t), func(fstest.Call) error { return nil }))
}

// copyAt reads the files below folder as a reader of the project sees them: without left-overs.
func copyAt(t *testing.T, fsys billy.Filesystem, folder string) fstest.Tree {
	t.Helper()
	out := fstest.Tree{}
	for name, body := range fstest.Read(t, fsys, folder) {
		if !strings.Contains("/"+name, "/.atskills-") && !strings.HasSuffix(name, "/") {
			out[name] = body
		}
	}
	return out
}

// untouched fails the test unless a person's own files are as they were.
func (w *world) untouched(fsys billy.Filesystem) {
	w.Helper()
	all := fstest.Read(w.T, fsys, "")
	for name, body := range theirWork {
		if all[name] != body {
			w.Errorf("%s is %q, want %q", name, all[name], body)
		}
	}
}

// noLeftovers fails the test if anything with a temporary name stands in the project (S9).
func (w *world) noLeftovers(fsys billy.Filesystem) {
	w.Helper()
	for name := range fstest.Read(w.T, fsys, "") {
		for seg := range strings.SplitSeq(strings.TrimRight(name, "*@/"), "/") {
			if fsx.IsTemp(seg) {
				w.Errorf("%s was left behind", path.Clean(name))
			}
		}
	}
}

// A full disk is a clear error, the old copy stays whole, and once there is room nothing of the attempts remains.
func TestSaveOnFullDisk(t *testing.T) {
	t.Parallel()
	c := sweepCases["replace"]
	w, before := c.scene(t)
	fstest.Each(t, func(t *testing.T, sys fstest.System) {
		synctest.Test(t, func(t *testing.T) {
			w := &world{t, w.fake, w.counter, w.env}
			failed := 0
			for room := 0; ; room += 23 {
				sound := quick(t, sys)
				fstest.Write(t, sound, "", before)
				w.env.Project = fstest.Full(sound, room)
				err := saveOnly(t.Context(), w.env, c.ref)
				if err == nil {
					break
				}
				failed++
				if !errors.Is(err, syscall.ENOSPC) {
					t.Fatalf("with room for %d bytes: error %v, want no space", room, err)
				}
				folder := ".atskills/gh/acme/kit/deploy"
				w.env.Project = sound
				w.resolve(c.ref)
				if got := copyAt(t, sound, folder)["SKILL.md"]; !strings.Contains(got, "Old.") {
					t.Errorf("with room for %d bytes the copy is %q", room, got)
				}
				w.save(c.ref)
				w.untouched(sound)
				w.noLeftovers(sound)
			}
			if failed < 3 {
				t.Errorf("the disk was full %d times", failed)
			}
		})
	})
}

// A read-only project is a clear error, and reading goes on.
func TestReadOnlyProject(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.save(deployRef)
	w.commit(map[string]string{"skills/deploy/.hidden": "new"})
	w.env.Project = fstest.ReadOnly(w.env.Project)
	for ref, op := range map[string]func(context.Context, atskills.Env, string) error{
		deployRef:                    saveOnly,
		"gh:acme/kit/skills/review":  saveOnly,
		"gh:acme/kit/skills/deploy/": removeOnly,
	} {
		if err := op(t.Context(), w.env, ref); !errors.Is(err, billy.ErrReadOnly) || !strings.Contains(err.Error(), "gh:acme/kit") {
			t.Errorf("%s: error %v, want read-only", ref, err)
		}
	}
	if res := w.resolve(deployRef); res.Content != "Run scripts/run.sh." || res.Served != atskills.ServedLocal {
		t.Errorf("Resolve = %q served %s", res.Content, res.Served)
	}
}
