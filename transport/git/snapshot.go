package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

// snapshot answers from a listing. The trees of the ids it was opened for are expanded once, so that a bad one fails
// Open and a good one costs nothing afterwards.
type snapshot struct {
	l      *listing
	origin skill.ID

	mu     sync.RWMutex // held for reading while the listing is in use
	closed bool
	trees  map[plumbing.Hash]transport.Tree
}

var errClosed = errors.New("the snapshot is closed")

func newSnapshot(l *listing, ids []skill.ID) (*snapshot, error) {
	s := &snapshot{l: l, origin: ids[0].Origin(), trees: map[plumbing.Hash]transport.Tree{}}
	for _, id := range ids {
		h, err := l.find(id.Sub())
		if errors.Is(err, transport.ErrNoPath) {
			continue
		}
		if err == nil {
			_, err = s.whole(h)
		}
		if err != nil {
			return nil, errors.Join(l.t.failure(context.Background(), "list", l.ep, fmt.Errorf("%s: %w", id, err)), l.close())
		}
	}
	return s, nil
}

// whole returns everything below a tree.
func (s *snapshot) whole(h plumbing.Hash) (transport.Tree, error) {
	if tree, ok := s.trees[h]; ok {
		return tree, nil
	}
	x, err := s.l.expand(h)
	if err != nil {
		return transport.Tree{}, err
	}
	tree := transport.Tree{Hash: "git:" + h.String(), Entries: x.entries, Skipped: x.skipped}
	s.trees[h] = tree
	return tree, nil
}

// Tree returns what stands at id.
func (s *snapshot) Tree(id skill.ID) (transport.Tree, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return transport.Tree{}, errClosed
	}
	if id.Origin() != s.origin {
		return transport.Tree{}, fmt.Errorf("%w: %s is not in %s", transport.ErrNoPath, id, s.origin)
	}
	h, err := s.l.find(id.Sub())
	var missing *missingError
	if errors.As(err, &missing) {
		return transport.Tree{}, fmt.Errorf("%w: the listing did not reach %s", transport.ErrNoPath, id)
	}
	if err != nil {
		return transport.Tree{}, err
	}
	tree, err := s.whole(h)
	if errors.As(err, &missing) {
		return s.partial(h, id)
	}
	tree.Entries, tree.Skipped = slices.Clone(tree.Entries), slices.Clone(tree.Skipped)
	return tree, err
}

// partial returns the immediate children of a tree whose sub-trees are not all held.
func (s *snapshot) partial(h plumbing.Hash, id skill.ID) (transport.Tree, error) {
	b, ok := s.l.tree(h)
	if !ok {
		return transport.Tree{}, fmt.Errorf("%w: the listing did not reach %s", transport.ErrNoPath, id)
	}
	x, err := s.l.children(b)
	if err != nil {
		return transport.Tree{}, err
	}
	return transport.Tree{Hash: "git:" + h.String(), Entries: x.entries, Skipped: x.skipped, Partial: true}, nil
}

// Fetch moves bodies.
func (s *snapshot) Fetch(ctx context.Context, want []transport.Entry, put func(transport.Entry, io.Reader) error) error {
	s.mu.RLock()
	closed := s.closed
	s.mu.RUnlock()
	if closed {
		return errClosed
	}
	return s.l.t.bodies(ctx, s.l.ep, s.l.commit, want, put)
}

// Close releases the listing.
func (s *snapshot) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed, s.trees = true, nil
	err := s.l.close()
	s.l.packs = nil
	return err
}
