package atskills_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/memfs"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/transport/transporttest"
)

// acme is the upstream of most tests: a collection with a bundle, an executable, a dot-folder and cruft beside.
const acme = `
-- acme/kit/README.md --
cruft
-- acme/kit/skills/deploy/SKILL.md --
---
name: deploy
description: Ships a build.
---
Run scripts/run.sh.
-- acme/kit/skills/deploy/scripts/run.sh (executable) --
#!/bin/sh
-- acme/kit/skills/deploy/.hidden --
marker
-- acme/kit/skills/deploy/nested/SKILL.md --
---
name: nested
description: Belongs to deploy.
---
-- acme/kit/skills/review/SKILL.md --
---
name: review
description: Reads a change.
---
Look twice.
-- acme/kit/skills/review/ref/style.md --
style
-- acme/kit/.claude/skills/plan/SKILL.md --
---
name: plan
description: Plans work.
---
Plan.
`

// world is one project, one cache and one upstream, all in memory.
type world struct {
	*testing.T
	fake    *transporttest.Fake
	counter *transporttest.Counter
	env     atskills.Env
}

func newWorld(t *testing.T, archive string) *world {
	t.Helper()
	up, err := transporttest.NewUpstream(archive)
	if err != nil {
		t.Fatal(err)
	}
	fake := transporttest.NewFake(up)
	counter := transporttest.NewCounter(fake)
	return &world{t, fake, counter, atskills.Env{
		Project:   fsx.Locked(memfs.New()),
		Cache:     fsx.Locked(memfs.New()),
		Transport: counter,
		Now:       func() time.Time { return time.Date(2026, 3, 4, 5, 6, 7, 8e6, time.UTC) },
	}}
}

// resolve resolves ref and fails the test on an error.
func (w *world) resolve(ref string, opts ...atskills.ResolveOption) *atskills.Resolution {
	w.Helper()
	res, err := atskills.Resolve(w.Context(), w.env, ref, opts...)
	if err != nil {
		w.Fatalf("Resolve(%q) error: %v", ref, err)
	}
	return res
}

// refuse resolves ref and fails the test unless the error matches want.
func (w *world) refuse(ref string, want error) error {
	w.Helper()
	res, err := atskills.Resolve(w.Context(), w.env, ref)
	if !errors.Is(err, want) {
		w.Fatalf("Resolve(%q) = content %v, error %v; want error %v", ref, res != nil, err, want)
	}
	return err
}

// asked fails the test unless the transport was asked exactly this since the last call.
func (w *world) asked(what string, want transporttest.Counts) {
	w.Helper()
	got := w.counter.Reset()
	got.BodyBytes = 0 // sizes are the budget tests' matter
	if got != want {
		w.Errorf("%s asked upstream %+v, want %+v", what, got, want)
	}
}

// commit adds a commit to acme/kit; an empty body deletes the file.
func (w *world) commit(files map[string]string) (rev string) {
	w.Helper()
	changes := make(map[string]transporttest.File)
	for name, body := range files {
		changes[name] = transporttest.File{Body: body, Deleted: body == ""}
	}
	rev, err := w.fake.Commit("acme/kit", time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC), changes)
	if err != nil {
		w.Fatal(err)
	}
	return rev
}

// write puts files into fsys.
func write(t testing.TB, fsys billy.Filesystem, files map[string]string) {
	t.Helper()
	for name, body := range files {
		if err := fsys.MkdirAll(path.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := fsx.WriteFile(fsys, name, []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// tree reads every file of fsys below dir, but the metadata.
func tree(t *testing.T, fsys billy.Filesystem, dir string) map[string]string {
	t.Helper()
	out := make(map[string]string)
	var walk func(dir string)
	walk = func(dir string) {
		infos, err := fsys.ReadDir(dir)
		if errors.Is(err, os.ErrNotExist) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, fi := range infos {
			name := path.Join(dir, fi.Name())
			if fi.Name() == ".meta" {
				continue
			}
			if fi.IsDir() {
				walk(name)
				continue
			}
			f, err := fsys.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(f)
			if err != nil {
				t.Fatal(err)
			}
			_ = f.Close()
			out[name] = string(body)
		}
	}
	walk(dir)
	return out
}

// everyFault reports whether sweeps over disks are to try a fault at every call, which takes minutes: an ordinary run
// tries some of them.
func everyFault() bool { return os.Getenv("ATSKILLS_SWEEP") == "all" }

func skillText(name, description, body string) string {
	return fmt.Sprintf("---\nname: %s\ndescription: %s\n---\n%s\n", name, description, body)
}

// many returns an archive of one repository with n skills below dir.
func many(repo, dir string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "-- %s/%s/s%04d/SKILL.md --\n%s", repo, dir, i, skillText(fmt.Sprintf("s%04d", i), "Numbered.", "Body."))
	}
	return b.String()
}

// codes lists the codes of warnings, in order.
func codes(warnings []atskills.Warning) []string {
	var out []string
	for _, w := range warnings {
		out = append(out, w.Code)
	}
	return out
}

// hasWarning reports whether a warning of that code holds every one of texts.
func hasWarning(warnings []atskills.Warning, code string, texts ...string) bool {
	return slices.ContainsFunc(warnings, func(w atskills.Warning) bool {
		if w.Code != code {
			return false
		}
		for _, text := range texts {
			if !strings.Contains(w.Message, text) {
				return false
			}
		}
		return true
	})
}
