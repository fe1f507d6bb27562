package git

import (
	"strings"

	"github.com/atskills-go/atskills/internal/remote"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

// noAddress is the site of a base URL that nothing can be read from. The URL itself may hold a password anywhere (X5).
const noAddress = "no address"

// Site returns the base URL for every gh: id, without userinfo; "" for github.com, over https or ssh. The user's rewrite
// rules (url.<base>.insteadOf) do not change it: they say how the site is reached.
func (t *Transport) Site(id skill.ID) string {
	if id.Scheme() != skill.GitHub {
		return transport.NoSite
	}
	return t.site
}

func siteOf(base string) string {
	const some = "/owner/repo"
	u, err := parseAddress(strings.TrimRight(base, "/") + some)
	if err != nil || u.Scheme != "file" && strings.Contains(u.Path, "@") {
		return noAddress
	}
	switch site := strings.TrimSuffix(remote.Site(u), some); site {
	case DefaultBaseURL, "ssh://github.com":
		return ""
	default:
		return site
	}
}
