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

// Fetch asks for each file by itself and puts them in the order of want. Those of at most AnswerBytes are asked for a few
// at a time, held in memory and checked before they are put; a larger one, or one of unknown size, is put as it arrives,
// and its reader fails in place of the last byte when it is not the file that was listed. SKILL.md came with the listing
// and costs no request. Sizes that pass a limit fail before any body moves.
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
		if i >= len(want) || !s.isHeld(want[i]) {
			return
		}
		bodies[i] = make(chan body, 1)
		started.Go(func() {
			data, err := s.body(own, want[i])
			bodies[i] <- body{data, err}
		})
	}
	for i := range ahead {
		start(i)
	}
	done := Progress{Total: len(want)}
	for i, e := range want {
		n, err := s.put(ctx, e, bodies[i], s.h.opts.Limits.FetchBytes-done.Bytes, func(r io.Reader) error {
			bodies[i] = nil // its content is let go before the next is asked for
			start(i + ahead)
			return put(e, r)
		})
		if err != nil {
			return err
		}
		done.Files++
		done.Bytes += n
		if s.h.opts.Progress != nil {
			s.h.opts.Progress(done)
		}
	}
	return nil
}

// put hands one file on, from arriving when it is on its way already, and returns its size. It is an error when that
// passes left.
func (s *snapshot) put(ctx context.Context, e transport.Entry, arriving <-chan body, left int64, put func(io.Reader) error) (int64, error) {
	const op = "fetch"
	if arriving == nil {
		n, failed, err := s.stream(ctx, e, left, put)
		if failed != nil {
			err = s.h.failure(ctx, op, s.h.address(s.id, e.Path), failed)
		}
		return n, err
	}
	got := <-arriving
	switch {
	case ctx.Err() != nil:
		return 0, s.h.failure(ctx, op, s.h.address(s.id), context.Cause(ctx))
	case got.err != nil:
		return 0, s.h.failure(ctx, op, s.h.address(s.id, e.Path), got.err)
	case int64(len(got.data)) > left:
		return 0, s.h.failure(ctx, op, s.h.address(s.id), s.fetchBound().err())
	}
	return int64(len(got.data)), put(remote.EndingReader(ctx, bytes.NewReader(got.data)))
}

// body is a file that arrived, or why it did not.
type body struct {
	data []byte
	err  error
}

func (s *snapshot) fetchBound() bound {
	return bound{s.h.opts.Limits.FetchBytes, "bytes of files in one fetch", "FetchBytes"}
}

func (s *snapshot) fileBound() bound {
	return bound{s.h.opts.Limits.BlobBytes, "bytes in one file", "BlobBytes"}
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

// isHeld reports whether e is held in memory before it is put.
func (s *snapshot) isHeld(e transport.Entry) bool {
	return 0 <= e.Size && e.Size <= s.h.opts.Limits.AnswerBytes || e.Path == skill.SkillFile && e.Matches(s.answer.body)
}

// body returns the checked content of a file of the bundle.
func (s *snapshot) body(ctx context.Context, e transport.Entry) (data []byte, err error) {
	if e.Path == skill.SkillFile && e.Matches(s.answer.body) {
		return s.answer.body, nil
	}
	limit := s.fileBound()
	err = s.ask(ctx, e, func(r *reply) error {
		if data, err = r.read(limit); err == nil {
			err = check(e, data)
		}
		return err
	})
	return data, err
}

// ask asks for a file of the bundle.
func (s *snapshot) ask(ctx context.Context, e transport.Entry, read func(*reply) error) error {
	q := question{op: "fetch", at: s.h.address(s.id, e.Path), accept: acceptFile}
	if s.answer.tagged {
		q.rev = s.answer.rev
	}
	err := s.h.ask(ctx, q, read)
	if isMissing(err) {
		return &revisionError{fmt.Sprintf("the hub lists %q and does not serve it any more; the skill may have changed", e.Path)}
	}
	return err
}

// check compares a body with what the listing says of it.
func check(e transport.Entry, data []byte) error {
	return mismatch(e, int64(len(data)), e.Matches(data))
}

// mismatch returns an error for a file that is not e: another size, or not the same by its digest.
func mismatch(e transport.Entry, size int64, same bool) error {
	switch {
	case e.Size >= 0 && size != e.Size:
		return fmt.Errorf("the file has %d bytes where the hub's listing says %d", size, e.Size)
	case !same:
		return fmt.Errorf("the file is not the one the hub's listing is of: its digest is not %s", remote.Clean(e.Hash))
	}
	return nil
}
