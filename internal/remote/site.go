package remote

import (
	"net/url"
	"strings"
)

// Site spells the address of a provider, so that equal ones are equal: without userinfo, query and fragment, without a
// slash at its end, and without the port that its scheme means anyway.
func Site(u *url.URL) string {
	at := url.URL{Scheme: strings.ToLower(u.Scheme), Host: strings.ToLower(u.Host)}
	at.Host = strings.TrimSuffix(at.Host, map[string]string{"https": ":443", "http": ":80", "ssh": ":22"}[at.Scheme])
	return HostKey(&at) + strings.TrimRight(u.EscapedPath(), "/")
}
