package atskills_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/memfs"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/transport/git"
	"github.com/atskills-go/atskills/transport/transporttest"
)

// C7: goroutines that resolve one id end with one fetch and one whole copy.
func TestGoroutinesShareOneFetch(t *testing.T) {
	t.Parallel()
	caches := map[string]func(t *testing.T) billy.Filesystem{
		"disk":  func(t *testing.T) billy.Filesystem { return fsx.OS(t.TempDir()) },
		"memfs": func(*testing.T) billy.Filesystem { return fsx.Locked(memfs.New()) },
	}
	for name, newCache := range caches {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, acme)
			w.env.Cache = newCache(t)
			var wg sync.WaitGroup
			for range 16 {
				wg.Go(func() {
					res, err := atskills.Resolve(t.Context(), w.env, deployRef)
					if err != nil || res.Content != "Run scripts/run.sh." || len(res.Files) != 2 || len(res.Warnings) != 0 {
						t.Errorf("Resolve = %+v, error %v", res, err)
					}
				})
			}
			wg.Wait()
			w.asked("16 goroutines", transporttest.Counts{Probes: 16, Opens: 1, Fetches: 1, Bodies: 4})
			if got := tree(t, w.env.Cache, ""); len(got) != 4 {
				t.Errorf("the cache holds %v", got)
			}
		})
	}
}

// C7: while upstream moves and several goroutines refresh an entry, no answer mixes two revisions.
func TestNoAnswerMixesRevisions(t *testing.T) {
	t.Parallel()
	for _, sys := range []string{"disk", "memfs"} {
		t.Run(sys, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "")
			w.env.Cache = fsx.Locked(memfs.New())
			if sys == "disk" {
				w.env.Cache = fsx.OS(t.TempDir())
			}
			w.fake.Create("acme/kit")
			w.commit(revisionFiles(0))
			ctx, stop := context.WithCancel(t.Context())
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(func() {
					for ctx.Err() == nil {
						res, err := atskills.Resolve(ctx, w.env, "gh:acme/kit/s")
						if err != nil {
							if ctx.Err() == nil {
								t.Errorf("Resolve error: %v", err)
							}
							return
						}
						checkRevision(t, res)
					}
				})
			}
			for n := 1; n <= 20; n++ {
				w.commit(revisionFiles(n))
				w.resolve("gh:acme/kit/s")
			}
			stop()
			wg.Wait()
		})
	}
}

// revisionFiles is a skill whose every file tells the revision, by content and by name.
func revisionFiles(n int) map[string]string {
	files := map[string]string{"s/SKILL.md": skillText("s", fmt.Sprintf("Revision %d.", n), fmt.Sprintf("body %d", n))}
	if n > 0 {
		for i := range 3 {
			files[fmt.Sprintf("s/r%d-%d.txt", n-1, i)] = ""
		}
	}
	for i := range 3 {
		files[fmt.Sprintf("s/r%d-%d.txt", n, i)] = "x"
	}
	return files
}

func checkRevision(t *testing.T, res *atskills.Resolution) {
	t.Helper()
	var n int
	if _, err := fmt.Sscanf(res.Content, "body %d", &n); err != nil {
		t.Errorf("content %q", res.Content)
		return
	}
	want := []string{fmt.Sprintf("r%d-0.txt", n), fmt.Sprintf("r%d-1.txt", n), fmt.Sprintf("r%d-2.txt", n)}
	if strings.Join(res.Files, " ") != strings.Join(want, " ") || res.Description != fmt.Sprintf("Revision %d.", n) {
		t.Errorf("content %q beside files %v", res.Content, res.Files)
	}
}

const (
	childURL   = "ATSKILLS_TEST_CHILD_URL"
	childCache = "ATSKILLS_TEST_CHILD_CACHE"
)

// C7: four processes on one cache, and a reader that looks at the files themselves: the entry is never missing or
// partial, and at the end there is one whole copy.
func TestProcessesShareOneCache(t *testing.T) {
	if os.Getenv(childURL) != "" {
		cacheChild(t)
		return
	}
	t.Parallel()
	s, commit := movingServer(t)
	dir := t.TempDir()
	first, err := atskills.Resolve(t.Context(), childEnv(s.URL(), dir), "gh:acme/kit/s")
	if err != nil {
		t.Fatal(err)
	}

	var children, reader sync.WaitGroup
	for range 4 {
		children.Go(func() {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestProcessesShareOneCache$")
			cmd.Env = append(os.Environ(), childURL+"="+s.URL(), childCache+"="+dir)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("a child failed: %v\n%s", err, out)
			}
		})
	}
	ctx, stop := context.WithCancel(t.Context())
	reader.Go(func() { readWhole(ctx, t, first.Path) })
	finished := make(chan struct{})
	go func() { children.Wait(); close(finished) }()
	for n, more := 1, true; more; n++ {
		commit(n)
		// Each commit is read before the next, so that the children have something to fetch as long as they run.
		if _, err := atskills.Resolve(t.Context(), childEnv(s.URL(), dir), "gh:acme/kit/s"); err != nil {
			t.Errorf("Resolve error: %v", err)
		}
		select {
		case <-finished:
			more = false
		default:
		}
	}
	stop()
	reader.Wait()
	<-finished
	res, err := atskills.Resolve(t.Context(), childEnv(s.URL(), dir), "gh:acme/kit/s")
	if err != nil {
		t.Fatal(err)
	}
	checkRevision(t, res)
}

// movingServer serves acme/kit over HTTP, at revision 0 of revisionFiles, and returns what moves it to another.
func movingServer(t *testing.T) (s *transporttest.Server, commit func(n int)) {
	t.Helper()
	up, err := transporttest.NewUpstream("")
	if err != nil {
		t.Fatal(err)
	}
	s, err = transporttest.NewServer(up)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	commit = func(n int) {
		changes := make(map[string]transporttest.File)
		for name, body := range revisionFiles(n) {
			changes[name] = transporttest.File{Body: body, Deleted: body == ""}
		}
		if _, err := up.Commit("acme/kit", time.Date(2026, 1, 1, 0, n, 0, 0, time.UTC), changes); err != nil {
			t.Fatal(err)
		}
	}
	commit(0)
	return s, commit
}

func childEnv(url, dir string) atskills.Env {
	return atskills.Env{Cache: fsx.OS(dir), Transport: git.New(git.Options{BaseURL: url})}
}

// cacheChild is one of the processes.
func cacheChild(t *testing.T) {
	env := childEnv(os.Getenv(childURL), os.Getenv(childCache))
	for range 25 {
		res, err := atskills.Resolve(t.Context(), env, "gh:acme/kit/s")
		if err != nil {
			t.Fatal(err)
		}
		checkRevision(t, res)
	}
}

// readWhole reads SKILL.md without any lock. Where folders are exchanged in one step it is never missing; elsewhere a
// reader may find none for the moment between two renames.
func readWhole(ctx context.Context, t *testing.T, name string) {
	_, exchanges := fsx.OS(filepath.Dir(name)).(fsx.Exchanger)
	for ctx.Err() == nil {
		data, err := os.ReadFile(name)
		if errors.Is(err, os.ErrNotExist) && !exchanges {
			continue
		}
		if err != nil {
			t.Errorf("the entry is missing: %v", err)
			return
		}
		if !strings.HasPrefix(string(data), "---\nname: s\n") || !strings.HasSuffix(string(data), "\n") || !strings.Contains(string(data), "body ") {
			t.Errorf("the entry is partial: %q", data)
			return
		}
	}
}
