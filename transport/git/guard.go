package git

import (
	"context"
	"fmt"
	"io"
	"time"
)

// waitError ends a context whose patience is over.
type waitError struct {
	what  string
	limit time.Duration
	field string
}

func (e *waitError) Error() string {
	return fmt.Sprintf("%s %v (Limits.%s raises this limit)", e.what, e.limit, e.field)
}

// minRate is how many bytes a second are progress. Less is no line that anybody uses, and would hold an exchange up for
// as long as the other side likes: at a byte a minute a listing has no end.
const minRate = 512

// guard ends one exchange in which too little arrives for too long: in each stretch as long as the limit, as many bytes
// as minRate brings in that time.
type guard struct {
	ctx    context.Context // of this exchange alone, to tell why a read failed
	cancel context.CancelCauseFunc
	timer  *time.Timer
	limit  time.Duration
	seen   int64 // bytes since the timer was set
}

// newGuard returns a context that ends when limit passes without progress of the guard's readers, of which one is in use
// at a time. It must be stopped.
func newGuard(ctx context.Context, limit time.Duration) (context.Context, *guard) {
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(limit, func() { cancel(&waitError{"no progress for", limit, "StallTimeout"}) })
	return ctx, &guard{ctx: ctx, cancel: cancel, timer: timer, limit: limit}
}

func (g *guard) stop() {
	g.timer.Stop()
	g.cancel(nil)
}

// hurry lowers the limit: what is still to come is not worth more.
func (g *guard) hurry(limit time.Duration) {
	g.limit = min(g.limit, limit)
	g.seen = 0
	g.timer.Reset(g.limit)
}

// progress counts n more bytes, and begins a new stretch when they are enough.
func (g *guard) progress(n int) {
	g.seen += int64(n)
	if g.seen > 0 && g.seen >= int64(minRate*g.limit.Seconds()) {
		g.seen = 0
		g.timer.Reset(g.limit)
	}
}

// reader returns r with its progress noticed, and its errors replaced by what ended the context.
func (g *guard) reader(r io.Reader) io.Reader { return &guardedReader{r, g} }

type guardedReader struct {
	r io.Reader
	g *guard
}

func (r *guardedReader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	r.g.progress(n)
	if err != nil && err != io.EOF {
		err = because(r.g.ctx, err)
	}
	return n, err
}

// guardedBody is a response's body that stops its guard when it is closed.
type guardedBody struct {
	io.Reader
	body  io.Closer
	guard *guard
}

func (b *guardedBody) Close() error {
	defer b.guard.stop()
	return b.body.Close()
}

// because returns what ended ctx in place of the failure that this led to.
func because(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}
