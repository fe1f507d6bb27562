package fsx_test

import (
	"bytes"
	"errors"
	"io/fs"
	"math"
	"strings"
	"syscall"
	"testing"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/internal/fstest"
)

func TestReadFile(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, fsys billyFS) {
		big := strings.Repeat("0123456789abcdef", 1<<12)
		fstest.Write(t, fsys, "", fstest.Tree{"d/five": "12345", "empty": "", "big": big})
		for _, c := range []struct {
			name    string
			max     int64
			want    string
			tooBig  bool
			missing bool
			other   error
		}{
			{name: "d/five", max: 6, want: "12345"},
			{name: "d/five", max: 5, want: "12345"},
			{name: "d/five", max: 4, tooBig: true},
			{name: "d/five", max: 0, tooBig: true},
			{name: "d/five", max: -1, want: "12345"},
			{name: "d/five", max: math.MaxInt64 - 1, want: "12345"},
			{name: "empty", max: 0, want: ""},
			{name: "big", max: int64(len(big)), want: big},
			{name: "big", max: -1, want: big},
			{name: "big", max: int64(len(big)) - 1, tooBig: true},
			{name: "none", max: 9, missing: true},
			{name: "none/none", max: 9, missing: true},
			{name: "empty/below", max: 9, missing: true},
			{name: "d", max: 9, other: fsx.ErrNotRegular},
		} {
			got, err := fsx.ReadFile(fsys, c.name, c.max)
			sizeErr := (*fsx.SizeError)(nil)
			pathErr := (*fs.PathError)(nil)
			switch {
			case c.tooBig:
				if !errors.As(err, &sizeErr) || sizeErr.Name != c.name || sizeErr.Max != c.max || got != nil {
					t.Errorf("ReadFile(%q, %d) = %d bytes, %v, want a SizeError", c.name, c.max, len(got), err)
				}
			case c.missing, c.other != nil:
				want := c.other
				if c.missing {
					want = fs.ErrNotExist
				}
				if !errors.Is(err, want) || !errors.As(err, &pathErr) || pathErr.Path != c.name {
					t.Errorf("ReadFile(%q) = %v, want a PathError with %v", c.name, err, want)
				}
				if strings.Contains(err.Error(), fsys.Root()+"/") && fsys.Root() != "/" {
					t.Errorf("the error shows the machine's path: %v", err)
				}
			case err != nil || string(got) != c.want:
				t.Errorf("ReadFile(%q, %d) = %d bytes, %v, want %d", c.name, c.max, len(got), err, len(c.want))
			}
		}
	})
}

func TestReadHead(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, fsys billyFS) {
		fstest.Write(t, fsys, "", fstest.Tree{"f": "12345"})
		for _, c := range []struct {
			max  int64
			want string
			more bool
		}{{3, "123", true}, {5, "12345", false}, {9, "12345", false}, {0, "", true}, {-1, "12345", false}} {
			got, more, err := fsx.ReadHead(fsys, "f", c.max)
			if err != nil || string(got) != c.want || more != c.more {
				t.Errorf("ReadHead(%d) = %q, %v, %v, want %q, %v", c.max, got, more, err, c.want, c.more)
			}
		}
	})
}

// A file that claims to be small and is not must not be read beyond the limit.
func TestReadFileDoesNotTrustSizes(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, fsys billyFS) {
		fstest.Write(t, fsys, "", fstest.Tree{"f": "short"})
		grow := fstest.Hook(fsys, func(c fstest.Call) error {
			if c.Op == fstest.OpOpen { // after the size was asked for
				f, err := fsys.Create("f")
				if err != nil {
					return err
				}
				_, err = f.Write(bytes.Repeat([]byte("x"), 5000))
				return errors.Join(err, f.Close())
			}
			return nil
		})
		sizeErr := (*fsx.SizeError)(nil)
		if got, err := fsx.ReadFile(grow, "f", 100); !errors.As(err, &sizeErr) {
			t.Errorf("ReadFile = %d bytes, %v, want a SizeError", len(got), err)
		}
	})
}

// A pipe in a skill must be an error and not a wait without end.
func TestReadFileRefusesPipes(t *testing.T) {
	t.Parallel()
	fstest.Each(t, func(t *testing.T, sys fstest.System) {
		if !sys.Disk {
			t.Skip("memfs has no pipes")
		}
		fsys := sys.New(t)
		if err := mkfifo(fsys.Root() + "/pipe"); err != nil {
			t.Skipf("no pipes here: %v", err)
		}
		if _, err := fsx.ReadFile(fsys, "pipe", 10); !errors.Is(err, fsx.ErrNotRegular) {
			t.Errorf("ReadFile(pipe) = %v, want ErrNotRegular", err)
		}
		if _, err := fsx.NewView(fsys, "", true).ReadFile("pipe", 10); !errors.Is(err, fsx.ErrNotRegular) {
			t.Errorf("View.ReadFile(pipe) = %v, want ErrNotRegular", err)
		}
	})
}

// An error of any call of a read comes back; nothing is returned beside it.
func TestReadFileReportsEveryFault(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, fsys billyFS) {
		fstest.Write(t, fsys, "", fstest.Tree{"f": "12345"})
		fstest.Sweep(t, func(t *testing.T, n int) bool {
			broken, reached := fstest.FailNth(fsys, n)
			got, err := fsx.ReadFile(broken, "f", 100)
			if reached() && (!errors.Is(err, fstest.ErrInjected) || got != nil) {
				t.Errorf("ReadFile = %q, %v, want ErrInjected", got, err)
			}
			return reached()
		})
	})
}

func TestErrorTexts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		want string
	}{
		{&fsx.SizeError{Name: "a", Max: 7}, `file "a" is larger than 7 bytes`},
		{&fsx.LinkError{Name: "a", Target: "../b", Err: fsx.ErrLinkEscapes}, `link "a" -> "../b" leads outside`},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
	if errors.Is(&fsx.LinkError{Err: fsx.ErrLinkDangles}, fs.ErrNotExist) || errors.Is(syscall.ENOTDIR, fs.ErrNotExist) {
		t.Error("something that exists matches fs.ErrNotExist")
	}
}
