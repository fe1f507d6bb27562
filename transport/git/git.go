// Package git is the transport of gh: ids: it reads git repositories over HTTP in this process, with no git binary,
// no checkout and no local repository (F4).
//
// A probe is one request (ls-refs for HEAD), a listing is one (commit and trees at depth one, without bodies), the
// bodies of the chosen files are one. Everything received is hashed; nothing is written but a temporary file for
// bodies that do not fit in memory. Servers that ignore the filter, speak only protocol v0 or refuse fetch-by-hash,
// and addresses that a rewrite rule turns into ssh:// or file://, go other ways to the same result (F5).
//
// The environment, the user's git configuration, netrc file and credential helpers are read through [Host] alone; the
// zero Host reads nothing. Credentials are asked for only after a server answered 401, 403 or 404, are sent to the host
// they are for and to no other, and appear in no error (X5).
package git

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/atskills-go/atskills/internal/gitwire"
	"github.com/atskills-go/atskills/internal/remote"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

// DefaultBaseURL is where gh: ids live.
const DefaultBaseURL = "https://github.com"

// Options configures a [Transport]. The zero value reaches public repositories on github.com.
type Options struct {
	// BaseURL is what /owner/repo is appended to; "" is [DefaultBaseURL]. http, https, ssh and file URLs work.
	BaseURL string
	// Client sends the requests; nil is a client with the proxies of the environment. Its redirect policy is not used.
	Client *http.Client
	// Host is what may be read of the machine; the zero Host is nothing. Use [UserHost] for the user's own settings.
	Host Host
	// Credentials is asked when a server wants some; nil is [DefaultCredentials] of Host.
	Credentials CredentialFunc
	// Limits bounds what upstream can make this process hold or wait for; zero fields take their defaults.
	Limits transport.Limits
	// UserAgent is sent to servers; "" is "git/atskills".
	UserAgent string
	// WalkAfter is how many bytes a listing may have when only ids below the root are wanted; past it the listing is
	// stopped and the ids are reached tree by tree. 0 is 1 MiB, a negative value never stops it.
	WalkAfter int64
	// Progress, if set, is called as packs arrive, from the goroutine of the call they belong to.
	Progress func(Progress)
}

// Progress says how far a transfer has come.
type Progress struct {
	Op      string // "list" or "fetch"
	Objects int    // objects read
	Total   int    // objects that will come, as the server declared
	Bytes   int64  // bytes received
}

// Transport reads git repositories. It is safe for concurrent use. For its lifetime it remembers where a renamed
// repository went and which credentials a host took.
type Transport struct {
	opts     Options
	client   *http.Client
	site     string // of all gh: ids
	rewrites func() ([]rewrite, error)

	mu        sync.Mutex
	endpoints map[skill.ID]*endpoint
	hosts     map[string]*hostAuth
}

var (
	_ transport.Transport    = (*Transport)(nil)
	_ transport.BranchLister = (*Transport)(nil)
	_ transport.WebPager     = (*Transport)(nil)
	_ transport.Limited      = (*Transport)(nil)
	_ transport.Sited        = (*Transport)(nil)
)

// New returns a transport. It reads nothing and makes no request.
func New(opts Options) *Transport {
	if opts.BaseURL == "" {
		opts.BaseURL = DefaultBaseURL
	}
	if opts.UserAgent == "" {
		opts.UserAgent = "git/atskills"
	}
	if opts.Credentials == nil {
		opts.Credentials = DefaultCredentials(opts.Host)
	}
	if opts.WalkAfter == 0 {
		opts.WalkAfter = 1 << 20
	}
	opts.Limits = opts.Limits.WithDefaults()
	return &Transport{
		opts:      opts,
		client:    remote.WithoutRedirects(opts.Client),
		site:      siteOf(opts.BaseURL),
		rewrites:  sync.OnceValues(opts.Host.rewrites),
		endpoints: map[skill.ID]*endpoint{},
		hosts:     map[string]*hostAuth{},
	}
}

// WebURL names the review page of a gh: id on the host of the base URL, or on github.com for a server on this machine,
// which stands for GitHub in a test. It is "" for base URLs that have no pages: ssh and file.
func (t *Transport) WebURL(id skill.ID, rev transport.Revision) string {
	u, err := url.Parse(t.opts.BaseURL)
	if err != nil || !remote.IsHTTP(u) {
		return ""
	}
	if remote.IsLoopback(u) {
		return id.WebURL("", string(rev))
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return id.WebURL(u.String(), string(rev))
}

// Limits returns the limits of the options, for every id.
func (t *Transport) Limits(skill.ID) transport.Limits { return t.opts.Limits }

// String returns the same text for every transport: the base URL may carry credentials (X5).
func (t *Transport) String() string { return "git transport" }

// GoString returns what String does.
func (t *Transport) GoString() string { return t.String() }

// Head asks for the commit that HEAD stands for and its branch: one request, and two more the first time that a
// repository turns out to have moved. A repository without commits matches [transport.ErrNotFound] with
// [transport.CauseEmpty].
func (t *Transport) Head(ctx context.Context, id skill.ID) (transport.Head, error) {
	const op = "probe"
	ep, err := t.endpoint(op, id)
	if err != nil {
		return transport.Head{}, err
	}
	ctx, cancel := remote.ProbeTimeout(ctx, t.opts.Limits.ProbeTimeout)
	defer cancel()
	var head transport.Head
	err = t.refs(ctx, op, ep, []string{"HEAD"}, func(r gitwire.Ref) error {
		if r.Name == "HEAD" {
			head.Revision = transport.Revision(r.Hash.String())
			head.Branch = strings.TrimPrefix(r.Target, "refs/heads/")
		}
		return nil
	})
	if err != nil {
		return transport.Head{}, t.failure(ctx, op, ep, err)
	}
	if head.Revision == "" {
		return transport.Head{}, emptyError(op, ep)
	}
	head.Moved = ep.movedTo()
	return head, nil
}

func emptyError(op string, ep *endpoint) error {
	return &transport.Error{
		Op: op, URL: ep.String(), Kind: transport.ErrNotFound, Cause: transport.CauseEmpty,
		Err: errors.New("the repository is empty: its default branch has no commit"),
	}
}

// Branches names the origin's branches in byte order: one request.
func (t *Transport) Branches(ctx context.Context, id skill.ID) ([]string, error) {
	const op, prefix = "branches", "refs/heads/"
	ep, err := t.endpoint(op, id)
	if err != nil {
		return nil, err
	}
	ctx, cancel := remote.ProbeTimeout(ctx, t.opts.Limits.ProbeTimeout)
	defer cancel()
	var names []string
	err = t.refs(ctx, op, ep, []string{prefix}, func(r gitwire.Ref) error {
		name, ok := strings.CutPrefix(r.Name, prefix)
		if !ok {
			return nil
		}
		if len(names) >= t.opts.Limits.Entries {
			return &transport.LimitError{What: "branches", Max: int64(len(names)), Field: "Entries"}
		}
		names = append(names, name)
		return nil
	})
	if err != nil {
		return nil, t.failure(ctx, op, ep, err)
	}
	slices.Sort(names)
	return names, nil
}

// endpoint returns what is known about where id's origin lives.
func (t *Transport) endpoint(op string, id skill.ID) (*endpoint, error) {
	origin := id.Origin()
	if origin.Scheme() != skill.GitHub {
		return nil, &transport.Error{Op: op, URL: id.String(), Kind: transport.ErrNotConfigured}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if ep := t.endpoints[origin]; ep != nil {
		return ep, nil
	}
	rules, err := t.rewrites()
	if err != nil {
		return nil, err
	}
	u, err := parseAddress(rewritten(repositoryURL(t.opts.BaseURL, origin), rules))
	if err == nil {
		err = checkUserinfo(u, origin)
	}
	if err != nil {
		return nil, err
	}
	ep := newEndpoint(u)
	t.endpoints[origin] = ep
	return ep, nil
}

func repositoryURL(base string, origin skill.ID) string {
	owner, repo, _ := strings.Cut(origin.Path(), "/")
	base = strings.TrimRight(base, "/")
	return base + "/" + url.PathEscape(owner) + "/" + url.PathEscape(repo)
}
