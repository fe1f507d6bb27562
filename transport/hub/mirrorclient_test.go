package hub_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/memfs"
	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/internal/fstest"
	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/hub"
	"github.com/atskills-go/atskills/transport/transporttest"
)

// The client keeps the contract against a mirror. Each request meets a replica of its own that was started for it:
// nothing of one request is needed by the next.
func TestMirrorConformance(t *testing.T) {
	t.Parallel()
	const token = "member"
	transporttest.Test(t, hubSetup(func(t *testing.T, u *transporttest.Upstream) transport.Transport {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fsys, err := upstreamTree(t, u)
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			opts := hub.HandlerOptions{}
			said := visibilityOf(r.Context(), u, "hub:acme/deploy")
			if said == transport.Private {
				opts.Private = map[string][]string{"acme": {token}}
			}
			replica, err := hub.Handler(fsys, opts)
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			if said == "" {
				w = &silent{w} // a mirror always says it; what stands between may drop what it does not know
			}
			replica.ServeHTTP(w, r)
		}))
		t.Cleanup(server.Close)
		return newClient(t, server.URL, func(o *hub.Options) {
			o.Token = func(context.Context) (string, error) { return token, nil }
		})
	}))
}

// hubSetup is the whole of the suite for transports of a hub.
func hubSetup(new func(*testing.T, *transporttest.Upstream) transport.Transport) transporttest.Setup {
	return transporttest.Setup{Hub: true, Conditional: true, Playlists: true, Visibility: true, New: new}
}

// silent drops from an answer who may read it.
type silent struct{ http.ResponseWriter }

func (s *silent) WriteHeader(code int) {
	s.Header().Del("Atskills-Visibility")
	s.ResponseWriter.WriteHeader(code)
}

// upstreamTree writes what u has for the hub, as it stands, into a folder. An entry that is only a playlist becomes one.
func upstreamTree(t testing.TB, u *transporttest.Upstream) (billy.Filesystem, error) {
	fsys := memfs.New()
	for _, repo := range u.Repositories() {
		dir, ok := strings.CutPrefix(repo, "hub:")
		if !ok {
			continue
		}
		files, err := u.Files(repo, u.Tip(repo))
		if err != nil {
			return nil, err
		}
		if list, ok := files[playlistFile]; ok && len(files) == 1 {
			fstest.Write(t, fsys, "", fstest.Tree{dir + ".playlist": list.Body})
			continue
		}
		tree := fstest.Tree{}
		for name, f := range files {
			if f.Mode == transport.Executable {
				name += "*"
			}
			tree[name] = f.Body
		}
		fstest.Write(t, fsys, dir, tree)
	}
	return fsys, nil
}

// watchedMirror is a mirror that notes what it is asked.
type watchedMirror struct {
	*testMirror
	mu   sync.Mutex
	log  []string
	sent int // bytes of bodies
}

func newWatched(t *testing.T, fsys billy.Filesystem, opts hub.HandlerOptions) *watchedMirror {
	t.Helper()
	h, err := hub.Handler(fsys, opts)
	if err != nil {
		t.Fatal(err)
	}
	m := &watchedMirror{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := &recorder{w, http.StatusOK, 0}
		h.ServeHTTP(rec, r)
		m.mu.Lock()
		defer m.mu.Unlock()
		m.log = append(m.log, fmt.Sprintf("%s %d", r.URL.RequestURI(), rec.status))
		m.sent += rec.bytes
	}))
	t.Cleanup(server.Close)
	m.testMirror = &testMirror{t, server.URL, fsys}
	return m
}

// requests returns what was asked since the last call.
func (m *watchedMirror) requests() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	log := m.log
	m.log, m.sent = nil, 0
	return log
}

// bytes returns how much of bodies was sent since the last call of requests.
func (m *watchedMirror) bytes() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.sent
}

func (m *watchedMirror) client(token string) *hub.Hub {
	m.Helper()
	return newClient(m.T, m.url, func(o *hub.Options) {
		o.Token = func(context.Context) (string, error) { return token, nil }
	})
}

// H2: client and mirror agree on skills, files, modes, names and order.
func TestMirrorClientSkill(t *testing.T) {
	t.Parallel()
	fstest.Each(t, func(t *testing.T, sys fstest.System) {
		fsys := fsx.Locked(sys.New(t))
		fstest.Write(t, fsys, "", mirrorTree)
		odd := "docs/100%25 ünï#1&+;.md"
		fstest.Write(t, fsys, "acme/deploy", fstest.Tree{odd: "odd\n"})
		m := newWatched(t, fsys, hub.HandlerOptions{})
		head, tree, got := read(t, m.client(""), "hub:acme/deploy")
		want := map[string]string{
			"SKILL.md": mirrorTree["acme/deploy/SKILL.md"], odd: "odd\n",
			"ref/.editorrc": "kept\n", "ref/notes.md": "notes\n", "scripts/run.sh": "#!/bin/sh\n",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if head.Visibility != transport.Public {
			t.Errorf("visibility %q", head.Visibility)
		}
		var paths []string
		for _, e := range tree.Entries {
			paths = append(paths, e.Path+" "+e.Mode.String())
		}
		wantPaths := []string{"SKILL.md file", odd + " file", "ref/.editorrc file", "ref/notes.md file", "scripts/run.sh executable file"}
		if diff := cmp.Diff(wantPaths, paths); diff != "" {
			t.Error(diff)
		}
		if _, _, spaced := read(t, m.client(""), "hub:mixed/case"); spaced["SKILL.md"] != mirrorTree["Mixed/Case/SKILL.md"] {
			t.Errorf("%q", spaced)
		}
	})
}

// H2: a mirror says how many files a skill has, so that one of a single file costs one request, and a replica that has none
// of the bundle is not believed (C6).
func TestMirrorClientAnnounced(t *testing.T) {
	t.Parallel()
	fsys := fsx.Locked(memfs.New())
	fstest.Write(t, fsys, "", mirrorTree)
	m := newWatched(t, fsys, hub.HandlerOptions{})
	for target, want := range map[string]string{"/acme/deploy": "4", "/acme/plan": "1", "/acme/deploy?files": "", "/acme/deploy/SKILL.md": "", "/acme/none": "", "/?prefix=acme/": ""} {
		wantHeaders(t, m.get(target), map[string]string{"Atskills-Files": want})
	}
	tag := m.get("/acme/deploy").header.Get("ETag")
	if a := m.get("/acme/deploy", "If-None-Match", tag); a.status != 304 || a.header.Get("Atskills-Files") != "4" {
		t.Errorf("%d %v", a.status, a.header)
	}
	m.requests()
	if _, tree, _ := read(t, m.client(""), "hub:acme/plan"); len(tree.Entries) != 1 {
		t.Errorf("%+v", tree.Entries)
	}
	if log := m.requests(); !slices.Equal(log, []string{"/acme/plan 200"}) {
		t.Errorf("one file by %q", log)
	}
	front := newFront(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("files") { // that replica has the skill not yet
			http.NotFound(w, r)
			return
		}
		res, err := http.Get(m.url + r.URL.RequestURI())
		if err != nil {
			t.Error(err)
			return
		}
		a, err := readAnswer(res)
		if err != nil {
			t.Error(err)
		}
		maps.Copy(w.Header(), a.header)
		w.WriteHeader(a.status)
		_, _ = io.WriteString(w, a.body)
	})
	h := newClient(t, front)
	head, err := h.Head(t.Context(), id(t, "hub:acme/deploy"))
	if err != nil {
		t.Fatal(err)
	}
	if snap, err := h.Open(t.Context(), head.Revision, id(t, "hub:acme/deploy")); !errors.Is(err, transport.ErrNoRevision) || snap != nil {
		t.Errorf("Open = %v", err)
	}
}

// H3: an unchanged skill is one conditional request without content, a changed one has another revision, and the old one
// is not to be had any more (S4).
func TestMirrorClientRevisions(t *testing.T) {
	t.Parallel()
	fsys := fsx.OS(t.TempDir())
	fstest.Write(t, fsys, "", mirrorTree)
	m := newWatched(t, fsys, hub.HandlerOptions{})
	h := m.client("")
	deploy := id(t, "hub:acme/deploy")
	head, _, _ := read(t, h, "hub:acme/deploy")
	m.requests()
	again, err := h.HeadSince(t.Context(), deploy, transport.Known{Revision: head.Revision})
	if log := m.requests(); err != nil || again.Revision != head.Revision || !slices.Equal(log, []string{"/acme/deploy 304"}) {
		t.Errorf("%+v, %v after %q", again, err, log)
	}
	fstest.Write(t, fsys, "", fstest.Tree{"acme/deploy/ref/notes.md": "NOTES\n"})
	changed, _, got := read(t, h, "hub:acme/deploy")
	if changed.Revision == head.Revision || got["ref/notes.md"] != "NOTES\n" {
		t.Errorf("revision %q with %q, then %q", head.Revision, got["ref/notes.md"], changed.Revision)
	}
	if _, err := m.client("").Open(t.Context(), head.Revision, deploy); !errors.Is(err, transport.ErrNoRevision) {
		t.Errorf("the old revision: %v", err)
	}
	snap, err := m.client("").Open(t.Context(), changed.Revision, deploy)
	if err != nil {
		t.Fatal(err)
	}
	if tree, err := snap.Tree(deploy); err != nil || len(tree.Entries) != 4 {
		t.Errorf("the present revision, by a client that never probed: %+v, %v", tree, err)
	}
}

// H4: without the token a private skill is not found, in the words for one that is not there; with it, it is private.
func TestMirrorClientPrivate(t *testing.T) {
	t.Parallel()
	fsys := fsx.Locked(memfs.New())
	fstest.Write(t, fsys, "", mirrorTree)
	m := newWatched(t, fsys, hub.HandlerOptions{Private: mirrorPrivate})
	head, _, got := read(t, m.client("s3cret-token"), "hub:secret/keys")
	if head.Visibility != transport.Private || got["token.txt"] != "SECRET\n" {
		t.Errorf("%+v %q", head, got)
	}
	for _, token := range []string{"", "wrong-token", "other-token"} {
		h := m.client(token)
		_, hidden := h.Head(t.Context(), id(t, "hub:secret/keys"))
		_, missing := h.Head(t.Context(), id(t, "hub:secret/none"))
		if !errors.Is(hidden, transport.ErrNotFound) || missing == nil {
			t.Fatalf("%q: %v, %v", token, hidden, missing)
		}
		if a, b := hidden.Error(), strings.ReplaceAll(missing.Error(), "none", "keys"); a != b || token != "" && strings.Contains(a, token) {
			t.Errorf("with %q hidden and missing differ:\n%s\n%s", token, a, b)
		}
		if _, err := h.Open(t.Context(), head.Revision, id(t, "hub:secret/keys")); err == nil {
			t.Errorf("%q opens it by revision", token)
		}
		if _, _, got := read(t, h, "hub:acme/deploy"); got["SKILL.md"] == "" {
			t.Errorf("with %q a public skill does not come", token)
		}
	}
}

// H5, G11, R5: a playlist's rows come in its order under their own ids; one with more than 128 is refused by number.
func TestMirrorClientPlaylist(t *testing.T) {
	t.Parallel()
	fsys := fsx.Locked(memfs.New())
	fstest.Write(t, fsys, "", mirrorTree)
	var long strings.Builder
	for i := range 129 {
		fmt.Fprintf(&long, "gh:o/r/s%d\n", i)
	}
	fstest.Write(t, fsys, "acme", fstest.Tree{
		"a list+more.playlist": "gh:o/r/x/ All of x.\nacme/plan\nhub:secret/keys\ngh:o/r/a%20b%3Ac Odd.\n", "long.playlist": long.String(),
	})
	m := newWatched(t, fsys, hub.HandlerOptions{Private: mirrorPrivate})
	h := m.client("")
	head, tree := rowsOf(t, h, "hub:acme/a list+more")
	var got []string
	for _, r := range tree.Rows {
		got = append(got, fmt.Sprintf("%s|%s|%s", r.Ref, r.Name, r.Description))
	}
	want := []string{"@skills:gh:o/r/x/|x|All of x.", "@skills:hub:acme/plan|plan|Plans.", "@skills:hub:secret/keys|keys|", "@skills:gh:o/r/a%20b%3Ac|a b:c|Odd."}
	if diff := cmp.Diff(want, got); diff != "" || len(tree.Skipped) != 0 {
		t.Errorf("%s, skipped %q", diff, tree.Skipped)
	}
	m.requests()
	list := id(t, "hub:acme/a list+more")
	again, err := h.HeadSince(t.Context(), list, transport.Known{Revision: head.Revision})
	if log := m.requests(); err != nil || again != head || len(log) != 2 || !strings.HasSuffix(log[1], " 304") {
		t.Errorf("%+v, %v after %q", again, err, log)
	}
	fstest.Write(t, fsys, "acme", fstest.Tree{"a list+more.playlist": "gh:o/r/x\n"})
	if _, err := m.client("").Open(t.Context(), head.Revision, list); !errors.Is(err, transport.ErrNoRevision) {
		t.Errorf("the old revision of a list: %v", err)
	}
	many := (*transport.TooManyError)(nil)
	if _, err := h.Head(t.Context(), id(t, "hub:acme/long")); !errors.As(err, &many) || many.Count != 129 {
		t.Errorf("129 rows: %v", err)
	}
}

// C4, C5: a tree that is away is unreachable, so that a stale copy serves; it is never "not found".
func TestMirrorClientUnavailable(t *testing.T) {
	t.Parallel()
	m := newWatched(t, fsx.OS(t.TempDir()+"/none"), hub.HandlerOptions{})
	if _, err := m.client("").Head(t.Context(), id(t, "hub:acme/deploy")); !errors.Is(err, transport.ErrUnreachable) {
		t.Error(err)
	}
}

// What a mirror refuses for its size is an error that is neither "not found" nor "unreachable".
func TestMirrorClientTooLarge(t *testing.T) {
	t.Parallel()
	fsys := fsx.Locked(memfs.New())
	fstest.Write(t, fsys, "", mirrorTree)
	m := newWatched(t, fsys, hub.HandlerOptions{Limits: transport.Limits{Entries: 2}})
	_, err := m.client("").Head(t.Context(), id(t, "hub:acme/deploy"))
	if err == nil || errors.Is(err, transport.ErrNotFound) || errors.Is(err, transport.ErrUnreachable) {
		t.Error(err)
	}
	t.Log(err)
}
