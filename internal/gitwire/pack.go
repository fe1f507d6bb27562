package gitwire

import (
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/go-git/go-git/v5/plumbing"
)

// maxChain is how many deltas may stand on each other, the most that git itself writes.
const maxChain = 4095

// PackOptions says what of a pack is kept, and bounds it.
type PackOptions struct {
	// Keep chooses the kinds of object to keep; nil keeps all. Others are read past.
	Keep func(plumbing.ObjectType) bool
	// Objects bounds how many objects the pack declares, Object the inflated bytes of one that is kept, Total those
	// of all that are kept, Skipped those of all that are read past.
	Objects, Object, Total, Skipped Bound
	// Memory is how many bytes of kept objects stay in memory; the rest goes to a temporary file.
	Memory int64
	// Each, if set, is called when the number of objects is known and after each of them. Its error ends the reading.
	Each func(done, total int) error
}

// ReadPack reads a pack to its end. The objects read until then are returned along with any error: each of them is
// whole and hashed, whatever came after it. They must be closed in either case.
func ReadPack(r io.Reader, opts PackOptions) (*Objects, error) {
	p := &packReader{in: newInput(r), opts: opts, objects: newObjects(opts.Memory)}
	return p.objects, p.read()
}

// entry is an object's place in the pack: what a delta by offset refers to.
type entry struct {
	offset int64
	object int // index in Objects, or one of the states below
}

const (
	skipped = -1 // read past
	waiting = -2 // a delta whose base has not been seen yet
)

type packReader struct {
	in      *input
	opts    PackOptions
	objects *Objects
	entries []entry
	zr      io.ReadCloser
	kept    int64 // inflated bytes kept, deltas that wait for their base included
	passed  int64 // inflated bytes read past
	pending pending
}

func (p *packReader) read() error {
	n, err := p.header()
	if err != nil {
		return err
	}
	for i := range n {
		if err := p.each(i, n); err != nil {
			return err
		}
		if err := p.object(); err != nil {
			return fmt.Errorf("object %d of %d: %w", i+1, n, err)
		}
	}
	if err := p.each(n, n); err != nil {
		return err
	}
	if err := p.in.finish(); err != nil {
		return err
	}
	// A delta that waits for an object that was read past is of a kind that is not kept either. Should it be
	// something else, its object is missing from the result, which whoever needs it will notice.
	if p.pending.len() > 0 && p.passed == 0 {
		return errors.New("a delta in the pack has no base")
	}
	return nil
}

func (p *packReader) each(done, total int) error {
	if p.opts.Each == nil {
		return nil
	}
	return p.opts.Each(done, total)
}

func (p *packReader) header() (int, error) {
	var head [12]byte
	if err := p.in.full(head[:]); err != nil {
		return 0, err
	}
	if string(head[:4]) != "PACK" {
		return 0, errors.New("not a pack")
	}
	if v := binary.BigEndian.Uint32(head[4:]); v != 2 {
		return 0, fmt.Errorf("pack version %d is not supported", v)
	}
	n := int64(binary.BigEndian.Uint32(head[8:]))
	return int(n), p.opts.Objects.check(n)
}

// object reads the object at the present position.
func (p *packReader) object() error {
	at := p.in.offset()
	typ, size, err := p.objectHeader()
	if err != nil {
		return err
	}
	p.entries = append(p.entries, entry{at, skipped})
	switch typ {
	case plumbing.OFSDeltaObject:
		distance, err := p.distance()
		if err != nil {
			return err
		}
		return p.deltaByOffset(at-distance, size)
	case plumbing.REFDeltaObject:
		var base plumbing.Hash
		if err := p.in.full(base[:]); err != nil {
			return err
		}
		return p.deltaByHash(base, size)
	case plumbing.CommitObject, plumbing.TreeObject, plumbing.BlobObject, plumbing.TagObject:
		return p.whole(typ, size)
	}
	return fmt.Errorf("unknown type %d", typ)
}

// objectHeader reads type and inflated size: three bits and a little-endian number of the rest.
func (p *packReader) objectHeader() (plumbing.ObjectType, int64, error) {
	c, err := p.in.ReadByte()
	if err != nil {
		return 0, 0, unexpected(err)
	}
	typ, size := plumbing.ObjectType(c>>4&7), int64(c&15)
	for shift := 4; c&0x80 != 0; shift += 7 {
		if c, err = p.in.ReadByte(); err != nil {
			return 0, 0, unexpected(err)
		}
		if shift > 53 {
			return 0, 0, errors.New("size out of range")
		}
		size |= int64(c&0x7f) << shift
	}
	return typ, size, nil
}

// distance reads how far back the base of a delta stands, a big-endian number in which each further byte adds one.
func (p *packReader) distance() (int64, error) {
	var n int64
	for i := 0; ; i++ {
		c, err := p.in.ReadByte()
		if err != nil {
			return 0, unexpected(err)
		}
		if i > 7 {
			return 0, errors.New("delta base out of range")
		}
		if i > 0 {
			n++
		}
		n = n<<7 | int64(c&0x7f)
		if c&0x80 == 0 {
			return n, nil
		}
	}
}

func (p *packReader) whole(typ plumbing.ObjectType, size int64) error {
	if p.opts.Keep != nil && !p.opts.Keep(typ) {
		return p.skip(size)
	}
	if err := p.take(size); err != nil {
		return err
	}
	zr, err := p.inflate()
	if err != nil {
		return err
	}
	i, err := p.objects.add(typ, size, zr)
	if err != nil {
		return err
	}
	return p.settle(len(p.entries)-1, i)
}

// take accounts for size more bytes to be kept, before memory is taken for them.
func (p *packReader) take(size int64) error {
	if err := p.opts.Object.check(size); err != nil {
		return err
	}
	p.kept += size
	return p.opts.Total.check(p.kept)
}

func (p *packReader) skip(size int64) error {
	p.passed += max(size, 1)
	if err := p.opts.Skipped.check(p.passed); err != nil {
		return err
	}
	zr, err := p.inflate()
	if err != nil {
		return err
	}
	return exactly(io.Discard, zr, size)
}

// inflate returns a reader of the object's content, which begins at the present position.
func (p *packReader) inflate() (io.Reader, error) {
	if p.zr == nil {
		zr, err := zlib.NewReader(p.in)
		p.zr = zr
		return zr, unexpected(err)
	}
	return p.zr, unexpected(p.zr.(zlib.Resetter).Reset(p.in, nil))
}

// exactly copies size bytes, to which r must end: a declared size is a promise, and what was checked against bounds.
func exactly(w io.Writer, r io.Reader, size int64) error {
	n, err := io.Copy(w, io.LimitReader(r, size+1))
	switch {
	case err != nil:
		return unexpected(err)
	case n != size:
		return sizeError(size)
	}
	return nil
}

func sizeError(size int64) error {
	return fmt.Errorf("inflates to a size other than the %d bytes declared", size)
}
