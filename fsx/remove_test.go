package fsx_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/internal/fstest"
)

func TestRemoveAll(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, fsys billyFS) {
		fstest.Write(t, fsys, "", fstest.Tree{"a/x": "1", "a/b/c/y": "2", "a/e/": "", "ab/z": "3", "f": "4"})
		for _, name := range []string{"a", "f", "none", "none/x", "ab/z/below"} {
			must(t, fsx.RemoveAll(fsys, name))
			must(t, fsx.RemoveAll(fsys, name))
		}
		wantTree(t, fsys, "", fstest.Tree{"ab/z": "3"})
	})
}

// A link is removed as a link. BoundOS would remove what it leads to, so there it is refused.
func TestRemoveAllKeepsLinkTargets(t *testing.T) {
	t.Parallel()
	fstest.Each(t, func(t *testing.T, sys fstest.System) {
		fsys := sys.New(t)
		fstest.Write(t, fsys, "", fstest.Tree{"keep/x": "1", "link@": "keep", "gone@": "none", "a/in@": "../keep", "a/f@": "../keep/x"})
		for _, name := range []string{"link", "gone"} {
			err := fsx.RemoveAll(fsys, name)
			if refused := sys.Name == "BoundOS"; refused != errors.Is(err, fsx.ErrLink) || !refused && err != nil {
				t.Errorf("RemoveAll(%q) = %v", name, err)
			}
		}
		must(t, fsx.RemoveAll(fsys, "a"))
		must(t, fsx.RemoveAll(fsys, "keep/none"))
		want := fstest.Tree{"keep/x": "1"}
		if sys.Name == "BoundOS" {
			want["link@"], want["gone@"] = "keep", "none"
		}
		wantTree(t, fsys, "", want)
	})
}

// Others may remove at the same time.
func TestRemoveAllConcurrently(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, fsys billyFS) {
		fstest.Sweep(t, func(t *testing.T, n int) bool {
			fstest.Write(t, fsys, "", fstest.Tree{"a/x": "1", "a/b/y": "2", "keep": "3"})
			calls := 0
			raced := fstest.Hook(fsys, func(fstest.Call) error {
				if calls++; calls == n {
					return errors.Join(fsx.RemoveAll(fsys, "a/x"), fsx.RemoveAll(fsys, "a"))
				}
				return nil
			})
			must(t, fsx.RemoveAll(raced, "a"))
			wantTree(t, fsys, "", fstest.Tree{"keep": "3"})
			return calls >= n
		})
	})
}

func TestRemoveAllEveryFault(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, fsys billyFS) {
		fstest.Sweep(t, func(t *testing.T, n int) bool {
			fstest.Write(t, fsys, "", fstest.Tree{"a/x": "1", "a/b/y": "2"})
			broken, reached := fstest.FailNth(fsys, n)
			err := fsx.RemoveAll(broken, "a")
			if reached() != errors.Is(err, fstest.ErrInjected) {
				t.Errorf("RemoveAll = %v, call reached: %v", err, reached())
			}
			if err == nil {
				wantTree(t, fsys, "", nil)
			}
			return reached()
		})
	})
}

func TestPrune(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, fsys billyFS) {
		fstest.Write(t, fsys, "", fstest.Tree{"top/a/b/c/": "", "top/d/e/": "", "top/d/f": "1", "top/l@": "d/e"})
		must(t, fsx.Prune(fsys, "top/a/b/c", "top"))
		must(t, fsx.Prune(fsys, "top/d/e/gone/too", "top"))
		must(t, fsx.Prune(fsys, "top/d", "top"))
		must(t, fsx.Prune(fsys, "top/d/f", "top"))
		wantTree(t, fsys, "", fstest.Tree{"top/d/f": "1", "top/l@": "d/e"})
		must(t, fsx.RemoveAll(fsys, "top/d"))
		fstest.Write(t, fsys, "", fstest.Tree{"x/y/": ""})
		must(t, fsx.Prune(fsys, "x/y", "x"))
		wantTree(t, fsys, "x", fstest.Tree{})
		must(t, fsx.Prune(fsys, "x", ""))
		if _, err := fsys.Lstat("x"); !os.IsNotExist(err) {
			t.Errorf("x: %v", err)
		}
	})
}

// S9: left-overs go, what keep names stays, and so does everything that only looks similar.
func TestSweep(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, fsys billyFS) {
		stay := fstest.Tree{"d/x": "1", "d/.atskills-new-": "2", "d/sub/" + fsx.TempName("tmp"): "3"}
		fstest.Write(t, fsys, "", stay)
		kept := fsx.TempName("new")
		fstest.Write(t, fsys, "d", fstest.Tree{fsx.TempName("new") + "/a/b": "", fsx.TempName("tmp"): "", fsx.TempName("old") + "/": "",
			fsx.TempName("grd"): "", kept + "/a": "4"})
		stay["d/"+kept+"/a"] = "4"
		must(t, fsx.Sweep(fsys, "d", func(info os.FileInfo) bool { return info.Name() == kept }))
		wantTree(t, fsys, "", stay)
		must(t, fsx.Sweep(fsys, "none", nil))
		must(t, fsx.Sweep(fsys, "none/none", nil))
		delete(stay, "d/"+kept+"/a")
		must(t, fsx.Sweep(fsys, "d", nil))
		wantTree(t, fsys, "", stay)
	})
}

// Stage is beside dest, empty, hidden, and another one each time.
func TestStage(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, fsys billyFS) {
		seen := map[string]bool{}
		for range 3 {
			staged, err := fsx.Stage(fsys, "a/b/dest")
			must(t, err)
			name, ok := strings.CutPrefix(staged, "a/b/")
			if !ok || !fsx.IsTemp(name) || seen[staged] || !is(t, fsys, staged, fstest.Tree{}) {
				t.Errorf("Stage = %q", staged)
			}
			seen[staged] = true
		}
		top, err := fsx.Stage(fsys, "dest")
		if err != nil || !fsx.IsTemp(top) {
			t.Errorf("Stage(dest) = %q, %v", top, err)
		}
	})
}
