package transporttest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

// Counts is what a transport was asked.
type Counts struct {
	Probes    int   // calls of Head and HeadSince
	Opens     int   // calls of Open
	Fetches   int   // calls of a snapshot's Fetch
	Bodies    int   // bodies delivered
	BodyBytes int64 // bytes read of them
	Branches  int   // calls of Branches
	Searches  int   // calls of Search
}

// Counter counts what is asked of a transport, failed calls too. Safe for concurrent use.
type Counter struct {
	inner transport.Transport

	mu     sync.Mutex
	counts Counts
}

var (
	_ transport.Transport    = (*Counter)(nil)
	_ transport.Conditional  = (*Counter)(nil)
	_ transport.BranchLister = (*Counter)(nil)
	_ transport.Searcher     = (*Counter)(nil)
	_ transport.Limited      = (*Counter)(nil)
	_ transport.Sited        = (*Counter)(nil)
)

// NewCounter returns a transport that hands everything to t and counts it.
func NewCounter(t transport.Transport) *Counter { return &Counter{inner: t} }

// Counts returns what was counted so far.
func (c *Counter) Counts() Counts {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.counts
}

// Reset returns what was counted so far and begins anew.
func (c *Counter) Reset() Counts {
	c.mu.Lock()
	defer c.mu.Unlock()
	counts := c.counts
	c.counts = Counts{}
	return counts
}

func (c *Counter) count(add func(*Counts)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	add(&c.counts)
}

// Head counts a probe.
func (c *Counter) Head(ctx context.Context, id skill.ID) (transport.Head, error) {
	c.count(func(n *Counts) { n.Probes++ })
	return c.inner.Head(ctx, id)
}

// HeadSince counts a probe.
func (c *Counter) HeadSince(ctx context.Context, id skill.ID, known transport.Known) (transport.Head, error) {
	c.count(func(n *Counts) { n.Probes++ })
	return transport.HeadSince(ctx, c.inner, id, known)
}

// Open counts a listing. The snapshot's fetches are counted too.
func (c *Counter) Open(ctx context.Context, rev transport.Revision, ids ...skill.ID) (transport.Snapshot, error) {
	c.count(func(n *Counts) { n.Opens++ })
	s, err := c.inner.Open(ctx, rev, ids...)
	if err != nil {
		return nil, err
	}
	return &countedSnapshot{s, c}, nil
}

// Branches counts a listing of branches. It matches [errors.ErrUnsupported] when the transport cannot list them.
func (c *Counter) Branches(ctx context.Context, id skill.ID) ([]string, error) {
	c.count(func(n *Counts) { n.Branches++ })
	if l, ok := c.inner.(transport.BranchLister); ok {
		return l.Branches(ctx, id)
	}
	return nil, fmt.Errorf("branches %s: %w", id, errors.ErrUnsupported)
}

// Site is that of the transport that is counted.
func (c *Counter) Site(id skill.ID) string { return transport.Site(c.inner, id) }

// Limits are those of the transport that is counted.
func (c *Counter) Limits(id skill.ID) transport.Limits { return transport.LimitsOf(c.inner, id) }

// Search counts a search. It matches [errors.ErrUnsupported] when the transport cannot search.
func (c *Counter) Search(ctx context.Context, query string) ([]skill.ID, error) {
	c.count(func(n *Counts) { n.Searches++ })
	if s, ok := c.inner.(transport.Searcher); ok {
		return s.Search(ctx, query)
	}
	return nil, fmt.Errorf("search %q: %w", query, errors.ErrUnsupported)
}

type countedSnapshot struct {
	transport.Snapshot
	counter *Counter
}

func (s *countedSnapshot) Fetch(ctx context.Context, want []transport.Entry, put func(transport.Entry, io.Reader) error) error {
	s.counter.count(func(n *Counts) { n.Fetches++ })
	return s.Snapshot.Fetch(ctx, want, func(e transport.Entry, body io.Reader) error {
		s.counter.count(func(n *Counts) { n.Bodies++ })
		return put(e, countedReader{body, s.counter})
	})
}

type countedReader struct {
	io.Reader
	counter *Counter
}

func (r countedReader) Read(p []byte) (int, error) {
	read, err := r.Reader.Read(p)
	r.counter.count(func(n *Counts) { n.BodyBytes += int64(read) })
	return read, err
}
