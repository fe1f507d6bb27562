package gitignore

import "strings"

// Rules is an ordered set of compiled lines. It never changes once built, so any number of goroutines may use it at once.
type Rules struct {
	lines []pattern // one a line, in order
	live  []int     // indexes of the lines that can match something, last first
}

// Verdict tells what a set of lines says about a path.
type Verdict struct {
	Line    int    // index of the line that decided, -1 when none did
	Ignored bool   // the path, or an ancestor of it, is ignored
	At      string // the path the line matched: the path asked about or an ancestor; empty when no line decided
}

// New compiles one pattern a line. Lines come without line end, and a line's index is its index in lines. Every text is
// accepted: a line that git could not match anything with matches nothing.
func New(lines []string) *Rules {
	r := &Rules{lines: make([]pattern, len(lines))}
	for i, line := range lines {
		r.lines[i] = compile(line)
	}
	for i := len(lines) - 1; i >= 0; i-- {
		if !r.lines[i].void {
			r.live = append(r.live, i)
		}
	}
	return r
}

// Len is the number of lines, those that match nothing included.
func (r *Rules) Len() int { return len(r.lines) }

// Negated tells whether the line takes back what it matches: it begins with "!". Comments and lines that match nothing
// count by their text as well: "!" alone is a negation.
func (r *Rules) Negated(line int) bool { return r.lines[line].negated }

// Alone tells whether the one line's pattern, its "!" aside, matches exactly this path. Neither other lines nor
// ancestors are consulted: "team/" alone matches the directory team and not team/x.
func (r *Rules) Alone(line int, path string, dir bool) bool {
	var m matcher
	return r.lines[line].match(&m, newSubject(path, dir))
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
		if line := r.last(m, path[:end], true); line >= 0 && !r.lines[line].negated {
			return Verdict{Line: line, Ignored: true, At: path[:end]}, end
		}
	}
	line := r.last(m, path, dir)
	if line < 0 {
		return Verdict{Line: -1}, len(path)
	}
	return Verdict{Line: line, Ignored: !r.lines[line].negated, At: path}, len(path)
}

// last is the index of the last line that matches exactly path, -1 when none does.
func (r *Rules) last(m *matcher, path string, dir bool) int {
	m.asked++
	s := newSubject(path, dir)
	for _, line := range r.live {
		if r.lines[line].match(m, s) {
			return line
		}
	}
	return -1
}
