package hub_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-git/go-billy/v5/memfs"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/internal/fstest"
	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/hub"
)

// resolveEnv has an empty project, an empty cache and the clock of the tests.
func resolveEnv(tr transport.Transport) atskills.Env {
	return atskills.Env{Project: memfs.New(), Cache: fsx.Locked(memfs.New()), Transport: tr, Now: func() time.Time { return now }}
}

// R3, C4, C6: through Resolve a skill comes with all of its files, an unchanged one costs one request and no byte of a
// body, of a changed one the files that changed move (C10), and one that is gone still answers from the cache (C5).
func TestMirrorResolve(t *testing.T) {
	t.Parallel()
	fsys := fsx.OS(t.TempDir())
	fstest.Write(t, fsys, "", mirrorTree)
	m := newWatched(t, fsys, hub.HandlerOptions{})
	env := resolveEnv(m.client(""))
	resolve := func(served atskills.Served, requests int) {
		t.Helper()
		res, err := atskills.Resolve(t.Context(), env, "@skills:hub:acme/deploy")
		if err != nil {
			t.Fatal(err)
		}
		sent, log := m.bytes(), m.requests()
		if res.Served != served || len(log) != requests || !slices.Equal(res.Files, []string{"ref/.editorrc", "ref/notes.md", "scripts/run.sh"}) {
			t.Errorf("%s with %q after %q, want %s after %d requests", res.Served, res.Files, log, served, requests)
		}
		if served == atskills.ServedCached && (sent != 0 || log[0] != "/acme/deploy 304") {
			t.Errorf("unchanged, %d bytes came by %q; want none by a 304", sent, log)
		}
	}
	resolve(atskills.ServedFresh, 5) // SKILL.md, the listing, three files
	resolve(atskills.ServedCached, 1)
	fstest.Write(t, fsys, "acme/deploy", fstest.Tree{"ref/notes.md": "changed\n"})
	resolve(atskills.ServedFresh, 3) // SKILL.md, the listing, one file
	if err := fsx.RemoveAll(fsys, "acme/deploy"); err != nil {
		t.Fatal(err)
	}
	resolve(atskills.ServedStale, 2) // neither a skill nor a playlist
}

// R5, C6: a list that grows past the cap is refused with its count, which the copy from before does not hide.
func TestMirrorResolveTooMany(t *testing.T) {
	t.Parallel()
	fsys := fsx.Locked(memfs.New())
	list := func(n int) {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "gh:o/r/s%d\n", i)
		}
		fstest.Write(t, fsys, "acme", fstest.Tree{"long.playlist": b.String()})
	}
	m := newWatched(t, fsys, hub.HandlerOptions{})
	env := resolveEnv(m.client(""))
	list(128)
	res, err := atskills.Resolve(t.Context(), env, "hub:acme/long")
	if err != nil || len(res.Entries) != 128 {
		t.Fatalf("128 rows: %v", err)
	}
	list(129)
	for _, cache := range []string{"with", "without"} {
		var large *atskills.TooLargeError
		_, err := atskills.Resolve(t.Context(), env, "hub:acme/long")
		if !errors.As(err, &large) || large.Count != 129 || !errors.Is(err, atskills.ErrTooLarge) {
			t.Errorf("129 rows, %s a copy of 128: %v", cache, err)
		}
		env.Cache = fsx.Locked(memfs.New())
	}
	list(3)
	if res, err := atskills.Resolve(t.Context(), env, "hub:acme/long"); err != nil || len(res.Entries) != 3 {
		t.Errorf("3 rows: %v", err)
	}
}

// H3: a hub that is no more than files behind a web server has no validators that count; what was fetched from it is
// believed for 15 minutes without a request, and what two confirm for 15 more.
func TestResolveWithoutValidators(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fsys := fsx.OS(dir)
	fstest.Write(t, fsys, "", fstest.Tree{"acme/notes": mirrorSkill("notes", "Takes notes.")})
	var requests atomic.Int64
	files := http.FileServerFS(os.DirFS(dir))
	base := newFront(t, func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		files.ServeHTTP(w, r)
	})
	clock := now
	tick := func() time.Time { return clock }
	env := resolveEnv(newClient(t, base, func(o *hub.Options) { o.Now = tick }))
	env.Now = tick
	for _, step := range []struct {
		at       time.Duration
		change   string
		served   atskills.Served
		requests int64
		says     string
	}{
		{0, "", atskills.ServedFresh, 2, "Takes notes."}, // the text, and the question for a listing
		{time.Second, "", atskills.ServedCached, 0, "Takes notes."},
		{15*time.Minute - time.Second, "Takes better notes.", atskills.ServedCached, 0, "Takes notes."},
		{15 * time.Minute, "", atskills.ServedFresh, 2, "Takes better notes."},
		{30 * time.Minute, "", atskills.ServedCached, 2, "Takes better notes."},
		{44 * time.Minute, "", atskills.ServedCached, 0, "Takes better notes."},
		{45 * time.Minute, "", atskills.ServedCached, 2, "Takes better notes."},
	} {
		if step.change != "" {
			fstest.Write(t, fsys, "", fstest.Tree{"acme/notes": mirrorSkill("notes", step.change)})
		}
		clock = now.Add(step.at)
		requests.Store(0)
		res, err := atskills.Resolve(t.Context(), env, "hub:acme/notes")
		if err != nil {
			t.Fatalf("after %v: %v", step.at, err)
		}
		if res.Served != step.served || requests.Load() != step.requests || res.Description != step.says {
			t.Errorf("after %v: %s %q by %d requests, want %s %q by %d", step.at, res.Served, res.Description, requests.Load(), step.served, step.says, step.requests)
		}
	}
}
