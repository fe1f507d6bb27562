package fsx_test

import (
	"strings"
	"testing"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/internal/fstest"
)

// Unsynced takes Sync away and nothing else: writes and replacements work on every file system.
func TestUnsynced(t *testing.T) {
	t.Parallel()
	fstest.Each(t, func(t *testing.T, sys fstest.System) {
		var count fstest.Counter
		fsys := fsx.Unsynced(count.Wrap(sys.New(t)))
		for _, body := range []string{"old", "new"} {
			staged, err := fsx.Stage(fsys, "dir/dest")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := fsx.CopyFrom(fsys, staged+"/f", strings.NewReader(body), 0o755, -1); err != nil {
				t.Fatal(err)
			}
			if err := fsx.Replace(fsys, staged, "dir/dest", fsx.ReplaceOptions{}); err != nil {
				t.Fatal(err)
			}
			if got, err := fsx.ReadFile(fsys, "dir/dest/f", -1); string(got) != body || err != nil {
				t.Errorf("dest/f = %q, error %v; want %q", got, err, body)
			}
		}
		if err := fsx.WriteFile(fsys, "dir/file", []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
		if n := count.Count(fstest.OpSync); n != 0 {
			t.Errorf("%d syncs, want none", n)
		}
		if fi, err := fsys.Stat("dir/dest/f"); err != nil || fi.Mode()&0o100 == 0 {
			t.Errorf("the mode is not kept: %v, error %v", fi.Mode(), err)
		}
	})
}
