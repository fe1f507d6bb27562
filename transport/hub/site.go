package hub

import (
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

var _ transport.Limited = (*Hub)(nil)

// Limits returns the limits of the options, for every id.
func (h *Hub) Limits(skill.ID) transport.Limits { return h.opts.Limits }
