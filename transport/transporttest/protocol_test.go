package transporttest_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	gogit "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/storage/memory"

	"github.com/atskills-go/atskills/transport/transporttest"
)

const zeros = "0000000000000000000000000000000000000000"

// lines frames text as packets; "0000" and "0001" stand for themselves.
func lines(text ...string) string {
	var b strings.Builder
	for _, line := range text {
		if line == "0000" || line == "0001" {
			b.WriteString(line)
			continue
		}
		fmt.Fprintf(&b, "%04x%s\n", len(line)+5, line)
	}
	return b.String()
}

// post sends one version 2 request and returns the answer's status and body.
func post(t *testing.T, url, body string, header ...string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/git-upload-pack", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Git-Protocol", "version=2")
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := noRedirects().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Fatal(err)
	}
	return resp.StatusCode, string(data)
}

func noRedirects() *http.Client {
	return &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

var probeRequest = lines("command=ls-refs", "object-format=sha1", "0001", "symrefs", "ref-prefix HEAD", "0000")

func TestProbeIsOneSmallRequest(t *testing.T) {
	t.Parallel()
	s := newServer(t, archive)
	status, got := post(t, s.URL()+"/acme/skills", probeRequest)
	want := lines(s.Tip("acme/skills")+" HEAD symref-target:refs/heads/main", "0000")
	if status != http.StatusOK || got != want {
		t.Errorf("probe = %d %q, want %q", status, got, want)
	}
	stats := s.Stats()
	wantTraffic := transporttest.Traffic{Requests: 1, Received: int64(len(probeRequest)), Sent: 84}
	if stats.Total() != wantTraffic || stats.ByKind[transporttest.KindRefs] != wantTraffic || stats.Connections != 1 {
		t.Errorf("stats = %+v, want one probe on one connection, %+v", stats, wantTraffic)
	}
	s.ResetStats()
	if got := s.Stats(); got.Total() != (transporttest.Traffic{}) || got.Connections != 0 {
		t.Errorf("stats after a reset = %+v", got)
	}
}

func TestRequestsMayBeCompressed(t *testing.T) {
	t.Parallel()
	s := newServer(t, archive)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = io.WriteString(z, probeRequest)
	z.Close()
	status, got := post(t, s.URL()+"/acme/skills", packed.String(), "Content-Encoding", "gzip")
	if status != http.StatusOK || !strings.Contains(got, s.Tip("acme/skills")) {
		t.Errorf("compressed probe = %d %q", status, got)
	}
	if status, _ := post(t, s.URL()+"/acme/skills", "no gzip", "Content-Encoding", "gzip"); status != http.StatusBadRequest {
		t.Errorf("status for a broken body = %d, want 400", status)
	}
}

func TestUnbornHead(t *testing.T) {
	t.Parallel()
	s := newServer(t, archive)
	if err := s.SetHead("acme/empty", "trunk"); err != nil {
		t.Fatal(err)
	}
	_, got := post(t, s.URL()+"/acme/empty.git",
		lines("command=ls-refs", "0001", "symrefs", "unborn", "ref-prefix HEAD", "0000"))
	if want := lines("unborn HEAD symref-target:refs/heads/trunk", "0000"); got != want {
		t.Errorf("ls-refs of an empty repository = %q, want %q", got, want)
	}
	if _, got := post(t, s.URL()+"/acme/empty", probeRequest); got != "0000" {
		t.Errorf("ls-refs without unborn = %q, want nothing", got)
	}
	for _, version := range []string{"0", "2"} {
		git(t, t.TempDir(), "-c", "protocol.version="+version, "clone", "-q", s.URL()+"/acme/empty", "c")
	}
}

// fetch asks for objects and returns the packet lines before the pack and the number of objects in it.
func fetch(t *testing.T, s *transporttest.Server, args ...string) (string, uint32) {
	t.Helper()
	request := lines("command=fetch", "0001") + lines(args...) + lines("done", "0000")
	_, got := post(t, s.URL()+"/acme/skills", request)
	before, pack, ok := strings.Cut(got, "\x01PACK")
	if !ok {
		t.Fatalf("fetch %q = %q", args, got)
	}
	_, n, err := packfile.NewScanner(strings.NewReader("PACK" + pack)).Header()
	if err != nil {
		t.Fatal(err)
	}
	return before, n
}

func TestFetchSelectsObjects(t *testing.T) {
	t.Parallel()
	s := newServer(t, archive)
	log := s.Log("acme/skills")
	tree := strings.TrimSpace(lookup(t, s, "HEAD^{tree}"))
	folder := strings.TrimSpace(lookup(t, s, "HEAD:deploy"))
	blob := strings.TrimSpace(lookup(t, s, "HEAD:deploy/notes.md"))
	for _, c := range []struct {
		name string
		args []string
		want uint32
	}{
		{"tip and its trees", []string{"want " + log[0], "deepen 1", "filter blob:none"}, 3},
		{"tip whole", []string{"want " + log[0], "deepen 1"}, 8},
		{"all history", []string{"want " + log[0]}, 18},
		{"history without bodies", []string{"want " + log[0], "filter blob:none"}, 11},
		{"commits only", []string{"want " + log[0], "filter tree:0"}, 3},
		{"commits and root trees", []string{"want " + log[0], "filter tree:1"}, 6},
		{"one tree", []string{"want " + tree, "filter tree:0"}, 1},
		{"a tree and below", []string{"want " + folder}, 4},
		{"one body", []string{"want " + blob, "filter blob:none"}, 1},
		{"two bodies of one want", []string{"want " + blob, "want " + blob}, 1},
		{"small bodies", []string{"want " + folder, "filter blob:limit=7"}, 2},
		{"small bodies in kilobytes", []string{"want " + folder, "filter blob:limit=1k"}, 4},
		{"what is new", []string{"want " + log[0], "have " + log[1]}, 4},
		{"nothing new", []string{"want " + log[1], "have " + log[0]}, 0},
		{"an unknown have", []string{"want " + blob, "have " + zeros}, 1},
		{"accepted and unneeded", []string{"thin-pack", "no-progress", "include-tag", "ofs-delta", "want " + blob}, 1},
	} {
		if _, got := fetch(t, s, c.args...); got != c.want {
			t.Errorf("%s: %d objects, want %d", c.name, got, c.want)
		}
	}
}

// lookup resolves a name in a clone.
func lookup(t *testing.T, s *transporttest.Server, name string) string {
	t.Helper()
	dir := t.TempDir()
	git(t, dir, "clone", "-q", "--bare", s.URL()+"/acme/skills", ".")
	return git(t, dir, "rev-parse", name)
}

func TestFetchSections(t *testing.T) {
	t.Parallel()
	s := newServer(t, archive)
	log := s.Log("acme/skills")
	before, _ := fetch(t, s, "want "+log[0], "deepen 2")
	if want := lines("shallow-info", "shallow "+log[1], "0001", "packfile"); !strings.HasPrefix(before, want) {
		t.Errorf("shallow fetch begins %q, want %q", before, want)
	}
	before, _ = fetch(t, s, "want "+log[0], "have "+log[0], "shallow "+log[0], "deepen 3")
	want := lines("shallow-info", "shallow "+log[2], "unshallow "+log[0], "0001", "packfile")
	if !strings.HasPrefix(before, want) {
		t.Errorf("deepening fetch begins %q, want %q", before, want)
	}
	negotiation := lines("command=fetch", "0001", "want "+log[0], "have "+zeros, "0000")
	if _, got := post(t, s.URL()+"/acme/skills", negotiation); got != lines("acknowledgments", "NAK", "0000") {
		t.Errorf("nothing in common: %q", got)
	}
	negotiation = lines("command=fetch", "0001", "want "+log[0], "have "+zeros, "have "+log[1], "0000")
	_, got := post(t, s.URL()+"/acme/skills", negotiation)
	if want := lines("acknowledgments", "ACK "+log[1], "ready", "0001", "packfile"); !strings.HasPrefix(got, want) {
		t.Errorf("one commit in common: %q, want %q", got, want)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	s := newServer(t, archive)
	tip := s.Tip("acme/skills")
	for _, c := range []struct{ name, request, want string }{
		{"unknown object", lines("command=fetch", "0001", "want "+zeros, "done", "0000"), "not our ref " + zeros},
		{"no hash", lines("command=fetch", "0001", "want HEAD", "0000"), "expected to get object ID"},
		{"no hash among shallow", lines("command=fetch", "0001", "shallow x", "0000"), "expected to get object ID"},
		{"unknown argument", lines("command=fetch", "0001", "deepen-since 1", "0000"), `unexpected line: "deepen-since 1"`},
		{"bad depth", lines("command=fetch", "0001", "want "+tip, "deepen 0", "0000"), "invalid deepen"},
		{"unknown filter", lines("command=fetch", "0001", "filter sparse:oid=x", "0000"), "invalid filter-spec"},
		{"bad limit", lines("command=fetch", "0001", "filter blob:limit=x", "0000"), "invalid filter-spec"},
		{"bad combination", lines("command=fetch", "0001", "filter combine:blob:none+%zz", "0000"), "invalid filter-spec"},
		{"negative depth", lines("command=fetch", "0001", "filter tree:-2", "0000"), "invalid filter-spec"},
		{"unknown ls-refs argument", lines("command=ls-refs", "0001", "all", "0000"), "unexpected line"},
		{"unknown command", lines("command=push", "0000"), `unknown command "push"`},
		{"no command", "0000", "unknown command"},
		{"other hashes", lines("command=ls-refs", "object-format=sha256", "0000"), "unsupported object-format=sha256"},
	} {
		status, got := post(t, s.URL()+"/acme/skills", c.request)
		if status != http.StatusOK || !strings.Contains(got, "ERR ") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %d %q, want an error packet with %q", c.name, status, got, c.want)
		}
	}
	for _, broken := range []string{"00", "zzzz", "0003", "0009x", "ffff"} {
		if status, got := post(t, s.URL()+"/acme/skills", broken); status != http.StatusBadRequest {
			t.Errorf("body %q: %d %q, want 400", broken, status, got)
		}
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	s := newServer(t, archive+"-- hub:acme/x/SKILL.md --\n")
	for _, c := range []struct {
		path string
		want int
	}{
		{"/acme/skills/info/refs?service=git-upload-pack", http.StatusOK},
		{"/acme/skills.git/info/refs?service=git-upload-pack", http.StatusOK},
		{"/acme/skills/info/refs?service=git-receive-pack", http.StatusForbidden},
		{"/acme/skills/info/refs", http.StatusForbidden},
		{"/acme/nothing/info/refs?service=git-upload-pack", http.StatusNotFound},
		{"/acme/info/refs?service=git-upload-pack", http.StatusNotFound},
		{"/a/acme/skills/info/refs?service=git-upload-pack", http.StatusNotFound},
		{"/hub:acme/x/info/refs?service=git-upload-pack", http.StatusNotFound},
		{"/acme/skills/git-upload-pack", http.StatusNotFound}, // a GET
		{"/", http.StatusNotFound},
	} {
		rec := httptest.NewRecorder()
		s.Handler().ServeHTTP(rec, httptest.NewRequest(http.MethodGet, c.path, nil))
		if rec.Code != c.want {
			t.Errorf("GET %s = %d, want %d", c.path, rec.Code, c.want)
		}
	}
}

// A client that knows only version 0 learns refs and clones.
func TestVersion0Client(t *testing.T) {
	t.Parallel()
	s := newServer(t, archive)
	for _, depth := range []int{0, 1} {
		r, err := gogit.CloneContext(t.Context(), memory.NewStorage(), nil, &gogit.CloneOptions{
			URL: s.RepositoryURL("acme/skills"), Depth: depth,
		})
		if err != nil {
			t.Fatal(err)
		}
		head, err := r.Head()
		if err != nil || head.Hash().String() != s.Tip("acme/skills") || head.Name() != "refs/heads/main" {
			t.Errorf("depth %d: HEAD = %v, %v", depth, head, err)
		}
		c, err := r.CommitObject(head.Hash())
		if err != nil {
			t.Fatal(err)
		}
		if f, err := c.File("deploy/SKILL.md"); err != nil || f.Size == 0 {
			t.Errorf("depth %d: SKILL.md: %v", depth, err)
		}
	}
}

func FuzzRequest(f *testing.F) {
	u, err := transporttest.NewUpstream(archive)
	if err != nil {
		f.Fatal(err)
	}
	s, err := transporttest.NewServer(u)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { s.Close() })
	tip := s.Tip("acme/skills")
	f.Add([]byte(probeRequest), true)
	f.Add([]byte(lines("command=fetch", "0001", "want "+tip, "deepen 1", "filter blob:none", "done", "0000")), true)
	f.Add([]byte(lines("want "+tip+" side-band-64k", "0000", "have "+tip, "done")), false)
	f.Fuzz(func(t *testing.T, body []byte, v2 bool) {
		req := httptest.NewRequest(http.MethodPost, "/acme/skills/git-upload-pack", bytes.NewReader(body))
		if v2 {
			req.Header.Set("Git-Protocol", "version=2")
		}
		rec := httptest.NewRecorder()
		s.Handler().ServeHTTP(rec, req) // whatever the client says, it gets an answer and nothing panics
		if rec.Code != http.StatusOK && rec.Code != http.StatusBadRequest {
			t.Errorf("status %d for %q", rec.Code, body)
		}
		if sum := s.Stats().Total().Received; sum < int64(len(body)) {
			t.Errorf("received %d bytes in all, after a request of %d", sum, len(body))
		}
	})
}
