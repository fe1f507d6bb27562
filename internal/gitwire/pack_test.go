package gitwire_test

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/adler32"
	"io"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/storage/memory"

	"github.com/atskills-go/atskills/internal/gitwire"
	"github.com/atskills-go/atskills/transport"
)

// packOf is a pack that says it has count objects.
func packOf(count int, objects ...[]byte) []byte {
	b := binary.BigEndian.AppendUint32([]byte("PACK\x00\x00\x00\x02"), uint32(count))
	b = append(b, bytes.Join(objects, nil)...)
	sum := sha1.Sum(b)
	return append(b, sum[:]...)
}

// deflated is content as a zlib stream of stored blocks: thousands of real compressors would be all that tests do.
func deflated(content []byte) []byte {
	b := []byte{0x78, 0x01}
	for rest := content; ; {
		n := min(len(rest), 1<<16-1)
		last := byte(0)
		if n == len(rest) {
			last = 1
		}
		b = append(b, last, byte(n), byte(n>>8), ^byte(n), ^byte(n>>8))
		b = append(b, rest[:n]...)
		if rest = rest[n:]; last == 1 {
			return binary.BigEndian.AppendUint32(b, adler32.Checksum(content))
		}
	}
}

// object is an object as it stands in a pack; base is what stands between head and content of a delta.
func object(typ plumbing.ObjectType, content, base []byte) []byte {
	size := len(content)
	var b []byte
	c := byte(typ)<<4 | byte(size&15)
	for size >>= 4; size > 0; size >>= 7 {
		b = append(b, c|0x80)
		c = byte(size & 0x7f)
	}
	b = append(append(b, c), base...)
	return append(b, deflated(content)...)
}

// offset encodes how far back a base stands.
func offset(n int) []byte {
	b := []byte{byte(n & 0x7f)}
	for n >>= 7; n > 0; n >>= 7 {
		n--
		b = append([]byte{byte(n&0x7f) | 0x80}, b...)
	}
	return b
}

// delta makes insert behind the whole of a base of n bytes.
func delta(n int, insert string) []byte {
	b := binary.AppendUvarint(nil, uint64(n))
	b = binary.AppendUvarint(b, uint64(n+len(insert)))
	b = append(b, 0x80|0x10|0x20, byte(n), byte(n>>8))
	return append(append(b, byte(len(insert))), insert...)
}

var wide = gitwire.PackOptions{
	Objects: gitwire.Bound{Max: 1 << 20, What: "objects", Field: "Entries"},
	Object:  gitwire.Bound{Max: 1 << 20, What: "bytes in one object", Field: "BlobBytes"},
	Total:   gitwire.Bound{Max: 1 << 22, What: "bytes", Field: "FetchBytes"},
	Skipped: gitwire.Bound{Max: 1 << 22, What: "bytes skipped", Field: "FetchBytes"},
	Memory:  1 << 22,
}

func read(t testing.TB, pack []byte, opts gitwire.PackOptions) (*gitwire.Objects, error) {
	t.Helper()
	o, err := gitwire.ReadPack(bytes.NewReader(pack), opts)
	t.Cleanup(func() { _ = o.Close() })
	return o, err
}

func blob(s string) plumbing.Hash { return plumbing.ComputeHash(plumbing.BlobObject, []byte(s)) }

func wantBlobs(t *testing.T, o *gitwire.Objects, want ...string) {
	t.Helper()
	for _, s := range want {
		b, ok := o.Bytes(plumbing.BlobObject, blob(s))
		if !ok || string(b) != s {
			t.Errorf("blob %q is missing or is %q", s, b)
		}
		r, ok := o.Open(plumbing.BlobObject, blob(s))
		if !ok {
			t.Errorf("blob %q cannot be opened", s)
			continue
		}
		if b, err := io.ReadAll(r); err != nil || string(b) != s {
			t.Errorf("blob %q reads as %q, %v", s, b, err)
		}
	}
	if o.Len() != len(want) {
		t.Errorf("%d objects, want %d", o.Len(), len(want))
	}
}

// Deltas of every kind are resolved: by offset, by hash, on each other, and before their base has come; in memory
// and in a temporary file alike.
func TestDeltas(t *testing.T) {
	t.Parallel()
	base := object(plumbing.BlobObject, []byte("base"), nil)
	first := object(plumbing.OFSDeltaObject, delta(4, "+one"), offset(len(base)))
	hash := func(s string) []byte { h := blob(s); return h[:] }
	second := object(plumbing.OFSDeltaObject, delta(8, "+two"), offset(len(first)))
	byHash := object(plumbing.REFDeltaObject, delta(8, "+three"), hash("base+one"))
	early := object(plumbing.REFDeltaObject, delta(4, "+one"), hash("base"))
	onEarly := object(plumbing.OFSDeltaObject, delta(8, "+two"), offset(len(early)))
	far := object(plumbing.BlobObject, bytes.Repeat([]byte(lines(400)), 8), nil)
	packs := map[string]struct {
		pack []byte
		want []string
	}{
		"by offset":  {packOf(3, base, first, second), []string{"base", "base+one", "base+one+two"}},
		"by hash":    {packOf(3, base, first, byHash), []string{"base", "base+one", "base+one+three"}},
		"before":     {packOf(3, early, onEarly, base), []string{"base", "base+one", "base+one+two"}},
		"before too": {packOf(3, byHash, early, base), []string{"base", "base+one", "base+one+three"}},
		"far": {packOf(3, base, far, object(plumbing.OFSDeltaObject, delta(4, "+one"), offset(len(base)+len(far)))),
			[]string{"base", strings.Repeat(lines(400), 8), "base+one"}},
	}
	for name, tt := range packs {
		for _, memory := range []int64{1 << 22, 0, 6} {
			t.Run(fmt.Sprint(name, memory), func(t *testing.T) {
				opts := wide
				opts.Memory = memory
				o, err := read(t, tt.pack, opts)
				if err != nil {
					t.Fatal(err)
				}
				wantBlobs(t, o, tt.want...)
			})
		}
	}
}

func lines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintln(&b, "line", i*i)
	}
	return b.String()
}

// F6: damaged and hostile deltas are errors.
func TestBadDeltas(t *testing.T) {
	t.Parallel()
	base := object(plumbing.BlobObject, []byte("base"), nil)
	on := func(d []byte) []byte { return packOf(2, base, object(plumbing.OFSDeltaObject, d, offset(len(base)))) }
	head := []byte{4, 8}
	with := func(ops ...byte) []byte { return append(bytes.Clone(head), ops...) }
	for name, pack := range map[string][]byte{
		"empty":               on(nil),
		"no sizes":            on([]byte{0x80}),
		"wrong base size":     on([]byte{5, 1, 1, 'x'}),
		"copy past the base":  on(with(0x80|0x01|0x10, 3, 8)),
		"copy of 64 KiB":      on(with(0x80)),
		"cut operands":        on(with(0x80 | 0x7f)),
		"reserved op":         on(with(0)),
		"insert past the end": on(with(100, 'x')),
		"too little":          on(with(1, 'x')),
		"too much":            on(with(9, '1', '2', '3', '4', '5', '6', '7', '8', '9')),
		"no such base":        packOf(2, base, object(plumbing.OFSDeltaObject, delta(4, "x"), offset(len(base)-1))),
		"base ahead":          packOf(1, object(plumbing.OFSDeltaObject, delta(4, "x"), offset(0))),
		"base before pack":    packOf(2, base, object(plumbing.OFSDeltaObject, delta(4, "x"), offset(1<<20))),
		"never a base":        packOf(1, object(plumbing.REFDeltaObject, delta(4, "x"), make([]byte, 20))),
	} {
		if _, err := read(t, pack, wide); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// F6: what deltas make is bounded by the same limits, before it is made.
func TestDeltaBombs(t *testing.T) {
	t.Parallel()
	base := object(plumbing.BlobObject, bytes.Repeat([]byte{'x'}, 1<<16), nil)
	huge := binary.AppendUvarint(binary.AppendUvarint(nil, 1<<16), 1<<16*1000)
	for range 1000 {
		huge = append(huge, 0x80)
	}
	bomb := object(plumbing.OFSDeltaObject, huge, offset(len(base)))
	var limit *transport.LimitError
	if _, err := read(t, packOf(2, base, bomb), wide); !errors.As(err, &limit) || limit.Field != "BlobBytes" {
		t.Errorf("one huge result: %v, want a LimitError of BlobBytes", err)
	}
	objects := [][]byte{base}
	distance := len(base)
	for i := range 100 {
		d := object(plumbing.OFSDeltaObject, append(binary.AppendUvarint(binary.AppendUvarint(nil, 1<<16), 1<<16+1), 0x80, 1, byte(i)), offset(distance))
		objects = append(objects, d)
		distance += len(d)
	}
	if _, err := read(t, packOf(len(objects), objects...), wide); !errors.As(err, &limit) || limit.Field != "FetchBytes" {
		t.Errorf("many results: %v, want a LimitError of FetchBytes", err)
	}
}

// F6: chains of deltas are as long as git writes them, and no longer.
func TestDeltaChain(t *testing.T) {
	t.Parallel()
	chain := func(n int) []byte {
		objects := [][]byte{object(plumbing.BlobObject, nil, nil)}
		for i := range n {
			last := objects[len(objects)-1]
			d := append(binary.AppendUvarint(binary.AppendUvarint(nil, uint64(i)), uint64(i+1)), copyAll(i)...)
			objects = append(objects, object(plumbing.OFSDeltaObject, append(d, 1, 'x'), offset(len(last))))
		}
		return packOf(len(objects), objects...)
	}
	opts := wide
	opts.Total.Max = 1 << 26
	o, err := read(t, chain(4095), opts)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := o.Bytes(plumbing.BlobObject, blob(strings.Repeat("x", 4095))); !ok {
		t.Error("the end of a long chain is missing")
	}
	if _, err := read(t, chain(4096), opts); err == nil {
		t.Error("a longer chain was resolved")
	}
}

// copyAll copies the first n bytes of a base, if any.
func copyAll(n int) []byte {
	if n == 0 {
		return nil
	}
	return []byte{0x80 | 0x10 | 0x20, byte(n), byte(n >> 8)}
}

// Objects that are not kept are read past, and so are deltas on them, and bounded on their own.
func TestSkipped(t *testing.T) {
	t.Parallel()
	base := object(plumbing.BlobObject, []byte("base"), nil)
	d := object(plumbing.OFSDeltaObject, delta(4, "x"), offset(len(base)))
	late := object(plumbing.REFDeltaObject, delta(4, "y"), make([]byte, 20))
	commit := object(plumbing.CommitObject, []byte("commit"), nil)
	pack := packOf(4, base, d, late, commit)
	opts := wide
	opts.Keep = func(typ plumbing.ObjectType) bool { return typ == plumbing.CommitObject }
	o, err := read(t, pack, opts)
	if err != nil || o.Len() != 1 || o.Has(plumbing.BlobObject, blob("base")) {
		t.Errorf("%d objects, %v, want the commit", o.Len(), err)
	}
	opts.Skipped.Max = 3
	var limit *transport.LimitError
	if _, err := read(t, pack, opts); !errors.As(err, &limit) {
		t.Errorf("got %v, want a LimitError", err)
	}
}

// A pack that another implementation wrote, with deltas of its own choice, is read to the same objects.
func TestAgainstGoGit(t *testing.T) {
	t.Parallel()
	store := memory.NewStorage()
	want := map[plumbing.Hash]string{}
	var hashes []plumbing.Hash
	for i := range 60 {
		body := lines(300+i) + fmt.Sprint("variant ", i%7, "\n") + lines(i)
		o := store.NewEncodedObject()
		o.SetType(plumbing.BlobObject)
		w, err := o.Writer()
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(w, body)
		_ = w.Close()
		h, err := store.SetEncodedObject(o)
		if err != nil {
			t.Fatal(err)
		}
		want[h] = body
		hashes = append(hashes, h)
	}
	for _, byHash := range []bool{false, true} {
		var pack bytes.Buffer
		if _, err := packfile.NewEncoder(&pack, store, byHash).Encode(hashes, 10); err != nil {
			t.Fatal(err)
		}
		o, err := read(t, pack.Bytes(), wide)
		if err != nil {
			t.Fatal(err)
		}
		for h, body := range want {
			if b, ok := o.Bytes(plumbing.BlobObject, h); !ok || string(b) != body {
				t.Errorf("%s differs", h)
			}
		}
	}
}

// Each may stop the reading; what came until then is there.
func TestStop(t *testing.T) {
	t.Parallel()
	a, b := object(plumbing.BlobObject, []byte("a"), nil), object(plumbing.BlobObject, []byte("b"), nil)
	stop := errors.New("stop")
	opts := wide
	opts.Each = func(done, total int) error {
		if done == 1 && total == 2 {
			return stop
		}
		return nil
	}
	o, err := read(t, packOf(2, a, b), opts)
	if !errors.Is(err, stop) {
		t.Errorf("got %v, want the callback's error", err)
	}
	wantBlobs(t, o, "a")
}

// A pack cut anywhere is an early end.
func TestCut(t *testing.T) {
	t.Parallel()
	base := object(plumbing.BlobObject, []byte("base"), nil)
	pack := packOf(2, base, object(plumbing.OFSDeltaObject, delta(4, "x"), offset(len(base))))
	for n := range len(pack) {
		if _, err := read(t, pack[:n], wide); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("cut after %d of %d bytes: %v, want an early end", n, len(pack), err)
		}
	}
}

// No input makes the reader panic, hold more than it may, or hand out an object under another name than its hash.
func FuzzReadPack(f *testing.F) {
	base := object(plumbing.BlobObject, []byte("base"), nil)
	h := blob("base")
	f.Add(packOf(1, base))
	f.Add(packOf(2, base, object(plumbing.OFSDeltaObject, delta(4, "x"), offset(len(base)))))
	f.Add(packOf(2, object(plumbing.REFDeltaObject, delta(4, "x"), h[:]), base))
	f.Add(packOf(1, object(plumbing.TreeObject, []byte("100644 a\x00"+strings.Repeat("h", 20)), nil)))
	opts := wide
	opts.Total.Max, opts.Object.Max = 1<<16, 1<<14
	types := []plumbing.ObjectType{plumbing.CommitObject, plumbing.TreeObject, plumbing.BlobObject, plumbing.TagObject}
	f.Fuzz(func(t *testing.T, b []byte) {
		// The checksum would stop nearly all mutations; it is not what is tested here.
		if len(b) > 32 {
			sum := sha1.Sum(b[:len(b)-20])
			b = append(b[:len(b)-20:len(b)-20], sum[:]...)
		}
		o, _ := read(t, b, opts)
		if o.Size() > opts.Total.Max {
			t.Errorf("%d bytes held", o.Size())
		}
		for h := range o.Hashes() {
			for _, typ := range types {
				if body, ok := o.Bytes(typ, h); ok && plumbing.ComputeHash(typ, body) != h {
					t.Errorf("%s holds other content", h)
				}
			}
		}
	})
}
