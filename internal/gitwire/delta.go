package gitwire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"sort"

	"github.com/go-git/go-git/v5/plumbing"
)

// waiter is a delta that has been read before its base.
type waiter struct {
	entry int
	delta []byte
}

// pending holds the waiters by what they wait for.
type pending struct {
	byHash  map[plumbing.Hash][]waiter
	byEntry map[int][]waiter
}

func (p *pending) len() int { return len(p.byHash) + len(p.byEntry) }

func (p *packReader) deltaByOffset(base, size int64) error {
	n := len(p.entries) - 1
	b := sort.Search(n, func(i int) bool { return p.entries[i].offset >= base })
	if b == n || p.entries[b].offset != base {
		return errors.New("delta base is no object of the pack")
	}
	switch at := p.entries[b].object; at {
	case skipped:
		return p.skip(size)
	case waiting:
		delta, err := p.readDelta(size)
		if err != nil {
			return err
		}
		if p.pending.byEntry == nil {
			p.pending.byEntry = map[int][]waiter{}
		}
		p.pending.byEntry[b] = append(p.pending.byEntry[b], waiter{n, delta})
		p.entries[n].object = waiting
		return nil
	default:
		return p.deltaOn(at, n, size)
	}
}

func (p *packReader) deltaByHash(base plumbing.Hash, size int64) error {
	n := len(p.entries) - 1
	if at, ok := p.objects.index[base]; ok {
		return p.deltaOn(at, n, size)
	}
	delta, err := p.readDelta(size)
	if err != nil {
		return err
	}
	if p.pending.byHash == nil {
		p.pending.byHash = map[plumbing.Hash][]waiter{}
	}
	p.pending.byHash[base] = append(p.pending.byHash[base], waiter{n, delta})
	p.entries[n].object = waiting
	return nil
}

// deltaOn reads a delta whose base is object at, and settles its entry.
func (p *packReader) deltaOn(at, entry int, size int64) error {
	delta, err := p.readDelta(size)
	if err != nil {
		return err
	}
	p.kept -= size // the delta is not kept
	i, err := p.build(at, delta)
	if err != nil {
		return err
	}
	return p.settle(entry, i)
}

func (p *packReader) readDelta(size int64) ([]byte, error) {
	if err := p.take(size); err != nil {
		return nil, err
	}
	zr, err := p.inflate()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := exactly(&b, zr, size); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// build adds the object that delta makes of object at.
func (p *packReader) build(at int, delta []byte) (int, error) {
	base := p.objects.list[at]
	if base.chain >= maxChain {
		return 0, errors.New("too many deltas on each other")
	}
	from, to, ops, err := deltaSizes(delta)
	if err != nil {
		return 0, err
	}
	if from != base.size {
		return 0, errors.New("delta is for a base of another size")
	}
	if err := p.take(to); err != nil {
		return 0, err
	}
	src, err := p.objects.bytes(at)
	if err != nil {
		return 0, err
	}
	out, err := applyDelta(src, ops, to)
	if err != nil {
		return 0, err
	}
	i, err := p.objects.add(base.typ, to, bytes.NewReader(out))
	if err == nil {
		p.objects.list[i].chain = max(p.objects.list[i].chain, base.chain+1)
	}
	return i, err
}

// settle records that entry is object i and builds what waited for it, in any depth, without recursion.
func (p *packReader) settle(entry, i int) error {
	type settled struct{ entry, object int }
	for todo := []settled{{entry, i}}; len(todo) > 0; {
		s := todo[0]
		todo = todo[1:]
		p.entries[s.entry].object = s.object
		for _, w := range p.claim(s.entry, p.objects.list[s.object].hash) {
			p.kept -= int64(len(w.delta))
			made, err := p.build(s.object, w.delta)
			if err != nil {
				return err
			}
			todo = append(todo, settled{w.entry, made})
		}
	}
	return nil
}

// claim removes and returns what waits for an entry or its hash.
func (p *packReader) claim(entry int, h plumbing.Hash) []waiter {
	list := append(p.pending.byHash[h], p.pending.byEntry[entry]...)
	delete(p.pending.byHash, h)
	delete(p.pending.byEntry, entry)
	return list
}

// deltaSizes reads a delta's head: the sizes of base and result.
func deltaSizes(delta []byte) (from, to int64, ops []byte, err error) {
	f, n := binary.Uvarint(delta)
	if n <= 0 {
		return 0, 0, nil, errMalformedDelta
	}
	t, m := binary.Uvarint(delta[n:])
	if m <= 0 || f > 1<<62 || t > 1<<62 {
		return 0, 0, nil, errMalformedDelta
	}
	return int64(f), int64(t), delta[n+m:], nil
}

var errMalformedDelta = errors.New("malformed delta")

// applyDelta runs ops, which copy runs of src or insert bytes of their own, to a result of exactly size bytes.
func applyDelta(src, ops []byte, size int64) ([]byte, error) {
	out := make([]byte, 0, min(size, 1<<20))
	for len(ops) > 0 {
		op := ops[0]
		ops = ops[1:]
		var piece []byte
		switch {
		case op&0x80 != 0:
			offset, n, rest, ok := copyOp(op, ops)
			if !ok || offset+n > len(src) {
				return nil, errMalformedDelta
			}
			piece, ops = src[offset:offset+n], rest
		case op == 0 || int(op) > len(ops):
			return nil, errMalformedDelta
		default:
			piece, ops = ops[:op], ops[op:]
		}
		if int64(len(out)+len(piece)) > size {
			return nil, errMalformedDelta
		}
		out = append(out, piece...)
	}
	if int64(len(out)) != size {
		return nil, errMalformedDelta
	}
	return out, nil
}

// copyOp reads the operands of a copy: each low bit of op says whether a byte of offset or length follows.
func copyOp(op byte, ops []byte) (offset, n int, rest []byte, ok bool) {
	for i := range 7 {
		if op>>i&1 == 0 {
			continue
		}
		if len(ops) == 0 {
			return 0, 0, nil, false
		}
		if i < 4 {
			offset |= int(ops[0]) << (8 * i)
		} else {
			n |= int(ops[0]) << (8 * (i - 4))
		}
		ops = ops[1:]
	}
	if n == 0 {
		n = 1 << 16
	}
	return offset, n, ops, offset >= 0
}
