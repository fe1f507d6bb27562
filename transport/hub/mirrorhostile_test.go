package hub_test

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/memfs"
	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/internal/fstest"
	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/hub"
)

// G7, R7, S9: an address is read by the grammar of references, and what is not to be served is not there. Each line is
// sent as it stands.
func TestMirrorHostileTargets(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 300)
	tests := []struct {
		target string
		status int
	}{
		{"/", 404},
		{"/acme", 404},
		{"/acme/", 404},
		{"/acme/deploy/", 404},
		{"//acme/deploy", 404},
		{"/acme//deploy", 404},
		{"/acme/deploy//SKILL.md", 404},
		{"/acme/deploy/.", 404},
		{"/acme/./deploy", 404},
		{"/acme/plan/../deploy", 404},
		{"/acme/deploy/..", 404},
		{"/acme/deploy/../../secret/keys", 404},
		{"/acme/deploy/%2e%2e/%2e%2e/secret/keys/SKILL.md", 404},
		{"/acme/deploy/%2E%2e/plan/SKILL.md", 404},
		{"/acme/deploy/..%2f..%2fsecret%2fkeys%2fSKILL.md", 404},
		{"/acme/deploy/ref%2fnotes.md", 404},
		{"/acme/deploy/ref%5cnotes.md", 404},
		{`/acme/deploy/ref\notes.md`, 404},
		{"/acme%2fdeploy", 404},
		{"/acme/deploy/..%5c..%5csecret", 404},
		{"/acme/deploy/%252e%252e/plan/SKILL.md", 404},
		{"/acme/deploy/ref/notes.md%00", 404},
		{"/acme/deploy/%00", 404},
		{"/acme/deploy%00.playlist", 404},
		{"/acme/deploy/ref/notes.md%0a", 404},
		{"/acme/deploy/%7f", 404},
		{"/acme/deploy/%ff%fe", 404},
		{"/acme/deploy/c:/windows", 404},
		{"/acme/deploy/" + long + "/" + long, 404},
		{"/" + long + "/" + long, 404},
		{"/acme/deploy/" + strings.Repeat("a/", 100) + "a", 404},
		{"/acme/deploy/" + strings.Repeat("a", 5000), 414},
		{"/acme/deploy?" + strings.Repeat("a", 17<<10), 414},
		{"/acme/deploy?rev=" + strings.Repeat("a", 15<<10), 404},
		{"/.git/config", 404},
		{"/.git/hooks", 404},
		{"/.GIT/hooks", 404},
		{"/?prefix=.git/", 404},
		{"/acme/.hidden", 404},
		{"/acme/.hidden/SKILL.md", 404},
		{"/acme/deploy/.source", 404},
		{"/acme/deploy/.env", 404},
		{"/acme/deploy/%2eenv", 404},
		{"/acme/deploy/ref/.git/config", 404},
		{"/acme/deploy/ref/.GIT/config", 404},
		{"/acme/deploy/ref/.atskills-tmp-0123456789abcdef0123456789abcdef", 404},
		{"/acme/deploy/ref", 404},
		{"/acme/deploy/ref/notes.md/x", 404},
		{"/acme/deploy/SKILL.md/SKILL.md", 404},
		{"/acme/notes.md", 404},
		{"/acme/notes.md/x", 404},
		{"/acme/empty", 404},
		{"/acme/empty/readme.md", 404},
		{"/acme/starter", 404},
		{"/acme/starter.playlist", 404},
		{"/acme/starter.playlist/x", 404},
		{"/healthz/", 404},
		{"/healthz/x", 404},
		{"/acme/deploy?a;b", 400},
		{"/acme/deploy?%zz", 400},
		{"/acme/%zz", 400},
		{"/?prefix=", 404},
		{"/?prefix=/", 404},
		{"/?prefix=acme", 200},
		{"/?prefix=acme//", 404},
		{"/?prefix=acme/deploy/ref/", 404},
		{"/?prefix=../acme/", 404},
		{"/?prefix=acme/../", 404},
		{"/?prefix=acme%00/", 404},
		{"/?prefix=acme%5cdeploy/", 404},
		{"/?prefix=nobody/", 404},
		{"*", 404},
		{"acme/deploy", 400},
		{"http://elsewhere.example/acme/deploy", 200},
		// Both names of an id fold case, and the folder's own may have capitals; below that it counts.
		{"/ACME/Deploy", 200},
		{"/mixed/case", 200},
		{"/Mixed/Case/SKILL.md", 200},
		{"/%61cme/deploy", 200},
		{"/acme/deploy/skill.md", 404},
		{"/acme/deploy/Ref/notes.md", 404},
		{"/acme/deploy/ref/.editorrc", 200},
		{"/acme/deploy/%72ef/notes.md", 200},
		{"/acme/deploy?unknown=1", 200},
		{"/acme/deploy?prefix=x", 200},
	}
	m := newTreeMirror(t)
	for _, tt := range tests {
		a := m.raw("GET " + tt.target + " HTTP/1.1\r\nHost: hub\r\nConnection: close\r\n\r\n")
		if a.status != tt.status {
			t.Errorf("%.80q: %d %.60q, want %d", tt.target, a.status, a.body, tt.status)
		}
		if strings.Contains(a.body, "SECRET") {
			t.Errorf("%.80q shows what is not served: %q", tt.target, a.body)
		}
		if a.status == 404 && strings.Contains(a.body, tt.target) {
			t.Errorf("%q is repeated in the answer", tt.target)
		}
	}
}

// Only GET and HEAD are answered, and nothing a client sends beside them is.
func TestMirrorMethods(t *testing.T) {
	t.Parallel()
	m := newTreeMirror(t)
	for _, method := range []string{"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND", "get", "G%T"} {
		for _, target := range []string{"/acme/deploy", "/secret/keys", "/healthz", "/nothing"} {
			a := m.do(method, target)
			if a.status != 405 {
				t.Errorf("%s %s: %d", method, target, a.status)
			}
			wantHeaders(t, a, map[string]string{"Allow": "GET, HEAD"})
		}
	}
	if a := m.raw("CONNECT acme:443 HTTP/1.1\r\nHost: acme:443\r\nConnection: close\r\n\r\n"); a.status != 405 {
		t.Errorf("CONNECT: %d", a.status)
	}
	if a := m.raw("GET /acme/deploy HTTP/1.1\r\nHost: hub\r\nContent-Length: 4\r\nConnection: close\r\n\r\nbody"); a.status != 200 {
		t.Errorf("a GET with a body: %d", a.status)
	}
}

// Headers are bounded, by the server and without it.
func TestMirrorHeaders(t *testing.T) {
	t.Parallel()
	m := newTreeMirror(t)
	for name, size := range map[string]int{"If-None-Match": 15 << 10, "X": 15 << 10} {
		if a := m.get("/acme/deploy", name, strings.Repeat(`"x",`, size/4)); a.status != 200 {
			t.Errorf("%d bytes of %s: %d", size, name, a.status)
		}
	}
	if a := m.get("/acme/deploy", "X", strings.Repeat("x", 17<<10)); a.status != 431 {
		t.Errorf("17 KiB: %d", a.status)
	}
	if a := m.get("/acme/deploy", "X", strings.Repeat("x", 1<<20)); a.status != 431 {
		t.Errorf("1 MiB: %d", a.status)
	}
}

// W3: links are never followed, wherever they lead and wherever they stand; they are not in the listing, and neither
// are pipes, which would be waited for.
func TestMirrorLinks(t *testing.T) {
	t.Parallel()
	for _, sys := range fstest.Systems() {
		if !sys.Disk {
			continue
		}
		t.Run(sys.Name, func(t *testing.T) {
			t.Parallel()
			outside := t.TempDir()
			if err := os.WriteFile(filepath.Join(outside, "SKILL.md"), []byte("SECRET"), 0o600); err != nil {
				t.Fatal(err)
			}
			fsys := sys.New(t)
			fstest.Write(t, fsys, "", mirrorTree)
			root := fsys.Root()
			for name, target := range map[string]string{
				"acme/deploy/in.md":             "ref/notes.md",
				"acme/deploy/up.md":             "../../secret/keys/SKILL.md",
				"acme/deploy/abs.md":            filepath.Join(root, "secret/keys/SKILL.md"),
				"acme/deploy/out.md":            filepath.Join(outside, "SKILL.md"),
				"acme/deploy/dir":               "../../secret/keys",
				"acme/deploy/loop":              ".",
				"acme/deploy/dangling":          "nowhere",
				"acme/linked":                   "../secret/keys",
				"acme/linkedout":                outside,
				"acme/linked.playlist":          "../secret/keys/token.txt",
				"friend":                        "secret",
				"acme/half/SKILL.md":            "../../secret/keys/SKILL.md",
				"acme/deploy/scripts/parent.md": "../../../secret/keys/SKILL.md",
			} {
				full := filepath.Join(root, name)
				if err := os.MkdirAll(filepath.Dir(full), 0o750); err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(target, full); err != nil {
					t.Skipf("no links here: %v", err)
				}
			}
			pipe := mirrorFIFO(t, filepath.Join(root, "acme/deploy/pipe")) == nil
			m := newMirror(t, fsys, hub.HandlerOptions{Private: mirrorPrivate})
			for _, target := range []string{
				"/acme/deploy/in.md", "/acme/deploy/up.md", "/acme/deploy/abs.md", "/acme/deploy/out.md", "/acme/deploy/dir/SKILL.md",
				"/acme/deploy/loop/SKILL.md", "/acme/deploy/dangling", "/acme/linked", "/acme/linked/SKILL.md", "/acme/linkedout", "/friend/keys",
				"/friend/keys/SKILL.md", "/acme/half", "/acme/half/SKILL.md", "/acme/deploy/scripts/parent.md", "/acme/deploy/pipe", "/?prefix=friend/",
				"/?prefix=acme/linked/", "/?prefix=acme/half/",
			} {
				if a := m.get(target); a.status != 404 || strings.Contains(a.body, "SECRET") {
					t.Errorf("%s: %d %q", target, a.status, a.body)
				}
			}
			files, _ := m.listing("/acme/deploy?files")
			var paths []string
			for _, f := range files {
				paths = append(paths, f.Path)
			}
			want := []string{"SKILL.md", "ref/.editorrc", "ref/notes.md", "scripts/run.sh"}
			if diff := cmp.Diff(want, paths); diff != "" {
				t.Errorf("with a pipe (%v): %s", pipe, diff)
			}
			if a := m.get("/?prefix=acme/"); strings.Contains(a.body, "linked") || strings.Contains(a.body, "half") {
				t.Error(a.body)
			}
		})
	}
}

// A skill past a limit is refused by name of the limit, its neighbours are served.
func TestMirrorLimits(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		limits transport.Limits
		tree   fstest.Tree
		want   string
	}{
		{"entries", transport.Limits{Entries: 5}, fstest.Tree{"1": "", "2": "", "3": "", "4": "", "5": ""}, "more than 5 files"},
		{"depth", transport.Limits{Depth: 2}, fstest.Tree{"a/b/c/d": ""}, "deeper than 2 folders"},
		{"path", transport.Limits{PathBytes: 30}, fstest.Tree{"a/" + strings.Repeat("x", 40): ""}, "path of more than 30 bytes"},
		{"file", transport.Limits{BlobBytes: 100}, fstest.Tree{"big": strings.Repeat("x", 101)}, "file of more than 100 bytes"},
		{"all", transport.Limits{FetchBytes: 200}, fstest.Tree{"1": strings.Repeat("x", 99), "2": strings.Repeat("x", 99)}, "more than 200 bytes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			fsys := fsx.Locked(memfs.New())
			fstest.Write(t, fsys, "acme/large", fstest.Tree{"SKILL.md": mirrorSkill("large", "Large.")})
			fstest.Write(t, fsys, "acme/large", tt.tree)
			fstest.Write(t, fsys, "acme/small", fstest.Tree{"SKILL.md": mirrorSkill("small", "Small.")})
			m := newMirror(t, fsys, hub.HandlerOptions{Limits: tt.limits})
			for _, target := range []string{"/acme/large", "/acme/large?files"} {
				if a := m.get(target); a.status != 413 || !strings.Contains(a.body, tt.want) {
					t.Errorf("%s: %d %q", target, a.status, a.body)
				}
			}
			if a := m.get("/acme/small"); a.status != 200 {
				t.Errorf("its neighbour: %d %q", a.status, a.body)
			}
		})
	}
}

// When the tree cannot be read nothing is known: 503, never 404, on every address and for the health check (C5).
func TestMirrorUnavailable(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "tree")
	fsys := fsx.OS(dir)
	m := newMirror(t, fsys, hub.HandlerOptions{Private: mirrorPrivate})
	targets := []string{"/acme/deploy", "/acme/deploy?files", "/acme/deploy/ref/notes.md", "/?prefix=acme/", "/?prefix=acme/starter/", "/secret/keys", "/healthz"}
	for _, target := range targets {
		a := m.get(target)
		if a.status != 503 || strings.Contains(a.body, dir) {
			t.Errorf("%s without a tree: %d %q", target, a.status, a.body)
		}
		wantHeaders(t, a, map[string]string{"Retry-After": "1", "Cache-Control": "no-store"})
	}
	fstest.Write(t, fsys, "", mirrorTree)
	if a := m.get("/healthz"); a.status != 200 || a.body != "ok\n" {
		t.Errorf("healthz: %d %q", a.status, a.body)
	}
	if a := m.get("/acme/deploy"); a.status != 200 {
		t.Errorf("with the tree: %d", a.status)
	}
}

// Every call of the file system may fail: the answer is then right or says that it failed, and never that a skill is not there.
func TestMirrorFaults(t *testing.T) {
	t.Parallel()
	for _, target := range []string{"/acme/deploy", "/acme/deploy?files", "/acme/deploy/ref/notes.md", "/mixed/case", "/?prefix=acme/deploy/", "/?prefix=acme/starter/"} {
		t.Run(target, func(t *testing.T) {
			t.Parallel()
			base := fsx.Locked(memfs.New())
			fstest.Write(t, base, "", mirrorTree)
			ask := func(fsys billy.Filesystem) *httptest.ResponseRecorder {
				h, err := hub.Handler(fsys, hub.HandlerOptions{})
				if err != nil {
					t.Fatal(err)
				}
				w := httptest.NewRecorder()
				h.ServeHTTP(w, httptest.NewRequest("GET", target, nil))
				return w
			}
			want := ask(base).Body.String()
			fstest.Sweep(t, func(t *testing.T, n int) bool {
				broken, reached := fstest.FailNth(base, n)
				w := ask(broken)
				if w.Code != 503 && (w.Code != 200 || !strings.HasPrefix(target, "/?") && w.Body.String() != want) {
					t.Errorf("call %d fails: %d %q", n, w.Code, w.Body)
				}
				if strings.Contains(w.Body.String(), fstest.ErrInjected.Error()) {
					t.Errorf("call %d: the fault is told: %q", n, w.Body)
				}
				return reached()
			})
		})
	}
}

// FuzzMirrorTarget asks for arbitrary addresses: no panic, and nothing that is not served.
func FuzzMirrorTarget(f *testing.F) {
	fsys := fsx.Locked(memfs.New())
	fstest.Write(f, fsys, "", mirrorTree)
	h, err := hub.Handler(fsys, hub.HandlerOptions{Private: mirrorPrivate})
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{"acme/deploy", "acme/deploy?files&rev=x", "?prefix=acme/", "acme/deploy/%2e%2e/x", "secret/keys", "acme/deploy/.env", "healthz"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, target string) {
		r := httptest.NewRequest("GET", "/", nil)
		u, err := r.URL.Parse("/" + target)
		if err != nil {
			t.Skip()
		}
		r.URL = u
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if strings.Contains(w.Body.String(), "SECRET") || w.Code >= 500 {
			t.Errorf("%q: %d %q", target, w.Code, w.Body)
		}
	})
}
