package hub

import (
	"bufio"
	"context"
	"io"

	"github.com/atskills-go/atskills/internal/remote"
	"github.com/atskills-go/atskills/transport"
)

// stream puts a file as it arrives and returns its size, which is at most left and what a file may have. When the file did
// not arrive as it was listed, whatever put made of that, failed says why; else err is what put returned.
func (s *snapshot) stream(ctx context.Context, e transport.Entry, left int64, put func(io.Reader) error) (n int64, failed, err error) {
	failed = s.ask(ctx, e, func(r *reply) error {
		v, failed := s.verify(ctx, e, left, r)
		if failed != nil {
			return failed
		}
		if err = put(v); err == nil {
			_, _ = io.Copy(io.Discard, v) // what put did not want is checked too, and a failure is kept
		}
		n = v.n
		return v.failed()
	})
	return n, failed, err
}

// verify returns a reader of the body of r, which is to be that of e.
func (s *snapshot) verify(ctx context.Context, e transport.Entry, left int64, r *reply) (*verifying, error) {
	limit := s.fileBound()
	tooMuch := limit.err()
	if left < limit.max {
		limit.max, tooMuch = left, s.fetchBound().err()
	}
	if r.ContentLength > limit.max {
		return nil, tooMuch
	}
	content, err := r.content(limit)
	if err != nil {
		return nil, err
	}
	digest, err := transport.NewDigest(e.Hash, e.Size)
	if err != nil {
		return nil, err
	}
	from := bufio.NewReaderSize(remote.EndingReader(ctx, content), 32<<10)
	return &verifying{from: from, want: e, digest: digest, max: limit.max, tooMuch: tooMuch}, nil
}

// verifying reads a file and fails in place of its last bytes when it is not the one that was listed.
type verifying struct {
	from    *bufio.Reader
	want    transport.Entry
	digest  *transport.Digest
	max     int64
	tooMuch error // for more bytes than max
	n       int64
	err     error // how it ended, io.EOF when all is well
}

func (v *verifying) Read(p []byte) (int, error) {
	if v.err != nil || len(p) == 0 {
		return 0, v.err
	}
	n, err := v.from.Read(p)
	_, _ = v.digest.Write(p[:n]) // a hash never fails
	if v.n += int64(n); v.n > v.max {
		err = v.tooMuch
	}
	if err == nil {
		_, err = v.from.Peek(1) // these may be the last
	}
	if err == io.EOF {
		if unlike := mismatch(v.want, v.n, v.digest.String() == v.want.Hash); unlike != nil {
			err = unlike
		}
	}
	if v.err = err; v.failed() != nil {
		return 0, v.err
	}
	return n, v.err
}

// failed returns why the file is none, nil as long as nothing speaks against it.
func (v *verifying) failed() error {
	if v.err == io.EOF {
		return nil
	}
	return v.err
}
