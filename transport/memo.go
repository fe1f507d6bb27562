package transport

import (
	"context"
	"errors"
	"sync"

	"github.com/atskills-go/atskills/skill"
)

// Memo returns a transport that asks t for each origin's revision once and answers from memory after that, for as
// long as it lives: with one Memo for a session, content is checked once per session (C12). Concurrent probes of one
// origin share one call (C11). To ask upstream anew, make a new Memo.
//
// Only answers are remembered, and a no is one: an origin that matched [ErrNotFound] or [ErrNoAccess] stays so until
// there is a new Memo, as does what callers concluded from its listings ([Rememberer]). Any other failure goes to those
// who waited for it and is forgotten: an outage ends, and a session should not need a restart to see it. While it lasts,
// each call asks each origin once.
//
// Everything else goes to t, [BranchLister] and [Searcher] too; they match [errors.ErrUnsupported] when t lacks the
// ability. The Memo of a Memo is that Memo. The result is safe for concurrent use.
func Memo(t Transport) Transport {
	if m, ok := t.(*memo); ok {
		return m
	}
	return &memo{Transport: t, probed: map[skill.ID]*probe{}, calls: map[skill.ID]*probe{}, refused: map[skill.Ref]error{}}
}

// maxRefusals bounds what a Memo keeps for callers: more are no lines of a person.
const maxRefusals = 1024

type memo struct {
	Transport

	mu      sync.Mutex
	probed  map[skill.ID]*probe // answered by upstream
	calls   map[skill.ID]*probe // under way
	refused map[skill.Ref]error
}

var (
	_ Rememberer   = (*memo)(nil)
	_ Conditional  = (*memo)(nil)
	_ BranchLister = (*memo)(nil)
	_ WebPager     = (*memo)(nil)
	_ Searcher     = (*memo)(nil)
	_ Limited      = (*memo)(nil)
	_ Sited        = (*memo)(nil)
)

// probe is a call, made by the first who needed it. Its results are set before done is closed.
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
		call, mine := m.join(origin)
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

// join returns the call that upstream answered, or else the one under way. With mine set the call was just begun, and is
// the caller's to make.
func (m *memo) join(origin skill.ID) (call *probe, mine bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if call, ok := m.probed[origin]; ok {
		return call, false
	}
	if call, ok := m.calls[origin]; ok {
		return call, false
	}
	call = &probe{done: make(chan struct{}), abandoned: true}
	m.calls[origin] = call
	return call, true
}

// lead makes the call for all who wait. It runs on the caller's own goroutine and context, so that nothing outlives
// the calls of Head.
func (m *memo) lead(ctx context.Context, origin skill.ID, known Known, call *probe) (Head, error) {
	defer func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.calls, origin)
		if !call.abandoned && call.answered() {
			m.probed[origin] = call
		}
		close(call.done)
	}()
	call.head, call.err = HeadSince(ctx, m.Transport, origin, known)
	call.abandoned = call.err != nil && ctx.Err() != nil
	return call.head, call.err
}

// answered reports whether upstream has spoken (C5).
func (p *probe) answered() bool {
	return p.err == nil || errors.Is(p.err, ErrNotFound) || errors.Is(p.err, ErrNoAccess)
}

// Refusal returns what was kept here, or else behind.
func (m *memo) Refusal(ref skill.Ref) error {
	m.mu.Lock()
	err := m.refused[ref]
	m.mu.Unlock()
	if err == nil {
		return refusal(m.Transport, ref)
	}
	return err
}

// Refuse keeps err here and behind, where it may outlive this Memo.
func (m *memo) Refuse(ref skill.Ref, err error) {
	m.mu.Lock()
	if len(m.refused) < maxRefusals {
		m.refused[ref] = err
	}
	m.mu.Unlock()
	refuse(m.Transport, ref, err)
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
