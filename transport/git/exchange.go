package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/atskills-go/atskills/internal/gitwire"
	"github.com/atskills-go/atskills/internal/remote"
)

const (
	service      = "git-upload-pack"
	resultType   = "application/x-" + service + "-result"
	requestType  = "application/x-" + service + "-request"
	discoverType = "application/x-" + service + "-advertisement"
	infoRefs     = "/info/refs"
)

// errOlderProtocol says that the server turned out to speak protocol v0 only.
var errOlderProtocol = errors.New("the server speaks protocol v0 only")

// withProtocol runs v2, told whether the server may be sent a filter, or v0 where that is all the server speaks. What
// the server is capable of is asked only when an attempt failed in a way that leaves it open: a server that dies on a
// request gives no reason.
func (t *Transport) withProtocol(ctx context.Context, op string, ep *endpoint, v2 func(filter bool) error, v0 func() error) error {
	server, known := ep.serverState()
	if server.Version != 2 {
		return v0()
	}
	err := v2(server.Filter)
	if errors.Is(err, errOlderProtocol) {
		return v0()
	}
	if known || !inconclusive(err) {
		return err
	}
	if derr := t.discover(ctx, op, ep); derr != nil {
		if errors.Is(derr, gitwire.ErrSHA256) || errors.Is(err, gitwire.ErrNoAnswer) {
			return derr
		}
		return err
	}
	now, _ := ep.serverState()
	switch {
	case now.Version != 2:
		return v0()
	case now.Filter != server.Filter:
		return v2(now.Filter)
	}
	return err
}

// inconclusive reports whether err may come from a server that did not understand the request.
func inconclusive(err error) bool {
	var said *gitwire.RemoteError
	var status *statusError
	switch {
	case errors.Is(err, gitwire.ErrNoAnswer):
		return true
	case errors.As(err, &said):
		return !isNotOurRef(err)
	case errors.As(err, &status):
		return status.code == http.StatusBadRequest || status.code == http.StatusInternalServerError
	}
	return false
}

// isNotOurRef reports whether the server refused a want by hash.
func isNotOurRef(err error) bool {
	var said *gitwire.RemoteError
	return errors.As(err, &said) && (strings.Contains(said.Text, "not our ref") ||
		strings.Contains(said.Text, "unadvertised object"))
}

// refs calls each for the refs with one of prefixes, and maybe for others.
func (t *Transport) refs(ctx context.Context, op string, ep *endpoint, prefixes []string, each func(gitwire.Ref) error) error {
	return t.withProtocol(ctx, op, ep, func(bool) error {
		body := gitwire.LsRefsRequest(t.opts.UserAgent, prefixes...)
		return t.command(ctx, op, ep, body, func(r io.Reader) error {
			return gitwire.ReadRefs(&gitwire.Meter{R: r, Bound: t.listingBound()}, each)
		})
	}, func() error {
		return t.olderRefs(ctx, ep, each)
	})
}

func (t *Transport) listingBound() gitwire.Bound {
	return gitwire.Bound{Max: t.opts.Limits.ListingBytes, What: "bytes in one listing", Field: "ListingBytes"}
}

// command posts a request and hands the body of the answer to read. A redirect is not followed by the post itself, which
// would turn into a GET on the way: discovery finds the new address first.
func (t *Transport) command(ctx context.Context, op string, ep *endpoint, body []byte, read func(io.Reader) error) error {
	for redirected := false; ; redirected = true {
		resp, err := t.send(ctx, ep, http.MethodPost, below(ep.address(), "/"+service), body)
		if err != nil {
			return err
		}
		if !remote.IsRedirect(resp.StatusCode) {
			defer resp.Body.Close()
			if err := checkAnswer(resp, resultType); err != nil {
				return err
			}
			err := read(resp.Body)
			if err == nil {
				remote.Drain(resp.Body)
			}
			return err
		}
		remote.Drain(resp.Body)
		if redirected {
			return &remote.RedirectError{Text: "the repository's new address redirects again"}
		}
		if err := t.discover(ctx, op, ep); err != nil {
			return err
		}
		if server, _ := ep.serverState(); server.Version != 2 {
			return errOlderProtocol
		}
	}
}

// discover asks where the repository is now and what its server is capable of, following redirects.
func (t *Transport) discover(ctx context.Context, op string, ep *endpoint) error {
	u := below(ep.address(), infoRefs)
	u.RawQuery = "service=" + service
	for hop := 0; ; hop++ {
		resp, err := t.send(ctx, ep, http.MethodGet, u, nil)
		if err != nil {
			return err
		}
		if !remote.IsRedirect(resp.StatusCode) {
			defer remote.Drain(resp.Body)
			return t.readDiscovery(ep, u, resp)
		}
		remote.Drain(resp.Body)
		if hop == remote.MaxRedirects {
			return &remote.RedirectError{Text: fmt.Sprintf("more than %d redirects", remote.MaxRedirects)}
		}
		if u, err = remote.RedirectTarget(u, resp.Header.Get("Location")); err != nil {
			return err
		}
	}
}

func (t *Transport) readDiscovery(ep *endpoint, u url.URL, resp *reply) error {
	if err := checkAnswer(resp, discoverType); err != nil {
		return err
	}
	server, err := gitwire.ReadAdvertisement(&gitwire.Meter{R: resp.Body, Bound: t.listingBound()})
	if err != nil {
		return err
	}
	at, ok := strings.CutSuffix(u.Path, infoRefs)
	if !ok {
		return &remote.RedirectError{Text: "the redirect leads to something that is not a repository"}
	}
	u.Path, u.RawPath, u.RawQuery = at, strings.TrimSuffix(u.RawPath, infoRefs), ""
	ep.learn(u, server)
	return nil
}

func below(u url.URL, suffix string) url.URL {
	u.Path += suffix
	if u.RawPath != "" {
		u.RawPath += suffix
	}
	return u
}

// checkAnswer returns an error for an answer that is not git's.
func checkAnswer(resp *reply, contentType string) error {
	if resp.StatusCode != http.StatusOK {
		return newStatusError(resp)
	}
	got := resp.Header.Get("Content-Type")
	if got, _, _ := strings.Cut(got, ";"); !strings.EqualFold(strings.TrimSpace(got), contentType) {
		return fmt.Errorf("the server answered %q where git's protocol was asked for", remote.Clean(got))
	}
	return nil
}

// once sends one request. The answer's body ends the request when it is closed.
func (t *Transport) once(ctx context.Context, method string, u url.URL, body []byte, cred *Credential) (*http.Response, error) {
	ctx, g := remote.NewGuard(ctx, t.opts.Limits.StallTimeout)
	req, err := http.NewRequestWithContext(ctx, method, u.String(), bytes.NewReader(body))
	if err != nil {
		g.Stop()
		return nil, err
	}
	req.Header.Set("User-Agent", t.opts.UserAgent)
	req.Header.Set("Git-Protocol", "version=2")
	req.Header.Set("Accept", discoverType)
	// Every request of a reader can be repeated. The empty value is not sent; it lets net/http go to a new connection
	// when the server has just closed the one that was kept.
	req.Header["Idempotency-Key"] = []string{}
	if method == http.MethodPost {
		req.Header.Set("Accept", resultType)
		req.Header.Set("Content-Type", requestType)
	}
	if cred != nil {
		t.host(&u).noteSent(*cred)
		req.SetBasicAuth(cred.Username, cred.Password)
	}
	resp, err := t.client.Do(req)
	if err != nil {
		err = remote.Because(ctx, err)
		g.Stop()
		return nil, err
	}
	resp.Body = g.Body(resp.Body)
	return resp, nil
}
