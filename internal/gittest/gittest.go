// Package gittest serves real repositories, made by the git binary, through the real git http-backend on a loopback
// address. Tests that use it are skipped where git is missing.
package gittest

import (
	"bytes"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Git returns the path of the git binary, and skips the test where there is none.
func Git(t testing.TB) string {
	t.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("skipped: no git binary")
	}
	return git
}

// Server serves the bare repositories below Root under their path: Root/o/r is <URL>/o/r.
type Server struct {
	*httptest.Server
	Root string

	mu      sync.Mutex
	front   func(w http.ResponseWriter, r *http.Request) bool
	v0      bool
	log     []Request
	accepts int
}

// Request is one request that was served.
type Request struct {
	Method, Path  string
	Body          string
	Authorization string
	Protocol      string // the Git-Protocol header
	Bytes         int    // of the answer's body
}

// NewServer starts a server. It is closed when the test ends.
func NewServer(t testing.TB) *Server {
	t.Helper()
	s := &Server{Root: t.TempDir()}
	handler := &cgi.Handler{
		Path: Git(t),
		Args: []string{"http-backend"},
		Dir:  s.Root,
		Env: []string{
			"GIT_PROJECT_ROOT=" + s.Root, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_NOSYSTEM=1",
			"GIT_CONFIG_GLOBAL=" + os.DevNull, "HOME=" + s.Root,
		},
		Stderr: io.Discard,
		Logger: log.New(io.Discard, "", 0), // clients that hang up are part of the tests
	}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.serve(handler, w, r)
	}))
	s.Server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			s.mu.Lock()
			s.accepts++
			s.mu.Unlock()
		}
	}
	s.Server.Start()
	t.Cleanup(s.Server.Close)
	return s
}

func (s *Server) serve(backend http.Handler, w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	cw := &countingWriter{ResponseWriter: w}
	s.mu.Lock()
	front, v0 := s.front, s.v0
	s.mu.Unlock()
	protocol := r.Header.Get("Git-Protocol")
	if front == nil || !front(cw, r) {
		r.Body = io.NopCloser(bytes.NewReader(body))
		if v0 {
			r.Header.Del("Git-Protocol")
		}
		backend.ServeHTTP(cw, r)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, Request{r.Method, r.URL.RequestURI(), string(body), r.Header.Get("Authorization"), protocol, cw.n})
}

// Front puts f in front of the backend: a request for which it returns true has been answered. nil removes it.
func (s *Server) Front(f func(w http.ResponseWriter, r *http.Request) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.front = f
}

// OnlyV0 makes the server speak protocol v0 whatever is asked for.
func (s *Server) OnlyV0() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.v0 = true
}

// TakeLog returns the requests served since the last call.
func (s *Server) TakeLog() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	log := s.log
	s.log = nil
	return log
}

// Connections returns how many connections were accepted.
func (s *Server) Connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.accepts
}

type countingWriter struct {
	http.ResponseWriter
	n int
}

func (w *countingWriter) Write(p []byte) (int, error) {
	n, err := w.ResponseWriter.Write(p)
	w.n += n
	return n, err
}

// Unwrap lets http.ResponseController reach the writer below.
func (w *countingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Repo is a bare repository.
type Repo struct {
	t   testing.TB
	Dir string
	git string
}

// NewRepo makes a bare repository at root/name, with branch main, that allows filters and wants by any hash.
func NewRepo(t testing.TB, root, name string, initArgs ...string) *Repo {
	t.Helper()
	r := &Repo{t: t, Dir: filepath.Join(root, filepath.FromSlash(name)), git: Git(t)}
	if err := os.MkdirAll(r.Dir, 0o777); err != nil {
		t.Fatal(err)
	}
	r.Run(append([]string{"init", "-q", "--bare", "-b", "main"}, initArgs...)...)
	r.Run("config", "uploadpack.allowFilter", "true")
	r.Run("config", "uploadpack.allowAnySHA1InWant", "true")
	return r
}

// Run runs git in the repository and returns what it printed, without white space around it.
func (r *Repo) Run(args ...string) string {
	r.t.Helper()
	return r.Input("", args...)
}

// Input is Run with a standard input.
func (r *Repo) Input(stdin string, args ...string) string {
	r.t.Helper()
	cmd := exec.Command(r.git, args...)
	cmd.Dir = r.Dir
	cmd.Env = append(os.Environ(),
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_TERMINAL_PROMPT=0",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_AUTHOR_DATE=2024-01-02T03:04:05Z",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com", "GIT_COMMITTER_DATE=2024-01-02T03:04:05Z")
	cmd.Stdin = strings.NewReader(stdin)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, stderr.String())
	}
	return strings.TrimSpace(string(out))
}

// File is what [Repo.Commit] stores under a path.
type File struct {
	Mode string // "100755", "120000", "160000"; "" is "100644"
	Body string // of a submodule, the 40-hex commit
}

// Commit makes files, by slash-separated path, the whole content of branch, on top of what branch holds, and returns
// the commit's hash.
func (r *Repo) Commit(branch string, files map[string]File) string {
	r.t.Helper()
	var in strings.Builder
	in.WriteString("commit refs/heads/" + branch + "\ncommitter a <a@example.com> 1704164645 +0000\ndata 1\nm\n")
	if r.Run("for-each-ref", "refs/heads/"+branch) != "" {
		in.WriteString("from refs/heads/" + branch + "^0\n")
	}
	in.WriteString("deleteall\n")
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f := files[name]
		mode := f.Mode
		if mode == "" {
			mode = "100644"
		}
		if mode == "160000" {
			in.WriteString("M 160000 " + f.Body + " " + name + "\n")
			continue
		}
		in.WriteString("M " + mode + " inline " + name + "\ndata " + strconv.Itoa(len(f.Body)) + "\n" + f.Body + "\n")
	}
	r.Input(in.String(), "fast-import", "--quiet", "--force", "--date-format=raw")
	return r.Run("rev-parse", "refs/heads/"+branch)
}

// Text returns files of mode 100644.
func Text(files map[string]string) map[string]File {
	out := make(map[string]File, len(files))
	for name, body := range files {
		out[name] = File{Body: body}
	}
	return out
}
