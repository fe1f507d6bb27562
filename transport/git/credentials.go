package git

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/atskills-go/atskills/internal/remote"
)

// Credential is a user name and a password or token. Every way of printing one hides both (X5).
type Credential struct{ Username, Password string }

// String returns the same text for every credential.
func (Credential) String() string { return "[credential]" }

// Format writes the same text for every credential, whatever the verb.
func (c Credential) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(c.String())) }

// LogValue returns the same value for every credential.
func (c Credential) LogValue() slog.Value { return slog.StringValue(c.String()) }

// MarshalJSON writes the same text for every credential.
func (c Credential) MarshalJSON() ([]byte, error) { return []byte(`"[credential]"`), nil }

// CredentialFunc yields the credentials to try for address, a URL without userinfo, best first. It is called when a
// server wants some; the next is drawn only after the server rejected the one before, and each is tried once. A
// yielded error is a source that failed, which is reported only when nothing else works. It must end when ctx does,
// and may be called from several goroutines.
type CredentialFunc func(ctx context.Context, address *url.URL) iter.Seq2[Credential, error]

// hostAuth is what is known about one host's taste in credentials.
type hostAuth struct {
	turn chan struct{} // held while credentials are looked up, so that ten probes start one helper

	mu   sync.Mutex
	good *Credential         // accepted before
	bad  map[Credential]bool // answered 401: never sent again
	sent map[Credential]bool // ever, whatever the answer was
}

func (t *Transport) host(u *url.URL) *hostAuth {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := remote.HostKey(u)
	h := t.hosts[key]
	if h == nil {
		h = &hostAuth{turn: make(chan struct{}, 1), bad: map[Credential]bool{}, sent: map[Credential]bool{}}
		t.hosts[key] = h
	}
	return h
}

func (h *hostAuth) remembered() *Credential {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.good
}

func (h *hostAuth) isBad(c Credential) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.bad[c]
}

// judge records what a host answered to c.
func (h *hostAuth) judge(c Credential, status int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case !denied(status):
		h.good = &c
	case status == http.StatusUnauthorized:
		h.bad[c] = true
		if h.good != nil && *h.good == c {
			h.good = nil
		}
	}
}

// reply is an answer and what credentials had to do with it.
type reply struct {
	*http.Response
	tried     bool  // credentials were sent
	plain     bool  // credentials were not looked for, because the connection is not encrypted
	sourceErr error // the first source of credentials that failed
}

func denied(status int) bool {
	return status == http.StatusUnauthorized || status == http.StatusForbidden || status == http.StatusNotFound
}

// send sends a request, with credentials only where this repository is known to want them, and again with those that
// are found when the server turns it down.
func (t *Transport) send(ctx context.Context, ep *endpoint, method string, u url.URL, body []byte) (*reply, error) {
	h := t.host(&u)
	var first *Credential
	if ep.wantsAuth(&u) {
		first = h.remembered()
	}
	resp, err := t.once(ctx, method, u, body, first)
	if err != nil {
		return nil, err
	}
	r := &reply{Response: resp, tried: first != nil}
	if first != nil {
		h.judge(*first, resp.StatusCode)
	}
	if !denied(resp.StatusCode) {
		return r, nil
	}
	if !remote.MayCarrySecrets(&u) {
		r.plain = true
		return r, nil
	}
	return r, t.retry(ctx, ep, h, r, first, func(c *Credential) (*http.Response, error) {
		return t.once(ctx, method, u, body, c)
	}, &u)
}

// retry repeats a request that was turned down with one credential after the other, until one is taken. The last
// answer is left in r.
func (t *Transport) retry(ctx context.Context, ep *endpoint, h *hostAuth, r *reply, first *Credential,
	again func(*Credential) (*http.Response, error), u *url.URL) error {
	select {
	case h.turn <- struct{}{}:
		defer func() { <-h.turn }()
	case <-ctx.Done():
		remote.Drain(r.Body)
		return context.Cause(ctx)
	}
	tried := map[Credential]bool{}
	if first != nil {
		tried[*first] = true
	}
	for c, err := range t.candidates(ctx, ep, h, u) {
		if err != nil {
			if r.sourceErr == nil {
				r.sourceErr = err
			}
			continue
		}
		if tried[c] || h.isBad(c) {
			continue
		}
		tried[c] = true
		resp, err := again(&c)
		if err != nil {
			remote.Drain(r.Body)
			return err
		}
		remote.Drain(r.Body)
		r.Response, r.tried = resp, true
		h.judge(c, resp.StatusCode)
		if !denied(resp.StatusCode) {
			ep.setWantsAuth(u)
			return nil
		}
	}
	return nil
}

// candidates yields what the address itself carried, what the host took before, and what the sources have.
func (t *Transport) candidates(ctx context.Context, ep *endpoint, h *hostAuth, u *url.URL) iter.Seq2[Credential, error] {
	return func(yield func(Credential, error) bool) {
		if c := ep.ownCredential(u); c != nil && !yield(*c, nil) {
			return
		}
		if c := h.remembered(); c != nil && !yield(*c, nil) {
			return
		}
		address := *u
		address.Path = strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"+service), infoRefs)
		address.RawPath, address.RawQuery = "", ""
		for c, err := range t.opts.Credentials(ctx, &address) {
			if !yield(c, err) {
				return
			}
		}
	}
}

func (ep *endpoint) wantsAuth(u *url.URL) bool {
	ep.mu.Lock()
	defer ep.mu.Unlock()
	return ep.authHost == remote.HostKey(u)
}

func (ep *endpoint) setWantsAuth(u *url.URL) {
	ep.mu.Lock()
	defer ep.mu.Unlock()
	ep.authHost = remote.HostKey(u)
}

// ownCredential returns what the configured address carried, for its own host only.
func (ep *endpoint) ownCredential(u *url.URL) *Credential {
	ep.mu.Lock()
	defer ep.mu.Unlock()
	if ep.userinfo == nil || ep.ownHost != remote.HostKey(u) {
		return nil
	}
	return ep.userinfo
}

// DefaultCredentials returns the user's own credentials, in this order: GH_TOKEN, then GITHUB_TOKEN, for github.com
// only; the entry for the host in the netrc file ($NETRC or ~/.netrc); what `git credential fill` answers without
// asking anybody. An entry "default" of a netrc file is not used: it names no host.
func DefaultCredentials(h Host) CredentialFunc {
	return func(ctx context.Context, address *url.URL) iter.Seq2[Credential, error] {
		return func(yield func(Credential, error) bool) {
			_ = h.tokens(address, yield) && h.netrc(address, yield) && h.helper(ctx, address, yield)
		}
	}
}

func (h Host) tokens(address *url.URL, yield func(Credential, error) bool) bool {
	if remote.HostKey(address) != "https://github.com" {
		return true
	}
	for _, key := range []string{"GH_TOKEN", "GITHUB_TOKEN"} {
		token := strings.TrimSpace(h.getenv(key))
		if token != "" && !yield(Credential{"x-access-token", token}, nil) {
			return false
		}
	}
	return true
}
