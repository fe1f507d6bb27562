package hub_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/memfs"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/internal/fstest"
	"github.com/atskills-go/atskills/transport/hub"
)

// mirrorDay is the clock of the tests that look at digests in memory: long after every file was written.
var mirrorDay = time.Date(2100, 1, 2, 3, 4, 5, 0, time.UTC)

// mirrorTree has a public owner, two private ones, and what must never be seen.
var mirrorTree = fstest.Tree{
	"acme/deploy/SKILL.md":        mirrorSkill("deploy", "Deploys."),
	"acme/deploy/scripts/run.sh*": "#!/bin/sh\n",
	"acme/deploy/ref/notes.md":    "notes\n",
	"acme/deploy/ref/.editorrc":   "kept\n",
	"acme/deploy/.source":         "hub:x/y\n2026-01-01 rev:abc\n",
	"acme/deploy/.env":            "SECRET\n",
	"acme/deploy/ref/.git/config": "SECRET\n",
	"acme/plan/SKILL.md":          mirrorSkill("plan", "Plans."),
	"acme/starter.playlist":       "name: Starter\ndescription: To begin with.\n\nhub:acme/deploy  Ship it.\ngh:anthropics/skills/skills/pdf Reads PDF.\n",
	"acme/notes.md":               "SECRET\n",
	"acme/empty/readme.md":        "SECRET\n",
	"acme/.hidden/SKILL.md":       "SECRET\n",
	".git/config":                 "SECRET\n",
	".git/hooks/SKILL.md":         "SECRET\n",
	"Mixed/Case/SKILL.md":         mirrorSkill("case", "Has capitals."),
	"secret/keys/SKILL.md":        mirrorSkill("keys", "SECRET"),
	"secret/keys/token.txt":       "SECRET\n",
	"other/vault/SKILL.md":        mirrorSkill("vault", "SECRET"),
	// Temporary names, of work in progress (S9).
	"acme/deploy/ref/.atskills-tmp-0123456789abcdef0123456789abcdef": "SECRET\n",
}

func mirrorSkill(name, description string) string {
	return "---\nname: " + name + "\ndescription: " + description + "\n---\n\nDo it.\n"
}

var mirrorPrivate = map[string][]string{"Secret": {"s3cret-token", "second-token"}, "other": {"other-token"}}

// testMirror is a mirror on loopback.
type testMirror struct {
	*testing.T
	url string
	fs  billy.Filesystem
}

func newMirror(t *testing.T, fsys billy.Filesystem, opts hub.HandlerOptions) *testMirror {
	t.Helper()
	h, err := hub.Handler(fsys, opts)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(nil)
	server.Config = hub.NewServer("", h)
	server.Start()
	t.Cleanup(server.Close)
	return &testMirror{t, server.URL, fsys}
}

// newTreeMirror serves mirrorTree from memory.
func newTreeMirror(t *testing.T) *testMirror {
	t.Helper()
	fsys := fsx.Locked(memfs.New())
	fstest.Write(t, fsys, "", mirrorTree)
	return newMirror(t, fsys, hub.HandlerOptions{Private: mirrorPrivate})
}

// answer is a response that was read.
type answer struct {
	status int
	header http.Header
	body   string
}

// do asks for target, with headers in pairs.
func (m *testMirror) do(method, target string, headers ...string) answer {
	m.Helper()
	req, err := http.NewRequestWithContext(m.Context(), method, m.url+target, nil)
	if err != nil {
		m.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Add(headers[i], headers[i+1])
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		m.Fatal(err)
	}
	a, err := readAnswer(res)
	if err != nil {
		m.Fatal(err)
	}
	return a
}

func (m *testMirror) get(target string, headers ...string) answer {
	m.Helper()
	return m.do(http.MethodGet, target, headers...)
}

// raw sends text as it is.
func (m *testMirror) raw(text string) answer {
	m.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(m.url, "http://"))
	if err != nil {
		m.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	go func() { _, _ = io.WriteString(conn, text) }()
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		m.Fatal(err)
	}
	a, err := readAnswer(res)
	if err != nil {
		m.Fatal(err)
	}
	return a
}

func readAnswer(res *http.Response) (answer, error) {
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	return answer{res.StatusCode, res.Header, string(body)}, err
}

// fetch is get for goroutines.
func fetch(ctx context.Context, client *http.Client, url string) (answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return answer{}, err
	}
	res, err := client.Do(req)
	if err != nil {
		return answer{}, err
	}
	return readAnswer(res)
}

func (a answer) etag() string { return strings.Trim(a.header.Get("ETag"), `"`) }

type mirrorFile struct {
	Path, Mode, SHA256 string
	Size               int64
}

func (m *testMirror) listing(target string, headers ...string) ([]mirrorFile, answer) {
	m.Helper()
	a := m.get(target, headers...)
	var files []mirrorFile
	if err := json.Unmarshal([]byte(a.body), &files); err != nil {
		m.Fatalf("%s: %v in %q", target, err, a.body)
	}
	return files, a
}

func sha(s string) string { return digest([]byte(s)) }

func wantHeaders(t testing.TB, a answer, want map[string]string) {
	t.Helper()
	for name, value := range want {
		if got := a.header.Get(name); got != value {
			t.Errorf("%s = %q, want %q", name, got, value)
		}
	}
}

// syncBuffer is a log that handlers write at once.
type syncBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func manySkills(n int) fstest.Tree {
	tree := fstest.Tree{}
	for i := range n {
		tree[fmt.Sprintf("acme/s%03d/SKILL.md", i)] = mirrorSkill(fmt.Sprintf("s%03d", i), "One of many.")
	}
	return tree
}
