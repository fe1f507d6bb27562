package trigger

import (
	"fmt"
	"strings"
)

// Literal returns the line that names path, slash-separated below the skill tree, and matches nothing else that git
// would read as a pattern (T7): special characters are escaped, dir adds the slash behind it, anchored the one in
// front, which a path of one segment needs to mean the top of the tree alone. It fails for paths that no line can hold.
func Literal(path string, dir, anchored bool) (string, error) {
	if err := checkPath(path); err != nil {
		return "", err
	}
	var b strings.Builder
	if anchored {
		b.WriteByte('/')
	} else if special(path) {
		b.WriteByte('\\')
	}
	end := len(path)
	if !dir {
		end = len(strings.TrimRight(path, space))
	}
	for i := range len(path) {
		escaped := i == 0 && !anchored && special(path) // done above
		if !escaped && (i >= end || strings.IndexByte(`*?[\`, path[i]) >= 0) {
			b.WriteByte('\\')
		}
		b.WriteByte(path[i])
	}
	if dir {
		b.WriteByte('/')
	}
	return b.String(), nil
}

// special reports whether a line that begins as path does would be another kind of line, a negation or, to a reader
// that trims lines, another path.
func special(path string) bool {
	return strings.IndexByte(`!#@`+space, path[0]) >= 0 || strings.HasPrefix(path, bom)
}

func checkPath(path string) error {
	if strings.ContainsAny(path, "\n\r\x00") {
		return fmt.Errorf("no line can name %q: it holds a line break or NUL", path)
	}
	for seg := range strings.SplitSeq(path, "/") {
		if seg == "" || seg == "." || seg == ".." {
			return fmt.Errorf("no line can name %q: it is no path below the tree", path)
		}
	}
	return nil
}

// Literal returns the path that a literal line names: x, /x, x/ and /x/ all name x (T7). Negations and patterns with
// wildcards name none.
func (l Line) Literal() (path string, ok bool) {
	text := trimBlanks(l.Text)
	if l.Kind != Pattern || text[0] == '!' {
		return "", false
	}
	text = strings.TrimSuffix(strings.TrimPrefix(text, "/"), "/")
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '*', '?', '[':
			return "", false
		case '\\':
			if i++; i == len(text) {
				return "", false // git takes it for a pattern that matches nothing
			}
		}
		b.WriteByte(text[i])
	}
	return b.String(), checkPath(b.String()) == nil
}

// trimBlanks cuts the blanks at the end of a pattern as git does: an escaped one counts.
func trimBlanks(text string) string {
	end := 0
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' {
			i++
			end = min(i+1, len(text))
		} else if text[i] != ' ' {
			end = i + 1
		}
	}
	return text[:end]
}
