package fsx_test

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/memfs"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/internal/fstest"
)

// memfs crashes the process when several goroutines use it; through Locked every call is safe. The race detector
// judges.
func TestLockedMemfs(t *testing.T) {
	t.Parallel()
	fsys := fsx.Locked(memfs.New())
	sub, err := fsys.Chroot("sub")
	must(t, err)
	shared, err := fsys.Create("shared")
	must(t, err)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for n := range 20 {
				name := fmt.Sprintf("d%d/f%d", i%3, n)
				err := errors.Join(
					fsx.WriteFile(fsys, name, []byte("1"), 0o644),
					fsx.WriteFile(sub, name, []byte("1"), 0o644),
					fsys.MkdirAll(fmt.Sprint("m", i, n), 0o755))
				_, readErr := fsx.ReadFile(fsys, name, 9)
				_, dirErr := fsx.NewView(fsys, "d0", true).ReadDir("")
				if i%3 != 0 { // d0 may not be there yet
					dirErr = nil
				}
				_, writeErr := shared.Write([]byte("x"))
				_, seekErr := shared.Seek(0, io.SeekStart)
				_, atErr := shared.ReadAt(make([]byte, 1), 0)
				if err := errors.Join(err, readErr, dirErr, writeErr, seekErr, atErr); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	must(t, shared.Close())
}

// Locked changes nothing else: what stands below is recognised, and its abilities are there.
func TestLockedKeepsAbilities(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, fsys billyFS) {
		locked := fsx.Locked(fsys)
		if locked.Root() != fsys.Root() || locked.Join("a", "b") != fsys.Join("a", "b") ||
			billy.Capabilities(locked) != billy.Capabilities(fsys) {
			t.Error("root, join or capabilities differ")
		}
		for name, old := range map[string]fstest.Tree{"missing": nil, "existing": oldTree} {
			staged := setUp(t, locked, old, newTree)
			if err := fsx.Replace(locked, staged, "p/dest", opt); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			wantSettled(t, fsys, newTree)
		}
		f, err := locked.TempFile("p", "x")
		must(t, err)
		must(t, errors.Join(f.Truncate(3), f.(interface{ Sync() error }).Sync(), f.Close()))
		must(t, locked.(billy.Chmod).Chmod("p/dest/same", 0o755))
		if info, err := locked.Stat("p/dest/same"); err != nil || info.Mode().Perm() != 0o755 {
			t.Errorf("Chmod: %v, %v", info, err)
		}
	})
}
