package atskills

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

// fetchWait bounds how long a call waits for another process that fetches the same repository (C7). It is longer than a
// fetch may stall. In between it looks every fetchPoll.
const (
	fetchWait = 3 * time.Minute
	fetchPoll = 50 * time.Millisecond
)

// refresh brings the entries of ids, all of one origin, to head and puts their answers into out. Whatever fails leaves
// the old copy in place, and answering (C6), unless an ancestor that came with it has taken that place: what upstream has
// there now is then all there is.
func (c *cache) refresh(ctx context.Context, head transport.Head, ids []skill.ID, out map[skill.ID]answer) {
	_ = c.clear(metaDir) // the lock says what is wrong when this does not help
	unlock, err := fsx.Lock(ctx, c.fs, lockPath(ids[0].Origin()), fsx.LockOptions{Wait: fetchWait, Poll: fetchPoll, Takeover: true})
	if err != nil {
		for _, id := range ids {
			out[id] = answer{err: c.unusable(fmt.Errorf("lock: %w", err))}
		}
		return
	}
	defer func() { _ = unlock() }() // a lock that cannot be removed is taken over by the next writer
	stages := stagePath(ids[0].Origin())
	_ = fsx.RemoveAll(c.fs, stages) // what a crashed writer left; the lock is ours (S9)
	defer func() { _ = fsx.RemoveAll(c.fs, stages) }()

	ids = slices.Clone(ids)
	slices.SortFunc(ids, func(a, b skill.ID) int { return cmp.Compare(a.String(), b.String()) }) // ancestors first
	ids = slices.DeleteFunc(ids, func(id skill.ID) bool {
		c.settle(id)
		a, ok := c.confirmed(ctx, id, head.Revision) // another process was quicker
		if ok {
			out[id] = a
		}
		return ok
	})
	if len(ids) == 0 {
		return
	}
	snap, err := c.env.open(ctx, head.Revision, ids...)
	if err != nil {
		for _, id := range ids {
			out[id] = c.fallback(ctx, id, err)
			c.refuse(skill.Ref{ID: id}, err)
		}
		return
	}
	defer func() { _ = snap.Close() }() // nothing is written through it

	var plans []*plan
	refused := make(map[skill.ID]error)
	for _, id := range ids {
		p, err := c.plan(ctx, listing{snap, head}, id, plans)
		if err != nil {
			refused[id] = err
			c.refuse(skill.Ref{ID: id}, err)
			continue
		}
		plans = append(plans, p)
	}
	c.landAll(ctx, snap, plans, out)
	for id, err := range refused { // only now: what landed may have replaced the copy that would answer
		out[id] = c.fallback(ctx, id, err)
	}
}

// landAll fetches and lands plans, ancestors first.
func (c *cache) landAll(ctx context.Context, snap transport.Snapshot, plans []*plan, out map[skill.ID]answer) {
	if len(plans) == 0 {
		return
	}
	err := c.fetch(ctx, snap, plans)
	for _, p := range plans {
		why := err
		if p.under != nil && why == nil {
			why = out[p.under.id].failure()
		}
		if why != nil {
			out[p.id] = c.failed(ctx, p.id, why)
		} else {
			out[p.id] = c.land(ctx, p)
		}
	}
}

// failed answers for an id whose refresh failed: with the old copy, unless only the cache's own file system is to blame.
func (c *cache) failed(ctx context.Context, id skill.ID, err error) answer {
	var broken *unusableError
	if errors.As(err, &broken) {
		return answer{err: err}
	}
	return c.fallback(ctx, id, err)
}

// settle undoes what a crashed writer of id or of an ancestor left half done: it runs under the lock, so no other writer
// lives. The pending file stays until id is written: which revision the content has is not known, only its bytes are.
func (c *cache) settle(id skill.ID) {
	for cur, ok := id, true; ok; cur, ok = cur.Parent() {
		if c.exists(pendingPath(cur)) {
			_ = fsx.Recover(c.fs, cur.DiskPath()) // best effort: a missing folder is fetched again
		}
	}
}

func (c *cache) exists(name string) bool {
	_, err := c.fs.Stat(name)
	return err == nil
}
