package skill

import (
	"iter"
	"strings"
	"unicode/utf8"
)

// entry is a piece of a frontmatter that begins with a key at column 0 (section 5.5).
type entry struct {
	line, lines int // of the block, from 1, and how many
	text        string
	colon       int // where in text the colon of the key is
}

// retry reads src entry by entry, for a text that is not YAML as a whole. A continuation line is part of its entry and
// so never becomes a field. What belongs to no entry is dropped. It is false if there is no entry.
func (t *yamlTree) retry(src string) bool {
	t.nodes, t.budget = t.nodes[:1], MaxFrontmatter
	root := t.add(node{kind: mappingNode, line: 1, col: 1})
	var last nodeID
	for e := range entries(src) {
		key, value := t.readEntry(e)
		t.nodes[key].lines = e.lines
		last = t.link(root, last, key)
		last = t.link(root, last, value)
	}
	t.root = root
	return last != 0
}

// readEntry returns the key and the value of e: those of its YAML, if that is one field, or its literal text.
func (t *yamlTree) readEntry(e entry) (key, value nodeID) {
	mark, dropped := len(t.nodes), len(t.dropped)
	if t.readYAML(e.text, e.line) == nil && t.nodes[t.root].kind == mappingNode && len(t.dropped) == dropped {
		key = t.nodes[t.root].first
		if key != 0 && t.nodes[t.nodes[key].next].next == 0 {
			return key, t.nodes[key].next
		}
	}
	t.nodes, t.dropped = t.nodes[:mark], t.dropped[:dropped]
	name := strings.TrimRight(e.text[:e.colon], " \t")
	key = t.add(node{line: e.line, col: 1, text: unquoteKey(name)})
	value = t.add(node{line: e.line, col: 2 + utf8.RuneCountInString(e.text[:e.colon]), text: joinLines(e.text[e.colon+1:])})
	return key, value
}

// unquoteKey takes the quotes off a key that stands in them.
func unquoteKey(key string) string {
	if n := len(key); n >= 2 && (key[0] == '"' || key[0] == '\'') && key[n-1] == key[0] {
		return key[1 : n-1]
	}
	return key
}

// joinLines joins the lines of s that are not blank with single spaces, without the white space around each.
func joinLines(s string) string {
	var lines []string
	for line := range strings.SplitSeq(s, "\n") {
		if line = strings.Trim(line, " \t"); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, " ")
}

// entries cuts src into its entries: each begins with a key at column 0 and a colon before a blank or the line's end,
// and takes the blank and indented lines below it.
func entries(src string) iter.Seq[entry] {
	return func(yield func(entry) bool) {
		var e entry // without lines while there is none
		number, at := 0, 0
		for line := range strings.Lines(src) {
			number++
			at += len(line)
			if isWhite(line[0]) {
				if e.lines > 0 {
					e.lines++
					e.text = src[at-len(line)-len(e.text) : at]
				}
				continue
			}
			if e.lines > 0 && !yield(e) {
				return
			}
			e = entry{}
			if colon := entryColon(line); colon >= 0 {
				e = entry{line: number, lines: 1, text: line, colon: colon}
			}
		}
		if e.lines > 0 {
			yield(e)
		}
	}
}

// entryColon returns where the colon of the key is with which line begins, -1 if it begins no entry.
func entryColon(line string) int {
	if line[0] == '#' || line[0] == '-' {
		return -1
	}
	for i := 1; i < len(line); i++ {
		if line[i] == ':' && (i+1 == len(line) || isWhite(line[i+1])) {
			return i
		}
	}
	return -1
}
