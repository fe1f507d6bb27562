package remote

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// MaxRedirects is how many redirects in a row are followed.
const MaxRedirects = 5

const maxLocation = 4096 // bytes; the address something moved to is kept and shown

// RedirectError is a redirect that is not followed.
type RedirectError struct{ Text string }

func (e *RedirectError) Error() string { return e.Text }

// RedirectTarget returns where a redirect leads. It never leads from https to http, to another kind of address, or to
// one that carries userinfo.
func RedirectTarget(from url.URL, location string) (url.URL, error) {
	if len(location) > maxLocation {
		return url.URL{}, &RedirectError{fmt.Sprintf("a redirect to an address of more than %d bytes", maxLocation)}
	}
	to, err := from.Parse(location)
	switch {
	case location == "" || err != nil:
		return url.URL{}, &RedirectError{"a redirect without a usable address"}
	case !IsHTTP(to) || to.Hostname() == "" || to.User != nil:
		return url.URL{}, &RedirectError{"a redirect to an address that is not followed"}
	case from.Scheme == "https" && to.Scheme == "http":
		return url.URL{}, &RedirectError{"a redirect from https to http, which is not followed"}
	}
	to.Fragment = ""
	return *to, nil
}

// IsRedirect reports whether a status says that something stands elsewhere.
func IsRedirect(code int) bool {
	switch code {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// IsHTTP reports whether u is an address of HTTP, with or without TLS.
func IsHTTP(u *url.URL) bool { return u.Scheme == "https" || u.Scheme == "http" }

// HostKey names the host that credentials belong to: another scheme or port is another host.
func HostKey(u *url.URL) string { return u.Scheme + "://" + strings.ToLower(u.Host) }

// MayCarrySecrets reports whether credentials may be sent to u: over https, or to this machine.
func MayCarrySecrets(u *url.URL) bool {
	return u.Scheme == "https" || IsLoopback(u)
}

// IsLoopback reports whether u is an address of this machine.
func IsLoopback(u *url.URL) bool {
	ip := net.ParseIP(u.Hostname())
	return strings.EqualFold(u.Hostname(), "localhost") || ip != nil && ip.IsLoopback()
}

// WithoutRedirects returns a client like c that leaves redirects to its caller; nil stands for one with the proxies of
// the environment.
func WithoutRedirects(c *http.Client) *http.Client {
	if c == nil {
		c = &http.Client{}
		if t, ok := http.DefaultTransport.(*http.Transport); ok {
			c.Transport = t.Clone()
		}
	}
	own := *c
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &own
}
