package atskills_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/memfs"
	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/internal/fstest"
)

// addLines adds n lines that begin with name, one at a time.
func addLines(ctx context.Context, project billy.Filesystem, name string, n int) error {
	for i := range n {
		if err := atskills.AddTriggerLine(ctx, atskills.Env{Project: project}, fmt.Sprintf("%s%03d", name, i)); err != nil {
			return err
		}
	}
	return nil
}

// wantLines fails the test unless the trigger file holds every line of each writer, once and in the writer's order, and
// nothing of an edit is left beside it.
func wantLines(t *testing.T, project billy.Filesystem, n int, writers ...string) {
	t.Helper()
	data, err := fsx.ReadFile(project, triggerFile, -1)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	if len(lines) != n*len(writers) {
		t.Errorf("%d lines, want %d", len(lines), n*len(writers))
	}
	for _, name := range writers {
		var got []string
		for _, l := range lines {
			if strings.HasPrefix(l, name) {
				got = append(got, l)
			}
		}
		if len(got) != n || !slices.IsSorted(got) || len(slices.Compact(got)) != n {
			t.Errorf("lines of %s: %v", name, got)
		}
	}
	infos, err := project.ReadDir(".atskills")
	if err != nil || len(infos) != 1 {
		t.Errorf("left behind: %v, error %v", infos, err)
	}
}

// T6: no edit is lost when goroutines edit at once, in memory and on disk.
func TestGoroutinesEditTriggers(t *testing.T) {
	t.Parallel()
	for name, project := range map[string]billy.Filesystem{"memfs": fsx.Locked(memfs.New()), "disk": fsx.OS(t.TempDir())} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			writers := []string{"a", "b", "c", "d"}
			var wg sync.WaitGroup
			for _, name := range writers {
				wg.Go(func() {
					if err := addLines(t.Context(), project, name, 50); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			wantLines(t, project, 50, writers...)
		})
	}
}

// T6: two processes that add 200 lines each at once end with 400 lines.
func TestProcessesEditTriggers(t *testing.T) {
	t.Parallel()
	const dirVar, nameVar = "ATSKILLS_TEST_TRIGGER_DIR", "ATSKILLS_TEST_TRIGGER_NAME"
	if dir := os.Getenv(dirVar); dir != "" {
		if err := addLines(t.Context(), fsx.OS(dir), os.Getenv(nameVar), 200); err != nil {
			t.Fatal(err)
		}
		return
	}
	dir := t.TempDir()
	var wg sync.WaitGroup
	for _, name := range []string{"a", "b"} {
		wg.Go(func() {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestProcessesEditTriggers$")
			cmd.Env = append(os.Environ(), dirVar+"="+dir, nameVar+"="+name)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	wg.Wait()
	wantLines(t, fsx.OS(dir), 200, "a", "b")
}

// T6, T9: installs at once lose nothing either, and each says its own line's number.
func TestGoroutinesInstall(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	var names []string
	for i := range 12 {
		names = append(names, fmt.Sprintf("s%02d", i))
	}
	w.own(names...)
	changes := make([]*atskills.Change, len(names))
	var wg sync.WaitGroup
	for i, name := range names {
		wg.Go(func() { changes[i] = w.install(name) })
	}
	wg.Wait()
	lines := strings.Split(w.triggers(), "\n")
	for i, c := range changes {
		if len(c.Written) != 1 || lines[c.Written[0].Number-1] != names[i] {
			t.Errorf("Install(%q) = %+v, lines %v", names[i], c, lines)
		}
	}
}

// T6: the file keeps its mode.
func TestEditKeepsMode(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no such modes")
	}
	dir := t.TempDir()
	name := filepath.Join(dir, filepath.FromSlash(triggerFile))
	if err := addLines(t.Context(), fsx.OS(dir), "a", 1); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(name, 0o604); err != nil {
		t.Fatal(err)
	}
	if err := addLines(t.Context(), fsx.OS(dir), "b", 1); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(name); err != nil || info.Mode() != 0o604 {
		t.Errorf("mode %v, error %v", info.Mode(), err)
	}
}

// T6: a file whose mode lets nobody write is not replaced, and nothing is left beside it; what changes nothing is no error.
func TestEditReadOnly(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no such modes")
	}
	dir := t.TempDir()
	name := filepath.Join(dir, filepath.FromSlash(triggerFile))
	w := newWorld(t, acme)
	w.env.Project = fsx.OS(dir)
	w.own("a", "b")
	w.trigger("a")
	if err := os.Chmod(name, 0o444); err != nil {
		t.Fatal(err)
	}
	for call, f := range map[string]func() error{
		"Toggle":    func() error { _, err := atskills.Toggle(t.Context(), w.env, "b"); return err },
		"Install":   func() error { _, err := atskills.Install(t.Context(), w.env, "b"); return err },
		"Uninstall": func() error { _, err := atskills.Uninstall(t.Context(), w.env, "a"); return err },
	} {
		if err := f(); !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), triggerFile+": the file is read-only (mode 0444)") {
			t.Errorf("%s error %v", call, err)
		}
	}
	w.install("a")
	w.wantTriggers("refusals", "a\n")
	if infos, err := os.ReadDir(filepath.Dir(name)); err != nil || len(infos) != 3 {
		t.Errorf("left behind: %v, error %v", infos, err)
	}
	if err := os.Chmod(name, 0o644); err != nil {
		t.Fatal(err)
	}
	w.install("b")
	w.wantTriggers("Install", "a\nb\n")
}

// What cannot be read is said once, by its name.
func TestReadTriggersFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.edit(triggerFile+"/x", "x")
	if _, err := atskills.ReadTree(t.Context(), w.env); err == nil || strings.Count(err.Error(), triggerFile) != 1 {
		t.Errorf("error %v", err)
	}
}

// W3: a link inside the project is kept, and what it leads to is edited; one that leaves it or dangles is refused.
func TestEditLinkedFile(t *testing.T) {
	t.Parallel()
	fstest.Each(t, func(t *testing.T, sys fstest.System) {
		project := sys.New(t)
		fstest.Write(t, project, "", fstest.Tree{"config/triggers": "a\n", ".atskills/.autotrigger@": "../config/triggers"})
		if err := addLines(t.Context(), project, "b", 1); err != nil {
			t.Fatal(err)
		}
		want := fstest.Tree{"config/triggers": "a\nb000\n", ".atskills/.autotrigger@": "../config/triggers"}
		if diff := cmp.Diff(want, fstest.Read(t, project, "")); diff != "" {
			t.Errorf("project (-want +got):\n%s", diff)
		}
		for target, want := range map[string]error{"../nowhere": fsx.ErrLinkDangles, "../../out": fsx.ErrLinkEscapes} {
			project := sys.New(t)
			fstest.Write(t, project, "", fstest.Tree{".atskills/.autotrigger@": target})
			if err := addLines(t.Context(), project, "b", 1); !errors.Is(err, want) || !strings.Contains(err.Error(), triggerFile) {
				t.Errorf("a link to %s: error %v", target, err)
			}
		}
	})
}

// T6: a file that nobody could read back is not written.
func TestEditLargeFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	full := "#" + strings.Repeat("x", 1<<20-2) + "\n"
	w.edit(triggerFile, full)
	var size *fsx.SizeError
	if err := addLines(t.Context(), w.env.Project, "a", 1); !errors.As(err, &size) || size.Max != 1<<20 {
		t.Errorf("a line too many: error %v", err)
	}
	w.wantTriggers("a refusal", full)
	w.edit(triggerFile, full+"\n")
	if err := addLines(t.Context(), w.env.Project, "a", 1); !errors.As(err, &size) {
		t.Errorf("a file that is too large: error %v", err)
	}
	w.own("x")
	for name, call := range map[string]func() error{
		"Install":   func() error { _, err := atskills.Install(t.Context(), w.env, "x"); return err },
		"Uninstall": func() error { _, err := atskills.Uninstall(t.Context(), w.env, "x"); return err },
		"Lint":      func() error { _, err := atskills.Lint(t.Context(), w.env); return err },
	} {
		if err := call(); !errors.As(err, &size) || !strings.Contains(err.Error(), triggerFile) {
			t.Errorf("%s of a file that is too large: error %v", name, err)
		}
	}
}

// T6: whatever call fails, and wherever the process dies, the file is as it was or as it is to be. A failed edit can be
// tried again; only after a crash has somebody to delete the lock, which the error names.
func TestEditFaults(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]func(billy.Filesystem, int) (billy.Filesystem, func() bool){"fails": fstest.FailNth, "dies": fstest.LosePower} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fstest.Each(t, func(t *testing.T, sys fstest.System) {
				fstest.Sweep(t, func(t *testing.T, n int) (reached bool) {
					if sys.Disk && !everyFault() {
						n = 5*n - 4
					}
					synctest.Test(t, func(t *testing.T) {
						project := sys.New(t)
						fstest.Write(t, project, "", fstest.Tree{triggerFile: "a\r\n"})
						faulty, hit := fault(project, n)
						err := addLines(t.Context(), faulty, "b", 1)
						got := fstest.Read(t, project, "")[triggerFile]
						if got != "a\r\n" && got != "a\r\nb000\r\n" || err == nil && got == "a\r\n" {
							t.Errorf("the file is %q, error %v", got, err)
						}
						reached = hit()
						err = addLines(t.Context(), project, "c", 1)
						if errors.Is(err, fsx.ErrLocked) {
							if err = project.Remove(triggerFile + ".lock"); err == nil {
								err = addLines(t.Context(), project, "c", 1)
							}
						}
						if after := fstest.Read(t, project, "")[triggerFile]; err != nil || after != got+"c000\r\n" {
							t.Errorf("the next edit: %q, error %v", after, err)
						}
					})
					return reached
				})
			})
		})
	}
}

// T6: somebody who deletes the lock of an edit at work is told of, since another edit may have come between.
func TestEditLosesLock(t *testing.T) {
	t.Parallel()
	fsys := memfs.New()
	project := fstest.Hook(fsys, func(c fstest.Call) error {
		if c.Op == fstest.OpRename {
			return fsys.Remove(triggerFile + ".lock")
		}
		return nil
	})
	if err := addLines(t.Context(), project, "a", 1); !errors.Is(err, fsx.ErrLockLost) {
		t.Errorf("error %v, want %v", err, fsx.ErrLockLost)
	}
}

// S9, T6: a save that cleans up leaves an edit at work alone, and takes its left-overs when nobody edits.
func TestSweepSparesEdit(t *testing.T) {
	t.Parallel()
	const temp = ".atskills/.atskills-tmp-0123456789abcdef0123456789abcdef"
	w := newWorld(t, acme)
	w.edit(triggerFile, "x\n")
	w.edit(temp, "x\ny\n")
	w.edit(triggerFile+".lock", "somebody\n")
	w.save(deployRef)
	for _, name := range []string{temp, triggerFile + ".lock"} {
		if _, err := w.env.Project.Lstat(name); err != nil {
			t.Errorf("a save while somebody edits: %v", err)
		}
	}
	w.remove(triggerFile + ".lock")
	w.removeCopy(deployRef, false)
	if _, err := w.env.Project.Lstat(temp); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a removal when nobody edits: error %v", err)
	}
}
