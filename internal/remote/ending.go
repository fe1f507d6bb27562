package remote

import (
	"context"
	"io"
)

// EndingReader returns a reader of r that fails with the cause of ctx once that has ended, also where r never waits.
func EndingReader(ctx context.Context, r io.Reader) io.Reader { return &endingReader{ctx, r} }

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
