package skill

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Nearest returns at most max of among that someone who wrote want may have meant, the likeliest first: paths with the
// same last segment in another place, then paths a few typing errors away, as a whole or in the last segment. Case
// counts for nothing. The answer depends on the set of candidates alone, and the time is linear in its size.
func Nearest(want string, among []string, max int) []string {
	if want == "" || max <= 0 {
		return nil
	}
	m := newMatcher(want)
	type hit struct {
		path         string
		score, whole int
	}
	var hits []hit
	for _, path := range among {
		if score, whole := m.score(path); score <= m.limit {
			hits = append(hits, hit{path, score, whole})
		}
	}
	slices.SortFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(a.score, b.score), cmp.Compare(a.whole, b.whole),
			cmp.Compare(len(a.path), len(b.path)), cmp.Compare(a.path, b.path))
	})
	hits = slices.Compact(hits)
	var near []string
	for _, h := range hits[:min(max, len(hits))] {
		near = append(near, h.path)
	}
	return near
}

// matcher compares candidates with one wanted path.
type matcher struct {
	whole, base []rune
	limit       int // the highest score that is near
	rows        [3][]int
}

// maxTypos is how many typing errors are forgiven in a long name.
const maxTypos = 4

func newMatcher(want string) *matcher {
	want = strings.ToLower(want)
	m := &matcher{whole: []rune(want), base: []rune(lastSegment(want))}
	m.limit = 1 + min(len(m.base)/4+1, maxTypos)
	return m
}

// score is 0 for the same path, 1 for the same last segment, and grows with the distance. whole is the distance of the
// whole paths.
func (m *matcher) score(path string) (score, whole int) {
	path = strings.ToLower(path)
	base := lastSegment(path)
	whole = m.distance(m.whole, path)
	if string(m.base) == base {
		return min(1, whole), whole
	}
	return 1 + min(m.distance(m.base, base), whole), whole
}

// distance returns how many insertions, deletions, replacements and swaps of neighbours lead from a to b, or more than
// m.limit when that many do not. Only a band of that width around the diagonal is looked at.
func (m *matcher) distance(a []rune, b string) int {
	n := utf8.RuneCountInString(b)
	over := m.limit + 1
	if len(a)-n > m.limit || n-len(a) > m.limit {
		return over
	}
	before, prev, cur := m.row(0, len(a)+1), m.row(1, len(a)+1), m.row(2, len(a)+1)
	for i := range prev {
		prev[i], before[i] = i, over
	}
	j, last := 0, rune(-1)
	for _, r := range b {
		j++
		lo, hi := max(1, j-m.limit), min(len(a), j+m.limit)
		cur[lo-1] = min(j, over)
		if lo > 1 {
			cur[lo-1] = over
		}
		best := cur[lo-1]
		for i := lo; i <= hi; i++ {
			cur[i] = min(prev[i]+1, cur[i-1]+1, prev[i-1]+differ(a[i-1], r))
			if i > 1 && a[i-1] == last && a[i-2] == r {
				cur[i] = min(cur[i], before[i-2]+1)
			}
			best = min(best, cur[i])
		}
		if hi < len(a) {
			cur[hi+1] = over // the band of the next row looks one further
		}
		if best > m.limit {
			return over
		}
		before, prev, cur, last = prev, cur, before, r
	}
	return min(prev[len(a)], over)
}

func differ(a, b rune) int {
	if a == b {
		return 0
	}
	return 1
}

// row returns the nth scratch row of size n.
func (m *matcher) row(i, n int) []int {
	if cap(m.rows[i]) < n {
		m.rows[i] = make([]int, n)
	}
	return m.rows[i][:n]
}

func lastSegment(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }
