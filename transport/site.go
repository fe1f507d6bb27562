package transport

import "github.com/atskills-go/atskills/skill"

// Sited is the ability to say where ids are read from. An id names its provider by a marker alone, and two programs, or
// two runs of one, may be configured to different hubs, or to a GitHub of one's own: what was read from one says nothing of
// the other, although ids and even revisions are equal. The cache keeps the site of each entry and goes by it (C4).
type Sited interface {
	// Site returns the address of the provider that id is read from, without userinfo: equal for equal providers. It is ""
	// for the one that everybody means by the marker, github.com, and [NoSite] when id is read from nowhere. It makes no
	// request.
	Site(id skill.ID) string
}

// NoSite is the site of an id that nothing is configured for. Nobody claims the id then, so that whatever was kept of it,
// from whichever site, is the best there is.
const NoSite = "none"

// Site returns where t reads id from: [NoSite] for a nil t, and "" where t does not say. For a gh: id that is github.com,
// for a hub: id a hub of which nothing is known.
func Site(t Transport, id skill.ID) string {
	if t == nil {
		return NoSite
	}
	if s, ok := t.(Sited); ok {
		return s.Site(id)
	}
	return ""
}
