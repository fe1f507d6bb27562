package gitignore

import "strings"

// pattern is one compiled line.
type pattern struct {
	void    bool   // matches nothing
	negated bool   // began with "!"
	dirOnly bool   // ended in "/"
	base    bool   // is matched against the last name alone
	prefix  string // the bytes before the first special one, compared as they are
	parts   []part // matches what follows prefix; nil when prefix is the whole pattern
}

// part is what stands between two slashes of a pattern, with the gap before it.
type part struct {
	gap     bool   // components may be skipped before it
	least   int    // how many of them must be
	rest    bool   // the gap ends the pattern: whatever is left matches
	literal bool   // text is the whole part
	text    string // set when literal
	ops     []op   // set when not
}

// op matches one byte, or for a star any number of them.
type op struct {
	kind opKind
	char byte     // of a char
	set  *byteSet // of a class
}

type opKind uint8

const (
	opChar opKind = iota
	opAny
	opClass
	opStar
)

// special are the bytes that end the literal prefix of a pattern.
const special = `*?[\`

// compile reads one line.
func compile(line string) pattern {
	if strings.HasPrefix(line, "#") {
		return pattern{void: true}
	}
	var p pattern
	// Lines are C strings to git.
	text, _, _ := strings.Cut(line, "\x00")
	text = trimSpaces(text)
	text, p.negated = strings.CutPrefix(text, "!")
	text, p.dirOnly = strings.CutSuffix(text, "/")
	p.base = !strings.Contains(text, "/")
	text = strings.TrimPrefix(text, "/")
	if text == "" {
		p.void = true
		return p
	}
	n := strings.IndexAny(text, special)
	if n < 0 {
		p.prefix = text
		return p
	}
	p.prefix = text[:n]
	parts, ok := compileParts(text[n:])
	p.parts, p.void = parts, !ok
	return p
}

// trimSpaces drops the spaces at the end that no backslash stands before.
func trimSpaces(s string) string {
	keep := 0
	for i := 0; i < len(s); i++ {
		if s[i] == ' ' {
			continue
		}
		if s[i] == '\\' {
			i++
		}
		keep = min(i+1, len(s))
	}
	return s[:keep]
}

// compileParts splits a pattern at its slashes; false when it can match nothing.
func compileParts(s string) ([]part, bool) {
	var parts []part
	for {
		var p part
		s = p.takeGaps(s)
		if p.rest {
			return append(parts, p), true
		}
		n, ok := p.takeText(s)
		if !ok {
			return nil, false
		}
		parts = append(parts, p)
		if n == len(s) {
			return parts, true
		}
		s = s[n+1:]
	}
}

// takeGaps reads the gaps at the beginning of s, which is the beginning of a component, and returns what follows them.
func (p *part) takeGaps(s string) string {
	for {
		after := strings.TrimLeft(s, "*")
		if len(s)-len(after) < 2 {
			return s
		}
		switch {
		case after == "":
			p.gap, p.rest = true, true
			return ""
		case after[0] == '/':
			s = after[1:]
		case strings.HasPrefix(after, `\/`):
			// git looks for the zero-component form behind a plain slash only.
			s = after[2:]
			p.least++
		default:
			return s
		}
		p.gap = true
	}
}

// takeText reads one component up to its slash or the end of s and returns its length; false when it can match nothing.
func (p *part) takeText(s string) (int, bool) {
	i := 0
	for i < len(s) && s[i] != '/' {
		o, n, ok := nextOp(s[i:])
		switch {
		case !ok:
			return 0, false
		case o.kind == opChar && o.char == '/':
			p.finish()
			return i + n - 1, true
		case o.kind != opStar || len(p.ops) == 0 || p.ops[len(p.ops)-1].kind != opStar:
			p.ops = append(p.ops, o)
		}
		i += n
	}
	p.finish()
	return i, true
}

// finish keeps a part without wildcards as text, which compares faster.
func (p *part) finish() {
	text := make([]byte, 0, len(p.ops))
	for _, o := range p.ops {
		if o.kind != opChar {
			return
		}
		text = append(text, o.char)
	}
	p.literal, p.text, p.ops = true, string(text), nil
}

// nextOp reads one op at the beginning of s and returns its length; false when it makes the pattern match nothing.
func nextOp(s string) (op, int, bool) {
	switch s[0] {
	case '?':
		return op{kind: opAny}, 1, true
	case '*':
		return op{kind: opStar}, 1, true
	case '[':
		set, n, ok := readClass(s)
		return op{kind: opClass, set: set}, n, ok
	case '\\':
		if len(s) == 1 {
			return op{}, 0, false
		}
		return op{kind: opChar, char: s[1]}, 2, true
	default:
		return op{kind: opChar, char: s[0]}, 1, true
	}
}
