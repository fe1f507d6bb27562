package atskills

import (
	"context"
	"errors"
	"time"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

// probe asks once whether id's origin changed. It says what the cache has where the entry is the origin's own, as a hub's
// is (H3): of a repository the cache has parts.
func (c *cache) probe(ctx context.Context, id skill.ID) (transport.Head, error) {
	var known transport.Known
	if id == id.Origin() {
		if e, err := c.lookup(id); err == nil && e.own() && !e.pending {
			known = transport.Known{Revision: e.meta.Revision, Fetched: e.meta.confirmedAt()}
		}
	}
	return c.env.head(ctx, id.Origin(), known)
}

// refusal is what an earlier call of the session concluded about ref from a listing, nil when it is to be listed (C12).
func (c *cache) refusal(ref skill.Ref) error {
	if r, ok := c.env.Transport.(transport.Rememberer); ok {
		return r.Refusal(ref)
	}
	return nil
}

// refuse keeps err for the session when it is upstream's answer to ref and no failure.
func (c *cache) refuse(ref skill.Ref, err error) {
	if r, ok := c.env.Transport.(transport.Rememberer); ok && isRefusal(err) {
		r.Refuse(ref, err)
	}
}

// isRefusal reports whether err is upstream's answer, and no outage or other failure (C5, R6).
func isRefusal(err error) bool {
	return errors.Is(err, ErrNotFound) || errors.Is(err, ErrNoAccess) || errors.Is(err, ErrTooLarge) ||
		errors.As(err, new(*transport.TooManyError))
}

// freshFor is how long a hub's entry may be answered for without a request (H3). A probe of an older one was a request.
const freshFor = 15 * time.Minute

// seen takes over what a probe said of a hub's entry that did not change, who may read it (H4), and keeps that with the
// entry when nobody else writes, and when it was said (H3).
func (c *cache) seen(ctx context.Context, a answer, head transport.Head) answer {
	now := c.env.now()
	told := head.Visibility != "" && head.Visibility != a.meta.Visibility
	if a.err != nil || a.meta.ID.Scheme() != skill.Hub || !told && now.Sub(a.meta.confirmedAt()) < freshFor {
		return a
	}
	if told {
		a.meta.Visibility = head.Visibility
	}
	unlock, err := fsx.Lock(ctx, c.fs, lockPath(a.meta.ID.Origin()), fsx.LockOptions{Wait: -1, Takeover: true})
	if err != nil {
		return a
	}
	defer func() { _ = unlock() }()
	if e, err := c.lookup(a.meta.ID); err == nil && e.own() && !e.pending && e.meta.Revision == a.meta.Revision {
		e.meta.Visibility = a.meta.Visibility
		if now.Sub(e.meta.confirmedAt()) >= freshFor {
			e.meta.Checked = now.UTC()
		}
		_ = c.writeMeta(e.meta) // the next probe says it again
	}
	return a
}
