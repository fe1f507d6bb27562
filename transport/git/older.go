package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/sideband"
	gogit "github.com/go-git/go-git/v5/plumbing/transport"
	"github.com/go-git/go-git/v5/plumbing/transport/file"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"

	"github.com/atskills-go/atskills/internal/gitwire"
)

// This file is the way of servers that speak protocol v0 only, and of ssh:// and file:// addresses: go-git's
// transports move the bytes, and what arrives is read by the same bounded readers as everything else.

// olderRefs calls each for every ref of the repository: protocol v0 lists all of them.
func (t *Transport) olderRefs(ctx context.Context, ep *endpoint, each func(gitwire.Ref) error) error {
	return t.withSession(ctx, ep, func(_ context.Context, _ gogit.UploadPackSession, adv *packp.AdvRefs, _ *guard) error {
		target := ""
		for _, v := range adv.Capabilities.Get(capability.SymRef) {
			if to, ok := strings.CutPrefix(v, "HEAD:"); ok {
				target = to
			}
		}
		if adv.Head != nil {
			if err := each(gitwire.Ref{Name: "HEAD", Hash: *adv.Head, Target: target}); err != nil {
				return err
			}
		}
		for name, h := range adv.References {
			if err := each(gitwire.Ref{Name: name, Hash: h}); err != nil {
				return err
			}
		}
		return nil
	})
}

// olderPack fetches a pack and hands it to read. A filter the server does not offer is left out.
func (t *Transport) olderPack(ctx context.Context, ep *endpoint, want gitwire.FetchRequest, bound gitwire.Bound,
	read func(io.Reader, *gitwire.Meter) error) error {
	return t.withSession(ctx, ep, func(ctx context.Context, s gogit.UploadPackSession, adv *packp.AdvRefs, g *guard) error {
		req, err := olderRequest(adv, want)
		if err != nil {
			return err
		}
		resp, err := s.UploadPack(ctx, req)
		if at := ep.address(); err != nil && !isHTTP(&at) && !advertised(adv, want.Wants) {
			// A process that dies on a want breaks the pipe of the request before its reason can be read.
			return notOurRef(want)
		}
		if err != nil {
			return refusal(err, want)
		}
		defer resp.Close()
		meter := &gitwire.Meter{R: g.reader(resp), Bound: bound}
		return refusal(read(demultiplexed(req.Capabilities, meter), meter), want)
	})
}

func olderRequest(adv *packp.AdvRefs, want gitwire.FetchRequest) (*packp.UploadPackRequest, error) {
	req := packp.NewUploadPackRequestFromCapabilities(adv.Capabilities)
	req.Wants = want.Wants
	if adv.Capabilities.Supports(capability.NoProgress) {
		if err := req.Capabilities.Set(capability.NoProgress); err != nil {
			return nil, err
		}
	}
	if want.Depth > 0 {
		if !adv.Capabilities.Supports(capability.Shallow) {
			return nil, errors.New("the server cannot leave out a repository's history")
		}
		if err := req.Capabilities.Set(capability.Shallow); err != nil {
			return nil, err
		}
		req.Depth = packp.DepthCommits(want.Depth)
	}
	if want.Filter != "" && adv.Capabilities.Supports(capability.Filter) {
		if err := req.Capabilities.Set(capability.Filter); err != nil {
			return nil, err
		}
		req.Filter = packp.Filter(want.Filter)
	}
	return req, nil
}

// refusal gives the several spellings of a refused want by hash one type. Servers that die on it send nothing at all.
func refusal(err error, want gitwire.FetchRequest) error {
	if err == nil {
		return nil
	}
	s := err.Error()
	if strings.Contains(s, "not our ref") || strings.Contains(s, "unadvertised object") ||
		errors.Is(err, gogit.ErrEmptyUploadPackRequest) {
		return notOurRef(want)
	}
	return err
}

func notOurRef(want gitwire.FetchRequest) error {
	return &gitwire.RemoteError{Text: fmt.Sprintf("not our ref %s", want.Wants[0])}
}

// advertised reports whether all wants are what refs point to.
func advertised(adv *packp.AdvRefs, wants []plumbing.Hash) bool {
	tips := map[plumbing.Hash]bool{}
	for _, h := range adv.References {
		tips[h] = true
	}
	if adv.Head != nil {
		tips[*adv.Head] = true
	}
	return !slices.ContainsFunc(wants, func(h plumbing.Hash) bool { return !tips[h] })
}

func demultiplexed(caps *capability.List, r io.Reader) io.Reader {
	switch {
	case caps.Supports(capability.Sideband64k):
		return sideband.NewDemuxer(sideband.Sideband64k, r)
	case caps.Supports(capability.Sideband):
		return sideband.NewDemuxer(sideband.Sideband, r)
	}
	return r
}

// withSession opens a session and reads what the server advertises. A session is good for one exchange.
func (t *Transport) withSession(ctx context.Context, ep *endpoint,
	use func(context.Context, gogit.UploadPackSession, *packp.AdvRefs, *guard) error) error {
	ctx, g := newGuard(ctx, t.opts.Limits.StallTimeout)
	defer g.stop()
	s, err := t.session(ctx, ep)
	if err != nil {
		return because(ctx, err)
	}
	defer s.Close()
	adv, err := s.AdvertisedReferencesContext(ctx)
	if err != nil {
		return because(ctx, err)
	}
	if slices.Contains(adv.Capabilities.Get("object-format"), "sha256") {
		return gitwire.ErrSHA256
	}
	if err := use(ctx, s, adv, g); err != nil {
		return because(ctx, err)
	}
	return nil
}

// session connects to where the repository lives.
func (t *Transport) session(ctx context.Context, ep *endpoint) (gogit.UploadPackSession, error) {
	u := ep.address()
	switch u.Scheme {
	case "file":
		return file.DefaultClient.NewUploadPackSession(&gogit.Endpoint{Protocol: "file", Path: u.Path}, nil)
	case "ssh":
		return t.sshSession(ctx, &u)
	}
	at, err := gogit.NewEndpoint(u.String())
	if err != nil {
		return nil, err
	}
	var auth gogit.AuthMethod
	if c := t.host(&u).remembered(); c != nil && ep.wantsAuth(&u) {
		auth = &githttp.BasicAuth{Username: c.Username, Password: c.Password}
	}
	client := *t.client
	client.Transport = &boundedGets{client.Transport, t.listingBound()}
	return githttp.NewClient(&client).NewUploadPackSession(at, auth)
}

// boundedGets bounds the answers to GET requests, which go-git reads into memory.
type boundedGets struct {
	next  http.RoundTripper
	bound gitwire.Bound
}

func (b *boundedGets) RoundTrip(req *http.Request) (*http.Response, error) {
	next := b.next
	if next == nil {
		next = http.DefaultTransport
	}
	resp, err := next.RoundTrip(req)
	if err != nil || req.Method != http.MethodGet {
		return resp, err
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{&gitwire.Meter{R: resp.Body, Bound: b.bound}, resp.Body}
	return resp, nil
}
