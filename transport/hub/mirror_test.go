package hub_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-git/go-billy/v5/memfs"
	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/internal/fstest"
	"github.com/atskills-go/atskills/transport/hub"
)

// H2: a skill is its raw SKILL.md, on every file system, its listing has every file with mode and digest, and each file
// is there under its path.
func TestMirrorSkill(t *testing.T) {
	t.Parallel()
	fstest.Each(t, func(t *testing.T, sys fstest.System) {
		fsys := fsx.Locked(sys.New(t))
		fstest.Write(t, fsys, "", mirrorTree)
		m := newMirror(t, fsys, hub.HandlerOptions{})

		a := m.get("/acme/deploy")
		if a.status != 200 || a.body != mirrorTree["acme/deploy/SKILL.md"] {
			t.Fatalf("%d %q", a.status, a.body)
		}
		wantHeaders(t, a, map[string]string{
			"Content-Type": "text/markdown; charset=utf-8", "X-Content-Type-Options": "nosniff",
			"Cache-Control": "public, max-age=60, must-revalidate", "Atskills-Visibility": "public",
			"Vary": "", "Last-Modified": "", "Accept-Ranges": "bytes",
		})
		files, list := m.listing("/acme/deploy?files")
		want := []mirrorFile{
			{"SKILL.md", "100644", sha(a.body), int64(len(a.body))},
			{"ref/.editorrc", "100644", sha("kept\n"), 5},
			{"ref/notes.md", "100644", sha("notes\n"), 6},
			{"scripts/run.sh", "100755", sha("#!/bin/sh\n"), 10},
		}
		if diff := cmp.Diff(want, files); diff != "" {
			t.Error(diff)
		}
		if list.etag() != a.etag() || len(a.etag()) != 64 || !strings.HasPrefix(a.header.Get("ETag"), `"`) {
			t.Errorf("ETags %s and %s", a.header.Get("ETag"), list.header.Get("ETag"))
		}
		wantHeaders(t, list, map[string]string{"Content-Type": "application/json"})
		for _, f := range files {
			got := m.get("/acme/deploy/" + f.Path)
			if got.status != 200 || sha(got.body) != f.SHA256 || got.etag() != f.SHA256 {
				t.Errorf("%s: %d, ETag %s, sha256 of the body %s", f.Path, got.status, got.etag(), sha(got.body))
			}
		}
		wantHeaders(t, m.get("/acme/deploy/scripts/run.sh"), map[string]string{"Content-Type": "application/octet-stream"})
	})
}

// H3: the revision changes with any file's path, bytes or mode, and with nothing else.
func TestMirrorRevision(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		change  fstest.Tree
		remove  string
		changes bool
	}{
		{"nothing", nil, "", false},
		{"SKILL.md", fstest.Tree{"acme/deploy/SKILL.md": mirrorSkill("deploy", "Deploys!")}, "", true},
		{"same size", fstest.Tree{"acme/deploy/ref/notes.md": "Notes\n"}, "", true},
		{"file more", fstest.Tree{"acme/deploy/new.md": ""}, "", true},
		{"file less", nil, "acme/deploy/ref/notes.md", true},
		{"mode", fstest.Tree{"acme/deploy/ref/notes.md*": "notes\n"}, "acme/deploy/ref/notes.md", true},
		{"stamp", fstest.Tree{"acme/deploy/.source": "other"}, "", false},
		{"neighbour", fstest.Tree{"acme/plan/x.md": "x"}, "", false},
		{"empty folder", fstest.Tree{"acme/deploy/void/": ""}, "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			fsys := fsx.OS(t.TempDir())
			fstest.Write(t, fsys, "", mirrorTree)
			m := newMirror(t, fsys, hub.HandlerOptions{})
			before := m.get("/acme/deploy").etag()
			if tt.remove != "" {
				if err := fsys.Remove(tt.remove); err != nil {
					t.Fatal(err)
				}
			}
			fstest.Write(t, fsys, "", tt.change)
			if after := m.get("/acme/deploy?files").etag(); (after != before) != tt.changes {
				t.Errorf("revision %s, then %s", before, after)
			}
		})
	}
}

// H3: the probe is a conditional GET, and 304 says that nothing changed. Lists, * and weak spellings are those of HTTP.
func TestMirrorConditional(t *testing.T) {
	t.Parallel()
	m := newTreeMirror(t)
	for _, target := range []string{"/acme/deploy", "/acme/deploy?files", "/acme/deploy/ref/notes.md", "/?prefix=acme/", "/?prefix=acme/starter/"} {
		full := m.get(target)
		tag := full.header.Get("ETag")
		tests := []struct {
			header, value string
			status        int
		}{
			{"If-None-Match", tag, 304},
			{"If-None-Match", `"x", ` + tag, 304},
			{"If-None-Match", "W/" + tag, 304},
			{"If-None-Match", "*", 304},
			{"If-None-Match", `"x"`, 200},
			{"If-None-Match", strings.Trim(tag, `"`), 200},
			{"If-None-Match", "", 200},
			{"If-None-Match", `"`, 200},
			{"If-Match", `"x"`, 412},
			{"If-Modified-Since", "Fri, 01 Jan 2100 00:00:00 GMT", 200},
		}
		for _, tt := range tests {
			for _, method := range []string{"GET", "HEAD"} {
				a := m.do(method, target, tt.header, tt.value)
				if a.status != tt.status {
					t.Errorf("%s %s with %s: %s is %d, want %d", method, target, tt.header, tt.value, a.status, tt.status)
				}
				if (a.status != 200 || method == "HEAD") && a.body != "" || method == "GET" && a.status == 200 && a.body != full.body {
					t.Errorf("%s %s %d: body %q", method, target, a.status, a.body)
				}
				if a.status == 304 && (a.header.Get("ETag") != tag || a.header.Get("Cache-Control") != full.header.Get("Cache-Control")) {
					t.Errorf("304 without what a cache needs: %v", a.header)
				}
			}
		}
	}
}

// HEAD is GET without the body, whatever the answer.
func TestMirrorHead(t *testing.T) {
	t.Parallel()
	m := newTreeMirror(t)
	for _, target := range []string{
		"/acme/deploy", "/acme/deploy?files", "/acme/deploy/scripts/run.sh", "/?prefix=acme/", "/healthz",
		"/acme/missing", "/acme/deploy?rev=1", "/acme/deploy?x=%zz",
	} {
		get, head := m.get(target), m.do("HEAD", target)
		get.header.Del("Date")
		head.header.Del("Date")
		if head.status != get.status || head.body != "" {
			t.Errorf("HEAD %s: %d %q, GET %d", target, head.status, head.body, get.status)
		}
		if diff := cmp.Diff(get.header, head.header); diff != "" {
			t.Errorf("%s: %s", target, diff)
		}
	}
}

// Ranges are those of HTTP, on each kind of answer, and never mix revisions (If-Range).
func TestMirrorRange(t *testing.T) {
	t.Parallel()
	m := newTreeMirror(t)
	for _, target := range []string{"/acme/deploy", "/acme/deploy?files", "/acme/deploy/ref/notes.md", "/?prefix=acme/"} {
		full := m.get(target)
		tests := []struct {
			header []string
			status int
			body   string
		}{
			{[]string{"Range", "bytes=1-3"}, 206, full.body[1:4]},
			{[]string{"Range", "bytes=-2"}, 206, full.body[len(full.body)-2:]},
			{[]string{"Range", "bytes=1-3", "If-Range", full.header.Get("ETag")}, 206, full.body[1:4]},
			{[]string{"Range", "bytes=1-3", "If-Range", `"old"`}, 200, full.body},
			{[]string{"Range", "bytes=99999-"}, 416, "invalid range: failed to overlap\n"},
			{[]string{"Range", "lines=1-2"}, 416, "invalid range\n"},
			{[]string{"Range", "bytes=0-," + strings.Repeat("0-,", 500) + "0-"}, 200, full.body},
		}
		for _, tt := range tests {
			if a := m.get(target, tt.header...); a.status != tt.status || a.body != tt.body {
				t.Errorf("%s %.40q: %d %q, want %d %q", target, tt.header, a.status, a.body, tt.status, tt.body)
			}
		}
	}
}

// S4, H2: ?rev is answered by that revision for good, or by a 404 that says so.
func TestMirrorPinned(t *testing.T) {
	t.Parallel()
	fsys := fsx.OS(t.TempDir())
	fstest.Write(t, fsys, "", mirrorTree)
	m := newMirror(t, fsys, hub.HandlerOptions{Private: map[string][]string{"other": {"tok"}}})
	rev, menu := m.get("/acme/deploy").etag(), m.get("/?prefix=acme/").etag()
	pinned := []string{"/acme/deploy?rev=" + rev, "/acme/deploy?files&rev=" + rev, "/acme/deploy/ref/notes.md?rev=" + rev, "/?prefix=acme/&rev=" + menu}
	for _, target := range pinned {
		a := m.get(target)
		if a.status != 200 {
			t.Errorf("%s: %d %q", target, a.status, a.body)
		}
		wantHeaders(t, a, map[string]string{"Cache-Control": "public, max-age=31536000, immutable"})
	}
	private := m.get("/other/vault", "Authorization", "Bearer tok")
	wantHeaders(t, m.get("/other/vault?rev="+private.etag(), "Authorization", "Bearer tok"),
		map[string]string{"Cache-Control": "private, max-age=31536000, immutable", "Vary": "Authorization"})

	fstest.Write(t, fsys, "", fstest.Tree{"acme/deploy/ref/more.md": "more", "acme/more/SKILL.md": mirrorSkill("more", "More.")})
	now := m.get("/acme/deploy").etag()
	for _, target := range append(pinned, "/acme/deploy?rev=", "/acme/deploy?rev=HEAD", "/acme/deploy/ref/more.md?rev="+rev) {
		a := m.get(target)
		if a.status != 404 || !strings.Contains(a.body, "revision is not served") {
			t.Errorf("%s after a change: %d %q", target, a.status, a.body)
		}
	}
	if a := m.get("/acme/deploy/ref/none.md?rev=" + now); a.status != 404 || strings.Contains(a.body, "revision") {
		t.Errorf("a file the revision does not have: %d %q", a.status, a.body)
	}
	if a := m.get("/acme/deploy/ref/more.md?rev=" + now); a.status != 200 || a.body != "more" {
		t.Errorf("the present revision: %d %q", a.status, a.body)
	}
}

// The options that are wrong are refused, without a token in the error (X5).
func TestMirrorOptions(t *testing.T) {
	t.Parallel()
	if _, err := hub.Handler(nil, hub.HandlerOptions{}); err == nil {
		t.Error("no file system was accepted")
	}
	for _, private := range []map[string][]string{
		{"": {"x"}}, {"a/b": {"x"}}, {"..": {"x"}}, {"a": {""}}, {"a": {"top secret"}}, {"a": {"top\nsecret"}}, {"a": {strings.Repeat("top-secret", 500)}},
	} {
		_, err := hub.Handler(memfs.New(), hub.HandlerOptions{Private: private})
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%v: %v", private, err)
		}
	}
}

// The server bounds what a connection may take.
func TestMirrorServer(t *testing.T) {
	t.Parallel()
	s := hub.NewServer("127.0.0.1:1", http.NotFoundHandler())
	if s.Addr != "127.0.0.1:1" || s.ReadHeaderTimeout == 0 || s.ReadTimeout == 0 || s.WriteTimeout == 0 || s.IdleTimeout == 0 || s.MaxHeaderBytes == 0 {
		t.Errorf("%+v", s)
	}
}

// A mirror below a path, or behind a mux, is the same mirror.
func TestMirrorBelowPath(t *testing.T) {
	t.Parallel()
	fsys := fsx.Locked(memfs.New())
	fstest.Write(t, fsys, "", fstest.Tree{"acme/a b/SKILL.md": mirrorSkill("ab", "Spaced.")})
	h, err := hub.Handler(fsys, hub.HandlerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.StripPrefix("/skills", h))
	t.Cleanup(server.Close)
	m := &testMirror{t, server.URL, fsys}
	for target, want := range map[string]int{
		"/skills/acme/a%20b": 200, "/skills?prefix=acme/": 200, "/skills/?prefix=acme/a%20b/": 200, "/skills/healthz": 200, "/skills": 404, "/acme/a%20b": 404,
	} {
		if a := m.get(target); a.status != want {
			t.Errorf("%s: %d, want %d", target, a.status, want)
		}
	}
}
