package gitignore

import "strings"

// subject is a path that is held against patterns.
type subject struct {
	path string
	name string // its last component
	dir  bool
}

func newSubject(path string, dir bool) subject {
	return subject{path: path, name: path[strings.LastIndexByte(path, '/')+1:], dir: dir}
}

// match tells whether the pattern matches exactly the subject, its "!" aside.
func (p *pattern) match(m *matcher, s subject) bool {
	if p.void || s.path == "" || p.dirOnly && !s.dir {
		return false
	}
	path := s.path
	if p.base {
		path = s.name
	}
	if !strings.HasPrefix(path, p.prefix) {
		return false
	}
	path = path[len(p.prefix):]
	if p.parts == nil {
		return path == ""
	}
	return m.path(p.parts, path)
}

// matcher runs patterns over paths.
type matcher struct {
	asked int // paths that were held against all lines; it and steps are counted so that tests can hold bounds
	steps int // bytes looked at
}

// path matches parts to the components of text, of which the first may be the end of one. When a component does not fit,
// only the last gap is widened: an earlier one has found the first place for what stands between, and no later place
// leaves more text for the rest. So each part meets each component at most once.
func (m *matcher) path(parts []part, text string) bool {
	i, pos := 0, 0      // the part to match and where its component begins; past the end of text none is left
	open, from := -1, 0 // the part behind the last gap, and where it was tried
	for {
		if i == len(parts) && pos > len(text) {
			return true
		}
		if pos > len(text) {
			// A wider gap would leave even fewer components.
			return false
		}
		if i < len(parts) {
			part := &parts[i]
			if part.gap && i != open {
				for range part.least {
					pos = m.skip(text, pos)
				}
				open, from = i, pos
				if pos > len(text) {
					return false
				}
			}
			if part.rest {
				return true
			}
			end := m.skip(text, pos) - 1
			if m.part(part, text[pos:end]) {
				i, pos = i+1, end+1
				continue
			}
		}
		if open < 0 {
			return false
		}
		from = m.skip(text, from)
		i, pos = open, from
	}
}

// skip is where the component behind the one at pos begins; past the end of text when there is none.
func (m *matcher) skip(text string, pos int) int {
	if pos > len(text) {
		return pos
	}
	n := strings.IndexByte(text[pos:], '/')
	if n < 0 {
		n = len(text) - pos
	}
	m.steps += n + 1
	return pos + n + 1
}

// part matches one component. When a byte does not fit, only the last star is widened, for the same reason.
func (m *matcher) part(p *part, text string) bool {
	if p.literal {
		m.steps += len(p.text) + 1
		return text == p.text
	}
	i, pos := 0, 0      // the op to match and its byte
	open, from := -1, 0 // the last star and where what follows it was tried
	for pos < len(text) {
		m.steps++
		switch {
		case i < len(p.ops) && p.ops[i].kind == opStar:
			open, from = i, pos
			i++
		case i < len(p.ops) && p.ops[i].fits(text[pos]):
			i, pos = i+1, pos+1
		case open < 0:
			return false
		default:
			from++
			i, pos = open+1, from
		}
	}
	return i == len(p.ops) || i == len(p.ops)-1 && p.ops[i].kind == opStar
}

func (o *op) fits(c byte) bool {
	switch o.kind {
	case opChar:
		return o.char == c
	case opClass:
		return o.set.has(c)
	default:
		return true
	}
}
