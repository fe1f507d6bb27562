package gitwire_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills/internal/gitwire"
	"github.com/atskills-go/atskills/transport"
)

func pkt(s string) string { return fmt.Sprintf("%04x%s", 4+len(s), s) }

const (
	one    = "1111111111111111111111111111111111111111"
	two    = "2222222222222222222222222222222222222222"
	sha256 = one + "111111111111111111111111"
)

func refs(s string) ([]gitwire.Ref, error) {
	var got []gitwire.Ref
	err := gitwire.ReadRefs(strings.NewReader(s), func(r gitwire.Ref) error {
		got = append(got, r)
		return nil
	})
	return got, err
}

func TestReadRefs(t *testing.T) {
	t.Parallel()
	got, err := refs(pkt(one+" HEAD symref-target:refs/heads/main\n") + pkt("unborn refs/x\n") +
		pkt(two+" refs/tags/v1 peeled:"+one+"\n") + "0000")
	want := []gitwire.Ref{
		{Name: "HEAD", Hash: plumbing.NewHash(one), Target: "refs/heads/main"},
		{Name: "refs/tags/v1", Hash: plumbing.NewHash(two)},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("refs (-want +got):\n%s%v", diff, err)
	}
	var said *gitwire.RemoteError
	for in, check := range map[string]func(error) bool{
		"":                                func(err error) bool { return errors.Is(err, gitwire.ErrNoAnswer) },
		pkt(one + " HEAD\n"):              func(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) },
		pkt(one + " HEAD\n")[:20]:         func(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) },
		pkt(sha256+" HEAD\n") + "0000":    func(err error) bool { return errors.Is(err, gitwire.ErrSHA256) },
		pkt("ERR no\n"):                   func(err error) bool { return errors.As(err, &said) && said.Text == "no" },
		pkt("nonsense\n") + "0000":        func(err error) bool { return err != nil },
		pkt(one[:39]+"g HEAD\n") + "0000": func(err error) bool { return err != nil },
		"0003":                            func(err error) bool { return err != nil },
		"fff1":                            func(err error) bool { return err != nil },
	} {
		if _, err := refs(in); !check(err) {
			t.Errorf("ReadRefs(%.60q) = %v", in, err)
		}
	}
}

func TestReadAdvertisement(t *testing.T) {
	t.Parallel()
	header := pkt("# service=git-upload-pack\n") + "0000"
	tests := []struct {
		in   string
		want gitwire.Advertisement
		err  error
	}{
		{header + pkt("version 2\n") + pkt("ls-refs=unborn\n") + pkt("fetch=shallow wait-for-done filter\n") + pkt("object-format=sha1\n") + "0000",
			gitwire.Advertisement{Version: 2, Filter: true}, nil},
		{pkt("version 2\n") + pkt("fetch=shallow\n") + "0000", gitwire.Advertisement{Version: 2}, nil},
		{pkt("version 2\n") + pkt("object-format=sha256\n") + "0000", gitwire.Advertisement{}, gitwire.ErrSHA256},
		{header + pkt(one+" HEAD\x00shallow filter\n") + "0000", gitwire.Advertisement{Filter: true}, nil},
		{header + pkt(sha256+" HEAD\x00object-format=sha256\n") + "0000", gitwire.Advertisement{}, gitwire.ErrSHA256},
		{header + "0000", gitwire.Advertisement{}, nil},
		{header + pkt("version 1\n") + "0000", gitwire.Advertisement{}, nil},
		{"", gitwire.Advertisement{}, gitwire.ErrNoAnswer},
		{pkt("version 2\n"), gitwire.Advertisement{}, io.ErrUnexpectedEOF},
	}
	for _, tt := range tests {
		got, err := gitwire.ReadAdvertisement(strings.NewReader(tt.in))
		if got != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("ReadAdvertisement(%q) = %+v, %v, want %+v, %v", tt.in, got, err, tt.want, tt.err)
		}
	}
}

func TestOpenPack(t *testing.T) {
	t.Parallel()
	in := pkt("shallow-info\n") + pkt("shallow "+one+"\n") + "0001" + pkt("packfile\n") +
		pkt("\x01PA") + pkt("\x02progress") + pkt("\x01CK") + pkt("\x01") + "0000"
	r, err := gitwire.OpenPack(strings.NewReader(in))
	if err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(r); string(b) != "PACK" || err != nil {
		t.Errorf("read %q, %v", b, err)
	}
	r, err = gitwire.OpenPack(strings.NewReader(strings.TrimSuffix(in, "0000")))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(r); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a stream without its end = %v, want an early end", err)
	}
}

func TestRequests(t *testing.T) {
	t.Parallel()
	got := gitwire.LsRefsRequest("a/1", "HEAD")
	want := pkt("command=ls-refs\n") + pkt("agent=a/1\n") + "0001" + pkt("symrefs\n") + pkt("ref-prefix HEAD\n") + "0000"
	if string(got) != want {
		t.Errorf("ls-refs = %q", got)
	}
	got = gitwire.FetchRequest{Wants: []plumbing.Hash{plumbing.NewHash(one)}, Depth: 1, Filter: gitwire.NoBlobs}.Encode("a/1")
	want = pkt("command=fetch\n") + pkt("agent=a/1\n") + "0001" + pkt("want "+one+"\n") + pkt("deepen 1\n") +
		pkt("filter blob:none\n") + pkt("ofs-delta\n") + pkt("no-progress\n") + pkt("done\n") + "0000"
	if string(got) != want {
		t.Errorf("fetch = %q", got)
	}
}

func TestMeter(t *testing.T) {
	t.Parallel()
	bound := gitwire.Bound{Max: 4, What: "bytes", Field: "ListingBytes"}
	m := &gitwire.Meter{R: strings.NewReader("1234"), Bound: bound}
	if b, err := io.ReadAll(m); string(b) != "1234" || err != nil || m.N != 4 {
		t.Errorf("read %q, %v", b, err)
	}
	var limit *transport.LimitError
	if _, err := io.ReadAll(&gitwire.Meter{R: strings.NewReader("12345"), Bound: bound}); !errors.As(err, &limit) {
		t.Errorf("got %v, want a LimitError", err)
	}
}

// No answer makes the readers panic, and what they repeat of it is one printable line.
func FuzzAnswers(f *testing.F) {
	f.Add([]byte(pkt(one+" HEAD symref-target:refs/heads/main\n") + "0000"))
	f.Add([]byte(pkt("ERR \x1b\n no")))
	f.Add([]byte(pkt("# service=git-upload-pack\n") + "0000" + pkt("version 2\n") + "0000"))
	f.Add([]byte(pkt("packfile\n") + pkt("\x01PACK") + pkt("\x03oh\x00no") + "0000"))
	f.Fuzz(func(t *testing.T, b []byte) {
		_, err1 := refs(string(b))
		_, err2 := gitwire.ReadAdvertisement(bytes.NewReader(b))
		r, err3 := gitwire.OpenPack(bytes.NewReader(b))
		if err3 == nil {
			_, err3 = io.Copy(io.Discard, r)
		}
		for _, err := range []error{err1, err2, err3} {
			var said *gitwire.RemoteError
			if errors.As(err, &said) && strings.ContainsFunc(said.Text, func(r rune) bool { return !unicode.IsPrint(r) }) {
				t.Errorf("remote's words are %q", said.Text)
			}
		}
	})
}

// A tree that parses is the concatenation of its entries' names and hashes; none is lost or invented.
func FuzzTreeEntries(f *testing.F) {
	f.Add([]byte("100644 a\x00" + strings.Repeat("h", 20) + "40000 b\x00" + strings.Repeat("i", 20)))
	f.Add([]byte("160000 s\x00" + strings.Repeat("h", 19)))
	f.Fuzz(func(t *testing.T, b []byte) {
		rest := b
		for e, err := range gitwire.TreeEntries(b) {
			if err != nil {
				return
			}
			tail := append(append(append([]byte(" "), e.Name...), 0), e.Hash[:]...)
			_, after, ok := bytes.Cut(rest, tail)
			if !ok {
				t.Fatalf("entry %q is not in the tree", e.Name)
			}
			rest = after
		}
		if len(rest) > 0 {
			t.Errorf("%d bytes were passed over", len(rest))
		}
	})
}
