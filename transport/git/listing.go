package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/atskills-go/atskills/internal/gitwire"
	"github.com/atskills-go/atskills/internal/remote"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

// Open lists what stands at ids: one request for all commits and trees at depth one. When only ids below the root are
// wanted and the listing grows past Options.WalkAfter, it is stopped and the ids are reached tree by tree, one request
// a level and one for everything below them.
func (t *Transport) Open(ctx context.Context, rev transport.Revision, ids ...skill.ID) (transport.Snapshot, error) {
	const op = "list"
	if len(ids) == 0 {
		return nil, errors.New("list: no id")
	}
	for _, id := range ids[1:] {
		if id.Origin() != ids[0].Origin() {
			return nil, fmt.Errorf("list: %s and %s are of different origins", ids[0], id)
		}
	}
	ep, err := t.endpoint(op, ids[0])
	if err != nil {
		return nil, err
	}
	commit, err := gitwire.ParseHash(string(rev))
	if err != nil {
		return nil, ep.error(op, transport.ErrNoRevision, transport.CauseNotFound, err, "")
	}
	limits := t.opts.Limits
	l := &listing{t: t, ep: ep, commit: commit, left: limits.ListingBytes, room: 2 * limits.ListingBytes}
	if err := l.load(ctx, ids); err != nil {
		return nil, t.failure(ctx, op, ep, err)
	}
	s, err := newSnapshot(l, ids)
	if err != nil {
		return nil, err // not s: a nil *snapshot would be an interface that is not nil
	}
	return s, nil
}

// listing gathers the commit and trees of one revision, in as many packs as it takes.
type listing struct {
	t      *Transport
	ep     *endpoint
	commit plumbing.Hash
	left   int64 // bytes that may still come over the wire
	room   int64 // inflated bytes that may still be kept, over all packs
	root   plumbing.Hash
	packs  []*gitwire.Objects
}

// errWalk stops a listing that is better reached tree by tree.
var errWalk = errors.New("the listing is large")

func (l *listing) load(ctx context.Context, ids []skill.ID) error {
	soft := l.t.opts.WalkAfter
	if soft < 0 || slices.ContainsFunc(ids, func(id skill.ID) bool { return id.Sub() == "" }) {
		soft = 0
	}
	whole := gitwire.FetchRequest{Wants: []plumbing.Hash{l.commit}, Depth: 1, Filter: gitwire.NoBlobs}
	err := l.fetch(ctx, whole, soft)
	walk := errors.Is(err, errWalk)
	if err != nil && !walk {
		return err
	}
	err = l.findRoot()
	if err != nil && walk {
		// The listing was stopped before the commit came. With this filter it comes alone.
		req := gitwire.FetchRequest{Wants: []plumbing.Hash{l.commit}, Depth: 1, Filter: gitwire.WantedTrees}
		if err = l.fetch(ctx, req, 0); err == nil {
			err = l.findRoot()
		}
	}
	if err != nil || !walk {
		return err
	}
	err = l.walk(ctx, ids)
	var refused *gitwire.RemoteError
	if !errors.As(err, &refused) {
		return err
	}
	// The server gives out commits and no trees by hash: what is there comes with the commit or not at all.
	if err := l.forget(); err != nil {
		return err
	}
	if err := l.fetch(ctx, whole, 0); err != nil {
		return err
	}
	return l.findRoot()
}

// forget drops what came so far.
func (l *listing) forget() error {
	for _, p := range l.packs {
		l.room += p.Size()
	}
	err := l.close()
	l.packs = nil
	return err
}

// findRoot reads the root tree's name from the commit, whose presence is thereby known: some servers and libraries
// report success without it.
func (l *listing) findRoot() (err error) {
	for _, p := range l.packs {
		if b, ok := p.Bytes(plumbing.CommitObject, l.commit); ok {
			l.root, err = gitwire.CommitTree(b)
			return err
		}
	}
	return &gitwire.RemoteError{Text: fmt.Sprintf("not our ref %s: the answer does not hold it", l.commit)}
}

// fetch adds the commits and trees of one pack. With a soft limit it may return errWalk; what came until then is kept.
func (l *listing) fetch(ctx context.Context, req gitwire.FetchRequest, soft int64) error {
	limits := l.t.opts.Limits
	bound := l.t.listingBound()
	bound.Max = l.left
	filtered := true
	err := l.t.pack(ctx, "list", l.ep, req, bound, func(r io.Reader, m *gitwire.Meter, filter bool) error {
		filtered = filter
		objects, err := gitwire.ReadPack(r, gitwire.PackOptions{
			Keep: func(typ plumbing.ObjectType) bool {
				return typ == plumbing.CommitObject || typ == plumbing.TreeObject
			},
			Objects: gitwire.Bound{Max: 1<<32 - 1},
			Object:  gitwire.Bound{Max: l.room, What: "bytes in one folder", Field: "ListingBytes"},
			Total:   gitwire.Bound{Max: l.room, What: "bytes in one listing, inflated", Field: "ListingBytes"},
			Skipped: gitwire.Bound{Max: limits.FetchBytes, What: "bytes of files the server sent with a listing", Field: "FetchBytes"},
			Memory:  l.room,
			Each: func(done, total int) error {
				l.t.progress("list", done, total, m.N)
				// A commit at depth one reaches itself, its root and what its trees list.
				tooMany := total > limits.Entries+2
				if filter && soft > 0 && (m.N > soft && done > 0 || tooMany) {
					return errWalk
				}
				if tooMany {
					return l.tooManyEntries()
				}
				return nil
			},
		})
		l.packs = append(l.packs, objects)
		l.left -= m.N
		l.room -= objects.Size()
		return err
	})
	var limit *transport.LimitError
	if errors.As(err, &limit) && !filtered {
		return fmt.Errorf("%w; the server leaves no bodies out, so a listing brings every file", err)
	}
	return err
}

func (l *listing) tooManyEntries() error {
	return &transport.LimitError{What: "tree entries", Max: int64(l.t.opts.Limits.Entries), Field: "Entries"}
}

func (t *Transport) progress(op string, done, total int, bytes int64) {
	if t.opts.Progress != nil {
		t.opts.Progress(Progress{Op: op, Objects: done, Total: total, Bytes: bytes})
	}
}

// pack fetches one pack and hands it to read, along with the meter of the bytes received and whether the server was
// sent the filter.
func (t *Transport) pack(ctx context.Context, op string, ep *endpoint, req gitwire.FetchRequest, bound gitwire.Bound,
	read func(r io.Reader, m *gitwire.Meter, filter bool) error) error {
	return t.withProtocol(ctx, op, ep, func(filter bool) error {
		req := req
		if !filter {
			req.Filter = ""
		}
		return t.command(ctx, op, ep, req.Encode(t.opts.UserAgent), func(body io.Reader) error {
			m := &gitwire.Meter{R: body, Bound: bound}
			r, err := gitwire.OpenPack(m)
			if err != nil {
				return err
			}
			return read(r, m, filter)
		})
	}, func() error {
		return t.olderPack(ctx, ep, req, bound, func(r io.Reader, m *gitwire.Meter) error {
			return read(r, m, false)
		})
	})
}

// tree returns the content of a tree.
func (l *listing) tree(h plumbing.Hash) ([]byte, bool) {
	if h == gitwire.EmptyTree {
		return nil, true
	}
	for _, p := range l.packs {
		if b, ok := p.Bytes(plumbing.TreeObject, h); ok {
			return b, true
		}
	}
	return nil, false
}

func (l *listing) close() error {
	var errs []error
	for _, p := range l.packs {
		errs = append(errs, p.Close())
	}
	return errors.Join(errs...)
}

// missingError says which tree a listing lacks.
type missingError struct{ hash plumbing.Hash }

func (e *missingError) Error() string { return fmt.Sprintf("the answer lacks tree %s", e.hash) }

// find follows sub, slash-separated, from the root. It matches [transport.ErrNoPath] where nothing or no folder
// stands, and is a [*missingError] where a tree on the way is not held. Names on the way are judged like all others.
func (l *listing) find(sub string) (plumbing.Hash, error) {
	at := l.root
	walked := ""
	for seg := range strings.SplitSeq(sub, "/") {
		if sub == "" {
			break
		}
		b, ok := l.tree(at)
		if !ok {
			return at, &missingError{at}
		}
		e, ok, err := child(b, seg)
		if err != nil {
			return at, fmt.Errorf("in folder %s: %w", remote.Quote(walked), err)
		}
		walked = strings.TrimPrefix(walked+"/"+seg, "/")
		switch {
		case !ok:
			return at, fmt.Errorf("%w: %q", transport.ErrNoPath, walked)
		case e.Mode != transport.Directory:
			return at, fmt.Errorf("%w: %q is a %s, not a folder", transport.ErrNoPath, walked, e.Mode)
		}
		at = e.Hash
	}
	return at, nil
}

// child finds name in a tree, all of whose names are checked.
func child(tree []byte, name string) (found gitwire.TreeEntry, ok bool, err error) {
	for e, err := range gitwire.TreeEntries(tree) {
		if err == nil {
			_, err = remote.CheckName(string(e.Name))
		}
		if err == nil && ok && string(e.Name) == name {
			err = fmt.Errorf("hostile tree: the name %s stands in it twice", remote.Quote(name))
		}
		if err != nil {
			return found, false, err
		}
		if string(e.Name) == name {
			found, ok = e, true
		}
	}
	return found, ok, nil
}

// walk reaches ids tree by tree, all of them in step.
func (l *listing) walk(ctx context.Context, ids []skill.ID) error {
	for range l.t.opts.Limits.Depth + 1 {
		var want []plumbing.Hash
		for _, id := range ids {
			_, err := l.find(id.Sub())
			var missing *missingError
			if errors.As(err, &missing) && !slices.Contains(want, missing.hash) {
				want = append(want, missing.hash)
			} else if err != nil && missing == nil && !errors.Is(err, transport.ErrNoPath) {
				return err
			}
		}
		if len(want) == 0 {
			return l.fetchBelow(ctx, ids)
		}
		if err := l.fetchTrees(ctx, want, gitwire.WantedTrees); err != nil {
			return err
		}
	}
	return &transport.LimitError{What: "folders deep", Max: int64(l.t.opts.Limits.Depth), Field: "Depth"}
}

// fetchBelow completes the trees that ids stand for.
func (l *listing) fetchBelow(ctx context.Context, ids []skill.ID) error {
	var want []plumbing.Hash
	for _, id := range ids {
		h, err := l.find(id.Sub())
		if err != nil || slices.Contains(want, h) {
			continue // nothing stands there: Tree will say so
		}
		whole, err := l.isWhole(h)
		if err != nil {
			return err
		}
		if !whole {
			want = append(want, h)
		}
	}
	if len(want) == 0 {
		return nil
	}
	return l.fetchTrees(ctx, want, gitwire.NoBlobs)
}

func (l *listing) fetchTrees(ctx context.Context, want []plumbing.Hash, filter string) error {
	if err := l.fetch(ctx, gitwire.FetchRequest{Wants: want, Filter: filter}, 0); err != nil {
		return err
	}
	for _, h := range want {
		if _, ok := l.tree(h); !ok {
			return &missingError{h}
		}
	}
	return nil
}

// isWhole reports whether everything below a tree is held.
func (l *listing) isWhole(h plumbing.Hash) (bool, error) {
	_, err := l.expand(h)
	var missing *missingError
	if errors.As(err, &missing) {
		return false, nil
	}
	return err == nil, err
}
