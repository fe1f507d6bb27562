package atskills

import (
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

// site is where id is read from.
func (c *cache) site(id skill.ID) string { return transport.Site(c.env.Transport, id) }

// claims reports whether m is metadata of what the transport reads, and not of what another site had under the same id: a
// hub of the user's own, or a GitHub of a company. The entry of another site counts as absent, whatever its revision, and
// only its bytes may be used again, by their digests. Other clients say nothing of sites (C3): their gh: entries are
// github.com's, and their hub: entries those of the one hub that is configured, whichever that is. Where none is, every
// entry is the best there is.
func (c *cache) claims(m meta) bool {
	site := c.site(m.ID)
	return site == m.Site || site == transport.NoSite || m.Site == "" && m.ID.Scheme() == skill.Hub
}
