package fsx_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atskills-go/atskills/fsx"
)

func TestCheckPath(t *testing.T) {
	t.Parallel()
	good := []string{
		"a", "a/b", ".claude/skills/x", "..a", "a..", "...", "API Gateway", "ünï/漢", "a\xffb", "@x", "(y)",
		"a/.atskills-new-0123456789abcdef0123456789abcdef",
	}
	for _, name := range good {
		if err := fsx.CheckPath(name); err != nil {
			t.Errorf("CheckPath(%q) = %v, want nil", name, err)
		}
	}
	bad := []string{
		"", ".", "..", "/", "/a", "//a", "a/", "a//b", "./a", "a/.", "a/./b", "../a", "a/..", "a/../b", "a/../../b",
		"a\x00b",
	}
	for _, name := range bad {
		if err := fsx.CheckPath(name); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("CheckPath(%q) = %v, want fs.ErrInvalid", name, err)
		}
	}
}

// Every call that takes a name checks it: BoundOS would turn "../up" into "up" and memfs into "/up".
func TestNamesAreChecked(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, fsys billyFS) {
		v := fsx.NewView(fsys, "", true)
		for _, name := range []string{"../up", "a/../up", "/up"} {
			calls := map[string]error{
				"WriteFile": fsx.WriteFile(fsys, name, nil, 0o644),
				"RemoveAll": fsx.RemoveAll(fsys, name),
				"Recover":   fsx.Recover(fsys, name),
				"Sweep":     fsx.Sweep(fsys, name, nil),
				"Prune":     fsx.Prune(fsys, name, ""),
				"Replace":   fsx.Replace(fsys, name, "x", fsx.ReplaceOptions{}),
				"Replace2":  fsx.Replace(fsys, "x", name, fsx.ReplaceOptions{}),
			}
			_, calls["ReadFile"] = fsx.ReadFile(fsys, name, 1)
			_, calls["CopyFrom"] = fsx.CopyFrom(fsys, name, strings.NewReader(""), 0o644, 1)
			_, calls["Stage"] = fsx.Stage(fsys, name)
			_, calls["Resolve"] = fsx.Resolve(fsys, name)
			_, calls["Lock"] = fsx.Lock(t.Context(), fsys, name, fsx.LockOptions{})
			_, calls["View.Lookup"] = v.Lookup(name)
			_, calls["View.ReadDir"] = v.ReadDir(name)
			_, calls["View.ReadFile"] = v.ReadFile(name, 1)
			_, calls["View root"] = fsx.NewView(fsys, name, true).ReadDir("")
			for call, err := range calls {
				if !errors.Is(err, fs.ErrInvalid) {
					t.Errorf("%s(%q) = %v, want fs.ErrInvalid", call, name, err)
				}
			}
		}
		if infos, err := fsys.ReadDir(""); err != nil || len(infos) != 0 {
			t.Errorf("something was written: %v, %v", infos, err)
		}
	})
}

// The same on Windows, whose separators, drives, streams and devices make names leave.
func TestPathFaultWindows(t *testing.T) {
	t.Parallel()
	for _, name := range []string{`a\b`, `..\a`, `C:x`, `C:/x`, `a:stream`, `\\host\share`} {
		if fsx.PathFault(name, true) == "" {
			t.Errorf("PathFault(%q, windows) found nothing", name)
		}
	}
	if got := fsx.PathFault(`a/b c`, true); got != "" {
		t.Errorf("PathFault(a/b c, windows) = %q", got)
	}
}

func FuzzCheckPath(f *testing.F) {
	for _, s := range []string{"a/b", "../a", "a/../b", "/a", "a//b", "..", "a\x00"} {
		f.Add(s)
	}
	// Whatever passes stays below any directory it is joined to, and every prefix of it passes too.
	f.Fuzz(func(t *testing.T, name string) {
		if fsx.CheckPath(name) != nil {
			return
		}
		root := filepath.Join(string(filepath.Separator), "root", "dir")
		full := filepath.Join(root, filepath.FromSlash(name))
		if rel, err := filepath.Rel(root, full); err != nil || filepath.ToSlash(rel) != name {
			t.Errorf("%q lands at %q, %v", name, rel, err)
		}
		if i := strings.LastIndexByte(name, '/'); i >= 0 && fsx.CheckPath(name[:i]) != nil {
			t.Errorf("%q passes and its parent does not", name)
		}
	})
}
