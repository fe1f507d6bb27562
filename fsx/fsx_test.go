package fsx_test

import (
	"path/filepath"
	"testing"

	"github.com/go-git/go-billy/v5"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/internal/fstest"
)

type billyFS = billy.Filesystem

// each runs fn over an empty file system of every kind.
func each(t *testing.T, fn func(t *testing.T, fsys billyFS)) {
	t.Helper()
	fstest.Each(t, func(t *testing.T, sys fstest.System) { fn(t, sys.New(t)) })
}

func wantTree(t *testing.T, fsys billyFS, dir string, want fstest.Tree) {
	t.Helper()
	if diff := cmp.Diff(want, fstest.Read(t, fsys, dir), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("tree at %q (-want +got):\n%s", dir, diff)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// tempNames returns the temporary names in dir.
func tempNames(t *testing.T, fsys billyFS, dir string) []string {
	t.Helper()
	infos, err := fsys.ReadDir(dir)
	must(t, err)
	var names []string
	for _, info := range infos {
		if fsx.IsTemp(info.Name()) {
			names = append(names, info.Name())
		}
	}
	return names
}

// chroot returns the file system of the directory dir of outer, of the same kind as outer.
func chroot(t *testing.T, sys fstest.System, outer billyFS, dir string) billyFS {
	t.Helper()
	if sys.Name == "OS" {
		return fsx.OS(filepath.Join(outer.Root(), dir))
	}
	fsys, err := outer.Chroot(dir)
	must(t, err)
	return fsys
}
