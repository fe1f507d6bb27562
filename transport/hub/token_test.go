package hub_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/hub"
)

const secret = "hunter2/secret+token"

func withToken(token string) func(*hub.Options) {
	return func(o *hub.Options) { o.Token = func(context.Context) (string, error) { return token, nil } }
}

// H4: the token is asked for on each request, so that one that expires is replaced.
func TestTokenPerRequest(t *testing.T) {
	t.Parallel()
	s := newServer(t, archive(t, deploy), habits{})
	var mu sync.Mutex
	calls := 0
	s.token = secret
	h := s.client(t, func(o *hub.Options) {
		o.Token = func(context.Context) (string, error) {
			mu.Lock()
			defer mu.Unlock()
			calls++
			return secret + "\n", nil
		}
	})
	read(t, h, "hub:acme/deploy")
	if log := s.requests(); calls != len(log) || len(log) != 4 {
		t.Errorf("%d calls for %q", calls, log)
	}
}

// H4, X5: a no says what it may mean, with and without a token, and repeats no token that the hub repeats.
func TestDenials(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		status   int
		token    string
		kind     error
		has, not string
	}{
		{404, "", transport.ErrNotFound, "missing or not yours", "this token"},
		{404, secret, transport.ErrNotFound, "missing, or this token may not see it", "not yours"},
		{401, "", transport.ErrNoAccess, "the hub wants a token", "refuses"},
		{401, secret, transport.ErrNoAccess, "the hub refuses this token", "wants"},
		{403, secret, transport.ErrNoAccess, "the hub refuses this token", "wants"},
	} {
		base := newFront(t, func(w http.ResponseWriter, r *http.Request) {
			reply(w, tt.status, "text/plain", "no: "+r.Header.Get("Authorization"))
		})
		_, err := newClient(t, base, withToken(tt.token)).Head(t.Context(), id(t, "hub:o/n"))
		if !errors.Is(err, tt.kind) || !strings.Contains(err.Error(), tt.has) || strings.Contains(err.Error(), tt.not) ||
			!strings.Contains(err.Error(), base) {
			t.Errorf("%d with token %q: %v", tt.status, tt.token, err)
		}
		if strings.Contains(fmt.Sprintf("%v %+v", err, err), secret) {
			t.Errorf("the token stands in %v", err)
		}
	}
}

// X5: what is no HTTP, and repeats the token, is repeated without it; so is a revision.
func TestTokenRepeated(t *testing.T) {
	t.Parallel()
	raw := newFront(t, func(w http.ResponseWriter, r *http.Request) {
		if c, buf, err := http.NewResponseController(w).Hijack(); err == nil {
			_, _ = buf.WriteString("HTTP/1.1 abc " + r.Header.Get("Authorization") + "\r\n\r\n")
			_ = buf.Flush()
			_ = c.Close()
		}
	})
	_, err := newClient(t, raw, withToken(secret)).Head(t.Context(), id(t, "hub:o/n"))
	if err == nil || strings.Contains(err.Error(), secret) {
		t.Errorf("Head = %v", err)
	}
	tag := newFront(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"`+strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")+`"`)
		reply(w, 200, "text/plain", skillText)
	})
	head, err := newClient(t, tag, withToken(secret)).Head(t.Context(), id(t, "hub:o/n"))
	if err != nil || strings.Contains(string(head.Revision), secret) {
		t.Errorf("Head = %+v, %v", head, err)
	}
}

// X5: a hub passes the token on by a redirect; neither an error nor a revision repeats what comes back from there.
func TestTokenRedirected(t *testing.T) {
	t.Parallel()
	const token = "t0k3n-of-mine"
	other := newFront(t, func(w http.ResponseWriter, r *http.Request) {
		got := r.URL.Query().Get("t")
		if r.URL.Path == "/denied" {
			reply(w, 403, "text/plain", "no: "+got)
			return
		}
		w.Header().Set("ETag", `"`+got+`"`)
		reply(w, 200, "text/plain", skillText)
	})
	base := newFront(t, func(w http.ResponseWriter, r *http.Request) {
		got := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		switch r.URL.Path {
		case "/o/name":
			http.Redirect(w, r, "http://"+got+".invalid:1/?t="+got, http.StatusFound)
		case "/o/header":
			if c, buf, err := http.NewResponseController(w).Hijack(); err == nil {
				_, _ = buf.WriteString("HTTP/1.1 200 OK\r\nX: \x01" + got + "\r\n\r\n")
				_ = buf.Flush()
				_ = c.Close()
			}
		default:
			http.Redirect(w, r, other+strings.TrimPrefix(r.URL.Path, "/o")+"?t="+got, http.StatusFound)
		}
	})
	noDNS := &http.Transport{DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		if host, _, _ := net.SplitHostPort(addr); strings.HasSuffix(host, ".invalid") {
			return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
		}
		var d net.Dialer
		return d.DialContext(ctx, network, addr)
	}}
	t.Cleanup(noDNS.CloseIdleConnections)
	h := newClient(t, base, withToken(token), func(o *hub.Options) { o.Client = &http.Client{Transport: noDNS} })
	for name, kind := range map[string]error{"name": transport.ErrUnreachable, "header": transport.ErrUnreachable, "denied": transport.ErrNoAccess} {
		if _, err := h.Head(t.Context(), id(t, "hub:o/"+name)); !errors.Is(err, kind) || strings.Contains(err.Error(), token) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if head, err := h.Head(t.Context(), id(t, "hub:o/tag")); err != nil || strings.Contains(string(head.Revision), token) {
		t.Errorf("tag: %+v, %v", head, err)
	}
}

// A token that cannot be had, or sent, fails before anything is asked, and is not repeated.
func TestBadTokens(t *testing.T) {
	t.Parallel()
	s := newServer(t, archive(t, deploy), habits{})
	locked := errors.New("the keychain is locked")
	for name, token := range map[string]func(context.Context) (string, error){
		"locked":       func(context.Context) (string, error) { return "", locked },
		"a line break": func(context.Context) (string, error) { return "hunter2\r\nX: y", nil },
		"a space":      func(context.Context) (string, error) { return "hunter2 x", nil },
	} {
		_, err := s.client(t, func(o *hub.Options) { o.Token = token }).Head(t.Context(), id(t, "hub:acme/notes"))
		if !errors.Is(err, transport.ErrUnreachable) || strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "token") {
			t.Errorf("%s: Head = %v", name, err)
		}
		if name == "locked" && !errors.Is(err, locked) {
			t.Errorf("%s: Head = %v", name, err)
		}
	}
	if log := s.requests(); len(log) != 0 {
		t.Errorf("requests %q", log)
	}
}

// H6: a redirect to another host, which another port is, is followed without the token; one on the same host keeps it. An
// error names who answered.
func TestRedirects(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var tokens []string
	note := func(where string, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		tokens = append(tokens, where+r.Header.Get("Authorization"))
	}
	other := newFront(t, func(w http.ResponseWriter, r *http.Request) {
		note("other ", r)
		w.Header().Set("ETag", `"e"`)
		if r.URL.Path == "/page" {
			reply(w, 200, "text/html", "<html>")
			return
		}
		reply(w, 200, "text/plain", skillText)
	})
	base := newFront(t, func(w http.ResponseWriter, r *http.Request) {
		note("base ", r)
		w.Header().Set("ETag", `"e"`)
		switch r.URL.Path {
		case "/o/moved":
			http.Redirect(w, r, "/o/here", http.StatusMovedPermanently)
		case "/o/away":
			http.Redirect(w, r, other+"/x", http.StatusFound)
		case "/o/login":
			http.Redirect(w, r, other+"/page", http.StatusFound)
		default:
			reply(w, 200, "text/plain", skillText)
		}
	})
	for name, want := range map[string]string{
		"moved": "base Bearer t0k3n base Bearer t0k3n",
		"away":  "base Bearer t0k3n other ",
		"login": "base Bearer t0k3n other ",
	} {
		tokens = nil
		_, err := newClient(t, base, withToken("t0k3n")).Head(t.Context(), id(t, "hub:o/"+name))
		if got := strings.Join(tokens, " "); got != want {
			t.Errorf("%s: sent %q, want %q", name, got, want)
		}
		if name != "login" && err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if name == "login" && (!errors.Is(err, transport.ErrProtocol) || !strings.Contains(err.Error(), other) ||
			!strings.Contains(err.Error(), base+"/o/login")) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// H4: a no of another host is that host's, and no token is recommended that would not be sent.
func TestDeniedElsewhere(t *testing.T) {
	t.Parallel()
	other := newFront(t, http.NotFound)
	base := newFront(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other+r.URL.Path, http.StatusFound)
	})
	_, err := newClient(t, base).Head(t.Context(), id(t, "hub:o/n"))
	if !errors.Is(err, transport.ErrNotFound) || !strings.Contains(err.Error(), "missing or not yours: answered by "+other) ||
		strings.Contains(err.Error(), "check the owner and the name; to read what is private, configure a token for this hub, where its address is set") {
		t.Errorf("Head = %v", err)
	}
}

// H6: over plain http a token is sent to this machine alone; elsewhere the request is refused, and says why. Without a
// token it goes out.
func TestPlainHTTP(t *testing.T) {
	t.Parallel()
	sent := 0
	client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		sent++
		return nil, errors.New("no network here")
	})}
	set := func(o *hub.Options) { o.Client = client }
	for base, want := range map[string]int{
		"http://hub.example": 0, "http://127.0.0.1.evil.example": 0, "http://10.0.0.1": 0,
		"https://hub.example": 1, "http://localhost:1": 1, "http://[::1]:1": 1, "http://127.0.0.1:1": 1,
	} {
		sent = 0
		_, err := newClient(t, base, set, withToken(secret)).Head(t.Context(), id(t, "hub:o/n"))
		if err == nil || sent != want || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: %d requests, %v", base, sent, err)
		}
		refused := errors.Is(err, transport.ErrNoAccess) && strings.Contains(err.Error(), "not sent over plain http") && strings.Contains(err.Error(), "https")
		if refused != (want == 0) {
			t.Errorf("%s: %v", base, err)
		}
	}
	sent = 0
	if _, err := newClient(t, "http://hub.example", set, withToken("")).Head(t.Context(), id(t, "hub:o/n")); !errors.Is(err, transport.ErrUnreachable) || sent != 1 {
		t.Errorf("without a token: %d requests, %v", sent, err)
	}
}
