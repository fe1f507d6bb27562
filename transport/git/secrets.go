package git

import (
	"cmp"
	"encoding/base64"
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/atskills-go/atskills/internal/gitwire"
	"github.com/atskills-go/atskills/internal/remote"
	"github.com/atskills-go/atskills/transport"
)

// fit makes what err says fit to be shown: servers put their own words, and those of the request, into answers that
// net/http and go-git repeat at any length. Nothing that was sent as a secret is left (X5).
func (t *Transport) fit(err error) error {
	var e *transport.Error
	if !errors.As(err, &e) {
		return err
	}
	secrets := t.secrets()
	e.URL, e.Hint = remote.Scrub(e.URL, secrets), remote.Scrub(e.Hint, secrets)
	if e.Err == nil {
		return err
	}
	var status *statusError
	if errors.As(e.Err, &status) {
		status.text, status.after = remote.Scrub(status.text, secrets), remote.Scrub(status.after, secrets)
	}
	var said *gitwire.RemoteError
	if errors.As(e.Err, &said) {
		said.Text = remote.Scrub(said.Text, secrets)
	}
	e.Err = remote.Reword(e.Err, secrets)
	return err
}

// noteSent remembers that c went out to a host.
func (h *hostAuth) noteSent(c Credential) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sent[c] = true
}

// secrets returns what a server may repeat of the credentials that were sent, the longest first.
func (t *Transport) secrets() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []string
	for _, h := range t.hosts {
		h.mu.Lock()
		for c := range h.sent {
			all = append(all, c.spellings()...)
		}
		h.mu.Unlock()
	}
	slices.SortFunc(all, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b))
	})
	return slices.Compact(all)
}

// spellings returns the forms in which c travels and is repeated. A short user name is a name and none of the tokens
// that some hosts take in its place; what is shorter than minSecret hides nothing and is found in every text.
func (c Credential) spellings() []string {
	const minSecret, minToken = 4, 12
	var out []string
	add := func(s string) {
		for _, s := range []string{s, remote.CleanTo(s, len(s)), url.QueryEscape(s), url.PathEscape(s)} {
			if len(s) >= minSecret {
				out = append(out, s)
			}
		}
	}
	add(c.Password)
	if len(c.Username) >= minToken || c.Password == "" {
		add(c.Username)
	}
	basic := base64.StdEncoding.EncodeToString([]byte(c.Username + ":" + c.Password))
	return append(out, basic, strings.TrimRight(basic, "="))
}
