package git

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/atskills-go/atskills/internal/gitwire"
	"github.com/atskills-go/atskills/internal/remote"
	"github.com/atskills-go/atskills/transport"
)

// expansion lists everything below one tree.
type expansion struct {
	l       *listing
	entries []transport.Entry
	skipped []string
	count   int   // tree entries seen, folders included: what a bomb of repeated sub-trees multiplies
	bytes   int64 // of their paths: what a long name of a folder multiplies
}

// expand lists everything below a tree, in byte order of path. It is bounded by the limits on entries, depth and path
// lengths while it runs, not after it. A tree that is not held is a [*missingError].
func (l *listing) expand(h plumbing.Hash) (*expansion, error) {
	x := &expansion{l: l}
	if err := x.add(h, "", 1); err != nil {
		return nil, err
	}
	slices.SortFunc(x.entries, byPath)
	slices.Sort(x.skipped)
	return x, nil
}

func byPath(a, b transport.Entry) int { return strings.Compare(a.Path, b.Path) }

func (x *expansion) add(h plumbing.Hash, prefix string, depth int) error {
	b, ok := x.l.tree(h)
	if !ok {
		return &missingError{h}
	}
	if depth > x.l.t.opts.Limits.Depth {
		return &transport.LimitError{What: "folders deep", Max: int64(x.l.t.opts.Limits.Depth), Field: "Depth"}
	}
	names := map[string]bool{}
	for e, err := range gitwire.TreeEntries(b) {
		if err == nil {
			err = x.entry(e, prefix, depth, names)
		}
		if err != nil {
			return inFolder(prefix, err)
		}
	}
	return nil
}

// inFolder says where a tree is bad. Errors from further down say it already.
func inFolder(prefix string, err error) error {
	switch err.(type) {
	case *missingError, *transport.LimitError, *placedError:
		return err
	}
	return &placedError{folder: strings.TrimSuffix(prefix, "/"), err: err}
}

type placedError struct {
	folder string
	err    error
}

func (e *placedError) Error() string {
	return fmt.Sprintf("in folder %s: %v", remote.Quote(e.folder), e.err)
}

// Unwrap returns the reason.
func (e *placedError) Unwrap() error { return e.err }

func (x *expansion) entry(e gitwire.TreeEntry, prefix string, depth int, names map[string]bool) error {
	limits := x.l.t.opts.Limits
	if x.count++; x.count > limits.Entries {
		return x.l.tooManyEntries()
	}
	if len(prefix)+len(e.Name) > limits.PathBytes {
		return &transport.LimitError{What: "bytes in one path", Max: int64(limits.PathBytes), Field: "PathBytes"}
	}
	x.bytes += int64(len(prefix) + len(e.Name))
	if x.bytes > limits.ListingBytes {
		return &transport.LimitError{What: "bytes of paths in one listing", Max: limits.ListingBytes, Field: "ListingBytes"}
	}
	name := string(e.Name)
	usable, err := remote.CheckName(name)
	if err != nil {
		return err
	}
	if names[name] {
		return fmt.Errorf("hostile tree: the name %s stands in it twice", remote.Quote(name))
	}
	names[name] = true
	switch {
	case !usable:
		x.skipped = append(x.skipped, prefix+name)
		return nil
	case e.Mode == transport.Directory:
		return x.add(e.Hash, prefix+name+"/", depth+1)
	}
	x.entries = append(x.entries, toEntry(e, prefix+name))
	return nil
}

// toEntry gives e a path. What has no body of its own has no digest of one.
func toEntry(e gitwire.TreeEntry, path string) transport.Entry {
	out := transport.Entry{Path: path, Mode: e.Mode, Hash: "git:" + e.Hash.String(), Size: -1}
	if e.Mode == transport.Submodule || e.Mode == transport.Directory {
		out.Hash = ""
	}
	return out
}

// children lists a tree's immediate entries, folders included.
func (l *listing) children(tree []byte) (*expansion, error) {
	x := &expansion{l: l}
	names := map[string]bool{}
	for e, err := range gitwire.TreeEntries(tree) {
		if err != nil {
			return nil, err
		}
		dir := e.Mode == transport.Directory
		if dir {
			e.Mode = transport.Regular // listed, not followed
		}
		before := len(x.entries)
		if err := x.entry(e, "", 1, names); err != nil {
			return nil, err
		}
		if dir && len(x.entries) > before {
			x.entries[before].Mode, x.entries[before].Hash = transport.Directory, ""
		}
	}
	slices.SortFunc(x.entries, byPath)
	return x, nil
}
