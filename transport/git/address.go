package git

import (
	"errors"
	"net/url"
	"path"
	"strings"
	"sync"

	"github.com/atskills-go/atskills/internal/gitwire"
	"github.com/atskills-go/atskills/internal/remote"
	"github.com/atskills-go/atskills/skill"
)

// endpoint is one repository's place and what its server is known to do. The place is part of the state because a
// redirect moves it.
type endpoint struct {
	mu       sync.Mutex
	at       url.URL     // without userinfo, but for ssh its user name
	userinfo *Credential // what the configured address itself carried
	ownHost  string      // the host of that address
	moved    bool
	known    bool // server holds what the server said, not what is hoped
	server   gitwire.Advertisement
	authHost string // the host that wanted credentials for this repository, "" for a public one
}

func newEndpoint(u *url.URL) *endpoint {
	ep := &endpoint{at: *u, ownHost: remote.HostKey(u), server: gitwire.Advertisement{Version: 2, Filter: true}}
	if !remote.IsHTTP(u) {
		// Anything but HTTP goes through an implementation of protocol v0.
		ep.known, ep.server = true, gitwire.Advertisement{}
		if u.User != nil {
			ep.at.User = url.User(u.User.Username())
		}
		return ep
	}
	if u.User != nil {
		password, _ := u.User.Password()
		ep.userinfo = &Credential{Username: u.User.Username(), Password: password}
		ep.at.User = nil
	}
	return ep
}

// String returns the present address without userinfo.
func (ep *endpoint) String() string {
	u := ep.address()
	u.User = nil
	return u.String()
}

func (ep *endpoint) address() url.URL {
	ep.mu.Lock()
	defer ep.mu.Unlock()
	return ep.at
}

func (ep *endpoint) movedTo() string {
	ep.mu.Lock()
	defer ep.mu.Unlock()
	if !ep.moved {
		return ""
	}
	return ep.at.String()
}

func (ep *endpoint) serverState() (gitwire.Advertisement, bool) {
	ep.mu.Lock()
	defer ep.mu.Unlock()
	return ep.server, ep.known
}

// learn records what a discovery found.
func (ep *endpoint) learn(at url.URL, server gitwire.Advertisement) {
	ep.mu.Lock()
	defer ep.mu.Unlock()
	if at != ep.at {
		ep.moved = true
	}
	ep.at, ep.server, ep.known = at, server, true
}

// rewrite is one url.<base>.insteadOf rule.
type rewrite struct{ base, insteadOf string }

// rewritten applies the rule with the longest match, as git does.
func rewritten(address string, rules []rewrite) string {
	var best rewrite
	for _, r := range rules {
		if r.insteadOf != "" && strings.HasPrefix(address, r.insteadOf) && len(r.insteadOf) > len(best.insteadOf) {
			best = r
		}
	}
	if best.insteadOf == "" {
		return address
	}
	return best.base + address[len(best.insteadOf):]
}

// parseAddress reads a repository's address: a URL of one of four schemes, the scp form user@host:path, or an absolute
// path. Nothing else is ever opened; in particular no transport helper (ext::) is run.
func parseAddress(s string) (*url.URL, error) {
	if s == "" || strings.HasPrefix(s, "-") {
		return nil, errors.New("the repository's address is empty or begins with a dash")
	}
	if path.IsAbs(s) {
		return &url.URL{Scheme: "file", Path: s}, nil
	}
	if !strings.Contains(s, "://") {
		return parseSCP(s)
	}
	u, err := url.Parse(s)
	if err != nil {
		// The parser's error would repeat the address, which may hold a password.
		return nil, errors.New("the repository's address is no valid URL")
	}
	u.RawQuery, u.Fragment = "", ""
	switch {
	case u.Scheme == "file" && (u.Host == "" || u.Host == "localhost") && path.IsAbs(u.Path):
		u.Host = ""
		return u, nil
	case remote.IsHTTP(u) && u.Hostname() != "":
		return u, nil
	case u.Scheme == "ssh" && plainSSH(u):
		return u, nil
	}
	return nil, errAddressForm
}

// errAddressForm repeats nothing of the address: what cannot be read may hold a password anywhere (X5).
var errAddressForm = errors.New("the repository's address has an unsupported form; https, http, ssh and file URLs work")

// checkUserinfo refuses an address with an '@' behind its host. A password that holds a slash, or an address that lacks
// one, moves the userinfo there, where it would be sent and shown (X5). origin, whose owner may hold one, stands last.
func checkUserinfo(u *url.URL, origin skill.ID) error {
	if u.Scheme != "file" && strings.Contains(strings.TrimSuffix(u.Path, "/"+origin.Path()), "@") {
		return errors.New("the repository's address has an @ behind its host, where a password may stand")
	}
	return nil
}

// parseSCP reads user@host:path, which git takes for ssh.
func parseSCP(s string) (*url.URL, error) {
	host, p, ok := strings.Cut(s, ":")
	if !ok || strings.HasPrefix(p, ":") || strings.Contains(host, "/") {
		return nil, errAddressForm
	}
	u := &url.URL{Scheme: "ssh", Host: host, Path: "/" + strings.TrimPrefix(p, "/")}
	if user, h, ok := strings.Cut(host, "@"); ok {
		u.User, u.Host = url.User(user), h
	}
	if !plainSSH(u) || strings.Contains(u.Host, "@") {
		return nil, errAddressForm
	}
	return u, nil
}

// plainSSH reports whether no part of an ssh address could be taken for an option.
func plainSSH(u *url.URL) bool {
	return u.Hostname() != "" && !strings.HasPrefix(u.Hostname(), "-") && len(u.Path) > 1 &&
		!strings.HasPrefix(u.User.Username(), "-")
}
