package fsx_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/go-git/go-billy/v5"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/internal/fstest"
)

// plain hides what a file system can do beyond billy, except what stands below it.
type plain struct{ billy.Filesystem }

func (p plain) Unwrap() billy.Filesystem { return p.Filesystem }

// opaque hides what stands below, too: a host's own file system.
type opaque struct{ billy.Filesystem }

// sweepTrees are the trees of the tests that try every call: rich ones where files are copied one by one, small ones
// where they move as a whole or where it is slow.
func sweepTrees(fsys billyFS) (old, new fstest.Tree) {
	if fsys.Root() == "/" { // memfs
		return oldTree, newTree
	}
	return fstest.Tree{"SKILL.md": "old", "a/x": "1", "l@": "a"}, fstest.Tree{"SKILL.md": "new", "a": "2"}
}

// ways are file systems for each way that Replace goes.
func ways(t *testing.T) map[string]func(testing.TB) billyFS {
	t.Helper()
	ways := map[string]func(testing.TB) billyFS{}
	for _, sys := range fstest.Systems() {
		ways[sys.Name] = sys.New
	}
	ways["OS, renames"] = func(t testing.TB) billyFS { return plain{fsx.OS(t.TempDir())} }
	ways["OS, by file"] = func(t testing.TB) billyFS { return opaque{fsx.OS(t.TempDir())} }
	return ways
}

func eachWay(t *testing.T, fn func(t *testing.T, fsys billyFS)) {
	t.Helper()
	for name, make := range ways(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fn(t, make(t))
		})
	}
}

var (
	oldTree = fstest.Tree{"SKILL.md": "old", "same": "same", "gone": "1", "run": "was plain", "dir/x": "1", "dirfile": "2",
		"filedir/x": "3", "link@": "same", "empty/": "", ".source": "stamp"}
	newTree = fstest.Tree{"SKILL.md": "new", "same": "same", "run*": "is executable", "dir/x": "2", "dir/y/z": "3",
		"dirfile/x": "4", "filedir": "5", "SKILL.md.bak": "6", "SKILL": "7", ".source": "stamp2"}
	beside = fstest.Tree{"p/destination": "1", "p/dest2/x": "2", "p/des": "3", "other": "4"}
	opt    = fsx.ReplaceOptions{Commit: "SKILL.md"}
)

// setUp makes the neighbours, dest when old is not nil, and a staged tree, whose path it returns.
func setUp(t *testing.T, fsys billyFS, old, staged fstest.Tree) string {
	t.Helper()
	must(t, fsx.RemoveAll(fsys, "p"))
	fstest.Write(t, fsys, "", beside)
	if old != nil {
		fstest.Write(t, fsys, "p/dest", old)
	}
	dir, err := fsx.Stage(fsys, "p/dest")
	must(t, err)
	fstest.Write(t, fsys, dir, staged)
	return dir
}

// is reports whether the tree at dir is want; nil stands for nothing there.
func is(t *testing.T, fsys billyFS, dir string, want fstest.Tree) bool {
	t.Helper()
	got := fstest.Read(t, fsys, dir)
	return (got == nil) == (want == nil) && cmp.Equal(want, got, cmpopts.EquateEmpty())
}

// wantSettled checks that dest is want, that the neighbours are as they were, and that Sweep leaves nothing temporary.
func wantSettled(t *testing.T, fsys billyFS, want fstest.Tree) {
	t.Helper()
	must(t, fsx.Sweep(fsys, "p", nil))
	all := fstest.Tree{}
	for name, content := range beside {
		all[name] = content
	}
	for name, content := range want {
		all["p/dest/"+name] = content
	}
	wantTree(t, fsys, "", all)
}

func TestReplace(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, fsys billyFS) {
		for name, old := range map[string]fstest.Tree{"missing": nil, "existing": oldTree, "empty": {}} {
			staged := setUp(t, fsys, old, newTree)
			must(t, fsx.Replace(fsys, staged, "p/dest", opt))
			if !is(t, fsys, "p/dest", newTree) {
				t.Errorf("%s: dest is %v", name, fstest.Read(t, fsys, "p/dest"))
			}
			if left := tempNames(t, fsys, "p"); len(left) > 0 {
				t.Errorf("%s: left behind %q", name, left)
			}
			wantSettled(t, fsys, newTree)
		}
	})
}

// Parents of dest are created, also when staged stands elsewhere.
func TestReplaceCreatesParents(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, fsys billyFS) {
		fstest.Write(t, fsys, "", fstest.Tree{"s/SKILL.md": "1"})
		must(t, fsx.Replace(fsys, "s", "a/b/c", fsx.ReplaceOptions{}))
		wantTree(t, fsys, "", fstest.Tree{"a/b/c/SKILL.md": "1"})
	})
}

// S8: whichever call fails, dest is the old tree and an error is told, or it is the new one and none is.
func TestReplaceEveryFault(t *testing.T) {
	t.Parallel()
	for _, missing := range []bool{true, false} {
		t.Run(fmt.Sprint("missing ", missing), func(t *testing.T) {
			t.Parallel()
			eachWay(t, func(t *testing.T, fsys billyFS) {
				old, newTree := sweepTrees(fsys)
				if missing {
					old = nil
				}
				fstest.Sweep(t, func(t *testing.T, n int) bool {
					staged := setUp(t, fsys, old, newTree)
					broken, reached := fstest.FailNth(fsys, n)
					err := fsx.Replace(broken, staged, "p/dest", opt)
					if err != nil && (!errors.Is(err, fstest.ErrInjected) || !is(t, fsys, staged, newTree)) {
						t.Errorf("Replace = %v; staged is %v", err, fstest.Read(t, fsys, staged))
					}
					want := newTree
					if err != nil {
						want = old
					}
					if !is(t, fsys, "p/dest", want) {
						t.Errorf("Replace = %v; dest is %v", err, fstest.Read(t, fsys, "p/dest"))
					}
					wantSettled(t, fsys, want)
					return reached()
				})
			})
		})
	}
}

// S8: whenever the process dies, Recover finds the old tree or the new one, whole; and before that no commit file
// stands in a directory that is neither.
func TestReplacePowerLoss(t *testing.T) {
	t.Parallel()
	for _, missing := range []bool{true, false} {
		t.Run(fmt.Sprint("missing ", missing), func(t *testing.T) {
			t.Parallel()
			eachWay(t, func(t *testing.T, fsys billyFS) {
				old, newTree := sweepTrees(fsys)
				if missing {
					old = nil
				}
				fstest.Sweep(t, func(t *testing.T, n int) bool {
					staged := setUp(t, fsys, old, newTree)
					broken, reached := fstest.LosePower(fsys, n)
					err := fsx.Replace(broken, staged, "p/dest", opt)
					wantRecoverable(t, fsys, err, old, newTree)
					return reached()
				})
			})
		})
	}
}

func wantRecoverable(t *testing.T, fsys billyFS, err error, old, new fstest.Tree) {
	t.Helper()
	if _, statErr := fsys.Lstat("p/dest/SKILL.md"); statErr == nil && !is(t, fsys, "p/dest", old) && !is(t, fsys, "p/dest", new) {
		t.Errorf("a reader takes this for whole: %v", fstest.Read(t, fsys, "p/dest"))
	}
	must(t, fsx.Recover(fsys, "p/dest/below/it"))
	switch {
	case is(t, fsys, "p/dest", new):
		wantSettled(t, fsys, new)
	case err != nil && is(t, fsys, "p/dest", old):
		wantSettled(t, fsys, old)
	default:
		t.Errorf("Replace = %v; dest is %v", err, fstest.Read(t, fsys, "p/dest"))
	}
}

// S8 once more: the process that recovers may die, too.
func TestRecoverPowerLoss(t *testing.T) {
	t.Parallel()
	small, smaller := fstest.Tree{"SKILL.md": "old", "a": "1"}, fstest.Tree{"SKILL.md": "new", "b": "2"}
	for name, make := range map[string]func(testing.TB) billyFS{"by file": ways(t)["memfs"], "renames": ways(t)["OS, renames"]} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fsys := make(t)
			// crash runs Replace until its nth call and Recover until its mth, and reports which were reached.
			crash := func(n, m int) (replace, recover bool) {
				staged := setUp(t, fsys, small, smaller)
				broken, replaceReached := fstest.LosePower(fsys, n)
				err := fsx.Replace(broken, staged, "p/dest", opt)
				if _, statErr := fsys.Lstat(fsx.JournalName("p/dest")); statErr != nil {
					return replaceReached(), false // nothing to recover
				}
				again, recoverReached := fstest.LosePower(fsys, m)
				_ = fsx.Recover(again, "p/dest")
				wantRecoverable(t, fsys, err, small, smaller)
				return replaceReached(), recoverReached()
			}
			recovered := 0
			fstest.Sweep(t, func(t *testing.T, n int) bool {
				for m := 1; ; m++ {
					replace, recover := crash(n, m)
					if !recover || t.Failed() {
						return replace
					}
					recovered++
				}
			})
			if recovered == 0 {
				t.Error("no crash left anything to recover")
			}
		})
	}
}

// A collection replaced file by file: each directory with a commit file is a whole skill, old or new, at any call.
func TestReplaceCollectionByFile(t *testing.T) {
	t.Parallel()
	fsys := ways(t)["memfs"](t)
	old := fstest.Tree{"a/SKILL.md": "old a", "a/x": "1", "b/SKILL.md": "old b", "b/x": "1", "n/c/SKILL.md": "old c"}
	new := fstest.Tree{"a/SKILL.md": "new a", "a/x": "2", "b/SKILL.md": "new b", "b/y": "2", "d/SKILL.md": "new d"}
	sub := func(tree fstest.Tree, dir string) fstest.Tree {
		part := fstest.Tree{}
		for name, content := range tree {
			if rest, ok := strings.CutPrefix(name, dir+"/"); ok {
				part[rest] = content
			}
		}
		return part
	}
	fstest.Sweep(t, func(t *testing.T, n int) bool {
		staged := setUp(t, fsys, old, new)
		broken, reached := fstest.LosePower(fsys, n)
		err := fsx.Replace(broken, staged, "p/dest", opt)
		for name := range fstest.Read(t, fsys, "p/dest") {
			if path.Base(name) != "SKILL.md" {
				continue
			}
			dir := path.Dir(name)
			if at := "p/dest/" + dir; !is(t, fsys, at, sub(old, dir)) && !is(t, fsys, at, sub(new, dir)) {
				t.Errorf("%q is neither: %v", dir, fstest.Read(t, fsys, at))
			}
		}
		must(t, fsx.Recover(fsys, "p/dest"))
		if !is(t, fsys, "p/dest", new) && !(err != nil && is(t, fsys, "p/dest", old)) {
			t.Errorf("Replace = %v; dest is %v", err, fstest.Read(t, fsys, "p/dest"))
		}
		return reached()
	})
}

// The way of one step makes one change to dest, and nobody sees it missing.
func TestReplaceInOneStep(t *testing.T) {
	t.Parallel()
	fsys := fsx.OS(t.TempDir())
	needsExchange(t, fsys)
	staged := setUp(t, fsys, oldTree, newTree)
	var count fstest.Counter
	must(t, fsx.Replace(count.Wrap(fsys), staged, "p/dest", opt))
	if first := count.Mutations()[0]; first.Op != fstest.OpExchange || count.Count(fstest.OpRename, fstest.OpCreate) > 0 {
		t.Errorf("changes: %v", count.Mutations())
	}
}

func needsExchange(t *testing.T, fsys billyFS) {
	t.Helper()
	fstest.Write(t, fsys, "", fstest.Tree{"x1/a": "", "x2/b": ""})
	if err := fsys.(fsx.Exchanger).Exchange("x1", "x2"); errors.Is(err, errors.ErrUnsupported) {
		t.Skip("no exchange of directories here")
	} else if err != nil {
		t.Fatal(err)
	}
	must(t, fsx.RemoveAll(fsys, "x1"))
	must(t, fsx.RemoveAll(fsys, "x2"))
}

// C7: while one goroutine replaces, others read; each sees a directory that is whole and of one version.
func TestReplaceUnderReaders(t *testing.T) {
	t.Parallel()
	fsys := fsx.OS(t.TempDir())
	needsExchange(t, fsys)
	version := func(i int) fstest.Tree {
		tree := fstest.Tree{"SKILL.md": fmt.Sprint(i), fmt.Sprint("v", i): ""}
		for n := range 9 {
			tree[fmt.Sprint("a", n)] = ""
		}
		return tree
	}
	fstest.Write(t, fsys, "dest", version(0))
	v := fsx.NewView(fsys, "", true)
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if _, err := fsys.Lstat("dest"); err != nil {
					t.Errorf("dest went away: %v", err)
					return
				}
				if _, err := v.ReadFile("dest/SKILL.md", 9); err != nil {
					t.Errorf("SKILL.md went away: %v", err)
					return
				}
				if _, err := v.Lookup("dest/SKILL.md"); err != nil {
					t.Errorf("SKILL.md cannot be found: %v", err)
					return
				}
				if d, err := v.ReadDir("dest"); err != nil || len(d.Entries) != 11 {
					t.Errorf("half a listing: %v, %v", d, err)
					return
				}
			}
		})
	}
	for i := range 100 {
		staged, err := fsx.Stage(fsys, "dest")
		must(t, err)
		fstest.Write(t, fsys, staged, version(i))
		must(t, fsx.Replace(fsys, staged, "dest", opt))
	}
	close(done)
	readers.Wait()
}

// What must not be replaced is left alone: links and files at dest are the user's own.
func TestReplaceRefuses(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, fsys billyFS) {
		tree := fstest.Tree{"d/f": "1", "file": "2", "link@": "d", "s/SKILL.md": "3"}
		fstest.Write(t, fsys, "", tree)
		for _, c := range []struct {
			staged, dest string
			want         error
		}{
			{"s", "link", fsx.ErrNotDir}, {"s", "file", fsx.ErrNotDir}, {"link", "d", fsx.ErrNotDir}, {"file", "d", fsx.ErrNotDir},
			{"none", "d", fs.ErrNotExist}, {"s", "file/below", fsx.ErrNotDir},
		} {
			if err := fsx.Replace(fsys, c.staged, c.dest, opt); !errors.Is(err, c.want) {
				t.Errorf("Replace(%q, %q) = %v, want %v", c.staged, c.dest, err, c.want)
			}
		}
		wantTree(t, fsys, "", tree)
	})
}

// A directory that refuses to move, as in a lower layer of an overlay, is replaced file by file.
func TestReplaceAcrossDevices(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, fsys billyFS) {
		for name, stuck := range map[string]func(string) bool{
			"dest":   func(name string) bool { return path.Base(name) == "dest" },
			"staged": func(name string) bool { return strings.HasPrefix(path.Base(name), ".atskills-new-") },
		} {
			for _, old := range []fstest.Tree{nil, withoutLinks(oldTree)} { // which BoundOS cannot remove
				staged := setUp(t, fsys, old, newTree)
				stays := fstest.Hook(plain{fsys}, func(c fstest.Call) error {
					if c.Op == fstest.OpRename && stuck(c.Name) {
						return &os.LinkError{Op: "rename", Old: c.Name, Err: syscall.EXDEV}
					}
					return nil
				})
				if err := fsx.Replace(stays, staged, "p/dest", opt); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				wantSettled(t, fsys, newTree)
			}
		}
	})
}

func withoutLinks(tree fstest.Tree) fstest.Tree {
	rest := fstest.Tree{}
	for name, content := range tree {
		if !strings.HasSuffix(name, "@") {
			rest[name] = content
		}
	}
	return rest
}

// A host's own file system says itself whether it renames directories.
func TestDirRenamer(t *testing.T) {
	t.Parallel()
	for _, renames := range []bool{true, false} {
		fsys := renamer{fsx.OS(t.TempDir()), renames}
		staged := setUp(t, fsys, nil, newTree)
		var count fstest.Counter
		must(t, fsx.Replace(count.Wrap(fsys), staged, "p/dest", opt))
		if got := len(count.Mutations()) == 1; got != renames {
			t.Errorf("RenamesDirs %v: changes %v", renames, count.Mutations())
		}
	}
}

type renamer struct {
	billy.Filesystem
	renames bool
}

func (r renamer) RenamesDirs() bool { return r.renames }

// Never rename a directory on memfs: the trap itself, and that no call of ours steps into it.
func TestMemfsDirectoryRename(t *testing.T) {
	t.Parallel()
	lost := 0
	for range 50 {
		fsys := ways(t)["memfs"](t)
		want := fstest.Tree{"a/x": "1", "a/d/y": "2", "a/e/z": "3", "ab": "4"}
		fstest.Write(t, fsys, "", want)
		must(t, fsys.Rename("a", "c"))
		if !is(t, fsys, "", fstest.Tree{"c/x": "1", "c/d/y": "2", "c/e/z": "3", "ab": "4"}) {
			lost++
		}
	}
	if lost == 0 {
		t.Error("memfs renames directories without loss now: the second way of Replace could go")
	}
	fsys := ways(t)["memfs"](t)
	staged := setUp(t, fsys, oldTree, newTree)
	var count fstest.Counter
	must(t, fsx.Replace(count.Wrap(fsx.Locked(fsys)), staged, "p/dest", opt))
	for _, c := range count.Calls() {
		if c.Op == fstest.OpRename && !strings.HasPrefix(path.Base(c.Name), ".atskills-tmp-") {
			t.Errorf("renamed %q", c.Name)
		}
	}
}

// A journal that is none, or names what it should not, changes nothing and is reported; nothing it might need goes.
func TestRecoverForeignJournal(t *testing.T) {
	t.Parallel()
	name := fsx.JournalName("p/dest")
	old := fsx.TempName("old")
	head := "atskills replace 1\n"
	for _, text := range []string{"", "\x00\x00", head, head + "\"files\"\n\"dest\"\n", "atskills replace 2\n\"files\"\n\"dest\"\n\"\"\n\"\"\n",
		head + "\"files\"\n\"other\"\n\"\"\n\"\"\n", head + "\"files\"\n\"../dest\"\n\"\"\n\"\"\n",
		head + "\"files\"\n\"dest\"\n\"../../etc\"\n\"\"\n", head + "\"files\"\n\"dest\"\n\"other\"\n\"\"\n",
		head + "\"burn\"\n\"dest\"\n\"\"\n\"\"\n", head + "\"files\"\n\"dest\"\n\"" + fsx.TempName("old") + "\"\n\"\"\n"} {
		each(t, func(t *testing.T, fsys billyFS) {
			tree := fstest.Tree{"p/dest/SKILL.md": "1", "p/" + old + "/SKILL.md": "0", name: text, "other/x": "2"}
			fstest.Write(t, fsys, "", tree)
			if err := fsx.Recover(fsys, "p/dest"); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("Recover with %q = %v, want an error that names %q", text, err, name)
			}
			if err := fsx.Sweep(fsys, "p", nil); err == nil {
				t.Errorf("Sweep with %q = nil", text)
			}
			wantTree(t, fsys, "", tree)
		})
	}
}

// A view hides the record of an interrupted replacement and says that there is one.
func TestViewUnfinished(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, fsys billyFS) {
		v := fsx.NewView(fsys, "p", true)
		fstest.Write(t, fsys, "", fstest.Tree{"p/dest/x": "1", "p/" + fsx.TempName("old") + "/x": "0"})
		if d, err := v.ReadDir(""); err != nil || d.Unfinished || len(d.Entries) != 1 {
			t.Errorf("before: %+v, %v", d, err)
		}
		fstest.Write(t, fsys, "", fstest.Tree{fsx.JournalName("p/dest"): "x"})
		if d, err := v.ReadDir(""); err != nil || !d.Unfinished || len(d.Entries) != 1 {
			t.Errorf("after: %+v, %v", d, err)
		}
	})
}

// Recover looks once for each directory on the way and changes nothing when nothing was interrupted.
func TestRecoverNothing(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, fsys billyFS) {
		fstest.Write(t, fsys, "", fstest.Tree{"a/b/f": "1"})
		var count fstest.Counter
		for _, name := range []string{"a/b", "none", "a/none/x", "a/b/f/x"} {
			must(t, fsx.Recover(count.Wrap(fsys), name))
		}
		if n := count.Count(fstest.OpReadDir, fstest.OpOpen); n > 0 || len(count.Mutations()) > 0 {
			t.Errorf("calls: %v", count.Calls())
		}
	})
}
