package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// folder writes files below a new folder and returns it.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

var skills = map[string]string{
	"acme/deploy/SKILL.md": "---\nname: deploy\ndescription: Deploys.\n---\n\nDo it.\n",
	"team/secret/SKILL.md": "---\nname: secret\ndescription: Ours.\n---\n\nDo it.\n",
	"acme/set.playlist":    "name: Set\nhub:acme/deploy\n",
}

// running is a hub in this process.
type running struct {
	url    string
	stop   context.CancelFunc
	code   chan int
	stderr *safeBuffer
}

// start runs the program until it says where it listens.
func start(t *testing.T, args ...string) running {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	out, stdout := io.Pipe()
	r := running{stop: stop, code: make(chan int, 1), stderr: &safeBuffer{}}
	go func() {
		code := run(ctx, append([]string{"-addr", "127.0.0.1:0"}, args...), stdout, r.stderr)
		_ = stdout.Close()
		r.code <- code
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("it did not start: %v\n%s", err, r.stderr)
	}
	_, r.url, _ = strings.Cut(strings.TrimSpace(line), " at ")
	t.Cleanup(stop)
	return r
}

func get(t *testing.T, url, token string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(body)
}

// The one documented command serves a folder, with its private owner behind a token, and logs without it (H4, X5).
func TestServe(t *testing.T) {
	t.Parallel()
	tokens := filepath.Join(folder(t, map[string]string{"tokens": "# ours\nteam hunter2-token\n\nteam second\n"}), "tokens")
	r := start(t, "-root", folder(t, skills), "-token-file", tokens)
	tests := []struct {
		path, token string
		status      int
	}{
		{"/healthz", "", 200},
		{"/acme/deploy", "", 200},
		{"/acme/deploy", "wrong", 200},
		{"/?prefix=acme/", "", 200},
		{"/?prefix=acme/set/", "", 200},
		{"/team/secret", "", 404},
		{"/team/secret", "wrong", 404},
		{"/team/secret", "hunter2-token", 200},
		{"/team/secret", "second", 200},
	}
	for _, tt := range tests {
		if status, body := get(t, r.url+tt.path, tt.token); status != tt.status {
			t.Errorf("%s with %q: %d %q, want %d", tt.path, tt.token, status, body, tt.status)
		}
	}
	r.stop()
	if code := <-r.code; code != exitOK {
		t.Errorf("it ended with %d: %s", code, r.stderr)
	}
	log := r.stderr.String()
	if n := strings.Count(log, "msg=request"); n != len(tests) || strings.Contains(log, "hunter2") || strings.Contains(log, "second") {
		t.Errorf("%d records of %d requests:\n%s", n, len(tests), log)
	}
}

// A signal lets the requests under way end, and takes no new ones.
func TestDrain(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("0123456789abcdef", 1<<20) // more than a connection buffers
	r := start(t, "-root", folder(t, map[string]string{"acme/big/SKILL.md": skills["acme/deploy/SKILL.md"], "acme/big/data": large}))
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.url+"/acme/big/data", nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req) // the headers are here, the body is on its way
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	r.stop()
	// The listener is closed before anything is waited for; a connection that was accepted just before is closed too.
	for {
		again, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.url+"/healthz", nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(again)
		if err != nil {
			break
		}
		_ = res.Body.Close()
	}
	select {
	case code := <-r.code:
		t.Fatalf("it ended with %d before the request did", code)
	default:
	}
	body, err := io.ReadAll(res.Body)
	if err != nil || string(body) != large {
		t.Errorf("%d of %d bytes: %v", len(body), len(large), err)
	}
	if code := <-r.code; code != exitOK {
		t.Errorf("it ended with %d: %s", code, r.stderr)
	}
}

// What cannot be served is refused before anything listens, or at least before anything is answered (H6).
func TestRefusals(t *testing.T) {
	t.Parallel()
	dir := folder(t, skills)
	files := folder(t, map[string]string{"tokens": "team top-secret\n", "three": "team top secret\n", "one": "top-secret\n", "bad": "a/b top-secret\n"})
	tokens := filepath.Join(files, "tokens")
	tests := []struct {
		name string
		args []string
		code int
		want string
	}{
		{"no root", nil, exitUsage, "-root is needed"},
		{"argument", []string{"-root", dir, "x"}, exitUsage, `"x" is no flag`},
		{"unknown flag", []string{"-rot", dir}, exitUsage, "not defined: -rot"},
		{"help", []string{"-h"}, exitOK, "-token-file"},
		{"missing root", []string{"-root", filepath.Join(dir, "none")}, exitFailed, "none"},
		{"root is a file", []string{"-root", tokens}, exitFailed, "is not a folder"},
		{"missing token file", []string{"-root", dir, "-token-file", dir + "/none"}, exitFailed, "none"},
		{"three words", []string{"-root", dir, "-token-file", filepath.Join(files, "three")}, exitFailed, "line 1 has 3 words"},
		{"one word", []string{"-root", dir, "-token-file", filepath.Join(files, "one")}, exitFailed, "line 1 has 1 words"},
		{"bad owner", []string{"-root", dir, "-token-file", filepath.Join(files, "bad")}, exitFailed, `private owner "a/b"`},
		{"bad address", []string{"-root", dir, "-addr", "nonsense"}, exitFailed, "nonsense"},
		{"tokens for everybody", []string{"-root", dir, "-addr", "0.0.0.0:0", "-token-file", tokens}, exitFailed, "in the clear"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr bytes.Buffer
			code := run(t.Context(), tt.args, &stdout, &stderr)
			if code != tt.code || !strings.Contains(stderr.String(), tt.want) || stdout.Len() > 0 {
				t.Errorf("%d, stdout %q, stderr %q; want %d and %q", code, &stdout, &stderr, tt.code, tt.want)
			}
			if strings.Contains(stderr.String(), "top-secret") || strings.Contains(stderr.String(), "top secret") {
				t.Errorf("a token is shown: %q", &stderr)
			}
		})
	}
}

// Tokens are taken on any address when a proxy in front speaks TLS.
func TestBehindTLS(t *testing.T) {
	t.Parallel()
	tokens := filepath.Join(folder(t, map[string]string{"tokens": "team x\n"}), "tokens")
	r := start(t, "-root", folder(t, skills), "-token-file", tokens, "-behind-tls", "-addr", "0.0.0.0:0")
	_, port, _ := strings.Cut(strings.TrimPrefix(r.url, "http://"), "]:")
	if port == "" {
		_, port, _ = strings.Cut(strings.TrimPrefix(r.url, "http://"), ":")
	}
	if status, _ := get(t, "http://127.0.0.1:"+port+"/team/secret", "x"); status != 200 {
		t.Errorf("%d", status)
	}
}

func TestParseTokens(t *testing.T) {
	t.Parallel()
	got, err := parseTokens(strings.NewReader("\ufeff# c\r\nteam one\r\n  # c\n\n\tTeam\ttwo#3 \nteam four"))
	if diff := cmp.Diff(map[string][]string{"team": {"one", "four"}, "Team": {"two#3"}}, got); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	if _, err := parseTokens(strings.NewReader("team " + strings.Repeat("x", 1<<20))); err == nil || strings.Contains(fmt.Sprint(err), "xxx") {
		t.Errorf("an endless line: %v", err)
	}
}

// safeBuffer is a buffer that the program and the test use at once.
type safeBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
