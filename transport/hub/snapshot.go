package hub

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

// Open lists the skill or playlist at ids, which are one and the same: a hub's origin is its id. What the probe before it
// brought is used, else the hub is asked for rev; one that serves another revision matches [transport.ErrNoRevision]. A
// skill costs one request more, for the list of its files, unless the probe told that there is one file or brought the list,
// as it does of a hub without validators; a playlist costs none.
func (h *Hub) Open(ctx context.Context, rev transport.Revision, ids ...skill.ID) (transport.Snapshot, error) {
	const op = "list"
	if len(ids) == 0 {
		return nil, errors.New("list: no id")
	}
	id := ids[0]
	for _, other := range ids[1:] {
		if other != id {
			return nil, fmt.Errorf("list: %s and %s are of different origins", id, other)
		}
	}
	if err := h.check(ctx, op, id); err != nil {
		return nil, err
	}
	s := &snapshot{h: h, id: id}
	if err := s.load(ctx, rev); err != nil {
		return nil, h.failure(ctx, op, h.address(id), err)
	}
	return s, nil
}

// snapshot is what stood at one id, listed. It does not change after Open.
type snapshot struct {
	h      *Hub
	id     skill.ID
	answer answer
	tree   transport.Tree
	closed atomic.Bool
}

var errClosed = errors.New("the snapshot is closed")

func (s *snapshot) load(ctx context.Context, rev transport.Revision) (err error) {
	known := false
	if s.answer, known = s.h.memory.get(s.id, rev); !known {
		if s.answer, err = s.h.at(ctx, s.id, rev); err != nil {
			return err
		}
	}
	if s.answer.list {
		s.tree.Rows, s.tree.Skipped, err = s.h.parseMenu(s.id, s.answer.body)
		return err
	}
	l := s.answer.listing
	if l == nil {
		if l, err = s.h.bundle(ctx, "list", s.id, s.answer, !known); err != nil {
			return err
		}
	}
	s.tree.Entries, s.tree.Skipped = l.entries, l.skipped
	return nil
}

// at asks for what stood at id at rev (S4).
func (h *Hub) at(ctx context.Context, id skill.ID, rev transport.Revision) (answer, error) {
	pin := rev
	switch {
	case isDigest(rev):
		pin = "" // it is ours: no hub knows it, and one may still serve what it is of
	case tagOf(rev) == "":
		return answer{}, &revisionError{fmt.Sprintf("%q is no revision of a hub", rev)}
	}
	a, err := h.look(ctx, "list", id, pin, "")
	switch {
	case hasNoListing(err):
		return answer{}, &revisionError{fmt.Sprintf("the hub does not serve revision %q, or does not show it", rev)}
	case err != nil:
		return answer{}, err
	case a.rev != rev:
		return answer{}, &revisionError{fmt.Sprintf("the hub serves revision %q, not %q", a.rev, rev)}
	}
	h.memory.add(id, a)
	return a, nil
}

// Tree returns the bundle's files, or the playlist's rows.
func (s *snapshot) Tree(id skill.ID) (transport.Tree, error) {
	if s.closed.Load() {
		return transport.Tree{}, errClosed
	}
	if id != s.id {
		return transport.Tree{}, fmt.Errorf("%w: %s is not in %s", transport.ErrNoPath, id, s.id)
	}
	t := s.tree
	t.Entries, t.Skipped, t.Rows = slices.Clone(t.Entries), slices.Clone(t.Skipped), slices.Clone(t.Rows)
	return t, nil
}

// Close ends the snapshot.
func (s *snapshot) Close() error {
	s.closed.Store(true)
	return nil
}
