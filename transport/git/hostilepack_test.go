package git_test

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/git"
	"github.com/atskills-go/atskills/transport/transporttest"
)

// packObject is an object as it stands in a pack. An inflated size other than the content's is a lie.
func packObject(typ byte, size int, content []byte) []byte {
	var b bytes.Buffer
	c := typ<<4 | byte(size&15)
	for size >>= 4; size > 0; size >>= 7 {
		b.WriteByte(c | 0x80)
		c = byte(size & 0x7f)
	}
	b.WriteByte(c)
	zw, err := zlib.NewWriterLevel(&b, zlib.BestSpeed)
	if err != nil {
		panic(err) // of a level that exists
	}
	_, _ = zw.Write(content)
	_ = zw.Close()
	return b.Bytes()
}

func pack(count int, objects ...[]byte) []byte {
	b := binary.BigEndian.AppendUint32([]byte("PACK\x00\x00\x00\x02"), uint32(count))
	b = append(b, bytes.Join(objects, nil)...)
	sum := sha1.Sum(b)
	return append(b, sum[:]...)
}

func hashOf(kind, body string) string {
	return fmt.Sprintf("%x", sha1.Sum([]byte(fmt.Sprintf("%s %d\x00%s", kind, len(body), body))))
}

func packet(band string, b []byte) []byte {
	return append(fmt.Appendf(nil, "%04x%s", 4+len(band)+len(b), band), b...)
}

// bands wraps a pack as an answer.
func bands(pack []byte) []byte {
	out := packet("", []byte("packfile\n"))
	for len(pack) > 0 {
		n := min(len(pack), 60000)
		out = append(out, packet("\x01", pack[:n])...)
		pack = pack[n:]
	}
	return append(out, "0000"...)
}

// answering serves one body for every request.
func answering(t testing.TB, write func(w io.Writer, flush func())) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/x-git-upload-pack-result")
		write(w, func() { _ = http.NewResponseController(w).Flush() })
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// F6, F5: an answer that is cut short at any byte, or damaged, is an error and never a shorter list.
func TestTruncatedAndDamaged(t *testing.T) {
	t.Parallel()
	treeBody := treeLine("100644", "a", hashOf("blob", "x"))
	commitBody := "tree " + hashOf("tree", treeBody) + "\n\n"
	commit := hashOf("commit", commitBody)
	objects := [][]byte{packObject(1, len(commitBody), []byte(commitBody)), packObject(2, len(treeBody), []byte(treeBody))}
	good := pack(2, objects...)
	damaged := bytes.Clone(good)
	damaged[len(damaged)-1] ^= 1
	badVersion := bytes.Clone(good)
	badVersion[7] = 9

	if err := openErr(t, answering(t, func(w io.Writer, _ func()) { _, _ = w.Write(bands(good)) }), commit, transport.Limits{}); err != nil {
		t.Fatalf("the good answer: %v", err)
	}
	answer := bands(good)
	for n := range len(answer) {
		base := answering(t, func(w io.Writer, _ func()) { _, _ = w.Write(answer[:n]) })
		if err := openErr(t, base, commit, transport.Limits{}); !errors.Is(err, transport.ErrProtocol) {
			t.Errorf("cut after %d bytes: Open = %v, want ErrProtocol", n, err)
		}
	}
	for name, body := range map[string][]byte{
		"checksum":        bands(damaged),
		"version":         bands(badVersion),
		"object too many": bands(pack(3, objects...)),
		"object too few":  bands(pack(1, objects...)),
		"missing tree":    bands(pack(1, objects[0])),
		"missing commit":  bands(pack(1, objects[1])),
		"data after":      bands(append(bytes.Clone(good), 'x')),
		"size lie, less":  bands(pack(2, packObject(1, len(commitBody)-1, []byte(commitBody)), objects[1])),
		"size lie, more":  bands(pack(2, packObject(1, len(commitBody)+1, []byte(commitBody)), objects[1])),
		"wrong hash":      bands(pack(2, objects[0], packObject(2, len(treeBody), []byte(strings.Replace(treeBody, "a", "b", 1))))),
		"reserved type":   bands(pack(1, packObject(5, 1, []byte("x")))),
		"no pack":         []byte("0000"),
		"not a pack":      bands([]byte("nonsense, and long enough")),
		"bad packet":      []byte("zzzz"),
		"unknown section": packet("", []byte("surprise\n")),
		"unknown band":    append(packet("", []byte("packfile\n")), packet("\x07", []byte("x"))...),
	} {
		base := answering(t, func(w io.Writer, _ func()) { _, _ = w.Write(body) })
		err := openErr(t, base, commit, transport.Limits{})
		if !errors.Is(err, transport.ErrProtocol) && !errors.Is(err, transport.ErrNoRevision) {
			t.Errorf("%s: Open = %v, want ErrProtocol", name, err)
		}
	}
}

// F6: a body that is not the one asked for is an error, and so is every early end of a transfer of bodies.
func TestWrongAndTruncatedBodies(t *testing.T) {
	t.Parallel()
	u, err := transporttest.NewUpstream("-- gh:o/r/a/SKILL.md --\none\n-- gh:o/r/a/x --\ntwo\n")
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, u)
	tr := git.New(git.Options{BaseURL: s.URL()})
	head, err := tr.Head(t.Context(), id(t, "gh:o/r"))
	if err != nil {
		t.Fatal(err)
	}
	snap := open(t, tr, string(head.Revision), "gh:o/r/a")
	want := tree(t, snap, "gh:o/r/a").Entries
	none := func(transport.Entry, io.Reader) error {
		t.Error("a body was put")
		return nil
	}
	fetch(t, snap, want)
	size := int(s.Stats().ByKind[transporttest.KindBodies].Sent)
	if size < 50 {
		t.Fatalf("an answer of %d bytes", size)
	}
	for n := 1; n < size; n++ {
		for _, abort := range []bool{false, true} {
			s.SetFaults(transporttest.Faults{Truncate: n, Abort: abort})
			err := snap.Fetch(t.Context(), want, none)
			if !errors.Is(err, transport.ErrProtocol) && !errors.Is(err, transport.ErrUnreachable) {
				t.Errorf("cut after %d bytes: Fetch = %v, want an error", n, err)
			}
		}
	}
	s.Intercept(func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Content-Type", "application/x-git-upload-pack-result")
		_, _ = w.Write(bands(pack(1, packObject(3, 4, []byte("evil")))))
		return true
	})
	err = snap.Fetch(t.Context(), want, none)
	if !errors.Is(err, transport.ErrProtocol) || !strings.Contains(err.Error(), "SKILL.md") {
		t.Errorf("Fetch of other bodies = %v, want an error that names the file", err)
	}
}

// A remote's own words are repeated on one line without control characters.
func TestRemoteErrors(t *testing.T) {
	t.Parallel()
	for name, body := range map[string][]byte{
		"ERR packet": packet("", []byte("ERR \x1b[31mout of\n\tcheese")),
		"band 3":     append(packet("", []byte("packfile\n")), packet("\x03", []byte("\x1b[31mout of\n\tcheese\x07"))...),
	} {
		base := answering(t, func(w io.Writer, _ func()) { _, _ = w.Write(body) })
		err := openErr(t, base, strings.Repeat("1", 40), transport.Limits{})
		if !errors.Is(err, transport.ErrProtocol) || !strings.Contains(err.Error(), "remote: [31mout of cheese") {
			t.Errorf("%s: Open = %q", name, err)
		}
	}
}

// F6: objects that declare or inflate to more than they may are refused before memory is taken for them.
func TestZipBomb(t *testing.T) {
	zeros := make([]byte, 16<<20)
	bomb := packObject(2, len(zeros), zeros)
	body := bands(pack(1, bomb))
	lie := bands(pack(1, packObject(2, 10, zeros)))
	huge := bands(pack(1, packObject(2, 1<<40, []byte("x"))))
	skipped := bands(pack(1, packObject(3, len(zeros), zeros)))
	crowd := bands(pack(1 << 30))
	limits := transport.Limits{ListingBytes: 1 << 20, FetchBytes: 1 << 20}
	for name, tt := range map[string]struct {
		body  []byte
		field string
	}{
		"inflates": {body, "ListingBytes"},
		"lies":     {lie, ""},
		"declares": {huge, "ListingBytes"},
		"skipped":  {skipped, "FetchBytes"},
		"too many": {crowd, "Entries"},
	} {
		base := answering(t, func(w io.Writer, _ func()) { _, _ = w.Write(tt.body) })
		var err error
		n := allocated(func() { err = openErr(t, base, strings.Repeat("1", 40), limits) })
		if tt.field == "" {
			if !errors.Is(err, transport.ErrProtocol) {
				t.Errorf("%s: Open = %v, want ErrProtocol", name, err)
			}
		} else {
			wantLimit(t, err, tt.field)
		}
		if n > 8<<20 {
			t.Errorf("%s: %d bytes allocated", name, n)
		}
	}
}

// F6: answers without end stop at a limit: of a pack, of keep-alives, of refs.
func TestEndlessAnswers(t *testing.T) {
	t.Parallel()
	forever := func(first, again []byte) func(io.Writer, func()) {
		return func(w io.Writer, _ func()) {
			_, err := w.Write(first)
			for err == nil {
				_, err = w.Write(again)
			}
		}
	}
	header := append(packet("", []byte("packfile\n")), packet("\x01", pack(1)[:12])...)
	var object []byte
	for rest := packObject(2, 1<<21, []byte(lcg(3)(1<<21))); len(rest) > 0; rest = rest[min(len(rest), 60000):] {
		object = append(object, packet("\x01", rest[:min(len(rest), 60000)])...)
	}
	limits := transport.Limits{ListingBytes: 1 << 20}
	for name, write := range map[string]func(io.Writer, func()){
		"object":      forever(append(bytes.Clone(header), object...), packet("\x01", nil)),
		"keep-alives": forever(header, bytes.Repeat(packet("\x02", nil), 1000)),
		"sections":    forever(packet("", []byte("shallow-info\n")), bytes.Repeat(packet("", []byte("shallow x\n")), 1000)),
	} {
		err := openErr(t, answering(t, write), strings.Repeat("1", 40), limits)
		if wantLimit(t, err, "ListingBytes"); t.Failed() {
			t.Fatal(name)
		}
	}
	refs := answering(t, forever(nil, bytes.Repeat(packet("", []byte(strings.Repeat("1", 40)+" refs/heads/x\n")), 1000)))
	_, err := git.New(git.Options{BaseURL: refs, Limits: limits}).Head(t.Context(), id(t, "gh:o/r"))
	wantLimit(t, err, "ListingBytes")
	_, err = git.New(git.Options{BaseURL: refs, Limits: transport.Limits{Entries: 100}}).Branches(t.Context(), id(t, "gh:o/r"))
	wantLimit(t, err, "Entries")
}

// F6: protocol v0 has its lines in front of the pack read by go-git, which keeps them; they end at the limit too, and
// so does the page of an error.
func TestEndlessOlderAnswers(t *testing.T) {
	t.Parallel()
	const size = 64 << 20
	tip := strings.Repeat("1", 40)
	for name, status := range map[string]int{"shallow lines": http.StatusOK, "error page": http.StatusBadGateway} {
		sent := 0
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.Method == http.MethodGet:
				w.Header().Set("Content-Type", "application/x-git-upload-pack-advertisement")
				_, _ = io.WriteString(w, string(packet("", []byte("# service=git-upload-pack\n")))+"0000"+
					string(packet("", []byte(tip+" HEAD\x00shallow side-band-64k ofs-delta no-progress\n")))+"0000")
				return
			case r.Header.Get("Git-Protocol") == "version=2":
				w.WriteHeader(http.StatusBadRequest)
				return
			}
			w.Header().Set("Content-Type", "application/x-git-upload-pack-result")
			w.WriteHeader(status)
			lines := bytes.Repeat(packet("", []byte("shallow "+tip+"\n")), 1000)
			for sent < size {
				n, err := w.Write(lines)
				if sent += n; err != nil {
					return
				}
			}
		}))
		err := openErr(t, s.URL, tip, transport.Limits{ListingBytes: 1 << 20})
		s.Close()
		wantLimit(t, err, "ListingBytes")
		if err == nil || len(err.Error()) > 4000 || sent >= size {
			t.Errorf("%s: %d bytes were taken; error %.200v", name, sent, err)
		}
	}
}

// F6: a server that stops answering, at any stage, ends in a timeout that names its limit.
func TestStall(t *testing.T) {
	t.Parallel()
	done := make(chan struct{})
	defer close(done) // before the servers close, which wait for their handlers
	hang := func(first []byte) string {
		return answering(t, func(w io.Writer, flush func()) {
			if len(first) > 0 {
				_, _ = w.Write(first)
				flush()
			}
			<-done
		})
	}
	limits := transport.Limits{StallTimeout: 50 * time.Millisecond, ProbeTimeout: 50 * time.Millisecond}
	check := func(err error, field string) {
		t.Helper()
		var e *transport.Error
		if !errors.As(err, &e) || e.Cause != transport.CauseTimeout || !errors.Is(err, transport.ErrUnreachable) ||
			!strings.Contains(err.Error(), "Limits."+field) {
			t.Errorf("got %v, want a timeout that names %s", err, field)
		}
	}
	for _, first := range [][]byte{nil, packet("", []byte("packfile\n")), bands(pack(1))[:30]} {
		check(openErr(t, hang(first), strings.Repeat("1", 40), limits), "StallTimeout")
	}
	limits.StallTimeout = 0
	_, err := git.New(git.Options{BaseURL: hang(nil), Limits: limits}).Head(t.Context(), id(t, "gh:o/r"))
	check(err, "ProbeTimeout")
}
