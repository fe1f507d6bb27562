package atskills

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"

	"github.com/go-git/go-billy/v5"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/skill"
)

// held is what stands on disk for a reference: the project's own, else what the cache has. No request is made for it.
type held struct {
	answer
	id   skill.ID // the spelling that answered (G3)
	fs   billy.Filesystem
	view fsx.View
	base string // the folder, in view

	cache *cache // what holds it, nil when the project does
	entry entry
}

// unchanged reports whether a cache entry is still the one that was read: nobody wrote since.
func (h held) unchanged() bool {
	if h.cache == nil {
		return true
	}
	now, err := h.cache.lookup(h.id)
	return err == nil && now.pending == h.entry.pending && bytes.Equal(now.raw, h.entry.raw)
}

// held finds what stands on disk for ref, by the rules of [Resolve] but without upstream (R1). A marked id that the cache
// does not hold is a [*NotFoundError]; a copy in the cache that is not what was fetched, or that somebody is replacing,
// matches errDamaged or errChanged.
func (e Env) held(ctx context.Context, ref skill.Ref) (held, error) {
	if err := e.check(); err != nil {
		return held{}, err
	}
	r := newResolver(e)
	if err := r.local(ctx, ref); err != nil {
		return held{}, err
	}
	if a, ok := r.found[ref.ID]; ok {
		id := a.meta.ID
		return held{answer: a, id: id, fs: e.Project, view: fsx.NewView(e.Project, "", true), base: Dir + "/" + id.DiskPath()}, a.err
	}
	return e.inCache(ctx, ref.ID)
}

func (e Env) inCache(ctx context.Context, id skill.ID) (held, error) {
	absent := &NotFoundError{ID: id, Reason: "the cache does not hold it", Hint: "resolve it first"}
	if e.Cache == nil {
		return held{}, absent
	}
	c := newCache(e)
	for try := 1; ; try++ {
		entry, err := c.lookup(id)
		if err != nil {
			return held{}, absent
		}
		got, err := c.read(ctx, entry)
		if errors.Is(err, errChanged) && try < maxReadTries && ctx.Err() == nil {
			continue
		}
		if err != nil && !errors.As(err, new(*NotFoundError)) {
			err = fmt.Errorf("the cache's copy of %s: %w", id.Reference(), err)
		}
		if err == nil {
			err = got.unread
		}
		a := answer{content: got, meta: entry.meta, served: ServedCached}
		return held{answer: a, id: id, fs: c.fs, view: c.view, base: id.DiskPath(), cache: c, entry: entry}, err
	}
}

// hostPath spells a file of the folder as the host's own file system would.
func (h held) hostPath(name string) string { return hostPath(h.fs, path.Join(h.base, name)) }
