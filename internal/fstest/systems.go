// Package fstest holds what tests of several packages need of file systems: one table of all kinds that the library
// supports, trees as maps, and wrappers that fail, lose power, count, fill up and refuse writes.
package fstest

import (
	"testing"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/memfs"
	"github.com/go-git/go-billy/v5/osfs"

	"github.com/atskills-go/atskills/fsx"
)

// System is one kind of file system.
type System struct {
	Name string
	// New returns an empty file system that the test has for itself.
	New func(testing.TB) billy.Filesystem
	// Disk says that its files are real ones below its Root, which other processes can reach.
	Disk bool
}

// Systems returns every kind the library supports: memfs, both kinds of osfs, and fsx.OS.
func Systems() []System {
	return []System{
		{Name: "memfs", New: func(testing.TB) billy.Filesystem { return memfs.New() }},
		{Name: "ChrootOS", New: func(t testing.TB) billy.Filesystem { return osfs.New(t.TempDir()) }, Disk: true},
		{Name: "BoundOS", New: func(t testing.TB) billy.Filesystem {
			return osfs.New(t.TempDir(), osfs.WithBoundOS())
		}, Disk: true},
		{Name: "OS", New: func(t testing.TB) billy.Filesystem { return fsx.OS(t.TempDir()) }, Disk: true},
	}
}

// Each runs fn in a parallel subtest for each system.
func Each(t *testing.T, fn func(t *testing.T, sys System)) {
	for _, sys := range Systems() {
		t.Run(sys.Name, func(t *testing.T) {
			t.Parallel()
			fn(t, sys)
		})
	}
}
