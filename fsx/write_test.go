package fsx_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/util"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/internal/fstest"
)

func TestWriteFile(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, fsys billyFS) {
		must(t, fsx.WriteFile(fsys, "d/e/new", []byte("1"), 0o644))
		must(t, fsx.WriteFile(fsys, "d/e/run", []byte("2"), 0o755))
		must(t, fsx.WriteFile(fsys, "d/e/new", []byte("one"), 0o644))
		must(t, fsx.WriteFile(fsys, "d/e/new", nil, 0o644))
		wantTree(t, fsys, "", fstest.Tree{"d/e/new": "", "d/e/run*": "2"})
		if info, err := fsys.Stat("d/e"); err != nil || info.Mode().Perm()&0o755 != info.Mode().Perm() || info.Mode()&0o100 == 0 {
			t.Errorf("directory has mode %v, %v", info.Mode(), err)
		}
	})
}

// An existing file keeps its mode, whatever is asked for.
func TestWriteFileKeepsMode(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, fsys billyFS) {
		fstest.Write(t, fsys, "", fstest.Tree{"run*": "1"})
		must(t, fsys.(billy.Chmod).Chmod("run", 0o700))
		must(t, fsx.WriteFile(fsys, "run", []byte("2"), 0o644))
		info, err := fsys.Stat("run")
		if err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("mode %v, %v, want 0700", info.Mode(), err)
		}
	})
}

// The names of siblings that begin with the target's or the temporary's survive: memfs.Rename takes along whatever
// begins with the name it moves.
func TestWriteFileSparesSiblings(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, fsys billyFS) {
		want := fstest.Tree{"a": "1", "ab": "2", "abc/x": "3", "a.b": "4", ".atskills-": "5", ".atskills-tmp-": "6"}
		fstest.Write(t, fsys, "", want)
		for range 3 {
			must(t, fsx.WriteFile(fsys, "a", []byte("1"), 0o644))
			must(t, fsx.WriteFile(fsys, "abc/x", []byte("3"), 0o644))
		}
		wantTree(t, fsys, "", want)
	})
}

// S8 in the small: whichever call fails, the old content stands or the new, no temporary file is left, and an error
// is told. util.WriteFile of billy returns nil when a write failed.
func TestWriteFileEveryFault(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, fsys billyFS) {
		fstest.Sweep(t, func(t *testing.T, n int) bool {
			fstest.Write(t, fsys, "", fstest.Tree{"d/f": "old"})
			broken, reached := fstest.FailNth(fsys, n)
			err := fsx.WriteFile(broken, "d/f", []byte("new"), 0o644)
			if reached() != (err != nil) || err != nil && !errors.Is(err, fstest.ErrInjected) {
				t.Errorf("WriteFile = %v, call reached: %v", err, reached())
			}
			want := "new"
			if err != nil {
				want = "old"
			}
			wantTree(t, fsys, "", fstest.Tree{"d/f": want})
			return reached()
		})
	})
}

// A process that dies at any call leaves the old content or the new, and at most a temporary file that Sweep removes
// (S8, S9).
func TestWriteFilePowerLoss(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, fsys billyFS) {
		fstest.Sweep(t, func(t *testing.T, n int) bool {
			fstest.Write(t, fsys, "", fstest.Tree{"d/f": "old"})
			broken, reached := fstest.LosePower(fsys, n)
			err := fsx.WriteFile(broken, "d/f", []byte("new"), 0o644)
			must(t, fsx.Sweep(fsys, "d", nil))
			want := "new"
			if err != nil {
				want = "old"
			}
			wantTree(t, fsys, "", fstest.Tree{"d/f": want})
			return reached()
		})
	})
}

func TestWriteFileFullDisk(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, fsys billyFS) {
		fstest.Write(t, fsys, "", fstest.Tree{"f": "old"})
		for k := range 3 {
			if err := fsx.WriteFile(fstest.Full(fsys, k), "f", []byte("new"), 0o644); !errors.Is(err, syscall.ENOSPC) {
				t.Errorf("with room for %d bytes: %v, want ENOSPC", k, err)
			}
			wantTree(t, fsys, "", fstest.Tree{"f": "old"})
		}
		must(t, fsx.WriteFile(fstest.Full(fsys, 3), "f", []byte("new"), 0o644))
		wantTree(t, fsys, "", fstest.Tree{"f": "new"})
	})
}

// The trap itself, so that this file says when it is gone.
func TestUtilWriteFileLies(t *testing.T) {
	t.Parallel()
	fsys := fstest.Full(fstest.Systems()[0].New(t), 1)
	if err := util.WriteFile(fsys, "f", []byte("new"), 0o644); err != nil {
		t.Errorf("util.WriteFile has learnt to report errors: %v", err)
	}
}

func TestWriteFileReadOnly(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, fsys billyFS) {
		fstest.Write(t, fsys, "", fstest.Tree{"f": "old"})
		for _, name := range []string{"f", "g", "d/g"} {
			if err := fsx.WriteFile(fstest.ReadOnly(fsys), name, []byte("new"), 0o644); !errors.Is(err, billy.ErrReadOnly) {
				t.Errorf("WriteFile(%q) = %v, want ErrReadOnly", name, err)
			}
		}
		wantTree(t, fsys, "", fstest.Tree{"f": "old"})
	})
}

// A directory can stand where a written file stood. On memfs a plain rename makes that panic.
func TestWriteFileThenDirectory(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, fsys billyFS) {
		must(t, fsx.WriteFile(fsys, "a", []byte("1"), 0o644))
		must(t, fsys.Remove("a"))
		must(t, fsx.WriteFile(fsys, "a/b", []byte("2"), 0o644))
		wantTree(t, fsys, "", fstest.Tree{"a/b": "2"})
	})
	defer func() {
		if recover() == nil {
			t.Error("memfs bears it now: primeMemory could go")
		}
	}()
	fsys := fstest.Systems()[0].New(t)
	fstest.Write(t, fsys, "", fstest.Tree{"temp": "1"})
	must(t, fsys.Rename("temp", "a"))
	must(t, fsys.Remove("a"))
	fstest.Write(t, fsys, "", fstest.Tree{"a/b": "2"})
}

// Nothing is removed after the rename, and the rename is the last change.
func TestWriteFileCalls(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, fsys billyFS) {
		fstest.Write(t, fsys, "", fstest.Tree{"d/f": "old"})
		var count fstest.Counter
		must(t, fsx.WriteFile(count.Wrap(fsys), "d/f", []byte("new"), 0o644))
		calls := count.Mutations()
		if last := calls[len(calls)-1]; last.Op != fstest.OpRename {
			t.Errorf("last change is %v", last)
		}
		if n := count.Count(fstest.OpSync); n != 1 {
			t.Errorf("%d syncs, want 1", n)
		}
		for _, c := range calls {
			if c.Op == fstest.OpRemove && !strings.HasPrefix(strings.TrimPrefix(c.Name, "d/"), ".atskills-tmp-") {
				t.Errorf("removed %q", c.Name)
			}
		}
	})
}

// Nothing is made below a file, where memfs would make it, nor over a directory.
func TestWriteFileInTheWay(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, fsys billyFS) {
		want := fstest.Tree{"f": "1", "d/x": "2"}
		fstest.Write(t, fsys, "", want)
		for _, name := range []string{"f/below", "f/b/c", "d"} {
			if err := fsx.WriteFile(fsys, name, []byte("new"), 0o644); err == nil {
				t.Errorf("WriteFile(%q) succeeded", name)
			}
			if _, err := fsx.CopyFrom(fsys, name, strings.NewReader("new"), 0o644, 9); err == nil {
				t.Errorf("CopyFrom(%q) succeeded", name)
			}
			if _, err := fsx.Stage(fsys, name); name != "d" && err == nil {
				t.Errorf("Stage(%q) succeeded", name)
			}
		}
		must(t, fsx.Sweep(fsys, "", nil))
		wantTree(t, fsys, "", want)
	})
}

// Writing goes where a link inside leads and keeps the link; a link that leaves is refused and nothing is written on
// the other side (W3).
func TestWriteThroughLinks(t *testing.T) {
	t.Parallel()
	fstest.Each(t, func(t *testing.T, sys fstest.System) {
		outer := sys.New(t)
		fstest.Write(t, outer, "", fstest.Tree{"out/": "", "p/real/f": "old", "p/dir@": "real", "p/link@": "real/f",
			"p/gh@": "../out", "p/leak@": "../out/leak", "p/loop@": "loop", "p/gone@": "none/f"})
		fsys := chroot(t, sys, outer, "p")
		must(t, fsx.WriteFile(fsys, "link", []byte("1"), 0o644))
		must(t, fsx.WriteFile(fsys, "dir/g", []byte("2"), 0o644))
		must(t, fsx.WriteFile(fsys, "dir/new/h", []byte("3"), 0o644))
		_, err := fsx.CopyFrom(fsys, "dir/i", strings.NewReader("4"), 0o644, 9)
		must(t, err)
		for name, want := range map[string]error{"gh/x": fsx.ErrLinkEscapes, "gh/new/x": fsx.ErrLinkEscapes, "leak": fsx.ErrLinkEscapes,
			"loop": fsx.ErrLinkLoop, "loop/x": fsx.ErrLinkLoop, "gone": fsx.ErrLinkDangles} {
			if err := fsx.WriteFile(fsys, name, []byte("x"), 0o644); !errors.Is(err, want) {
				t.Errorf("WriteFile(%q) = %v, want %v", name, err, want)
			}
			if _, err := fsx.CopyFrom(fsys, name, strings.NewReader("x"), 0o644, 9); err == nil {
				t.Errorf("CopyFrom(%q) succeeded", name)
			}
		}
		for _, name := range []string{"gh/x", "gh/new/x"} {
			if _, err := fsx.Stage(fsys, name); !errors.Is(err, fsx.ErrLinkEscapes) {
				t.Errorf("Stage(%q) = %v, want ErrLinkEscapes", name, err)
			}
			if _, err := fsx.Lock(t.Context(), fsys, name, fsx.LockOptions{}); !errors.Is(err, fsx.ErrLinkEscapes) {
				t.Errorf("Lock(%q) = %v, want ErrLinkEscapes", name, err)
			}
			if err := fsx.RemoveAll(fsys, name); !errors.Is(err, fsx.ErrLinkEscapes) {
				t.Errorf("RemoveAll(%q) = %v, want ErrLinkEscapes", name, err)
			}
		}
		wantTree(t, outer, "", fstest.Tree{"out/": "", "p/real/f": "1", "p/real/g": "2", "p/real/new/h": "3", "p/real/i": "4",
			"p/dir@": "real", "p/link@": "real/f", "p/gh@": "../out", "p/leak@": "../out/leak", "p/loop@": "loop",
			"p/gone@": "none/f"})
	})
}

func TestCopyFrom(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, fsys billyFS) {
		n, err := fsx.CopyFrom(fsys, "d/run", strings.NewReader("12345"), 0o755, 5)
		if n != 5 || err != nil {
			t.Fatalf("CopyFrom = %d, %v", n, err)
		}
		if _, err := fsx.CopyFrom(fsys, "d/any", strings.NewReader("12345"), 0o644, -1); err != nil {
			t.Fatal(err)
		}
		if _, err := fsx.CopyFrom(fsys, "d/none", strings.NewReader(""), 0o644, 0); err != nil {
			t.Fatal(err)
		}
		want := fstest.Tree{"d/run*": "12345", "d/any": "12345", "d/none": ""}
		wantTree(t, fsys, "", want)

		if _, err := fsx.CopyFrom(fsys, "d/run", strings.NewReader("x"), 0o644, 5); !errors.Is(err, fs.ErrExist) {
			t.Errorf("over a file: %v, want fs.ErrExist", err)
		}
		sizeErr := (*fsx.SizeError)(nil)
		if _, err := fsx.CopyFrom(fsys, "d/big", strings.NewReader("123456"), 0o644, 5); !errors.As(err, &sizeErr) {
			t.Errorf("too much: %v, want a SizeError", err)
		}
		broken := io.MultiReader(strings.NewReader("12"), iotest.ErrReader(io.ErrUnexpectedEOF))
		if _, err := fsx.CopyFrom(fsys, "d/cut", broken, 0o644, 5); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("broken reader: %v, want ErrUnexpectedEOF", err)
		}
		exact := io.MultiReader(strings.NewReader("12345"), iotest.ErrReader(io.ErrUnexpectedEOF))
		if _, err := fsx.CopyFrom(fsys, "d/cut", exact, 0o644, 5); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("reader that breaks at the limit: %v, want ErrUnexpectedEOF", err)
		}
		wantTree(t, fsys, "", want)
	})
}

func TestCopyFromEveryFault(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, fsys billyFS) {
		fstest.Write(t, fsys, "", fstest.Tree{"s/": ""})
		fstest.Sweep(t, func(t *testing.T, n int) bool {
			must(t, fsx.RemoveAll(fsys, "s/f"))
			must(t, fsys.MkdirAll("s", 0o755))
			broken, reached := fstest.FailNth(fsys, n)
			_, err := fsx.CopyFrom(broken, "s/f", strings.NewReader("new"), 0o644, 9)
			if err != nil && !errors.Is(err, fstest.ErrInjected) || reached() != (err != nil) {
				t.Errorf("CopyFrom = %v, call reached: %v", err, reached())
			}
			want := fstest.Tree{"s/": ""}
			if err == nil {
				want = fstest.Tree{"s/f": "new"}
			}
			wantTree(t, fsys, "", want)
			return reached()
		})
	})
}

// The umask may take from a mode and nothing may add to it.
func TestNewFileModes(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, fsys billyFS) {
		for perm, name := range map[os.FileMode]string{0o644: "plain", 0o755: "run", 0o600: "secret"} {
			must(t, fsx.WriteFile(fsys, name, nil, perm))
			info, err := fsys.Stat(name)
			must(t, err)
			if got := info.Mode().Perm(); got&^perm != 0 || got&0o700 != perm&0o700 {
				t.Errorf("asked for %v, got %v", perm, got)
			}
		}
	})
}
