package gitignore

import (
	"iter"
	"slices"
	"strings"
)

// Rules is an ordered set of compiled lines. It never changes once built, so any number of goroutines may use it at once.
type Rules struct {
	len   int
	lines []pattern // in order, without those that match nothing and negate nothing
	at    []int     // their indexes
	live  []int     // positions in lines of those that can match something, last first
}

// Verdict tells what a set of lines says about a path.
type Verdict struct {
	Line    int    // index of the line that decided, -1 when none did
	Ignored bool   // the path, or an ancestor of it, is ignored
	At      string // the path the line matched: the path asked about or an ancestor; empty when no line decided
}

// New compiles one pattern a line. Lines come without line end, and a line's index is its index in lines. Every text is
// accepted: a line that git could not match anything with matches nothing.
func New(lines []string) *Rules { return Compile(len(lines), slices.All(lines)) }

// Compile is [New] for n lines of which only some are given, by their indexes and in order. The others match nothing, and
// cost nothing.
func Compile(n int, lines iter.Seq2[int, string]) *Rules {
	r := &Rules{len: n}
	for i, line := range lines {
		if p := compile(line); !p.void || p.negated {
			r.lines, r.at = append(r.lines, p), append(r.at, i)
		}
	}
	for k := len(r.lines) - 1; k >= 0; k-- {
		if !r.lines[k].void {
			r.live = append(r.live, k)
		}
	}
	return r
}

// Len is the number of lines, those that match nothing included.
func (r *Rules) Len() int { return r.len }

// find returns the pattern of the line at an index, nil for one that matches and negates nothing.
func (r *Rules) find(line int) *pattern {
	if k, ok := slices.BinarySearch(r.at, line); ok {
		return &r.lines[k]
	}
	return nil
}

// Negated tells whether the line takes back what it matches: it begins with "!". Comments and lines that match nothing
// count by their text as well: "!" alone is a negation.
func (r *Rules) Negated(line int) bool {
	p := r.find(line)
	return p != nil && p.negated
}

// Alone tells whether the one line's pattern, its "!" aside, matches exactly this path. Neither other lines nor
// ancestors are consulted: "team/" alone matches the directory team and not team/x.
func (r *Rules) Alone(line int, path string, dir bool) bool {
	var m matcher
	p := r.find(line)
	return p != nil && p.match(&m, newSubject(path, dir))
}

// MatchingUp yields, from the line at an index up to the first, those that match exactly this directory by themselves.
func (r *Rules) MatchingUp(dir string, from int) iter.Seq[int] {
	return func(yield func(int) bool) {
		var m matcher
		s := newSubject(dir, true)
		for _, k := range r.live {
			if r.at[k] <= from && r.lines[k].match(&m, s) && !yield(r.at[k]) {
				return
			}
		}
	}
}

// Matching yields, in order, the lines that match exactly this path by themselves, as [Rules.Alone] tells.
func (r *Rules) Matching(path string, dir bool) iter.Seq[int] {
	return func(yield func(int) bool) {
		var m matcher
		s := newSubject(path, dir)
		for _, k := range slices.Backward(r.live) {
			if r.lines[k].match(&m, s) && !yield(r.at[k]) {
				return
			}
		}
	}
}

// Match tells what the lines say about path, which is relative to where they stand, separated by slashes, without one at
// either end; dir tells whether it is a directory. Ancestors decide first, from the top. To ask about many paths of one
// tree, use [Rules.Walk].
func (r *Rules) Match(path string, dir bool) Verdict {
	var m matcher
	verdict, _ := r.descend(&m, path, dir, 0)
	return verdict
}

// descend is Match for a path of which the ancestors of up to known bytes are known not to be ignored. It also returns the
// length of the last path it asked about: an ancestor that is ignored, or path itself.
func (r *Rules) descend(m *matcher, path string, dir bool, known int) (Verdict, int) {
	if path == "" {
		return Verdict{Line: -1}, 0
	}
	for end := known; ; {
		next := strings.IndexByte(path[end+1:], '/')
		if next < 0 {
			break
		}
		end += 1 + next
		if k := r.last(m, path[:end], true); k >= 0 && !r.lines[k].negated {
			return Verdict{Line: r.at[k], Ignored: true, At: path[:end]}, end
		}
	}
	k := r.last(m, path, dir)
	if k < 0 {
		return Verdict{Line: -1}, len(path)
	}
	return Verdict{Line: r.at[k], Ignored: !r.lines[k].negated, At: path}, len(path)
}

// last is the position of the last line that matches exactly path, -1 when none does.
func (r *Rules) last(m *matcher, path string, dir bool) int {
	m.asked++
	s := newSubject(path, dir)
	for _, k := range r.live {
		if r.lines[k].match(m, s) {
			return k
		}
	}
	return -1
}
