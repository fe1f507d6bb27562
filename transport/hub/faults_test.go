package hub_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/hub"
	"github.com/atskills-go/atskills/transport/transporttest"
)

const skillText = "---\nname: x\ndescription: y\n---\n"

func discard(_ transport.Entry, r io.Reader) error {
	_, err := io.Copy(io.Discard, r)
	return err
}

// newFront serves handler and returns its address.
func newFront(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s.URL
}

func reply(w http.ResponseWriter, status int, kind, body string) {
	w.Header()["Content-Type"] = nil
	if kind != "" {
		w.Header().Set("Content-Type", kind)
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

// answering serves one answer to everything.
func answering(t *testing.T, status int, kind, body string, header ...string) string {
	t.Helper()
	return newFront(t, func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		reply(w, status, kind, body)
	})
}

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

// C4, H4: each fault is told apart, in words of its own, and names the hub that was asked.
func TestFaults(t *testing.T) {
	t.Parallel()
	tls := httptest.NewUnstartedServer(http.NotFoundHandler())
	tls.Config.ErrorLog = log.New(io.Discard, "", 0)
	tls.StartTLS()
	t.Cleanup(tls.Close)
	dropped := newFront(t, func(w http.ResponseWriter, _ *http.Request) {
		if c, _, err := http.NewResponseController(w).Hijack(); err == nil {
			_ = c.Close()
		}
	})
	short := answering(t, 200, "text/plain", skillText, "Content-Length", "1000")
	noDNS := dialing(&net.DNSError{Err: "no such host", Name: "hub.invalid", IsNotFound: true})
	var loop string
	loop = newFront(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, loop+"/again", http.StatusFound) })
	tests := []struct {
		name   string
		base   string
		client *http.Client
		kind   error
		cause  transport.Cause
		text   string
	}{
		{"dns", "http://hub.invalid", noDNS, transport.ErrUnreachable, transport.CauseDNS, "no such host"},
		{"refused", "http://hub.invalid", dialing(connectionRefused()), transport.ErrUnreachable, transport.CauseRefused, "refused"},
		{"certificate", tls.URL, nil, transport.ErrUnreachable, transport.CauseTLS, "certificate"},
		{"dropped", dropped, nil, transport.ErrUnreachable, transport.CauseNetwork, "EOF"},
		{"truncated", short, nil, transport.ErrProtocol, transport.CauseProtocol, "ended early"},
		{"500", answering(t, 500, "", ""), nil, transport.ErrUnreachable, transport.CauseServer, "status 500"},
		{"503", answering(t, 503, "text/plain", "out\x1b[2J of\n order"), nil, transport.ErrUnreachable, transport.CauseServer, "status 503: out[2J of order"},
		{"429", answering(t, 429, "", "", "Retry-After", "60"), nil, transport.ErrUnreachable, transport.CauseThrottle, "wait until 2026-03-04T12:01:00Z"},
		{"429 without when", answering(t, 429, "", ""), nil, transport.ErrUnreachable, transport.CauseThrottle, "status 429"},
		{"401", answering(t, 401, "", ""), nil, transport.ErrNoAccess, transport.CauseNoAccess, "wants a token"},
		{"403", answering(t, 403, "", ""), nil, transport.ErrNoAccess, transport.CauseNoAccess, "wants a token"},
		{"451", answering(t, 451, "", ""), nil, transport.ErrNoAccess, transport.CauseNoAccess, "status 451"},
		{"404", answering(t, 404, "", ""), nil, transport.ErrNotFound, transport.CauseNotFound, "missing or not yours"},
		{"410", answering(t, 410, "", ""), nil, transport.ErrNotFound, transport.CauseNotFound, "missing or not yours"},
		{"418", answering(t, 418, "", ""), nil, transport.ErrProtocol, transport.CauseProtocol, "status 418"},
		{"204", answering(t, 204, "", ""), nil, transport.ErrProtocol, transport.CauseProtocol, "status 204"},
		{"304 unasked", answering(t, 304, "", ""), nil, transport.ErrProtocol, transport.CauseProtocol, "status 304"},
		{"web page", answering(t, 200, "text/html; charset=utf-8", "<html>"), nil, transport.ErrProtocol, transport.CauseProtocol, "a web page (text/html) where a skill's text"},
		{"web page undeclared", answering(t, 200, "", "<!DOCTYPE html><html>"), nil, transport.ErrProtocol, transport.CauseProtocol, "a web page"},
		{"json", answering(t, 200, "application/json", "{}"), nil, transport.ErrProtocol, transport.CauseProtocol, `"application/json" where a skill's text`},
		{"empty", answering(t, 200, "text/plain", ""), nil, transport.ErrProtocol, transport.CauseProtocol, "the answer is empty"},
		{"encoding", answering(t, 200, "text/plain", "x", "Content-Encoding", "br"), nil, transport.ErrProtocol, transport.CauseProtocol, `encoded as "br"`},
		{"no gzip", answering(t, 200, "text/plain", "x", "Content-Encoding", "gzip"), nil, transport.ErrProtocol, transport.CauseProtocol, ""},
		{"redirect loop", loop, nil, transport.ErrUnreachable, transport.CauseRedirect, "more than 5 redirects"},
		{"redirect nowhere", answering(t, 302, "", ""), nil, transport.ErrUnreachable, transport.CauseRedirect, "without a usable address"},
		{"redirect to a file", answering(t, 302, "", "", "Location", "file:///etc/passwd"), nil, transport.ErrUnreachable, transport.CauseRedirect, "not followed"},
		{"redirect with userinfo", answering(t, 302, "", "", "Location", "http://me:pw@127.0.0.1/"), nil, transport.ErrUnreachable, transport.CauseRedirect, "not followed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := newClient(t, tt.base, func(o *hub.Options) { o.Client = tt.client })
			_, err := h.Head(t.Context(), id(t, "hub:o/n"))
			var e *transport.Error
			if !errors.As(err, &e) || !errors.Is(err, tt.kind) || e.Cause != tt.cause || e.URL != tt.base+"/o/n" {
				t.Fatalf("Head = %#v (%v), want %v and cause %q", e, err, tt.kind, tt.cause)
			}
			if !strings.Contains(err.Error(), tt.text) || strings.Contains(err.Error(), "\x1b") {
				t.Errorf("Head = %v, want %q in it", err, tt.text)
			}
		})
	}
}

// A text is taken whatever type a server gives to Markdown, even when it begins like a page.
func TestTypes(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"", "text/markdown; charset=utf-8", "text/plain", "application/octet-stream", "text/x-markdown", "bad type/;;"} {
		if _, err := newClient(t, answering(t, 200, kind, skillText)).Head(t.Context(), id(t, "hub:o/n")); err != nil {
			t.Errorf("%q: %v", kind, err)
		}
	}
	if _, err := newClient(t, answering(t, 200, "text/plain", "<html>")).Head(t.Context(), id(t, "hub:o/n")); err != nil {
		t.Error(err)
	}
}

// F6: a body past the limit is refused, whether declared, not declared or compressed, also when it has no end.
func TestLimits(t *testing.T) {
	t.Parallel()
	const most = 1 << 10
	endless := func(w http.ResponseWriter, unit []byte) {
		for {
			if _, err := w.Write(unit); err != nil {
				return
			}
		}
	}
	bomb := gzipped(make([]byte, 4<<20))
	tests := map[string]http.HandlerFunc{
		"declared": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", strconv.Itoa(1<<40))
			_, _ = io.WriteString(w, "x")
		},
		"endless": func(w http.ResponseWriter, _ *http.Request) { endless(w, make([]byte, 4<<10)) },
		"bomb": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(bomb)
		},
	}
	for name, handler := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newClient(t, newFront(t, handler), func(o *hub.Options) { o.Limits.AnswerBytes = most })
			_, err := h.Head(t.Context(), id(t, "hub:o/n"))
			var limit *transport.LimitError
			if !errors.As(err, &limit) || limit.Max != most || limit.Field != "AnswerBytes" {
				t.Errorf("Head = %v", err)
			}
		})
	}
	t.Run("compressed nothing", func(t *testing.T) {
		t.Parallel()
		var nothing bytes.Buffer
		if err := gzip.NewWriter(&nothing).Close(); err != nil {
			t.Fatal(err)
		}
		base := newFront(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			endless(w, nothing.Bytes())
		})
		_, err := newClient(t, base, func(o *hub.Options) { o.Limits.AnswerBytes = most }).Head(t.Context(), id(t, "hub:o/n"))
		if !errors.Is(err, transport.ErrProtocol) {
			t.Errorf("Head = %v", err)
		}
	})
}

// A hub that does not answer, or stops in the middle, does not hold anybody up.
func TestStalls(t *testing.T) {
	t.Parallel()
	hang := func(after string) string {
		return newFront(t, func(w http.ResponseWriter, r *http.Request) {
			if after != "" {
				_, _ = io.WriteString(w, after)
				_ = http.NewResponseController(w).Flush()
			}
			<-r.Context().Done()
		})
	}
	for name, base := range map[string]string{"silent": hang(""), "in the middle": hang("---\n")} {
		for field, change := range map[string]func(*hub.Options){
			"ProbeTimeout": func(o *hub.Options) { o.Limits.ProbeTimeout = 30 * time.Millisecond },
			"StallTimeout": func(o *hub.Options) { o.Limits.StallTimeout = 30 * time.Millisecond },
		} {
			_, err := newClient(t, base, change).Head(t.Context(), id(t, "hub:o/n"))
			var e *transport.Error
			if !errors.As(err, &e) || !errors.Is(err, transport.ErrUnreachable) || e.Cause != transport.CauseTimeout ||
				!strings.Contains(err.Error(), "Limits."+field) {
				t.Errorf("%s, %s: Head = %v", name, field, err)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
		defer cancel()
		if _, err := newClient(t, base).Head(ctx, id(t, "hub:o/n")); !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, transport.ErrUnreachable) {
			t.Errorf("%s: Head with a deadline = %v", name, err)
		}
	}
}

// dripping is a body that brings a little more than the least rate, for ever.
type dripping struct{ ctx context.Context }

func (d *dripping) Read(p []byte) (int, error) {
	select {
	case <-d.ctx.Done():
		return 0, d.ctx.Err()
	case <-time.After(150 * time.Millisecond):
		return copy(p, strings.Repeat(" ", 100)), nil
	}
}

func (d *dripping) Close() error { return nil }

// An answer that drips has an end: a probe that of a probe, and what is listed that of a stall.
func TestDrips(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		whole := ""
		h := newClient(t, "http://hub.example", func(o *hub.Options) {
			o.Limits.ProbeTimeout, o.Limits.StallTimeout = 10*time.Second, time.Minute
			o.Client = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
				head := http.Header{"Content-Type": {"text/markdown"}, "Etag": {`"e"`}}
				if r.URL.Query().Has("files") {
					head.Set("Content-Type", "application/json")
				}
				resp := &http.Response{StatusCode: 200, Header: head, ContentLength: -1, Request: r, Body: &dripping{ctx: r.Context()}}
				if r.URL.RequestURI() == whole {
					resp.Body = io.NopCloser(strings.NewReader(skillText))
				}
				return resp, nil
			})}
		})
		ends := func(what, field string, after time.Duration, call func() error) {
			t.Helper()
			start := time.Now()
			err := call()
			if took := time.Since(start); took != after || !errors.Is(err, transport.ErrUnreachable) || !strings.Contains(err.Error(), "Limits."+field) {
				t.Errorf("%s: %v after %v, want %v", what, err, took, after)
			}
		}
		ends("probe", "ProbeTimeout", 10*time.Second, func() error {
			_, err := h.Head(t.Context(), id(t, "hub:o/n"))
			return err
		})
		open := func() error {
			_, err := h.Open(t.Context(), "e", id(t, "hub:o/n"))
			return err
		}
		ends("SKILL.md", "StallTimeout", time.Minute, open)
		whole = "/o/n?rev=e"
		ends("listing", "StallTimeout", time.Minute, open)
	})
}

// failing answers the first n requests with a status.
func failing(t *testing.T, n, status int, header ...string) (base string, count func() int) {
	t.Helper()
	var mu sync.Mutex
	seen := 0
	base = newFront(t, func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		seen++
		bad := seen <= n
		mu.Unlock()
		if !bad {
			w.Header().Set("ETag", `"e"`)
			reply(w, 200, "text/plain", skillText)
			return
		}
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
	})
	return base, func() int {
		mu.Lock()
		defer mu.Unlock()
		return seen
	}
}

// A hub out of order, or one that asks to wait, is asked again, as long as the caller and the bound allow; no pause is
// begun that would pass either.
func TestRetries(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	date := now.Add(3 * time.Second).Format(http.TimeFormat)
	tests := []struct {
		name     string
		fails    int
		status   int
		after    string
		deadline time.Duration
		change   func(*hub.Options)
		requests int
		pauses   []time.Duration
		ok       bool
	}{
		{"once", 1, 503, "", 0, nil, 2, []time.Duration{250 * ms}, true},
		{"twice", 2, 502, "", 0, nil, 3, []time.Duration{250 * ms, 500 * ms}, true},
		{"always", 9, 500, "", 0, nil, 3, []time.Duration{250 * ms, 500 * ms}, false},
		{"never again", 9, 500, "", 0, func(o *hub.Options) { o.Retries = -1 }, 1, nil, false},
		{"more", 4, 504, "", 0, func(o *hub.Options) { o.Retries = 4 }, 5, []time.Duration{250 * ms, 500 * ms, 1000 * ms, 2000 * ms}, true},
		{"told when", 1, 429, "2", 0, nil, 2, []time.Duration{2 * time.Second}, true},
		{"told a date", 1, 429, date, 0, nil, 2, []time.Duration{3 * time.Second}, true},
		{"told 503", 1, 503, "1", 0, nil, 2, []time.Duration{time.Second}, true},
		{"at once", 1, 429, "0", 0, nil, 2, []time.Duration{0}, true},
		{"too long", 1, 429, "11", 0, nil, 1, nil, false},
		{"longer bound", 1, 429, "11", 0, func(o *hub.Options) { o.MaxWait = time.Minute }, 2, []time.Duration{11 * time.Second}, true},
		{"too long together", 9, 429, "6", 0, nil, 2, []time.Duration{6 * time.Second}, false},
		{"past the deadline", 1, 429, "9", 8 * time.Second, nil, 1, nil, false},
		{"absurd", 1, 429, "99999999999999999", 0, nil, 1, nil, false},
		{"not implemented", 1, 501, "", 0, nil, 1, nil, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			header := []string{"Retry-After", tt.after}
			if tt.after == "" {
				header = nil
			}
			base, count := failing(t, tt.fails, tt.status, header...)
			var pauses []time.Duration
			h := newClient(t, base, func(o *hub.Options) {
				o.Sleep = func(ctx context.Context, d time.Duration) error {
					pauses = append(pauses, d)
					return ctx.Err()
				}
				if tt.change != nil {
					tt.change(o)
				}
			})
			ctx := t.Context()
			if tt.deadline > 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, tt.deadline)
				defer cancel()
			}
			_, err := h.Head(ctx, id(t, "hub:o/n"))
			if (err == nil) != tt.ok || err != nil && !errors.Is(err, transport.ErrUnreachable) {
				t.Errorf("Head = %v", err)
			}
			if got := count(); got != tt.requests || len(pauses) != len(tt.pauses) {
				t.Fatalf("%d requests with pauses %v, want %d with %v", got, pauses, tt.requests, tt.pauses)
			}
			for i := range pauses {
				if pauses[i] != tt.pauses[i] {
					t.Errorf("pauses %v, want %v", pauses, tt.pauses)
				}
			}
		})
	}
}

// The end of the context ends a pause.
func TestCancelledPause(t *testing.T) {
	t.Parallel()
	base, count := failing(t, 1, 503, "Retry-After", "9")
	ctx, cancel := context.WithCancel(t.Context())
	h, err := hub.New(base, hub.Options{Client: &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		resp, err := http.DefaultTransport.RoundTrip(r)
		time.AfterFunc(time.Millisecond, cancel)
		return resp, err
	})}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Head(ctx, id(t, "hub:o/n")); !errors.Is(err, context.Canceled) || count() != 1 {
		t.Errorf("Head = %v after %d requests", err, count())
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// F6: a listing that is hostile, or not of the skill that was served, is refused in words of its own.
func TestBadListings(t *testing.T) {
	t.Parallel()
	sum := digest([]byte(skillText))
	own := `{"path":"SKILL.md","size":` + strconv.Itoa(len(skillText)) + `,"mode":"100644","sha256":"` + sum + `"}`
	file := func(path string) string {
		return `{"path":"` + path + `","size":1,"mode":"100644","sha256":"` + sum + `"}`
	}
	tests := map[string]struct {
		body string
		text string // "" for a good one
	}{
		"good":             {"[" + own + "]", ""},
		"no sizes":         {`[{"path":"SKILL.md","mode":"100644","sha256":"` + sum + `"}]`, ""},
		"object":           {own, "no JSON array"},
		"truncated":        {"[" + own, "ended early"},
		"malformed":        {"[" + own + ",}", "the listing: "},
		"empty":            {"[]", "lacks SKILL.md"},
		"without it":       {"[" + file("a") + "]", "lacks SKILL.md"},
		"other text":       {strings.Replace("["+own+"]", sum, digest(nil), 1), "another SKILL.md than the one it serves"},
		"other size":       {"[" + file("SKILL.md") + "]", "another SKILL.md than the one it serves"},
		"twice":            {"[" + own + "," + own + "]", "stands in it twice"},
		"file and folder":  {"[" + own + "," + file("a") + "," + file("a/b") + "]", "a file and a folder"},
		"folder and file":  {"[" + own + "," + file("a/b") + "," + file("a") + "]", "a file and a folder"},
		"dots":             {"[" + own + "," + file("../x") + "]", "hostile"},
		"absolute":         {"[" + own + "," + file("/x") + "]", "hostile"},
		"empty segment":    {"[" + own + "," + file("a//x") + "]", "hostile"},
		"no path":          {"[" + own + ",null]", "hostile"},
		"git":              {"[" + own + "," + file(".GIT/hooks/x") + "]", "stands for .git"},
		"mode":             {strings.Replace("["+own+"]", "100644", "120000", 1), "unknown mode"},
		"digest":           {strings.Replace("["+own+"]", sum, strings.ToUpper(sum), 1), "no SHA-256"},
		"negative":         {"[" + own + "," + strings.Replace(file("a"), ":1,", ":-1,", 1) + "]", "a size of -1"},
		"huge":             {"[" + own + "," + strings.Replace(file("a"), ":1,", ":1e99,", 1) + "]", "the listing: "},
		"too many":         {"[" + own + strings.Repeat(","+own, 20) + "]", "twice"},
		"entries":          {"[" + own + manyFiles(20, file) + "]", "Limits.Entries"},
		"too deep":         {"[" + own + "," + file(strings.Repeat("a/", 70)+"a") + "]", "Limits.Depth"},
		"long path":        {"[" + own + "," + file(strings.Repeat("a", 5000)) + "]", "Limits.PathBytes"},
		"too many bytes":   {"[" + own + "," + strings.Repeat(" ", 40<<10) + "]", "Limits.ListingBytes"},
		"something behind": {"[" + own + "]x", "follows the JSON array"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := newFront(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("ETag", `"e"`)
				if r.URL.RawQuery == "files" {
					reply(w, 200, "application/json", tt.body)
					return
				}
				reply(w, 200, "text/plain", skillText)
			})
			h := newClient(t, base, func(o *hub.Options) { o.Limits.Entries, o.Limits.ListingBytes = 16, 32<<10 })
			head, err := h.Head(t.Context(), id(t, "hub:o/n"))
			if err != nil {
				t.Fatal(err)
			}
			snap, err := h.Open(t.Context(), head.Revision, id(t, "hub:o/n"))
			if tt.text == "" {
				if err != nil {
					t.Fatal(err)
				}
				if err := snap.Close(); err != nil {
					t.Error(err)
				}
				return
			}
			var limit *transport.LimitError
			if snap != nil || err == nil || !strings.Contains(err.Error(), tt.text) ||
				!errors.As(err, &limit) && !errors.Is(err, transport.ErrProtocol) || !strings.Contains(err.Error(), base+"/o/n") {
				t.Errorf("Open = %v, want %q", err, tt.text)
			}
		})
	}
}

func manyFiles(n int, file func(string) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("," + file("f"+strconv.Itoa(i)))
	}
	return b.String()
}

// G7: names no id can hold are told apart and do not land.
func TestSkippedNames(t *testing.T) {
	t.Parallel()
	s := newServer(t, archive(t, deploy), habits{})
	_, err := s.up.Commit("hub:acme/deploy", time.Time{}, map[string]transporttest.File{"a\\b/x": {Body: "x"}, "c\x01": {Body: "x"}})
	if err != nil {
		t.Fatal(err)
	}
	_, tree, got := read(t, s.client(t), "hub:acme/deploy")
	if len(got) != 3 || len(tree.Skipped) != 2 || tree.Skipped[0] != "a\\b/x" || tree.Skipped[1] != "c\x01" {
		t.Errorf("skipped %q, bodies %q", tree.Skipped, got)
	}
}

// F6: a file that is not the one listed is never put, nor is one whose size passes a limit asked for.
func TestBadFiles(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		fault  func(w http.ResponseWriter)
		limits transport.Limits
		kind   error
		text   string
	}{
		"other bytes":  {func(w http.ResponseWriter) { _, _ = io.WriteString(w, "#!/bin/zh\n") }, transport.Limits{}, transport.ErrProtocol, "digest is not"},
		"fewer bytes":  {func(w http.ResponseWriter) { _, _ = io.WriteString(w, "#!") }, transport.Limits{}, transport.ErrProtocol, "has 2 bytes where the hub's listing says 10"},
		"gone":         {func(w http.ResponseWriter) { w.WriteHeader(404) }, transport.Limits{}, transport.ErrNoRevision, "does not serve it any more"},
		"denied":       {func(w http.ResponseWriter) { w.WriteHeader(403) }, transport.Limits{}, transport.ErrNoAccess, "wants a token"},
		"file limit":   {nil, transport.Limits{BlobBytes: 9}, nil, "Limits.BlobBytes"},
		"answer limit": {nil, transport.Limits{AnswerBytes: 60, BlobBytes: 5}, nil, "Limits.BlobBytes"},
		"fetch limit":  {nil, transport.Limits{FetchBytes: 62}, nil, "Limits.FetchBytes"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, archive(t, deploy), habits{})
			s.fault = func(w http.ResponseWriter, r *http.Request) bool {
				if tt.fault == nil || r.URL.Path != "/acme/deploy/run me.sh" {
					return false
				}
				tt.fault(w)
				return true
			}
			h := s.client(t, func(o *hub.Options) { o.Limits = tt.limits })
			head, err := h.Head(t.Context(), id(t, "hub:acme/deploy"))
			if err != nil {
				t.Fatal(err)
			}
			snap, err := h.Open(t.Context(), head.Revision, id(t, "hub:acme/deploy"))
			if err != nil {
				t.Fatal(err)
			}
			defer snap.Close()
			tree, err := snap.Tree(id(t, "hub:acme/deploy"))
			if err != nil {
				t.Fatal(err)
			}
			s.requests()
			err = snap.Fetch(t.Context(), tree.Entries, func(e transport.Entry, r io.Reader) error {
				if e.Path == "run me.sh" {
					t.Error("the bad file was put")
				}
				return discard(e, r)
			})
			var limit *transport.LimitError
			if tt.kind == nil && !errors.As(err, &limit) || tt.kind != nil && !errors.Is(err, tt.kind) || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("Fetch = %v, want %q", err, tt.text)
			}
			if log := s.requests(); tt.fault == nil && len(log) != 0 {
				t.Errorf("requests %q", log)
			}
		})
	}
}

// A closed snapshot says so.
func TestClosed(t *testing.T) {
	t.Parallel()
	s := newServer(t, archive(t, deploy), habits{})
	h := s.client(t)
	notes := id(t, "hub:acme/notes")
	head, err := h.Head(t.Context(), notes)
	if err != nil {
		t.Fatal(err)
	}
	snap, err := h.Open(t.Context(), head.Revision, notes, notes)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := snap.Tree(id(t, "hub:acme/deploy")); !errors.Is(err, transport.ErrNoPath) {
		t.Errorf("Tree of another id = %v", err)
	}
	if err := errors.Join(snap.Close(), snap.Close()); err != nil {
		t.Error(err)
	}
	if _, err := snap.Tree(notes); err == nil {
		t.Error("Tree of a closed snapshot succeeded")
	}
	if err := snap.Fetch(t.Context(), nil, discard); err == nil {
		t.Error("Fetch from a closed snapshot succeeded")
	}
}
