package skill

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// Scheme says who provides an id's content (G2).
type Scheme uint8

// The three providers. The zero value is the project itself.
const (
	Local  Scheme = iota // a bare path: the project's own, never the network
	GitHub               // gh:owner/repo[/sub...]
	Hub                  // hub:owner/name
)

// String returns the marker without its colon ("gh", "hub"), or "local".
func (s Scheme) String() string {
	switch s {
	case GitHub:
		return "gh"
	case Hub:
		return "hub"
	}
	return "local"
}

// ID is the canonical identity of a skill or collection: one address, one id, whatever spelling it was
// reached by (G6, G11). IDs are comparable and safe as map keys. The zero ID addresses nothing.
type ID struct {
	scheme Scheme
	path   string // decoded segments joined by '/', without the marker
}

// Scheme returns the provider of id.
func (id ID) Scheme() Scheme { return id.scheme }

// IsZero reports whether id addresses nothing.
func (id ID) IsZero() bool { return id.path == "" }

// Path returns the decoded path after the marker: "owner/repo/sub" for gh:owner/repo/sub.
func (id ID) Path() string { return id.path }

// String returns the canonical spelling, marker and decoded path, which [ParseID] reads back. It is what
// metadata and stamps hold; a sentence wants [ID.Reference] (G6).
func (id ID) String() string {
	switch id.scheme {
	case GitHub:
		return "gh:" + id.path
	case Hub:
		return "hub:" + id.path
	}
	return id.path
}

// DiskPath returns the relative, slash-separated path that holds id's content below .atskills/ and below the
// cache root: gh/owner/repo/sub, hub/owner/name, or the bare path (G4). It is injective over ids.
func (id ID) DiskPath() string {
	switch id.scheme {
	case GitHub:
		return "gh/" + id.path
	case Hub:
		return "hub/" + id.path
	}
	return id.path
}

// Origin returns what one revision covers: gh:owner/repo for GitHub, the id itself for the hub and for local ids.
func (id ID) Origin() ID {
	if id.scheme == GitHub {
		owner, rest, _ := strings.Cut(id.path, "/")
		repo, _, _ := strings.Cut(rest, "/")
		return ID{GitHub, owner + "/" + repo}
	}
	return id
}

// Sub returns id's path below its origin, "" when id is its origin.
func (id ID) Sub() string {
	return strings.TrimPrefix(strings.TrimPrefix(id.path, id.Origin().path), "/")
}

// Base returns the last segment of the path.
func (id ID) Base() string { return id.path[strings.LastIndexByte(id.path, '/')+1:] }

// Parent returns the id one segment up, and false when there is none: a gh: id ends at owner/repo, a hub: id
// at owner/name, a bare path at its first segment.
func (id ID) Parent() (ID, bool) {
	i := strings.LastIndexByte(id.path, '/')
	if i < 0 || id.scheme == Hub || id.scheme == GitHub && id.Sub() == "" {
		return ID{}, false
	}
	return ID{id.scheme, id.path[:i]}, true
}

// Join returns the id of rel, a decoded slash-separated path below id. Segments that cannot be a directory are
// refused (G7). An empty rel is id itself.
func (id ID) Join(rel string) (ID, error) {
	if rel == "" {
		return id, nil
	}
	return newID(id.scheme, id.path+"/"+rel)
}

// Contains reports whether other is id or lies below it.
func (id ID) Contains(other ID) bool {
	return id.scheme == other.scheme &&
		(id.path == other.path || strings.HasPrefix(other.path, id.path+"/"))
}

// WebURL returns the page where a person reviews a gh: id at rev, below base ("https://github.com" when empty);
// an empty rev stands for HEAD. It is "" for other schemes (R9).
func (id ID) WebURL(base, rev string) string {
	if id.scheme != GitHub {
		return ""
	}
	if base == "" {
		base = "https://github.com"
	}
	if rev == "" {
		rev = "HEAD"
	}
	u := strings.TrimSuffix(base, "/") + "/" + escapePath(id.Origin().path)
	if rev == "HEAD" && id.Sub() == "" {
		return u
	}
	u += "/tree/" + rev
	if sub := id.Sub(); sub != "" {
		u += "/" + escapePath(sub)
	}
	return u
}

func escapePath(p string) string { return (&url.URL{Path: p}).EscapedPath() }

// MarshalText returns the canonical spelling, empty for the zero ID.
func (id ID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText reads the canonical spelling; see [ParseID]. Empty text is the zero ID.
func (id *ID) UnmarshalText(b []byte) (err error) {
	if len(b) == 0 {
		*id = ID{}
		return nil
	}
	*id, err = ParseID(string(b))
	return err
}

// The bounds of an id. An id fits when its reference spelling does, so that it can always be typed.
const (
	MaxReference = 4096 // bytes in a reference, prefix and suffixes included
	MaxSegments  = 64   // segments in an id's path, owner and repository included
)

// maxSpelling is what [ID.Reference] may take: a reference less "@skills:", a slash and the three suffixes.
const maxSpelling = MaxReference - 32

// ParseID reads a canonical spelling, as [ID.String] writes it: nothing is decoded, and nothing is folded but the
// marker and the path of hub: ids (G3). The disk spelling gh/..., hub/... means the marker form (G4). What a person
// typed is read by [ParseRef], a folder of the project by [ParseDiskPath]. Errors are of type [*SyntaxError].
func ParseID(s string) (ID, error) {
	scheme, path := cutMarker(s)
	id, err := newID(scheme, path)
	if err != nil {
		return ID{}, &SyntaxError{Input: shorten(s), Err: err}
	}
	return id, nil
}

// ParseDiskPath returns the id whose [ID.DiskPath] is p, a slash-separated path below .atskills/ or the cache root.
// A folder that no id maps to, such as GH/o/r, hub/Acme/x or one called "gh:x", is a [*SyntaxError]: it can be shown
// and cannot be addressed (G12).
func ParseDiskPath(p string) (ID, error) {
	id, err := parseDiskPath(p)
	if err != nil {
		return ID{}, &SyntaxError{Input: shorten(p), Err: err}
	}
	return id, nil
}

func parseDiskPath(p string) (ID, error) {
	scheme, path := Local, p
	if rest, ok := strings.CutPrefix(p, "gh/"); ok {
		scheme, path = GitHub, rest
	} else if rest, ok := strings.CutPrefix(p, "hub/"); ok {
		scheme, path = Hub, rest
	}
	id, err := newID(scheme, path)
	if err == nil && id.DiskPath() != p {
		err = fmt.Errorf("the folder cannot be addressed: %s is kept in %q", id, id.DiskPath())
	}
	return id, err
}

// cutMarker splits s into its scheme and the path after the marker, in marker or disk spelling (G2, G3, G4).
func cutMarker(s string) (Scheme, string) {
	i := strings.IndexAny(s, ":/")
	name, rest := s, ""
	if i >= 0 {
		name, rest = s[:i], s[i+1:]
	}
	switch {
	case strings.EqualFold(name, "gh"):
		return GitHub, rest
	case strings.EqualFold(name, "hub"):
		return Hub, rest
	}
	return Local, s
}

// newID checks path's shape for scheme and each of its segments (G2, G7, G8).
func newID(scheme Scheme, path string) (ID, error) {
	if err := checkPath(path); err != nil {
		return ID{}, fmt.Errorf("%w%s", err, shape(scheme, path))
	}
	n := strings.Count(path, "/") + 1
	switch {
	case scheme == GitHub && n < 2:
		return ID{}, fmt.Errorf("gh:%s names an owner only; a repository is gh:%s/<repo>", path, encodeSegment(path))
	case scheme == Hub && n != 2:
		return ID{}, errors.New("a hub id has exactly two segments, hub:<owner>/<name>")
	case scheme == Hub:
		path = strings.ToLower(path)
	case scheme == Local:
		if s, _ := cutMarker(path); s != Local {
			return ID{}, fmt.Errorf("a bare path cannot begin with %q, which stands for the marker %s: in a path",
				firstSegment(path), s)
		}
	}
	id := ID{scheme, path}
	// Escapes take three bytes for one, so only a long path needs the exact count.
	if len(path) > maxSpelling/4 && len(id.Reference()) > maxSpelling {
		return ID{}, fmt.Errorf("the path is longer than %d bytes in reference spelling", maxSpelling)
	}
	return id, nil
}

// checkPath checks each segment of path (G7).
func checkPath(path string) error {
	if path == "" {
		return errors.New("empty path")
	}
	if strings.Count(path, "/") >= MaxSegments {
		return fmt.Errorf("the path has more than %d segments", MaxSegments)
	}
	for seg := range strings.SplitSeq(path, "/") {
		if err := CheckSegment(seg); err != nil {
			return err
		}
	}
	return nil
}

// shape says how a scheme's ids are written, for a path that has nothing to show.
func shape(scheme Scheme, path string) string {
	switch {
	case path != "":
		return ""
	case scheme == GitHub:
		return "; a repository is gh:<owner>/<repo>"
	case scheme == Hub:
		return "; a hub id is hub:<owner>/<name>"
	}
	return ""
}

func firstSegment(path string) string {
	first, _, _ := strings.Cut(path, "/")
	return first
}
