package remote

import (
	"context"
	"fmt"
	"io"
	"time"
)

// WaitError ends a context whose patience is over.
type WaitError struct {
	what  string
	limit time.Duration
	field string
}

func (e *WaitError) Error() string {
	return fmt.Sprintf("%s %v (Limits.%s raises this limit)", e.what, e.limit, e.field)
}

// ProbeTimeout returns a context that ends when a probe has taken limit.
func ProbeTimeout(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, limit, &WaitError{"no answer within", limit, "ProbeTimeout"})
}

// AnswerTimeout returns a context that ends when an answer has taken limit, whatever arrived meanwhile: for one that is
// worth nothing before it is there as a whole. Without, one that drips in just above the least rate takes hours.
func AnswerTimeout(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, limit, &WaitError{"no whole answer within", limit, "StallTimeout"})
}

// minRate is how many bytes a second are progress. Less is no line that anybody uses, and would hold an exchange up for
// as long as the other side likes: at a byte a minute a pack has no end.
const minRate = 512

// Guard ends one exchange in which too little arrives for too long: in each stretch as long as the limit, as many bytes
// as minRate brings in that time.
type Guard struct {
	ctx    context.Context // of this exchange alone, to tell why a read failed
	cancel context.CancelCauseFunc
	timer  *time.Timer
	limit  time.Duration
	seen   int64 // bytes since the timer was set
}

// NewGuard returns a context that ends when limit passes without progress of the guard's readers, of which one is in use
// at a time. It must be stopped.
func NewGuard(ctx context.Context, limit time.Duration) (context.Context, *Guard) {
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(limit, func() { cancel(&WaitError{"no progress for", limit, "StallTimeout"}) })
	return ctx, &Guard{ctx: ctx, cancel: cancel, timer: timer, limit: limit}
}

// Stop ends the exchange and its context.
func (g *Guard) Stop() {
	g.timer.Stop()
	g.cancel(nil)
}

// hurry lowers the limit: what is still to come is not worth more.
func (g *Guard) hurry(limit time.Duration) {
	g.limit = min(g.limit, limit)
	g.seen = 0
	g.timer.Reset(g.limit)
}

// progress counts n more bytes, and begins a new stretch when they are enough.
func (g *Guard) progress(n int) {
	g.seen += int64(n)
	if g.seen > 0 && g.seen >= int64(minRate*g.limit.Seconds()) {
		g.seen = 0
		g.timer.Reset(g.limit)
	}
}

// Reader returns r with its progress noticed, and its errors replaced by what ended the context.
func (g *Guard) Reader(r io.Reader) io.Reader { return &guardedReader{r, g} }

// Body returns a response's body with what Reader does, which stops the guard when it is closed.
func (g *Guard) Body(body io.ReadCloser) io.ReadCloser { return &guardedBody{g.Reader(body), body, g} }

type guardedReader struct {
	r io.Reader
	g *Guard
}

func (r *guardedReader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	r.g.progress(n)
	if err != nil && err != io.EOF {
		err = Because(r.g.ctx, err)
	}
	return n, err
}

type guardedBody struct {
	io.Reader
	body  io.Closer
	guard *Guard
}

func (b *guardedBody) Close() error {
	defer b.guard.Stop()
	return b.body.Close()
}

// Because returns what ended ctx in place of the failure that this led to.
func Because(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// drainTimeout is how long the chance to use a connection again is worth waiting for.
const drainTimeout = time.Second

// Drain reads what little is left of a body, so that its connection can be used again, and closes it.
func Drain(body io.ReadCloser) {
	if b, ok := body.(*guardedBody); ok {
		b.guard.hurry(drainTimeout)
	}
	_, _ = io.CopyN(io.Discard, body, 16<<10)
	_ = body.Close()
}
