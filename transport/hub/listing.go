package hub

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/atskills-go/atskills/internal/remote"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

// alone is the listing of a skill that is its SKILL.md.
func alone(body []byte) *listing {
	return &listing{entries: []transport.Entry{{Path: skill.SkillFile, Hash: sha256Of(body), Size: int64(len(body))}}}
}

// bundle lists the files of the skill at id, of which a was served; pinned says that it was asked for by its revision. A
// hub without listings has skills of one file. One that announced files, or listed others before, has listings: a bundle is
// not cut down to its first file because a replica on the way has none of it.
func (h *Hub) bundle(ctx context.Context, op string, id skill.ID, a answer, pinned bool) (*listing, error) {
	if a.announced == 1 {
		return alone(a.body), nil
	}
	q := question{op: op, at: h.address(id), query: "files", accept: acceptJSON}
	if pinned && a.tagged {
		q.rev = a.rev
	}
	l, err := h.files(ctx, q, a)
	switch {
	case q.rev == "" && a.tagged && errors.Is(err, errChanged):
		// It moved since a was read, and a hub with history still has the list.
		q.rev = a.rev
		if l, err = h.files(ctx, q, a); hasNoListing(err) {
			err = errChanged
		}
	case q.rev != "" && hasNoListing(err):
		// Either there are no listings, or the revision went just now.
		q.rev = ""
		l, err = h.files(ctx, q, a)
	}
	if hasNoListing(err) || err == nil && l == nil {
		if a.announced > 0 || h.lists.Load() {
			return nil, errUnlisted
		}
		return alone(a.body), nil
	}
	if err != nil {
		return nil, err
	}
	if a.announced > 0 && a.announced != l.count {
		return nil, errChanged
	}
	h.lists.Store(true)
	return l, l.holds(a.body)
}

var (
	// errChanged says that the skill is another one than a moment ago.
	errChanged = &revisionError{"the skill changed while it was read; try again"}
	// errUnlisted says that there is a list of the skill's files that did not come.
	errUnlisted = &revisionError{"the hub lists the files of its skills, and not of this one now; try again"}
)

// files asks for a listing. It is nil when the hub took the question for another one and sent something else.
func (h *Hub) files(ctx context.Context, q question, a answer) (l *listing, err error) {
	err = h.ask(ctx, q, func(r *reply) error {
		switch r.mediaType() {
		case jsonType:
		case htmlType, xhtmlType:
			return &typeError{got: r.mediaType(), want: "a listing"}
		default:
			return nil
		}
		if tag := r.strongTag(); tag != "" && a.tagged && tag != a.rev {
			return errChanged
		}
		l, err = h.readListing(r)
		return err
	})
	return l, err
}

func (h *Hub) readListing(r *reply) (*listing, error) {
	limits := h.opts.Limits
	// It is read as a whole first: a decoder looks at white space again with each piece that drips in.
	data, err := r.read(bound{limits.ListingBytes, "bytes in one listing", "ListingBytes"})
	if err != nil {
		return nil, err
	}
	l := &listing{limits: limits, kinds: map[string]kind{}}
	err = decodeArray(data, func(dec *json.Decoder) error {
		var f file
		if err := dec.Decode(&f); err != nil {
			return err
		}
		return l.add(f)
	})
	if err != nil {
		return nil, fmt.Errorf("the listing: %w", err)
	}
	slices.SortFunc(l.entries, func(a, b transport.Entry) int { return strings.Compare(a.Path, b.Path) })
	slices.Sort(l.skipped)
	l.kinds = nil
	return l, nil
}

// file is one element of a listing's array.
type file struct {
	Path, Mode, SHA256 string
	Size               *int64
}

// listing is the checked list of a bundle's files.
type listing struct {
	limits  transport.Limits
	entries []transport.Entry
	skipped []string
	kinds   map[string]kind // of every path and the folders it passes through
	count   int
	bytes   int64
}

// kind tells a path that is a file from one that others pass through.
type kind uint8

const (
	isFile kind = iota + 1
	isFolder
)

// add takes a file, having checked all that is said of it (F6).
func (l *listing) add(f file) error {
	if l.count++; l.count > l.limits.Entries {
		return &transport.LimitError{What: "files in one listing", Max: int64(l.limits.Entries), Field: "Entries"}
	}
	usable, err := l.checkPath(f.Path)
	if err != nil {
		return err
	}
	if !usable {
		l.skipped = append(l.skipped, f.Path)
		return nil
	}
	e, err := f.entry()
	if err != nil {
		return fmt.Errorf("%s: %w", remote.Quote(f.Path), err)
	}
	l.entries = append(l.entries, e)
	return nil
}

// checkPath judges a path as a whole and its names one by one.
func (l *listing) checkPath(path string) (usable bool, err error) {
	if len(path) > l.limits.PathBytes {
		return false, &transport.LimitError{What: "bytes in one path", Max: int64(l.limits.PathBytes), Field: "PathBytes"}
	}
	if l.bytes += int64(len(path)); l.bytes > l.limits.ListingBytes {
		return false, &transport.LimitError{What: "bytes of paths in one listing", Max: l.limits.ListingBytes, Field: "ListingBytes"}
	}
	if strings.Count(path, "/") >= l.limits.Depth {
		return false, &transport.LimitError{What: "folders deep", Max: int64(l.limits.Depth), Field: "Depth"}
	}
	usable = true
	for seg := range strings.SplitSeq(path, "/") {
		ok, err := remote.CheckName(seg)
		if err != nil {
			return false, fmt.Errorf("hostile path %s: %w", remote.Quote(path), err)
		}
		usable = usable && ok
	}
	for i, c := range path {
		if c != '/' {
			continue
		}
		if l.kinds[path[:i]] == isFile {
			return false, fmt.Errorf("hostile listing: %s is a file and a folder", remote.Quote(path[:i]))
		}
		l.kinds[path[:i]] = isFolder
	}
	switch l.kinds[path] {
	case isFile:
		return false, fmt.Errorf("hostile listing: %s stands in it twice", remote.Quote(path))
	case isFolder:
		return false, fmt.Errorf("hostile listing: %s is a file and a folder", remote.Quote(path))
	}
	l.kinds[path] = isFile
	return usable, nil
}

func (f file) entry() (transport.Entry, error) {
	e := transport.Entry{Path: f.Path, Hash: digestPrefix + f.SHA256, Size: -1}
	if f.Size != nil {
		e.Size = *f.Size
	}
	switch f.Mode {
	case "100644":
		e.Mode = transport.Regular
	case "100755":
		e.Mode = transport.Executable
	default:
		return e, fmt.Errorf("unknown mode %s", remote.Quote(f.Mode))
	}
	switch {
	case !isSHA256(f.SHA256):
		return e, fmt.Errorf("%s is no SHA-256 in lower-case hex", remote.Quote(f.SHA256))
	case f.Size != nil && e.Size < 0:
		return e, fmt.Errorf("a size of %d bytes", e.Size)
	}
	return e, nil
}

// revision returns the digest of what was served: of SKILL.md when that is all there is, else of all that the list says of
// each file, in an order and form of our own. It says nothing else when the hub only writes its list in another way.
func (l *listing) revision() transport.Revision {
	if len(l.entries) == 1 && l.entries[0].Mode == transport.Regular {
		return transport.Revision(l.entries[0].Hash)
	}
	var rows bytes.Buffer
	for _, e := range l.entries {
		fmt.Fprintf(&rows, "%s\x00%s\x00%d\x00%s\n", e.Path, e.Mode, e.Size, e.Hash)
	}
	return transport.Revision(sha256Of(rows.Bytes()))
}

// size is about how many bytes of memory l takes; of nil it is 0.
func (l *listing) size() int {
	if l == nil {
		return 0
	}
	const each = 200 // bytes of an entry besides its path
	return int(l.bytes) + each*len(l.entries)
}

// holds returns an error unless the listing has the SKILL.md that was served.
func (l *listing) holds(body []byte) error {
	i, ok := slices.BinarySearchFunc(l.entries, skill.SkillFile, func(e transport.Entry, path string) int {
		return strings.Compare(e.Path, path)
	})
	switch {
	case !ok:
		return fmt.Errorf("the listing lacks %s, which the hub serves", skill.SkillFile)
	case !l.entries[i].Matches(body) || l.entries[i].Size >= 0 && l.entries[i].Size != int64(len(body)):
		return errors.New("the hub's listing is of another " + skill.SkillFile + " than the one it serves")
	}
	return nil
}
