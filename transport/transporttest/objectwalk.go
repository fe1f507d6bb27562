package transporttest

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
)

// filter says which objects a partial clone leaves out. Objects asked for by hash are never left out.
type filter struct {
	blobLimit int64 // blobs of this size and above are left out, -1 for none
	treeDepth int   // what is this deep below a root is left out, -1 for nothing
}

var noFilter = filter{-1, -1}

// parseFilter reads a filter specification as git writes it on the wire.
func parseFilter(spec string) (filter, error) {
	if list, ok := strings.CutPrefix(spec, "combine:"); ok {
		return parseCombined(list)
	}
	f := noFilter
	var err error
	kind, value, _ := strings.Cut(spec, ":")
	amount, isLimit := strings.CutPrefix(value, "limit=")
	switch {
	case spec == "blob:none":
		f.blobLimit = 0
	case kind == "blob" && isLimit:
		f.blobLimit, err = parseSize(amount)
	case kind == "tree":
		f.treeDepth, err = strconv.Atoi(value)
	default:
		err = fmt.Errorf("not supported here")
	}
	if err != nil || f.treeDepth < -1 || f.blobLimit < -1 {
		return noFilter, fmt.Errorf("invalid filter-spec %q", spec)
	}
	return f, nil
}

func parseCombined(list string) (filter, error) {
	both := noFilter
	for part := range strings.SplitSeq(list, "+") {
		spec, err := url.PathUnescape(part)
		if err != nil {
			return noFilter, fmt.Errorf("invalid filter-spec %q", part)
		}
		f, err := parseFilter(spec)
		if err != nil {
			return noFilter, err
		}
		both.blobLimit = stricter(both.blobLimit, f.blobLimit)
		both.treeDepth = stricter(both.treeDepth, f.treeDepth)
	}
	return both, nil
}

// stricter returns the smaller of two limits of which -1 is none.
func stricter[T int | int64](a, b T) T {
	if a < 0 {
		return b
	}
	if b < 0 {
		return a
	}
	return min(a, b)
}

func parseSize(s string) (int64, error) {
	unit := int64(1)
	for i, suffix := range []string{"k", "m", "g"} {
		if n, ok := strings.CutSuffix(strings.ToLower(s), suffix); ok {
			s, unit = n, 1<<(10*(i+1))
		}
	}
	n, err := strconv.ParseInt(s, 10, 32)
	return n * unit, err
}

// selection is what a fetch answers with.
type selection struct {
	objects   []plumbing.Hash
	shallow   []plumbing.Hash // commits the client gets without parents
	unshallow []plumbing.Hash // commits of which the client gets the parents now
}

func (s selection) writeShallow(w *pktWriter) {
	for _, h := range s.shallow {
		w.linef("shallow %s", h)
	}
	for _, h := range s.unshallow {
		w.linef("unshallow %s", h)
	}
}

// selectObjects returns what q asks for without what the client has through common.
func (r *repository) selectObjects(q *fetchRequest, common []plumbing.Hash) selection {
	var s selection
	cut := maps.Clone(q.shallow)
	if q.depth > 0 {
		cut = map[plumbing.Hash]bool{}
		for h, boundary := range r.within(q.wants, q.depth) {
			switch {
			case boundary && !q.shallow[h]:
				s.shallow = append(s.shallow, h)
			case !boundary && q.shallow[h]:
				s.unshallow = append(s.unshallow, h)
			}
			cut[h] = boundary
		}
		sortHashes(s.shallow)
		sortHashes(s.unshallow)
	}
	has := newWalk(r, noFilter, q.shallow, nil)
	for _, h := range common {
		has.from(h)
	}
	send := newWalk(r, q.filter, cut, has.seen)
	for _, h := range q.wants {
		send.from(h)
	}
	s.objects = send.out
	return s
}

func sortHashes(list []plumbing.Hash) {
	slices.SortFunc(list, func(a, b plumbing.Hash) int { return strings.Compare(a.String(), b.String()) })
}

// within returns the commits at most depth generations from the tips, and of each whether it is the last before the
// cut. As in git, a commit without parents that is depth generations away counts as cut.
func (r *repository) within(tips []plumbing.Hash, depth int) map[plumbing.Hash]bool {
	reached := map[plumbing.Hash]bool{}
	level := slices.Clone(tips)
	for n := 1; len(level) > 0 && n <= depth; n++ {
		var next []plumbing.Hash
		for _, h := range level {
			h = r.commitOf(h)
			c, err := r.readCommit(h)
			if _, ok := reached[h]; ok || err != nil {
				continue
			}
			reached[h] = n == depth
			next = append(next, c.parents...)
		}
		level = next
	}
	return reached
}

// commitOf follows an annotated tag.
func (r *repository) commitOf(h plumbing.Hash) plumbing.Hash {
	if target := r.peel(h); !target.IsZero() {
		return target
	}
	return h
}

// walk collects what is reachable. Objects that are not stored are passed over, as git passes over promised ones.
type walk struct {
	r      *repository
	filter filter
	cut    map[plumbing.Hash]bool // commits whose parents are not visited
	skip   map[plumbing.Hash]int  // objects not collected
	seen   map[plumbing.Hash]int  // the least depth each object was met at
	out    []plumbing.Hash
}

func newWalk(r *repository, f filter, cut map[plumbing.Hash]bool, skip map[plumbing.Hash]int) *walk {
	return &walk{r: r, filter: f, cut: cut, skip: skip, seen: map[plumbing.Hash]int{}}
}

// from collects an object asked for by hash and what is reachable from it.
func (w *walk) from(h plumbing.Hash) {
	kind, _, err := w.r.get(h)
	if err != nil {
		return
	}
	switch kind {
	case plumbing.CommitObject:
		w.history(h)
	case plumbing.TagObject:
		w.collect(h, 0)
		w.from(w.r.peel(h))
	case plumbing.TreeObject:
		w.collect(h, 0)
		w.children(h, 1)
	default:
		w.collect(h, 0)
	}
}

func (w *walk) history(tip plumbing.Hash) {
	pending := []plumbing.Hash{tip}
	for len(pending) > 0 {
		h := pending[0]
		pending = pending[1:]
		c, err := w.r.readCommit(h)
		if _, ok := w.seen[h]; ok || err != nil {
			continue
		}
		w.collect(h, 0)
		w.tree(c.tree, 0)
		if !w.cut[h] {
			pending = append(pending, c.parents...)
		}
	}
}

// tree visits a tree that is depth levels below a root.
func (w *walk) tree(h plumbing.Hash, depth int) {
	if w.tooDeep(depth) || !w.r.has(h) || !w.collect(h, depth) {
		return
	}
	w.children(h, depth+1)
}

func (w *walk) children(h plumbing.Hash, depth int) {
	entries, err := w.r.readTree(h)
	if err != nil || w.tooDeep(depth) {
		return
	}
	for _, e := range entries {
		switch e.mode {
		case filemode.Dir:
			w.tree(e.hash, depth)
		case filemode.Submodule:
		default:
			w.blob(e.hash, depth)
		}
	}
}

func (w *walk) blob(h plumbing.Hash, depth int) {
	o, err := w.r.objects.EncodedObject(plumbing.BlobObject, h)
	if err != nil || w.filter.blobLimit >= 0 && o.Size() >= w.filter.blobLimit {
		return
	}
	w.collect(h, depth)
}

func (w *walk) tooDeep(depth int) bool {
	return w.filter.treeDepth >= 0 && depth >= w.filter.treeDepth
}

// collect notes an object and reports whether what is below it must be visited: on the first meeting, and again when
// a depth limit may let more of it through.
func (w *walk) collect(h plumbing.Hash, depth int) bool {
	before, ok := w.seen[h]
	if ok && (before <= depth || w.filter.treeDepth < 0) {
		return false
	}
	w.seen[h] = depth
	if _, has := w.skip[h]; !ok && !has {
		w.out = append(w.out, h)
	}
	return true
}
