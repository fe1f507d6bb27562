package transport

import (
	"context"
	"sync"

	"github.com/atskills-go/atskills/skill"
)

// Memo returns a transport that asks t for each origin's revision once and answers from memory after that, for as
// long as it lives: with one Memo for a session, content is checked once per session (C12). Concurrent probes of one
// origin share one call (C11). To ask upstream anew, make a new Memo.
//
// Only answers are remembered. A failure goes to those who waited for it and is forgotten: an outage ends, a repository
// appears, and a session should not need a restart to see it.
//
// Everything else goes to t, [BranchLister] and [Searcher] too; they match [errors.ErrUnsupported] when t lacks the
// ability. The result is safe for concurrent use.
func Memo(t Transport) Transport {
	return &memo{Transport: t, heads: map[skill.ID]Head{}, calls: map[skill.ID]*probe{}}
}

type memo struct {
	Transport

	mu    sync.Mutex
	heads map[skill.ID]Head
	calls map[skill.ID]*probe
}

var (
	_ Conditional  = (*memo)(nil)
	_ BranchLister = (*memo)(nil)
	_ WebPager     = (*memo)(nil)
	_ Searcher     = (*memo)(nil)
	_ Limited      = (*memo)(nil)
	_ Sited        = (*memo)(nil)
)

// probe is a call under way, made by the first who needed it. Its results are set before done is closed.
type probe struct {
	done      chan struct{}
	head      Head
	err       error
	abandoned bool // the caller's context ended, or its call panicked: this says nothing about upstream
}

// Head returns what is remembered of id's origin, or asks once.
func (m *memo) Head(ctx context.Context, id skill.ID) (Head, error) {
	return m.HeadSince(ctx, id, Known{})
}

// HeadSince is Head, where the one question that is asked says what the caller has.
func (m *memo) HeadSince(ctx context.Context, id skill.ID, known Known) (Head, error) {
	origin := id.Origin()
	for {
		if err := ctx.Err(); err != nil {
			return Head{}, err
		}
		head, call, mine := m.join(origin)
		if call == nil {
			return head, nil
		}
		if mine {
			return m.lead(ctx, origin, known, call)
		}
		select {
		case <-ctx.Done():
			return Head{}, ctx.Err()
		case <-call.done:
		}
		// A caller that gave up must not fail those who still want to know: one of them asks again.
		if !call.abandoned {
			return call.head, call.err
		}
	}
}

// join returns what is remembered, or else the call under way. With mine set the call was just begun, and is the
// caller's to make.
func (m *memo) join(origin skill.ID) (head Head, call *probe, mine bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if head, ok := m.heads[origin]; ok {
		return head, nil, false
	}
	if call, ok := m.calls[origin]; ok {
		return Head{}, call, false
	}
	call = &probe{done: make(chan struct{}), abandoned: true}
	m.calls[origin] = call
	return Head{}, call, true
}

// lead makes the call for all who wait. It runs on the caller's own goroutine and context, so that nothing outlives
// the calls of Head.
func (m *memo) lead(ctx context.Context, origin skill.ID, known Known, call *probe) (Head, error) {
	defer func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.calls, origin)
		if !call.abandoned && call.err == nil {
			m.heads[origin] = call.head
		}
		close(call.done)
	}()
	call.head, call.err = HeadSince(ctx, m.Transport, origin, known)
	call.abandoned = call.err != nil && ctx.Err() != nil
	return call.head, call.err
}

// Branches asks the transport behind.
func (m *memo) Branches(ctx context.Context, id skill.ID) ([]string, error) {
	return branches(ctx, m.Transport, id)
}

// WebURL asks the transport behind.
func (m *memo) WebURL(id skill.ID, rev Revision) string { return webURL(m.Transport, id, rev) }

// Site asks the transport behind.
func (m *memo) Site(id skill.ID) string { return Site(m.Transport, id) }

// Limits are those of the transport behind.
func (m *memo) Limits(id skill.ID) Limits { return LimitsOf(m.Transport, id) }

// Search asks the transport behind.
func (m *memo) Search(ctx context.Context, query string) ([]skill.ID, error) {
	return search(ctx, m.Transport, query)
}
