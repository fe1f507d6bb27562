package skill

import "strings"

// readPlain reads a text whose lines are all blank, comments, or fields, and nothing that YAML could read in another
// way. A field has its value on its line, plain or in quotes without escapes, or it has such fields below it, indented
// alike: most real frontmatters are that. It is false, and leaves no trace, for any other text.
func (t *yamlTree) readPlain(src string, firstLine int) bool {
	r := plainReader{tree: t, line: firstLine}
	mark, root := len(t.nodes), t.root
	t.root = t.add(node{kind: mappingNode})
	for line := range strings.Lines(src) {
		if !r.read(strings.TrimRight(line, "\n")) {
			t.nodes, t.root = t.nodes[:mark], root
			return false
		}
		r.line++
	}
	if r.last == 0 || r.open && r.inner == 0 {
		t.nodes, t.root = t.nodes[:mark], root
		return false
	}
	return true
}

// plainReader is the state of one readPlain between two lines.
type plainReader struct {
	tree   *yamlTree
	line   int
	last   nodeID // the last value at the top
	open   bool   // it is a mapping, which may go on
	inner  nodeID // the last value in it
	indent int    // of the fields in it
}

// read takes one line. It is false for one that the short way does not know.
func (r *plainReader) read(line string) bool {
	switch {
	case line == "":
		return true
	case line[0] == ' ':
		return r.open && r.below(line)
	case r.open && r.inner == 0: // a key with nothing below it
		return false
	case line[0] == '#':
		return true
	}
	r.open = false
	t := r.tree
	if t.nodes[t.root].line == 0 {
		t.nodes[t.root].line, t.nodes[t.root].col = r.line, 1
	}
	if key := strings.TrimSuffix(line, ":"); key != line && isPlainKey(key) {
		r.last = t.link(t.root, r.last, t.add(node{plain: true, line: r.line, col: 1, text: key}))
		r.last = t.link(t.root, r.last, t.add(node{kind: mappingNode}))
		r.open, r.inner, r.indent = true, 0, 0
		return true
	}
	last, ok := r.field(t.root, r.last, line, 0)
	r.last = last
	return ok
}

// below takes one line of the mapping that is open.
func (r *plainReader) below(line string) bool {
	indent := len(line) - len(strings.TrimLeft(line, " "))
	if indent == len(line) || r.inner != 0 && indent != r.indent {
		return false
	}
	if m := &r.tree.nodes[r.last]; r.inner == 0 {
		m.line, m.col, r.indent = r.line, indent+1, indent
	}
	last, ok := r.field(r.last, r.inner, line[indent:], indent)
	r.inner = last
	return ok
}

// field adds the field on line, which stands behind indent blanks, to the mapping parent, and returns its value.
func (r *plainReader) field(parent, last nodeID, line string, indent int) (nodeID, bool) {
	key, value, quoted, ok := cutField(line)
	if !ok {
		return last, false
	}
	t := r.tree
	col := indent + len(line) - len(strings.TrimLeft(line[len(key)+1:], " ")) + 1
	last = t.link(parent, last, t.add(node{plain: true, line: r.line, col: indent + 1, text: key}))
	return t.link(parent, last, t.add(node{plain: !quoted, line: r.line, col: col, text: value})), true
}

// cutField cuts a line of the form "key: text", with the text plain or in quotes.
func cutField(line string) (key, value string, quoted, ok bool) {
	if key, value, ok = cutPlain(line); ok {
		return key, value, false, true
	}
	key, rest, ok := strings.Cut(line, ": ")
	if !ok || !isPlainKey(key) || strings.IndexByte(rest, '\t') >= 0 {
		return "", "", false, false
	}
	rest = strings.Trim(rest, " ")
	n := len(rest)
	if n < 3 || rest[0] != '"' && rest[0] != '\'' || rest[n-1] != rest[0] {
		return "", "", false, false
	}
	value = rest[1 : n-1]
	if strings.IndexByte(value, rest[0]) >= 0 || rest[0] == '"' && strings.IndexByte(value, '\\') >= 0 {
		return "", "", false, false
	}
	return key, value, true, true
}

// cutPlain cuts a line of the form "key: text". It refuses whatever has a meaning in YAML beside that.
func cutPlain(line string) (key, value string, ok bool) {
	key, value, ok = strings.Cut(line, ":")
	if !ok || !isPlainKey(key) {
		return "", "", false
	}
	value = strings.Trim(value, " ")
	switch {
	case line[len(key):] == ":" || value == "":
		return "", "", false
	case line[len(key)+1] != ' ', !isLetter(value[0]) && !isDigit(value[0]), value[len(value)-1] == ':',
		strings.Contains(value, ": "), strings.Contains(value, " #"), strings.IndexByte(value, '\t') >= 0:
		return "", "", false
	}
	return key, value, true
}

func isPlainKey(key string) bool {
	if key == "" || !isLetter(key[0]) {
		return false
	}
	for i := range len(key) {
		if c := key[i]; !isLetter(c) && !isDigit(c) && c != '-' && c != '_' {
			return false
		}
	}
	return true
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
