package gitwire

import (
	"bytes"
	"crypto"
	"errors"
	"io"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/hash"
)

// input reads a pack byte by byte or in runs, knows its position and keeps the running checksum. Being an
// io.ByteReader keeps the inflater from reading past the object it works on.
type input struct {
	r        io.Reader
	buf      []byte
	pos, end int
	start    int64 // position of buf[0] in the stream
	sum      hash.Hash
}

func newInput(r io.Reader) *input {
	return &input{r: r, buf: make([]byte, 32<<10), sum: hash.New(crypto.SHA1)}
}

func (in *input) offset() int64 { return in.start + int64(in.pos) }

// fill is called with everything in the buffer consumed.
func (in *input) fill() error {
	in.sum.Write(in.buf[:in.end])
	in.start += int64(in.end)
	in.pos, in.end = 0, 0
	for range 100 {
		n, err := in.r.Read(in.buf)
		if n > 0 {
			in.end = n
			return nil
		}
		if err != nil {
			return err
		}
	}
	return io.ErrNoProgress
}

func (in *input) ReadByte() (byte, error) {
	if in.pos == in.end {
		if err := in.fill(); err != nil {
			return 0, err
		}
	}
	c := in.buf[in.pos]
	in.pos++
	return c, nil
}

func (in *input) Read(p []byte) (int, error) {
	if in.pos == in.end {
		if err := in.fill(); err != nil {
			return 0, err
		}
	}
	n := copy(p, in.buf[in.pos:in.end])
	in.pos += n
	return n, nil
}

// full fills p.
func (in *input) full(p []byte) error {
	_, err := io.ReadFull(in, p)
	return unexpected(err)
}

// finish checks the trailing checksum and that nothing follows it.
func (in *input) finish() error {
	in.sum.Write(in.buf[:in.pos])
	want := in.sum.Sum(nil)
	in.end = copy(in.buf, in.buf[in.pos:in.end])
	in.pos = 0
	var got plumbing.Hash
	if err := in.full(got[:]); err != nil {
		return err
	}
	if !bytes.Equal(got[:], want) {
		return errors.New("the pack's checksum does not match its content")
	}
	if _, err := in.ReadByte(); err != io.EOF {
		if err == nil {
			return errors.New("data after the end of the pack")
		}
		return err
	}
	return nil
}
