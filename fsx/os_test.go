package fsx_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/go-git/go-billy/v5"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/internal/fstest"
)

// The root is created by the first call that writes and by none that reads (C1), and may go at any time (C8).
func TestOSIsLazy(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a", "b")
	fsys := fsx.OS(dir)
	for range 2 {
		_, statErr := fsys.Stat("x")
		_, openErr := fsys.Open("x")
		_, dirErr := fsys.ReadDir("")
		_, viewErr := fsx.NewView(fsys, "", false).ReadDir("x")
		for _, err := range []error{statErr, openErr, dirErr, viewErr, fsys.Remove("x")} {
			if !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("got %v, want fs.ErrNotExist", err)
			}
		}
		must(t, errors.Join(fsx.RemoveAll(fsys, "x"), fsx.Sweep(fsys, "x", nil), fsx.Recover(fsys, "x/y")))
		if _, err := os.Lstat(dir); !os.IsNotExist(err) {
			t.Errorf("a call that reads made the root: %v", err)
		}
		must(t, fsx.WriteFile(fsys, "x/y", []byte("1"), 0o644))
		wantTree(t, fsys, "", fstest.Tree{"x/y": "1"})
		must(t, os.RemoveAll(dir))
	}
}

// Nothing outside is reached by any call, by name or by link.
func TestOSIsBound(t *testing.T) {
	t.Parallel()
	outer := fsx.OS(t.TempDir())
	tree := fstest.Tree{"secret": "1", "out/x": "2", "p/f": "3", "p/up@": "../secret", "p/dir@": "../out"}
	fstest.Write(t, outer, "", tree)
	must(t, os.Symlink(filepath.Join(outer.Root(), "secret"), filepath.Join(outer.Root(), "p", "abs")))
	tree["p/abs@"] = filepath.Join(outer.Root(), "secret")
	fsys := fsx.OS(filepath.Join(outer.Root(), "p"))
	for _, name := range []string{"../secret", "up", "dir/x", "abs", "f/../../secret", "dir/../secret"} {
		_, openErr := fsys.Open(name)
		_, createErr := fsys.Create(name)
		_, statErr := fsys.Stat(name)
		if openErr == nil || createErr == nil || statErr == nil {
			t.Errorf("%q: open %v, create %v, stat %v", name, openErr, createErr, statErr)
		}
	}
	for _, name := range []string{"../new", "dir/new", "../out/new"} {
		for call, err := range map[string]error{"MkdirAll": fsys.MkdirAll(name, 0o755), "Rename": fsys.Rename("f", name),
			"Symlink": fsys.Symlink("x", name), "Exchange": fsys.(fsx.Exchanger).Exchange("f", name), "Remove": fsys.Remove(name),
			"Chmod": fsys.(billy.Chmod).Chmod(name, 0o600)} {
			if err == nil {
				t.Errorf("%s(%q) succeeded", call, name)
			}
		}
	}
	if _, err := fsys.ReadDir("dir"); err == nil {
		t.Error("ReadDir(dir) succeeded")
	}
	if _, err := fsys.Chroot("dir"); !errors.Is(err, fsx.ErrLinkEscapes) {
		t.Errorf("Chroot(dir) = %v, want ErrLinkEscapes", err)
	}
	wantTree(t, outer, "", tree)
}

// The billy contract where it differs from the os package: parents are made, names may begin with a slash.
func TestOSIsBilly(t *testing.T) {
	t.Parallel()
	fsys := fsx.OS(t.TempDir())
	f, err := fsys.Create("/a/b")
	must(t, err)
	if f.Name() != "/a/b" || !errors.Is(f.Lock(), billy.ErrNotSupported) || !errors.Is(f.Unlock(), billy.ErrNotSupported) {
		t.Errorf("file %q", f.Name())
	}
	must(t, f.Close())
	must(t, fsys.Rename("a/b", "c/d/e"))
	must(t, fsys.Symlink("d/e", "c/l"))
	f, err = fsys.TempFile("t", "x")
	must(t, errors.Join(err, f.Close()))
	if !strings.HasPrefix(filepath.ToSlash(f.Name()), "t/x") {
		t.Errorf("TempFile made %q", f.Name())
	}
	must(t, fsys.Remove(f.Name()))
	sub, err := fsys.Chroot("c/d")
	must(t, err)
	wantTree(t, sub, "", fstest.Tree{"e": ""})
	if billy.CapabilityCheck(fsys, billy.LockCapability) || !billy.CapabilityCheck(fsys, billy.WriteCapability) {
		t.Error("capabilities")
	}
	must(t, fsys.Remove("c/l"))
	wantTree(t, fsys, "", fstest.Tree{"a/": "", "c/d/e": "", "t/": ""})
	if wd, err := os.Getwd(); err != nil || fsx.OS("x").Root() != filepath.Join(wd, "x") {
		t.Errorf("root of a relative directory is %q", fsx.OS("x").Root())
	}
}

// A listing goes on when entries vanish meanwhile, which osfs does not bear.
func TestOSListsAChangingDirectory(t *testing.T) {
	t.Parallel()
	fsys := fsx.OS(t.TempDir())
	fstest.Write(t, fsys, "", fstest.Tree{"d/stays": ""})
	done := make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			for _, name := range []string{"d/a", "d/b", "d/c"} {
				if err := errors.Join(fsys.MkdirAll(name, 0o755), fsys.Remove(name)); err != nil {
					t.Error(err)
					return
				}
			}
		}
	})
	for range 300 {
		if _, err := fsys.ReadDir("d"); err != nil {
			t.Errorf("ReadDir: %v", err)
			break
		}
	}
	close(done)
	writer.Wait()
}

// C1.
func TestUserCacheDir(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the table is of unix paths")
	}
	for _, c := range []struct {
		name string
		env  map[string]string
		want string
	}{
		{"own variable", map[string]string{"ATSKILLS_CACHE": "/c/x/", "XDG_CACHE_HOME": "/xdg", "HOME": "/home/u"}, "/c/x"},
		{"xdg", map[string]string{"XDG_CACHE_HOME": "/xdg", "HOME": "/home/u"}, "/xdg/atskills"},
		{"home", map[string]string{"HOME": "/home/u"}, "/home/u/.cache/atskills"},
		{"relative xdg is ignored", map[string]string{"XDG_CACHE_HOME": "xdg", "HOME": "/home/u"}, "/home/u/.cache/atskills"},
		{"relative own variable", map[string]string{"ATSKILLS_CACHE": "c", "HOME": "/home/u"}, ""},
		{"tilde", map[string]string{"ATSKILLS_CACHE": "~/c", "HOME": "/home/u"}, ""},
		{"relative home", map[string]string{"HOME": "u"}, ""},
		{"nothing", nil, ""},
	} {
		got, err := fsx.UserCacheDir(func(name string) string { return c.env[name] })
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s: %q, %v, want %q", c.name, got, err, c.want)
		}
		if err != nil && !strings.Contains(err.Error(), "ATSKILLS_CACHE") {
			t.Errorf("%s: %v does not name ATSKILLS_CACHE", c.name, err)
		}
	}
}

// C1: created by the first write, for the user alone; without a place every call says what to set.
func TestUserCache(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "x", "cache")
	t.Setenv("ATSKILLS_CACHE", dir)
	cache := fsx.UserCache()
	if _, err := cache.Stat("gh"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Stat = %v, want fs.ErrNotExist", err)
	}
	must(t, fsx.WriteFile(cache, "gh/o/r/SKILL.md", []byte("1"), 0o644))
	info, err := os.Stat(dir)
	must(t, err)
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("the cache has mode %v", info.Mode())
	}

	t.Setenv("ATSKILLS_CACHE", "relative")
	broken := fsx.UserCache()
	_, readErr := fsx.ReadFile(broken, "x", 1)
	_, viewErr := fsx.NewView(broken, "", false).ReadDir("")
	_, stageErr := fsx.Stage(broken, "x")
	_, lockErr := fsx.Lock(t.Context(), broken, "x", fsx.LockOptions{})
	for call, err := range map[string]error{"ReadFile": readErr, "ReadDir": viewErr, "Stage": stageErr, "Lock": lockErr,
		"WriteFile": fsx.WriteFile(broken, "x", nil, 0o644), "RemoveAll": fsx.RemoveAll(broken, "x")} {
		if err == nil || errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "ATSKILLS_CACHE") {
			t.Errorf("%s without a cache: %v", call, err)
		}
	}
}
