package hub

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/atskills-go/atskills/internal/remote"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

// ahead is how many files are on their way or in memory at a time.
const ahead = 4

// Fetch asks for each file by itself, a few at a time, and puts them in the order of want. Each is held in memory and
// checked before it is put. SKILL.md came with the listing and costs no request. Sizes that pass a limit fail before any
// body moves.
func (s *snapshot) Fetch(ctx context.Context, want []transport.Entry, put func(transport.Entry, io.Reader) error) error {
	const op = "fetch"
	if s.closed.Load() {
		return errClosed
	}
	if err := s.checkSizes(want); err != nil {
		return s.h.failure(ctx, op, s.h.address(s.id), err)
	}
	own, cancel := context.WithCancel(ctx)
	bodies := make([]chan body, len(want))
	var started sync.WaitGroup
	defer started.Wait()
	defer cancel()
	start := func(i int) {
		bodies[i] = make(chan body, 1)
		started.Go(func() {
			data, err := s.body(own, want[i])
			bodies[i] <- body{data, err}
		})
	}
	for i := range min(ahead, len(want)) {
		start(i)
	}
	done := Progress{Total: len(want)}
	for i, e := range want {
		got := <-bodies[i]
		bodies[i] = nil
		if ctx.Err() != nil {
			return s.h.failure(ctx, op, s.h.address(s.id), context.Cause(ctx))
		}
		if got.err != nil {
			return s.h.failure(ctx, op, s.h.address(s.id, e.Path), got.err)
		}
		done.Files++
		if done.Bytes += int64(len(got.data)); done.Bytes > s.h.opts.Limits.FetchBytes {
			return s.h.failure(ctx, op, s.h.address(s.id), s.fetchBound().err())
		}
		if i+ahead < len(want) {
			start(i + ahead)
		}
		if err := put(e, &endingReader{ctx, bytes.NewReader(got.data)}); err != nil {
			return err
		}
		if s.h.opts.Progress != nil {
			s.h.opts.Progress(done)
		}
	}
	return nil
}

// body is a file that arrived, or why it did not.
type body struct {
	data []byte
	err  error
}

// endingReader ends with its context.
type endingReader struct {
	ctx context.Context
	r   io.Reader
}

func (r *endingReader) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	return r.r.Read(p)
}

func (s *snapshot) fetchBound() bound {
	return bound{s.h.opts.Limits.FetchBytes, "bytes of files in one fetch", "FetchBytes"}
}

// fileBound is the smaller of the two limits a bundled file has.
func (s *snapshot) fileBound() bound {
	limits := s.h.opts.Limits
	if limits.BlobBytes < limits.AnswerBytes {
		return bound{limits.BlobBytes, "bytes in one file", "BlobBytes"}
	}
	return bound{limits.AnswerBytes, "bytes in one file of a hub", "AnswerBytes"}
}

// checkSizes judges what the listing says of want.
func (s *snapshot) checkSizes(want []transport.Entry) error {
	total, one := s.fetchBound(), s.fileBound()
	left := total.max
	for _, e := range want {
		if e.Size > one.max {
			return fmt.Errorf("%q: %w", e.Path, one.err())
		}
		if left -= max(e.Size, 0); left < 0 {
			return total.err()
		}
	}
	return nil
}

// body returns the checked content of a file of the bundle.
func (s *snapshot) body(ctx context.Context, e transport.Entry) ([]byte, error) {
	if e.Path == skill.SkillFile && e.Matches(s.answer.body) {
		return s.answer.body, nil
	}
	q := question{op: "fetch", at: s.h.address(s.id, e.Path), accept: acceptFile}
	if s.answer.tagged {
		q.rev = s.answer.rev
	}
	limit := s.fileBound()
	var data []byte
	err := s.h.ask(ctx, q, func(r *reply) (err error) {
		if data, err = r.read(limit); err == nil {
			err = check(e, data)
		}
		return err
	})
	if isMissing(err) {
		return nil, &revisionError{fmt.Sprintf("the hub lists %q and does not serve it any more; the skill may have changed", e.Path)}
	}
	return data, err
}

// check compares a body with what the listing says of it.
func check(e transport.Entry, data []byte) error {
	switch {
	case e.Size >= 0 && int64(len(data)) != e.Size:
		return fmt.Errorf("the file has %d bytes where the hub's listing says %d", len(data), e.Size)
	case !e.Matches(data):
		return fmt.Errorf("the file is not the one the hub's listing is of: its digest is not %s", remote.Clean(e.Hash))
	}
	return nil
}
