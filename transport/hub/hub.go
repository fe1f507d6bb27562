package hub

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/atskills-go/atskills/internal/remote"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

// Options configures a [Hub]. The zero value reads what is public.
type Options struct {
	// Client sends the requests; nil is a client with the proxies of the environment. Its redirect policy is not used.
	Client *http.Client
	// Token is called for each request to the hub and returns the bearer token to send, "" for none (H4). It is called
	// from several goroutines at once. A failure of it fails the request.
	Token func(ctx context.Context) (string, error)
	// Limits bounds what the hub can make this process hold or wait for; zero fields take their defaults.
	Limits transport.Limits
	// Now is the clock that tells how old a copy is (H3) and when a busy hub may be asked again; nil is the system's.
	Now func() time.Time
	// UserAgent is sent to the hub; "" is "atskills".
	UserAgent string
	// Retries is how often a request is sent again when the hub answers 429 or that it is out of order (500, 502, 503,
	// 504); 0 is 2, a negative value is never. The pauses begin at a quarter of a second and double, unless the hub says
	// how long to wait.
	Retries int
	// MaxWait is how long all pauses of one request may be, however long the hub asks to wait; 0 is 10 s. A pause that
	// would pass it, or the caller's deadline, is not begun: the request fails at once.
	MaxWait time.Duration
	// Sleep waits for d or until ctx ends, whose error it returns then; nil does so by the system's clock.
	Sleep func(ctx context.Context, d time.Duration) error
	// Progress, if set, is called after each file of a fetch, from the goroutine of the call it belongs to.
	Progress func(Progress)
}

// Progress says how far a fetch has come.
type Progress struct {
	Files int   // files handed on
	Total int   // files asked for
	Bytes int64 // bytes in them
}

// Hub reads one hub. It is safe for concurrent use.
type Hub struct {
	base   url.URL // without slash at the end
	opts   Options
	client *http.Client
	memory memory
	lists  atomic.Bool // a listing was seen: this hub has them
}

var (
	_ transport.Transport   = (*Hub)(nil)
	_ transport.Conditional = (*Hub)(nil)
)

// New returns the transport for the hub at base, an absolute http or https address, whose path is kept. It is refused
// with userinfo, query or fragment, and the error does not repeat it: what cannot be read may hold a password (X5). New
// makes no request.
func New(base string, opts Options) (*Hub, error) {
	u, err := parseBase(base)
	if err != nil {
		return nil, err
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.UserAgent == "" {
		opts.UserAgent = "atskills"
	}
	if opts.Retries == 0 {
		opts.Retries = 2
	}
	if opts.MaxWait == 0 {
		opts.MaxWait = 10 * time.Second
	}
	if opts.Sleep == nil {
		opts.Sleep = sleep
	}
	opts.Limits = opts.Limits.WithDefaults()
	return &Hub{base: *u, opts: opts, client: remote.WithoutRedirects(opts.Client)}, nil
}

func parseBase(base string) (*url.URL, error) {
	u, err := url.Parse(base)
	if err != nil {
		return nil, errors.New("the hub's address is no valid URL")
	}
	u.Scheme = strings.ToLower(u.Scheme)
	switch {
	case !remote.IsHTTP(u) || u.Opaque != "" || u.Hostname() == "":
		return nil, errors.New("the hub's address is no absolute http or https URL")
	case u.User != nil || holdsUserinfo(u.Path):
		return nil, errors.New("the hub's address holds credentials; a token is configured apart from it")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || strings.Contains(base, "#"):
		return nil, errors.New("the hub's address has a query or fragment; only a path may follow the host")
	}
	raw := strings.TrimRight(u.EscapedPath(), "/")
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), raw
	return u, nil
}

// holdsUserinfo reports whether an '@' stands in the middle of a segment, where a password with a slash in it moves the
// end of the userinfo to. A segment that begins with one is a name.
func holdsUserinfo(path string) bool {
	for seg := range strings.SplitSeq(path, "/") {
		if strings.LastIndexByte(seg, '@') > 0 {
			return true
		}
	}
	return false
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

// Head asks for the revision of the skill or playlist at id. The answer's content is kept for the Open that follows.
func (h *Hub) Head(ctx context.Context, id skill.ID) (transport.Head, error) {
	return h.HeadSince(ctx, id, transport.Known{})
}

// freshFor is how long a copy counts as fresh whose revision the hub cannot compare (H3).
const freshFor = 15 * time.Minute

// HeadSince is Head with a conditional request (H3): unchanged is a 304 without content. A known revision that is a
// digest, because the hub sends no validators, is answered without a request for 15 minutes after it was fetched.
func (h *Hub) HeadSince(ctx context.Context, id skill.ID, known transport.Known) (transport.Head, error) {
	const op = "probe"
	if err := h.check(ctx, op, id); err != nil {
		return transport.Head{}, err
	}
	age := h.opts.Now().Sub(known.Fetched)
	if isDigest(known.Revision) && 0 <= age && age < freshFor {
		return transport.Head{Revision: known.Revision}, nil
	}
	a, err := h.look(ctx, op, id, "", known.Revision)
	if err != nil {
		return transport.Head{}, h.failure(ctx, op, h.address(id), err)
	}
	if a.unchanged {
		return transport.Head{Revision: known.Revision, Visibility: a.visibility}, nil
	}
	h.memory.add(id, a)
	return transport.Head{Revision: a.rev, Visibility: a.visibility}, nil
}

// check refuses what no request is made for.
func (h *Hub) check(ctx context.Context, op string, id skill.ID) error {
	if id.Scheme() != skill.Hub {
		return &transport.Error{Op: op, URL: id.String(), Kind: transport.ErrNotConfigured, Hint: "a hub serves hub: ids alone"}
	}
	if ctx.Err() != nil {
		return h.failure(ctx, op, h.address(id), context.Cause(ctx))
	}
	return nil
}

// address returns the address of what stands at id, or of a file in its bundle.
func (h *Hub) address(id skill.ID, file ...string) url.URL {
	raw := h.base.EscapedPath()
	for _, path := range append([]string{id.Path()}, file...) {
		for seg := range strings.SplitSeq(path, "/") {
			raw += "/" + url.PathEscape(seg)
		}
	}
	u := h.base
	u.Path, u.RawPath = h.base.Path+"/"+strings.Join(append([]string{id.Path()}, file...), "/"), raw
	return u
}
