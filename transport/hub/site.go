package hub

import (
	"github.com/atskills-go/atskills/internal/remote"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

var (
	_ transport.Sited   = (*Hub)(nil)
	_ transport.Limited = (*Hub)(nil)
)

// Site returns the hub's address for every hub: id.
func (h *Hub) Site(id skill.ID) string {
	if id.Scheme() != skill.Hub {
		return transport.NoSite
	}
	return remote.Site(&h.base)
}

// Limits returns the limits of the options, for every id.
func (h *Hub) Limits(skill.ID) transport.Limits { return h.opts.Limits }
