package transport

import (
	"context"
	"errors"
	"fmt"

	"github.com/atskills-go/atskills/skill"
)

// Mux picks a transport by an id's scheme. A nil member stands for a provider that is not configured: its ids fail
// with an error that matches [ErrNotConfigured] and says what to do instead (H1). Ids of the project itself reach no
// transport (G2) and fail in the same way. A Mux is as safe for concurrent use as its members.
type Mux struct {
	GitHub Transport // serves gh: ids
	Hub    Transport // serves hub: ids
}

var (
	_ Transport    = Mux{}
	_ Conditional  = Mux{}
	_ BranchLister = Mux{}
	_ WebPager     = Mux{}
	_ Searcher     = Mux{}
	_ Limited      = Mux{}
	_ Sited        = Mux{}
	_ Rememberer   = Mux{}
)

// Head asks the member for id's scheme.
func (m Mux) Head(ctx context.Context, id skill.ID) (Head, error) {
	t, err := m.pick("probe", id)
	if err != nil {
		return Head{}, err
	}
	return t.Head(ctx, id)
}

// HeadSince asks the member for id's scheme.
func (m Mux) HeadSince(ctx context.Context, id skill.ID, known Known) (Head, error) {
	t, err := m.pick("probe", id)
	if err != nil {
		return Head{}, err
	}
	return HeadSince(ctx, t, id, known)
}

// Open asks the member for the ids' scheme. At least one id is needed, and all must be of one origin.
func (m Mux) Open(ctx context.Context, rev Revision, ids ...skill.ID) (Snapshot, error) {
	if len(ids) == 0 {
		return nil, errors.New("list: no ids")
	}
	for _, id := range ids[1:] {
		if id.Origin() != ids[0].Origin() {
			return nil, fmt.Errorf("list %q and %q: not of one origin", ids[0], id)
		}
	}
	t, err := m.pick("list", ids[0])
	if err != nil {
		return nil, err
	}
	return t.Open(ctx, rev, ids...)
}

// Refusal asks the member for ref's scheme. It is nil when that cannot remember.
func (m Mux) Refusal(ref skill.Ref) error {
	t, err := m.pick("recall", ref.ID)
	if err != nil {
		return nil
	}
	return refusal(t, ref)
}

// Refuse has the member for ref's scheme keep err, if that can.
func (m Mux) Refuse(ref skill.Ref, err error) {
	if t, errPick := m.pick("keep", ref.ID); errPick == nil {
		refuse(t, ref, err)
	}
}

// Branches asks the member for id's scheme. It matches [errors.ErrUnsupported] when that cannot list branches.
func (m Mux) Branches(ctx context.Context, id skill.ID) ([]string, error) {
	t, err := m.pick("branches", id)
	if err != nil {
		return nil, err
	}
	return branches(ctx, t, id)
}

// WebURL asks the member for id's scheme. It is "" when there is none, and what [skill.ID.WebURL] says for a member that
// is no [WebPager].
func (m Mux) WebURL(id skill.ID, rev Revision) string {
	t, err := m.pick("page", id)
	if err != nil {
		return ""
	}
	return webURL(t, id, rev)
}

// Site asks the member for id's scheme. It is [NoSite] when there is none.
func (m Mux) Site(id skill.ID) string {
	t, err := m.pick("site", id)
	if err != nil {
		return NoSite
	}
	return Site(t, id)
}

// Limits are those of the member for id's scheme.
func (m Mux) Limits(id skill.ID) Limits {
	t, err := m.pick("limits", id)
	if err != nil {
		return DefaultLimits()
	}
	return LimitsOf(t, id)
}

// Search asks every member that can search, the hub first, and returns each id once. What one member found is returned
// beside the error of another. It matches [ErrNotConfigured] when no member can search and there is no hub, and
// [errors.ErrUnsupported] when the hub cannot.
func (m Mux) Search(ctx context.Context, query string) ([]skill.ID, error) {
	var found []skill.ID
	var failed []error
	seen := map[skill.ID]bool{}
	searched := false
	for _, t := range []Transport{m.Hub, m.GitHub} {
		s, ok := t.(Searcher)
		if !ok {
			continue
		}
		ids, err := s.Search(ctx, query)
		if errors.Is(err, errors.ErrUnsupported) {
			continue
		}
		searched = true
		failed = append(failed, err)
		for _, id := range ids {
			if !seen[id] {
				seen[id] = true
				found = append(found, id)
			}
		}
	}
	if searched {
		return found, errors.Join(failed...)
	}
	if m.Hub == nil {
		return nil, fmt.Errorf("search %q: %w (searching needs a hub)", query, ErrNotConfigured)
	}
	return nil, fmt.Errorf("search %q: %w", query, errors.ErrUnsupported)
}

// pick returns the member for id's scheme, or the error that says there is none.
func (m Mux) pick(op string, id skill.ID) (Transport, error) {
	hint := "an id of the project has no upstream: it is read from " + dotDir + id.DiskPath()
	switch id.Scheme() {
	case skill.GitHub:
		if m.GitHub != nil {
			return m.GitHub, nil
		}
		hint = "configure a transport for gh: ids, or use a copy saved at " + dotDir + id.DiskPath()
	case skill.Hub:
		if m.Hub != nil {
			return m.Hub, nil
		}
		hint = "configure a hub, or use the skill's gh: id or a copy saved at " + dotDir + id.DiskPath()
	}
	return nil, &Error{Op: op, URL: id.String(), Kind: ErrNotConfigured, Hint: hint}
}

// dotDir is the project folder that holds skills.
const dotDir = ".atskills/"

// refusal is what a transport that may be able to remember has kept for ref.
func refusal(t Transport, ref skill.Ref) error {
	if r, ok := t.(Rememberer); ok {
		return r.Refusal(ref)
	}
	return nil
}

// refuse has a transport that may be able to remember keep err for ref.
func refuse(t Transport, ref skill.Ref, err error) {
	if r, ok := t.(Rememberer); ok {
		r.Refuse(ref, err)
	}
}

// branches lists branches through a transport that may be able to.
func branches(ctx context.Context, t Transport, id skill.ID) ([]string, error) {
	if l, ok := t.(BranchLister); ok {
		return l.Branches(ctx, id)
	}
	return nil, fmt.Errorf("branches %s: %w", id, errors.ErrUnsupported)
}

// webURL names a page, through a transport that may know better than the id.
func webURL(t Transport, id skill.ID, rev Revision) string {
	if p, ok := t.(WebPager); ok {
		return p.WebURL(id, rev)
	}
	return id.WebURL("", string(rev))
}

// search searches through a transport that may be able to.
func search(ctx context.Context, t Transport, query string) ([]skill.ID, error) {
	if s, ok := t.(Searcher); ok {
		return s.Search(ctx, query)
	}
	return nil, fmt.Errorf("search %q: %w", query, errors.ErrUnsupported)
}
