package skill

import (
	"slices"
	"strings"
)

// tickRun is a run of back-ticks that may open inline code.
type tickRun struct {
	open int // where it begins
	end  int // where the code ends, 0 when nothing closes it
}

// findRuns finds the back-ticks of the block and pairs them, from the back so that each is looked at once.
func (s *scanner) findRuns() {
	for _, sp := range s.block {
		for i := sp.start; i < sp.end; {
			n := strings.IndexByte(s.message[i:sp.end], '`')
			if n < 0 {
				break
			}
			i += n
			s.runs = append(s.runs, tickRun{open: i})
			i += leading(s.message[i:sp.end], '`')
		}
	}
	ends := map[int]int{} // by length, of the nearest run behind
	for k := range slices.Backward(s.runs) {
		run := &s.runs[k]
		n := leading(s.message[run.open:], '`')
		end := run.open + n
		if s.escaped(run.open) {
			run.open++ // the first back-tick is text; the rest opens, and all of them can close
		}
		run.end = ends[end-run.open]
		ends[n] = end
	}
}

// escaped reports whether an odd number of backslashes stands before i.
func (s *scanner) escaped(i int) bool {
	n := i
	for n > 0 && s.message[n-1] == '\\' {
		n--
	}
	return (i-n)%2 == 1
}

// codeEnd returns where the inline code that begins at i ends, or 0.
func (s *scanner) codeEnd(i int) int {
	if s.message[i] != '`' {
		return 0
	}
	for len(s.runs) > 0 && s.runs[0].open < i {
		s.runs = s.runs[1:]
	}
	if len(s.runs) == 0 || s.runs[0].open > i {
		return 0
	}
	return s.runs[0].end
}

// maxContainers bounds how deep block quotes and list items nest; further marks are text. It keeps the time linear.
const maxContainers = 32

// line is a line without the white space at its end, of which the first pos bytes were read.
type line struct {
	text     string
	pos, col int // col counts a tab up to the next multiple of 4, and may lie inside the tab at pos
}

// match reads the marks of containers, and returns how many of them the line is in.
func (l *line) match(containers []int) int {
	for i, width := range containers {
		switch {
		case width == 0:
			if !l.quote() {
				return i
			}
		case l.blank():
		case l.indent() < width:
			return i
		default:
			l.skip(width)
		}
	}
	return len(containers)
}

// enter reads the marks that open containers, at most room. inParagraph says that the first would interrupt a paragraph.
func (l *line) enter(room int, inParagraph bool) []int {
	var added []int
	for len(added) < room {
		width := 0
		if !l.quote() {
			if width = l.item(inParagraph && len(added) == 0); width == 0 {
				break
			}
		}
		added = append(added, width)
	}
	return added
}

// quote reads the mark of a block quote.
func (l *line) quote() bool {
	rest, ok := l.rest()
	if !ok || !strings.HasPrefix(rest, ">") {
		return false
	}
	l.skip(l.indent())
	l.pos, l.col = l.pos+1, l.col+1
	l.skip(min(1, l.indent()))
	return true
}

// item reads the mark of a list item and returns the width of the indent that continues it, or 0. A paragraph is only
// interrupted by an item with text whose number, if it has one, is 1: a number can stand where the line was broken.
func (l *line) item(inParagraph bool) int {
	rest, ok := l.rest()
	if !ok {
		return 0
	}
	n := min(len(rest)-len(strings.TrimLeft(rest, "0123456789")), 10)
	if inParagraph && n > 0 && rest[:n] != "1" {
		return 0
	}
	switch {
	case n == 0 && strings.IndexAny(rest, "-+*") == 0, n > 0 && n < 10 && strings.IndexAny(rest[n:], ".)") == 0:
		n++
	default:
		return 0
	}
	if n == len(rest) && inParagraph || n < len(rest) && rest[n] != ' ' && rest[n] != '\t' {
		return 0
	}
	width := l.indent() + n
	l.skip(l.indent())
	l.pos, l.col = l.pos+n, l.col+n
	gap := l.indent()
	if gap == 0 || gap > 4 {
		gap = 1
	}
	l.skip(gap)
	return width + gap
}

// single reports whether the line is a block of its own: a heading, the underline of one, a rule, or text too far
// indented to begin a paragraph.
func (l *line) single(inParagraph bool) bool {
	rest, ok := l.rest()
	if !ok {
		return !inParagraph
	}
	if n := leading(rest, '#'); n > 0 {
		return n <= 6 && (n == len(rest) || rest[n] == ' ' || rest[n] == '\t')
	}
	return strings.IndexAny(rest, "-=*_") == 0 && strings.Trim(rest, rest[:1]+" \t") == ""
}

// fence is a line that begins fenced code: n times mark. It is zero for other lines.
type fence struct {
	mark byte
	n    int
}

func (l *line) fence() fence {
	rest, ok := l.rest()
	if !ok || rest[0] != '`' && rest[0] != '~' {
		return fence{}
	}
	f := fence{rest[0], leading(rest, rest[0])}
	if f.n < 3 || f.mark == '`' && strings.Contains(rest[f.n:], "`") {
		return fence{}
	}
	return f
}

func (l *line) closes(f fence) bool {
	rest, ok := l.rest()
	return ok && leading(rest, f.mark) == len(rest) && len(rest) >= f.n
}

// rest returns what follows the indent, and false when that is nothing or the indent is too wide for a mark.
func (l *line) rest() (string, bool) {
	if l.blank() || l.indent() > 3 {
		return "", false
	}
	return strings.TrimLeft(l.text[l.pos:], " \t"), true
}

func (l *line) blank() bool { return l.pos == len(l.text) }

// indent returns how many columns of white space follow.
func (l *line) indent() int {
	col := l.col
	for i := l.pos; i < len(l.text); i++ {
		switch l.text[i] {
		case ' ':
			col++
		case '\t':
			col += 4 - col%4
		default:
			return col - l.col
		}
	}
	return col - l.col
}

// skip moves over n columns of white space.
func (l *line) skip(n int) {
	for end := l.col + n; l.col < end && !l.blank(); l.pos++ {
		next := l.col + 1
		if l.text[l.pos] == '\t' {
			next = l.col + 4 - l.col%4
		}
		if l.col = min(next, end); next > end {
			return // inside the tab
		}
	}
}

// leading returns how often c stands at the start of s.
func leading(s string, c byte) int {
	n := 0
	for n < len(s) && s[n] == c {
		n++
	}
	return n
}
