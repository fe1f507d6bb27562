package atskills_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/osfs"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/internal/fstest"
	"github.com/atskills-go/atskills/skill"
)

const (
	saverURL = "ATSKILLS_TEST_SAVER_URL"
	saverDir = "ATSKILLS_TEST_SAVER_DIR"
)

func saverEnv(url, dir string) atskills.Env {
	env := childEnv(url, filepath.Join(dir, "cache"))
	env.Project = fsx.OS(filepath.Join(dir, "project"))
	return env
}

// S8: processes that save the same ids while upstream moves, and one that reads: every answer is one revision whole, no
// save fails, and at the end there is one copy and nothing beside it.
func TestProcessesSaveAtOnce(t *testing.T) {
	if url := os.Getenv(saverURL); url != "" {
		saver(t, saverEnv(url, os.Getenv(saverDir)))
		return
	}
	t.Parallel()
	s, commit := movingServer(t)
	dir := t.TempDir()
	env := saverEnv(s.URL(), dir)
	if _, err := atskills.Save(t.Context(), env, "gh:acme/kit/s"); err != nil {
		t.Fatal(err)
	}
	var children sync.WaitGroup
	for range 3 {
		children.Go(func() {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestProcessesSaveAtOnce$")
			cmd.Env = append(os.Environ(), saverURL+"="+s.URL(), saverDir+"="+dir)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("a child failed: %v\n%s", err, out)
			}
		})
	}
	finished := make(chan struct{})
	go func() { children.Wait(); close(finished) }()
	for n, more := 1, true; more; n++ {
		commit(n)
		if _, err := atskills.Save(t.Context(), env, "gh:acme/kit/s"); err != nil {
			t.Errorf("Save error: %v", err)
		}
		res, err := atskills.Resolve(t.Context(), env, "gh:acme/kit/s")
		if err != nil || res.Served != atskills.ServedLocal {
			t.Errorf("Resolve = %+v, error %v", res, err)
		} else {
			checkRevision(t, res)
		}
		select {
		case <-finished:
			more = false
		default:
		}
	}
	w := &world{T: t, env: env}
	if got := w.save("gh:acme/kit/s"); got.State != atskills.SavedUnchanged {
		t.Errorf("at the end: %+v", got)
	}
	w.noLeftovers(env.Project)
}

// saver is one of the processes.
func saver(t *testing.T, env atskills.Env) {
	for n := range 8 {
		ref := "gh:acme/kit/s"
		if n%3 == 2 {
			ref = "gh:acme/kit"
		}
		_, err := atskills.Save(t.Context(), env, ref)
		if err != nil {
			t.Fatal(err)
		}
		res, err := atskills.Resolve(t.Context(), env, "gh:acme/kit/s")
		if err != nil {
			t.Fatal(err)
		}
		if res.Served != atskills.ServedLocal {
			t.Fatalf("the copy did not answer: served %s", res.Served)
		}
		checkRevision(t, res)
	}
}

// S8: an editor writes into the copy while it is saved again and again: what it wrote is named in a conflict, or stands
// in the copy untouched. It is never gone.
func TestSaveWhileAnEditorWrites(t *testing.T) {
	t.Parallel()
	for name, project := range map[string]billy.Filesystem{
		"OS":       fsx.OS(t.TempDir()),
		"BoundOS":  osfs.New(t.TempDir(), osfs.WithBoundOS()),
		"ChrootOS": osfs.New(t.TempDir()),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "")
			w.env.Project = project
			w.fake.Create("acme/kit")
			for n := range 12 {
				w.commit(revisionFiles(2 * n))
				w.remove(".atskills")
				w.save("gh:acme/kit/s")
				w.commit(revisionFiles(2*n + 1))
				edit := fmt.Sprintf("edit %d", n)
				start := make(chan struct{})
				var editor sync.WaitGroup
				var editErr error // where folders are not exchanged there is a moment without one, and the editor is told
				editor.Go(func() {
					<-start
					editErr = fsx.WriteFile(project, ".atskills/gh/acme/kit/s/SKILL.md", []byte(edit), 0o644)
				})
				close(start)
				_, err := atskills.Save(t.Context(), w.env, "gh:acme/kit/s")
				editor.Wait()
				copied := tree(t, project, ".atskills/gh/acme/kit/s")
				body := copied[".atskills/gh/acme/kit/s/SKILL.md"]
				if editErr == nil && body != edit || err != nil && !errors.Is(err, atskills.ErrConflict) {
					t.Errorf("the edit (%v) became %q, Save error %v", editErr, body, err)
				}
				if len(copied) != 5 {
					t.Errorf("the copy is not whole: %v", copied)
				}
			}
		})
	}
}

// S8: while a copy is replaced again and again, every reader gets the copy, and one revision of it.
func TestResolveWhileSaving(t *testing.T) {
	t.Parallel()
	for _, sys := range fstest.Systems() {
		if sys.Name == "memfs" {
			continue // its folders have no identity by which a reader could tell that one was replaced
		}
		t.Run(sys.Name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "")
			w.env.Project = quick(t, sys)
			w.fake.Create("acme/kit")
			w.commit(revisionFiles(0))
			w.save("gh:acme/kit/s")
			ctx, stop := context.WithCancel(t.Context())
			var readers sync.WaitGroup
			for range 2 {
				readers.Go(func() {
					for ctx.Err() == nil {
						res, err := atskills.Resolve(t.Context(), w.env, "gh:acme/kit/s")
						if err != nil || res.Served != atskills.ServedLocal {
							t.Errorf("Resolve = %+v, error %v", res, err)
							return
						}
						checkRevision(t, res)
					}
				})
			}
			for n := 1; n <= 15; n++ {
				w.commit(revisionFiles(n))
				w.save("gh:acme/kit/s")
			}
			stop()
			readers.Wait()
		})
	}
}

// S8: goroutines that save, resolve and remove one id at once end in order, also over a locked memfs.
func TestGoroutinesSaveAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	var wg sync.WaitGroup
	for n := range 12 {
		wg.Go(func() {
			ref := []string{deployRef, skillsRef, reviewRef}[n%3]
			if _, err := atskills.Save(t.Context(), w.env, ref); err != nil {
				t.Errorf("Save(%q) error: %v", ref, err)
			}
			if res, err := atskills.Resolve(t.Context(), w.env, deployRef); err != nil || res.Content != "Run scripts/run.sh." {
				t.Errorf("Resolve = %+v, error %v", res, err)
			}
		})
	}
	wg.Wait()
	w.save(skillsRef)
	if got := w.resolve(skillsRef); len(got.Entries) != 2 || got.Served != atskills.ServedLocal {
		t.Errorf("at the end: %+v", got)
	}
	w.noLeftovers(w.env.Project)
}

// A cancelled context ends a save with its error, and nothing is left.
func TestSaveCancelled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme)
	w.save(deployRef)
	before := tree(t, w.env.Project, "")
	for _, op := range []string{"probe", "list", "fetch"} {
		w.commit(map[string]string{"skills/deploy/.hidden": "for " + op})
		ctx, cancel := context.WithCancel(t.Context())
		w.fake.Intercept(cancelAt(op, cancel))
		if _, err := atskills.Save(ctx, w.env, deployRef); !errors.Is(err, context.Canceled) || errors.Is(err, atskills.ErrConflict) {
			t.Errorf("cancelled in a %s: error %v", op, err)
		}
		w.fake.Intercept(nil)
		if after := tree(t, w.env.Project, ""); strings.Join(keys(after), " ") != strings.Join(keys(before), " ") {
			t.Errorf("cancelled in a %s: the project changed", op)
		}
	}
}

func cancelAt(op string, cancel func()) func(context.Context, string, skill.ID) error {
	return func(ctx context.Context, at string, _ skill.ID) error {
		if at == op {
			cancel()
		}
		return ctx.Err()
	}
}

func keys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
