package gitwire

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/atskills-go/atskills/internal/remote"
)

// Filters of a [FetchRequest].
const (
	// NoBlobs leaves bodies out: commits and trees only.
	NoBlobs = "blob:none"
	// WantedTrees leaves out what a wanted tree refers to.
	WantedTrees = "tree:0"
)

// Ref is a name and what it points to.
type Ref struct {
	Name   string
	Hash   plumbing.Hash
	Target string // the name a symbolic ref stands for, "" for others
}

// LsRefsRequest returns the request for the refs whose names start with one of prefixes.
func LsRefsRequest(agent string, prefixes ...string) []byte {
	b := appendLine(nil, "command=ls-refs")
	b = appendLine(b, "agent=%s", agent)
	b = appendDelim(b)
	b = appendLine(b, "symrefs")
	for _, p := range prefixes {
		b = appendLine(b, "ref-prefix %s", p)
	}
	return appendFlush(b)
}

// ReadRefs reads the answer to [LsRefsRequest] and calls each for every ref; servers may send more than was asked for.
// It matches [ErrNoAnswer] and [ErrSHA256], and returns the first error of each.
func ReadRefs(r io.Reader, each func(Ref) error) error {
	p := &packetReader{r: r}
	for first := true; ; first = false {
		k, payload, err := p.next()
		switch {
		case err == io.EOF && first:
			return ErrNoAnswer
		case err != nil:
			return unexpected(err)
		case k == flush:
			return nil
		}
		ref, ok, err := parseRef(line(payload))
		if err == nil && ok {
			err = each(ref)
		}
		if err != nil {
			return err
		}
	}
}

// parseRef reads one line of a listing of refs; false stands for a ref that points nowhere yet.
func parseRef(s string) (Ref, bool, error) {
	fields := strings.Split(s, " ")
	if len(fields) < 2 || fields[1] == "" {
		return Ref{}, false, fmt.Errorf("ref line %q is malformed", remote.Clean(s))
	}
	if fields[0] == "unborn" {
		return Ref{}, false, nil
	}
	h, err := ParseHash(fields[0])
	if err != nil {
		return Ref{}, false, err
	}
	ref := Ref{Name: fields[1], Hash: h}
	for _, attr := range fields[2:] {
		if target, ok := strings.CutPrefix(attr, "symref-target:"); ok {
			ref.Target = target
		}
	}
	return ref, true, nil
}

// ParseHash reads a 40-hex object name. It matches [ErrSHA256] for one of 64.
func ParseHash(s string) (plumbing.Hash, error) {
	var h plumbing.Hash
	if len(s) != 2*len(h) && len(s) != 64 {
		return h, fmt.Errorf("object name %q is malformed", remote.Clean(s))
	}
	for i := range len(s) {
		if unhex(s[i]) < 0 {
			return h, fmt.Errorf("object name %q is malformed", remote.Clean(s))
		}
	}
	if len(s) == 64 {
		return h, ErrSHA256
	}
	return plumbing.NewHash(s), nil
}

// FetchRequest asks for a pack. Nothing is negotiated: the pack holds all that the wants reach.
type FetchRequest struct {
	Wants  []plumbing.Hash
	Depth  int    // how many commits deep, 0 for all
	Filter string // what to leave out, "" for nothing; a server may ignore or refuse it
}

// Encode returns the request as bytes.
func (r FetchRequest) Encode(agent string) []byte {
	b := make([]byte, 0, 256+50*len(r.Wants))
	b = appendLine(b, "command=fetch")
	b = appendLine(b, "agent=%s", agent)
	b = appendDelim(b)
	for _, h := range r.Wants {
		b = append(b, "0032want "...)
		b = append(b, h.String()...)
		b = append(b, '\n')
	}
	if r.Depth > 0 {
		b = appendLine(b, "deepen %d", r.Depth)
	}
	if r.Filter != "" {
		b = appendLine(b, "filter %s", r.Filter)
	}
	b = appendLine(b, "ofs-delta")
	b = appendLine(b, "no-progress")
	b = appendLine(b, "done")
	return appendFlush(b)
}

// OpenPack reads the answer to a [FetchRequest] up to its pack and returns a reader of the pack's bytes, which ends
// with io.EOF only where the server ended it. It matches [ErrNoAnswer].
func OpenPack(r io.Reader) (io.Reader, error) {
	p := &packetReader{r: r}
	for first := true; ; first = false {
		k, payload, err := p.next()
		switch {
		case err == io.EOF && first:
			return nil, ErrNoAnswer
		case err != nil:
			return nil, unexpected(err)
		case k == flush:
			return nil, errors.New("the answer holds no pack")
		case k != data:
			return nil, errors.New("a section of the answer has no name")
		}
		switch name := line(payload); name {
		case "packfile":
			return &sideband{p: p}, nil
		case "shallow-info", "acknowledgments", "wanted-refs":
			if err := skipSection(p); err != nil {
				return nil, err
			}
		default:
			return nil, fmt.Errorf("unknown section %q in the answer", remote.Clean(name))
		}
	}
}

func skipSection(p *packetReader) error {
	for {
		k, _, err := p.next()
		switch {
		case err != nil:
			return unexpected(err)
		case k == delim:
			return nil
		case k != data:
			return errors.New("the answer holds no pack")
		}
	}
}

// sideband reads band 1 of a multiplexed stream.
type sideband struct {
	p    *packetReader
	rest []byte
	err  error
}

func (s *sideband) Read(b []byte) (int, error) {
	for len(s.rest) == 0 && s.err == nil {
		s.rest, s.err = s.band()
	}
	if len(s.rest) == 0 {
		return 0, s.err
	}
	n := copy(b, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// band returns the next piece of band 1, which is empty for progress and keep-alive packets.
func (s *sideband) band() ([]byte, error) {
	k, payload, err := s.p.next()
	switch {
	case err != nil:
		return nil, unexpected(err)
	case k == flush:
		return nil, io.EOF
	case k != data || len(payload) == 0:
		return nil, errors.New("packet without a band in the pack")
	}
	switch payload[0] {
	case 1:
		return payload[1:], nil
	case 2:
		return nil, nil
	case 3:
		return nil, &RemoteError{remote.Clean(string(payload[1:]))}
	}
	return nil, fmt.Errorf("unknown band %d in the pack", payload[0])
}

// Advertisement is what a server says about itself.
type Advertisement struct {
	Version int  // 2, or 0 for any older protocol
	Filter  bool // fetch takes a filter
}

// ReadAdvertisement reads the answer to a discovery request as far as it needs. It matches [ErrNoAnswer] and
// [ErrSHA256].
func ReadAdvertisement(r io.Reader) (Advertisement, error) {
	p := &packetReader{r: r}
	first, err := firstLine(p)
	if err != nil {
		return Advertisement{}, err
	}
	if first != "version 2" {
		return olderAdvertisement(first)
	}
	a := Advertisement{Version: 2}
	for {
		k, payload, err := p.next()
		if err != nil {
			return Advertisement{}, unexpected(err)
		}
		if k != data {
			return a, nil
		}
		key, value, _ := strings.Cut(line(payload), "=")
		switch {
		case key == "object-format" && value != "sha1":
			return Advertisement{}, ErrSHA256
		case key == "fetch":
			a.Filter = hasField(value, "filter")
		}
	}
}

// firstLine returns the first line behind the service header, which version 2 servers may leave out; "" is a flush.
func firstLine(p *packetReader) (string, error) {
	for first := true; ; first = false {
		k, payload, err := p.next()
		switch {
		case err == io.EOF && first:
			return "", ErrNoAnswer
		case err != nil:
			return "", unexpected(err)
		case k == data && strings.HasPrefix(string(payload), "# service="):
			if k, _, err = p.next(); err != nil || k != flush {
				return "", errors.New("the service header has no end")
			}
			continue
		case k == flush:
			return "", nil
		}
		return line(payload), nil
	}
}

func olderAdvertisement(first string) (Advertisement, error) {
	ref, caps, _ := strings.Cut(first, "\x00")
	if hasField(caps, "object-format=sha256") {
		return Advertisement{}, ErrSHA256
	}
	name, _, _ := strings.Cut(ref, " ")
	if _, err := ParseHash(name); first != "" && first != "version 1" && err != nil {
		return Advertisement{}, err
	}
	return Advertisement{Filter: hasField(caps, "filter")}, nil
}

func hasField(list, field string) bool {
	for f := range strings.FieldsSeq(list) {
		if f == field {
			return true
		}
	}
	return false
}
