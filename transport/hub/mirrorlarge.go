package hub

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"time"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/internal/remote"
)

// heldBody is how much of a file an answer may hold in memory, about what its connection takes anyway: a client that does
// not read keeps no more than that from others.
const heldBody = 64 << 10

// largeFile is a file beyond heldBody. It is read once for its digest, and again while it is sent.
type largeFile struct {
	view fsx.View
	name string
	size int64
	sum  string
}

// largeFile digests the file name. A few are read at a time; none waits for a client.
func (m *mirror) largeFile(ctx context.Context, name string) (*largeFile, error) {
	leave, err := m.large.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	f, err := m.tree.view.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	max, sum := m.tree.limits.BlobBytes, sha256.New()
	n, err := io.Copy(sum, io.LimitReader(remote.EndingReader(ctx, f), max+1))
	if err != nil {
		return nil, err
	}
	if n > max {
		return nil, &fsx.SizeError{Name: name, Max: max}
	}
	return &largeFile{view: m.tree.view, name: name, size: n, sum: hex.EncodeToString(sum.Sum(nil))}, nil
}

// serve answers with the file as a whole: of a part nobody could tell what it is a part of, if the file changed. One that
// did is cut off before its last bytes.
func (l *largeFile) serve(w http.ResponseWriter, r *http.Request) error {
	if r.Header.Get("Range") != "" {
		r = r.Clone(r.Context())
		r.Header.Del("Range")
	}
	again := &rereading{largeFile: l, digest: sha256.New()}
	defer again.close()
	http.ServeContent(w, r, "", time.Time{}, again)
	return again.err
}

// rereading reads a large file once more, from its start.
type rereading struct {
	*largeFile
	file   io.ReadCloser // nil before the first byte is asked for
	digest hash.Hash
	at     int64
	err    error // why it cannot be read to its end
}

var errChangedWhileSent = errors.New("the file changed while it was sent")

// Seek tells the size to whoever asks for the end, and goes nowhere else.
func (r *rereading) Seek(offset int64, whence int) (int64, error) {
	switch {
	case whence == io.SeekEnd && offset == 0:
		return r.size, nil
	case whence == io.SeekStart && offset == r.at:
		return r.at, nil
	}
	return 0, errors.ErrUnsupported
}

func (r *rereading) Read(p []byte) (int, error) {
	if r.err != nil || r.at == r.size {
		return 0, orEOF(r.err)
	}
	var n int
	if n, r.err = r.read(p[:min(int64(len(p)), r.size-r.at)]); r.err != nil {
		return 0, r.err
	}
	return n, nil
}

func (r *rereading) read(p []byte) (n int, err error) {
	if r.file == nil {
		if r.file, err = r.view.Open(r.name); err != nil {
			return 0, err
		}
	}
	if n, err = io.ReadFull(r.file, p); err != nil {
		return 0, fmt.Errorf("%w: %w", errChangedWhileSent, err)
	}
	_, _ = r.digest.Write(p) // a hash never fails
	if r.at += int64(n); r.at == r.size && hex.EncodeToString(r.digest.Sum(nil)) != r.sum {
		return 0, errChangedWhileSent
	}
	return n, nil
}

func (r *rereading) close() {
	if r.file != nil {
		_ = r.file.Close() // it was only read
	}
}

func orEOF(err error) error {
	if err == nil {
		return io.EOF
	}
	return err
}
