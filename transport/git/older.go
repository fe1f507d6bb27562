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
	"github.com/atskills-go/atskills/internal/remote"
	"github.com/atskills-go/atskills/transport"
)

// This file is the way of servers that speak protocol v0 only, and of ssh:// and file:// addresses: go-git's
// transports move the bytes, and what arrives is read by the same bounded readers as everything else.

// olderRefs calls each for every ref of the repository: protocol v0 lists all of them.
func (t *Transport) olderRefs(ctx context.Context, ep *endpoint, each func(gitwire.Ref) error) error {
	return t.withSession(ctx, ep, func(_ context.Context, s *olderSession) error {
		target := ""
		for _, v := range s.adv.Capabilities.Get(capability.SymRef) {
			if to, ok := strings.CutPrefix(v, "HEAD:"); ok {
				target = to
			}
		}
		if s.adv.Head != nil {
			if err := each(gitwire.Ref{Name: "HEAD", Hash: *s.adv.Head, Target: target}); err != nil {
				return err
			}
		}
		for name, h := range s.adv.References {
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
	return t.withSession(ctx, ep, func(ctx context.Context, s *olderSession) error {
		req, err := olderRequest(s.adv, want)
		if err != nil {
			return err
		}
		resp, err := s.UploadPack(ctx, req)
		if s.answers.err != nil {
			return s.answers.err // go-git repeats only its words
		}
		if at := ep.address(); err != nil && !remote.IsHTTP(&at) && !advertised(s.adv, want.Wants) {
			// A process that dies on a want breaks the pipe of the request before its reason can be read.
			return notOurRef(want)
		}
		if err != nil {
			return refusal(err, want)
		}
		defer resp.Close()
		s.answers.packed = true
		meter := &gitwire.Meter{R: s.guard.Reader(resp), Bound: bound}
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

// olderSession is a session and what the server advertised in it. It is good for one exchange.
type olderSession struct {
	gogit.UploadPackSession
	adv     *packp.AdvRefs
	guard   *remote.Guard
	answers *boundedAnswers
}

// withSession opens a session and reads what the server advertises.
func (t *Transport) withSession(ctx context.Context, ep *endpoint, use func(context.Context, *olderSession) error) error {
	ctx, g := remote.NewGuard(ctx, t.opts.Limits.StallTimeout)
	defer g.Stop()
	answers := &boundedAnswers{next: t.client.Transport, bound: t.listingBound()}
	s, err := t.session(ctx, ep, answers)
	if err != nil {
		return remote.Because(ctx, err)
	}
	defer s.Close()
	adv, err := s.AdvertisedReferencesContext(ctx)
	if err != nil {
		return remote.Because(ctx, err)
	}
	if slices.Contains(adv.Capabilities.Get("object-format"), "sha256") {
		return gitwire.ErrSHA256
	}
	if err := use(ctx, &olderSession{s, adv, g, answers}); err != nil {
		return remote.Because(ctx, err)
	}
	return nil
}

// session connects to where the repository lives. HTTP goes through answers.
func (t *Transport) session(ctx context.Context, ep *endpoint, answers *boundedAnswers) (gogit.UploadPackSession, error) {
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
	client.Transport = answers
	return githttp.NewClient(&client).NewUploadPackSession(at, auth)
}

// boundedAnswers bounds what go-git reads into memory: refs, the lines in front of a pack, an error page. It is for one
// session, which reads one answer after the other.
type boundedAnswers struct {
	next   http.RoundTripper
	bound  gitwire.Bound
	packed bool // go-git is done: what follows is the pack, which has a bound of its own
	err    error
}

func (b *boundedAnswers) RoundTrip(req *http.Request) (*http.Response, error) {
	next := b.next
	if next == nil {
		next = http.DefaultTransport
	}
	resp, err := next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	resp.Body = &boundedBody{ReadCloser: resp.Body, meter: gitwire.Meter{R: resp.Body, Bound: b.bound}, answers: b}
	return resp, nil
}

type boundedBody struct {
	io.ReadCloser
	meter   gitwire.Meter
	answers *boundedAnswers
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.answers.packed {
		return b.ReadCloser.Read(p)
	}
	n, err := b.meter.Read(p)
	var limit *transport.LimitError
	if errors.As(err, &limit) {
		b.answers.err = err
	}
	return n, err
}
