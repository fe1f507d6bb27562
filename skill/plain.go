package skill

import "strings"

// readPlain reads a text whose lines are all blank, comments, or a field with a plain value on the line, and nothing
// that YAML could read in another way. It is false, and leaves no trace, for any other.
func (t *yamlTree) readPlain(src string, firstLine int) bool {
	mark, root, number := len(t.nodes), t.root, firstLine
	t.root = t.add(node{kind: mappingNode})
	var last nodeID
	for line := range strings.Lines(src) {
		line = strings.TrimRight(line, "\n")
		if line != "" && line[0] != '#' {
			key, value, ok := cutPlain(line)
			if !ok {
				t.nodes, t.root = t.nodes[:mark], root
				return false
			}
			if last == 0 {
				t.nodes[t.root].line, t.nodes[t.root].col = number, 1
			}
			last = t.link(t.root, last, t.add(node{plain: true, line: number, col: 1, text: key}))
			col := len(line) - len(strings.TrimLeft(line[len(key)+1:], " ")) + 1
			last = t.link(t.root, last, t.add(node{plain: true, line: number, col: col, text: value}))
		}
		number++
	}
	if last == 0 {
		t.nodes, t.root = t.nodes[:mark], root
	}
	return last != 0
}

// cutPlain cuts a line of the form "key: text". It refuses whatever has a meaning in YAML beside that.
func cutPlain(line string) (key, value string, ok bool) {
	key, value, ok = strings.Cut(line, ":")
	if !ok || key == "" || !isLetter(key[0]) {
		return "", "", false
	}
	for i := range len(key) {
		if c := key[i]; !isLetter(c) && c != '-' && c != '_' && (c < '0' || c > '9') {
			return "", "", false
		}
	}
	value = strings.Trim(value, " ")
	switch {
	case line[len(key):] == ":" || value == "":
		return "", "", false
	case line[len(key)+1] != ' ', !isLetter(value[0]), value[len(value)-1] == ':',
		strings.Contains(value, ": "), strings.Contains(value, " #"), strings.IndexByte(value, '\t') >= 0:
		return "", "", false
	}
	return key, value, true
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
