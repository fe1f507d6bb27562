package transporttest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/atskills-go/atskills/transport"
)

// A revision is the same until the upstream changes, whatever id of the origin asks, and another one after (F3, C4).
func testHead(s *suite) {
	first := s.head(s.deploy())
	if again := s.head(s.deploy().Origin()); again != first {
		s.Errorf("Head of the origin = %+v, of an id in it %+v", again, first)
	}
	if first.Revision == "" || first.Moved != "" {
		s.Errorf("Head = %+v, want a revision and no new address", first)
	}
	if !s.hub && (string(first.Revision) != s.up.Tip(s.name()) || first.Branch != "main") {
		s.Errorf("Head = %+v, want %s on main", first, s.up.Tip(s.name()))
	}
	s.change("SKILL.md", "changed\n")
	second := s.head(s.deploy())
	if second.Revision == first.Revision {
		s.Error("the revision is the same after a change")
	}
}

// change commits a file of the deploy skill.
func (s *suite) change(path, body string) {
	s.Helper()
	if !s.hub {
		path = "deploy/" + path
	}
	if _, err := s.up.Commit(s.name(), time.Time{}, map[string]File{path: {Body: body}}); err != nil {
		s.Fatal(err)
	}
}

// Entries are in byte order of the whole path, files only, relative to the id (W4).
func testTree(s *suite) {
	tree := s.tree(s.open(s.deploy()), s.deploy())
	s.equal("paths", []string{"SKILL.md", "a-b.txt", "a.txt", "a/note.txt"}, paths(tree))
	for _, e := range tree.Entries {
		if e.Mode != transport.Regular {
			s.Errorf("%q is a %s", e.Path, e.Mode)
		}
	}
	if tree.Partial {
		s.Error("the tree of an id that was opened is partial")
	}
}

// Every body arrives once and matches its entry, those of equal content each for itself (F5, F6).
func testFetch(s *suite) {
	snap := s.open(s.deploy())
	got := s.fetched(snap, bodies(s.tree(snap, s.deploy())))
	dir := "deploy/"
	if s.hub {
		dir = ""
	}
	s.equal("bodies", s.want(s.name(), s.up.Tip(s.name()), dir), got)
}

// Only what is asked for is delivered; asking for nothing is no error (F1).
func testFetchSubset(s *suite) {
	snap := s.open(s.deploy())
	all := bodies(s.tree(snap, s.deploy()))
	if got := s.fetched(snap, all[2:3]); len(got) != 1 {
		s.Errorf("asked for one body, got %q", got)
	}
	if got := s.fetched(snap, nil); len(got) != 0 {
		s.Errorf("asked for no body, got %q", got)
	}
	// A put that reads nothing, or a part, hurts nobody.
	n := 0
	err := snap.Fetch(s.Context(), all, func(_ transport.Entry, r io.Reader) error {
		n++
		_, err := io.CopyN(io.Discard, r, int64(n-1))
		return err
	})
	if err != nil || n != len(all) {
		s.Errorf("a put that reads little was called %d times of %d: %v", n, len(all), err)
	}
}

// An error of put ends the fetch and is returned.
func testPutError(s *suite) {
	snap := s.open(s.deploy())
	full := errors.New("disk full")
	calls := 0
	err := snap.Fetch(s.Context(), bodies(s.tree(snap, s.deploy())), func(transport.Entry, io.Reader) error {
		calls++
		return full
	})
	if !errors.Is(err, full) || calls != 1 {
		s.Errorf("Fetch = %v after %d calls of put, want %q after one", err, calls, full)
	}
}

// What is not there is "not found", never "unreachable" (C5).
func testUnknown(s *suite) {
	id := s.id("gh:acme/nowhere/x")
	if s.hub {
		id = s.id("hub:acme/nowhere")
	}
	_, err := s.tr.Head(s.Context(), id)
	if !errors.Is(err, transport.ErrNotFound) || errors.Is(err, transport.ErrUnreachable) {
		s.Errorf("Head(%s) = %v, want ErrNotFound", id, err)
	}
	s.up.Remove(s.name())
	if _, err := s.tr.Head(s.Context(), s.deploy()); !errors.Is(err, transport.ErrNotFound) {
		s.Errorf("Head of a removed origin = %v, want ErrNotFound", err)
	}
}

// A call whose context has ended fails with its error.
func testCancelled(s *suite) {
	rev := s.head(s.deploy()).Revision
	ctx, cancel := context.WithCancel(s.Context())
	cancel()
	if _, err := s.tr.Head(ctx, s.deploy()); !errors.Is(err, context.Canceled) {
		s.Errorf("Head = %v, want %v", err, context.Canceled)
	}
	snap, err := s.tr.Open(ctx, rev, s.deploy())
	if !errors.Is(err, context.Canceled) {
		s.Errorf("Open = %v, want %v", err, context.Canceled)
	}
	if snap != nil {
		s.Error("Open returned a snapshot beside an error")
	}
}

// A fetch ends when its context does, before it or in the middle of it.
func testCancelledFetch(s *suite) {
	snap := s.open(s.deploy())
	all := bodies(s.tree(snap, s.deploy()))
	ctx, cancel := context.WithCancel(s.Context())
	err := snap.Fetch(ctx, all, func(transport.Entry, io.Reader) error {
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		s.Errorf("Fetch cancelled at its first body = %v, want %v", err, context.Canceled)
	}
	put := func(transport.Entry, io.Reader) error {
		s.Error("put was called after the context's end")
		return nil
	}
	if err := snap.Fetch(ctx, all, put); !errors.Is(err, context.Canceled) {
		s.Errorf("Fetch = %v, want %v", err, context.Canceled)
	}
}

// Transports and snapshots are used from many goroutines; put never runs twice at a time within one fetch.
func testConcurrent(s *suite) {
	shared := s.open(s.deploy())
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := s.useOnce(shared); err != nil {
				s.Error(err)
			}
		})
	}
	wg.Wait()
}

// useOnce probes, lists and fetches, from a snapshot of its own and from a shared one.
func (s *suite) useOnce(shared transport.Snapshot) error {
	head, err := s.tr.Head(s.Context(), s.deploy())
	if err != nil {
		return err
	}
	own, err := s.tr.Open(s.Context(), head.Revision, s.deploy())
	if err != nil {
		return err
	}
	defer own.Close()
	for _, snap := range []transport.Snapshot{own, shared} {
		tree, err := snap.Tree(s.deploy())
		if err != nil {
			return err
		}
		n := 0 // the race detector sees a concurrent put here
		err = snap.Fetch(s.Context(), bodies(tree), func(e transport.Entry, r io.Reader) error {
			n++
			body, err := io.ReadAll(r)
			if err == nil && e.Hash != "" && !e.Matches(body) {
				err = fmt.Errorf("body of %q does not match %s", e.Path, e.Hash)
			}
			return err
		})
		if err != nil || n != len(tree.Entries) {
			return fmt.Errorf("%d of %d bodies: %w", n, len(tree.Entries), err)
		}
	}
	return nil
}
