package gitwire

import (
	"bytes"
	"crypto"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/hash"
)

// Objects are the hashed contents of a pack. Reading them is safe for concurrent use.
type Objects struct {
	list  []object
	index map[plumbing.Hash]int
	sum   hash.Hash // of the object being added; a new one each time costs more than most objects

	room  int64 // bytes that may still be held in memory
	file  *os.File
	spill int64 // bytes in file
}

type object struct {
	typ   plumbing.ObjectType
	chain uint16 // deltas below it
	hash  plumbing.Hash
	size  int64
	data  []byte // nil when in the file
	at    int64  // position in the file
}

func newObjects(memory int64) *Objects {
	return &Objects{index: map[plumbing.Hash]int{}, sum: hash.New(crypto.SHA1), room: memory}
}

// Len returns the number of distinct objects.
func (o *Objects) Len() int { return len(o.index) }

// Hashes returns the names of all objects, in no order.
func (o *Objects) Hashes() iter.Seq[plumbing.Hash] { return maps.Keys(o.index) }

// Size returns the bytes of all objects.
func (o *Objects) Size() int64 {
	var n int64
	for _, b := range o.list {
		n += b.size
	}
	return n
}

// Has reports whether the object is there and of the type.
func (o *Objects) Has(typ plumbing.ObjectType, h plumbing.Hash) bool {
	i, ok := o.index[h]
	return ok && o.list[i].typ == typ
}

// Bytes returns the content of an object of the type, which the caller does not change, and false when there is none.
func (o *Objects) Bytes(typ plumbing.ObjectType, h plumbing.Hash) ([]byte, bool) {
	if !o.Has(typ, h) {
		return nil, false
	}
	b, err := o.bytes(o.index[h])
	return b, err == nil
}

// Open returns a reader of the content of an object of the type, and false when there is none.
func (o *Objects) Open(typ plumbing.ObjectType, h plumbing.Hash) (io.Reader, bool) {
	if !o.Has(typ, h) {
		return nil, false
	}
	b := o.list[o.index[h]]
	if b.data != nil {
		return bytes.NewReader(b.data), true
	}
	return io.NewSectionReader(o.file, b.at, b.size), true
}

// Close removes the temporary file, if there is one.
func (o *Objects) Close() error {
	if o.file == nil {
		return nil
	}
	err := o.file.Close()
	_ = os.Remove(o.file.Name()) // where an open file could not be removed at once
	return err
}

func (o *Objects) bytes(i int) ([]byte, error) {
	b := o.list[i]
	if b.data != nil {
		return b.data, nil
	}
	p := make([]byte, b.size)
	_, err := o.file.ReadAt(p, b.at)
	return p, unexpected(err)
}

// add reads size bytes of r, to which it must end, as a new object and returns its index.
func (o *Objects) add(typ plumbing.ObjectType, size int64, r io.Reader) (int, error) {
	sum := o.sum
	sum.Reset()
	fmt.Fprintf(sum, "%s %d\x00", typ, size)
	b := object{typ: typ, size: size}
	var err error
	if size <= o.room {
		b.data, err = readAll(io.TeeReader(r, sum), size)
		o.room -= size
	} else {
		b.at, err = o.write(io.TeeReader(r, sum), size)
	}
	if err != nil {
		return 0, err
	}
	sum.Sum(b.hash[:0])
	i := len(o.list)
	o.list = append(o.list, b)
	if _, ok := o.index[b.hash]; !ok {
		o.index[b.hash] = i
	}
	return i, nil
}

// readAll reads size bytes, to which r must end. It does not trust size enough to take more than a little memory
// ahead of the content.
func readAll(r io.Reader, size int64) ([]byte, error) {
	const trusted = 64 << 10
	if size > trusted {
		var b bytes.Buffer
		if err := exactly(&b, r, size); err != nil {
			return nil, err
		}
		return slices.Clone(b.Bytes()), nil
	}
	p := make([]byte, size)
	for n := 0; n < len(p); {
		m, err := r.Read(p[n:])
		n += m
		if err == io.EOF && n < len(p) {
			return nil, sizeError(size)
		}
		if err != nil && err != io.EOF {
			return nil, err
		}
	}
	n, err := io.Copy(io.Discard, io.LimitReader(r, 1))
	if err != nil {
		return nil, unexpected(err)
	}
	if n > 0 {
		return nil, sizeError(size)
	}
	return p, nil
}

func (o *Objects) write(r io.Reader, size int64) (at int64, err error) {
	if o.file == nil {
		if o.file, err = os.CreateTemp("", "atskills-"); err != nil {
			return 0, err
		}
		_ = os.Remove(o.file.Name()) // some systems allow it only after Close
	}
	at = o.spill
	if err := exactly(o.file, r, size); err != nil {
		return 0, err
	}
	o.spill += size
	return at, nil
}
