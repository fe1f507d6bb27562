package git_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/atskills-go/atskills/internal/gittest"
	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/git"
)

// dialing returns a client whose connections all fail with err. A port that was closed would not do to be refused: other
// tests' servers take it.
func dialing(err error) *http.Client {
	return &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: err}
	}}}
}

// connectionRefused is what this system says where nothing listens.
func connectionRefused() error {
	if runtime.GOOS == "windows" {
		return os.NewSyscallError("connectex", syscall.Errno(10061))
	}
	return os.NewSyscallError("connect", syscall.ECONNREFUSED)
}

// C4: what went wrong on the way is told apart.
func TestCauses(t *testing.T) {
	t.Parallel()
	tls := httptest.NewUnstartedServer(http.NotFoundHandler())
	tls.Config.ErrorLog = log.New(io.Discard, "", 0)
	tls.StartTLS()
	t.Cleanup(tls.Close)
	status := func(code int, header ...string) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for i := 0; i < len(header); i += 2 {
				w.Header().Set(header[i], header[i+1])
			}
			w.WriteHeader(code)
			_, _ = io.WriteString(w, "<html>")
		}))
		t.Cleanup(s.Close)
		return s.URL
	}
	dropped := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_ = c.Close()
		}
	}))
	t.Cleanup(dropped.Close)
	noDNS := dialing(&net.DNSError{Err: "no such host", Name: "git.invalid", IsNotFound: true})
	tests := []struct {
		name   string
		base   string
		client *http.Client
		kind   error
		cause  transport.Cause
	}{
		{"dns", "http://git.invalid", noDNS, transport.ErrUnreachable, transport.CauseDNS},
		{"refused", "http://git.invalid", dialing(connectionRefused()), transport.ErrUnreachable, transport.CauseRefused},
		{"certificate", tls.URL, nil, transport.ErrUnreachable, transport.CauseTLS},
		{"no tls", strings.Replace(status(200), "http:", "https:", 1), nil, transport.ErrUnreachable, transport.CauseTLS},
		{"500", status(500), nil, transport.ErrUnreachable, transport.CauseServer},
		{"503", status(503), nil, transport.ErrUnreachable, transport.CauseServer},
		{"429", status(429, "Retry-After", "60"), nil, transport.ErrUnreachable, transport.CauseThrottle},
		{"403 with rate limit", status(403, "X-RateLimit-Remaining", "0"), nil, transport.ErrUnreachable, transport.CauseThrottle},
		{"418", status(418), nil, transport.ErrProtocol, transport.CauseProtocol},
		{"a web page", status(200, "Content-Type", "text/html"), nil, transport.ErrProtocol, transport.CauseProtocol},
		{"dropped", dropped.URL, nil, transport.ErrUnreachable, transport.CauseNetwork},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := git.New(git.Options{BaseURL: tt.base, Client: tt.client}).Head(t.Context(), id(t, "gh:o/r"))
			var e *transport.Error
			if !errors.As(err, &e) || !errors.Is(err, tt.kind) || e.Cause != tt.cause || e.URL != tt.base+"/o/r" {
				t.Errorf("Head = %#v (%v), want %v and cause %q", e, err, tt.kind, tt.cause)
			}
		})
	}
}

// C4: a fault of this machine's disk says nothing about upstream.
func TestLocalFault(t *testing.T) {
	s, repo := upstream(t)
	noise := lcg(1)
	commit := repo.Commit("main", gittest.Text(map[string]string{"big": noise(9 << 20)}))
	snap := open(t, git.New(git.Options{BaseURL: s.URL}), commit, "gh:o/r")
	entries := tree(t, snap, "gh:o/r").Entries
	gone := filepath.Join(t.TempDir(), "gone")
	for _, key := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(key, gone)
	}
	err := snap.Fetch(t.Context(), entries, nil)
	var e *transport.Error
	if !errors.Is(err, fs.ErrNotExist) || errors.As(err, &e) || !strings.Contains(err.Error(), "fetch "+s.URL) {
		t.Errorf("Fetch without room for a large file = %v, want the disk's own error", err)
	}
}

// F6, X5: what net/http repeats of an answer is one short line, and its error is still there to be matched.
func TestLongAnswers(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 900<<10)
	for name, answer := range map[string]func(http.ResponseWriter){
		"location": func(w http.ResponseWriter) {
			w.Header().Set("Location", "http://[::1/"+long)
			w.WriteHeader(http.StatusTemporaryRedirect)
		},
		"address": func(w http.ResponseWriter) {
			w.Header().Set("Location", "/"+long)
			w.WriteHeader(http.StatusTemporaryRedirect)
		},
		"garbage": func(w http.ResponseWriter) {
			if c, _, err := http.NewResponseController(w).Hijack(); err == nil {
				_, _ = io.WriteString(c, strings.Repeat("\x1b[31mEVIL", 10_000)+"\r\n\r\n")
				_ = c.Close()
			}
		},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { answer(w) }))
		_, err := git.New(git.Options{BaseURL: s.URL}).Head(t.Context(), id(t, "gh:o/r"))
		s.Close()
		if !errors.Is(err, transport.ErrUnreachable) || len(err.Error()) > 4000 || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%s: Head = %.300q (%d bytes), want a short ErrUnreachable", name, err, len(err.Error()))
		}
	}
	odd := &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
		return nil, fmt.Errorf("%s\x1b: %w", long, fs.ErrInvalid)
	})}
	_, err := git.New(git.Options{Client: odd}).Head(t.Context(), id(t, "gh:o/r"))
	if !errors.Is(err, fs.ErrInvalid) || len(err.Error()) > 4000 || strings.Contains(err.Error(), "\x1b") {
		t.Errorf("Head = %.300q, want a short error that matches the client's", err)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// The end of the caller's context is the caller's: cancelled is no outage, a deadline is a timeout.
func TestContext(t *testing.T) {
	t.Parallel()
	reached := make(chan struct{}, 10)
	done := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reached <- struct{}{}
		<-done
	}))
	defer s.Close()
	defer close(done)
	tr := git.New(git.Options{BaseURL: s.URL})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-reached
		cancel()
	}()
	_, err := tr.Head(ctx, id(t, "gh:o/r"))
	if !errors.Is(err, context.Canceled) || errors.Is(err, transport.ErrUnreachable) {
		t.Errorf("Head = %v, want Canceled alone", err)
	}
	ctx, cancel = context.WithTimeout(t.Context(), 1)
	defer cancel()
	_, err = tr.Head(ctx, id(t, "gh:o/r"))
	var e *transport.Error
	if !errors.As(err, &e) || e.Cause != transport.CauseTimeout || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Head = %v, want a timeout", err)
	}
}

// The error of put stops a fetch and is returned as it is.
func TestPutError(t *testing.T) {
	t.Parallel()
	s, repo := upstream(t)
	snap := open(t, git.New(git.Options{BaseURL: s.URL}), repo.Commit("main", oneSkill), "gh:o/r")
	stop := errors.New("disk full")
	calls := 0
	err := snap.Fetch(t.Context(), tree(t, snap, "gh:o/r").Entries, func(transport.Entry, io.Reader) error {
		calls++
		return stop
	})
	if !errors.Is(err, stop) || calls != 1 {
		t.Errorf("Fetch = %v after %d calls, want put's error after one", err, calls)
	}
	if err := snap.Fetch(t.Context(), []transport.Entry{{Path: "x", Mode: transport.Submodule}}, nil); err == nil {
		t.Error("a submodule was fetched")
	}
}

// A closed snapshot says so.
func TestClosedSnapshot(t *testing.T) {
	t.Parallel()
	s, repo := upstream(t)
	snap := open(t, git.New(git.Options{BaseURL: s.URL}), repo.Commit("main", oneSkill), "gh:o/r")
	if err := snap.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := snap.Tree(id(t, "gh:o/r")); err == nil {
		t.Error("Tree of a closed snapshot succeeded")
	}
	if err := snap.Fetch(t.Context(), nil, nil); err == nil {
		t.Error("Fetch of a closed snapshot succeeded")
	}
}

// The default client goes through the proxy of the environment, which is read once a process, so that
// this test runs itself again.
func TestProxyFromEnvironment(t *testing.T) {
	if os.Getenv("ATSKILLS_TEST_PROXY_CHILD") != "" {
		_, err := git.New(git.Options{BaseURL: "http://git.invalid"}).Head(t.Context(), id(t, "gh:o/r"))
		if !errors.Is(err, transport.ErrNotFound) {
			t.Errorf("Head = %v, want the proxy's answer", err)
		}
		return
	}
	t.Parallel()
	asked := make(chan string, 10)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.URL.Host
		w.WriteHeader(http.StatusNotFound)
	}))
	defer proxy.Close()
	cmd := exec.Command(os.Args[0], "-test.run=^TestProxyFromEnvironment$")
	cmd.Env = append(os.Environ(), "ATSKILLS_TEST_PROXY_CHILD=1", "HTTP_PROXY="+proxy.URL, "http_proxy="+proxy.URL, "NO_PROXY=", "no_proxy=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got := <-asked; got != "git.invalid" {
		t.Errorf("the proxy was asked for %q", got)
	}
}
