package skill

import (
	"strconv"
	"strings"
)

// What is given to the YAML parser at once: for each key it looks at all earlier ones of the mapping, and a list entry
// of two bytes costs it a thousand. Real frontmatters have a tenth of either.
const (
	maxKeys    = 1024
	maxEntries = 2048
)

// guard decides whether src may be given to the YAML parser, whose time and memory grow with the square of some
// things: 64 KiB of "[" take seconds and gigabytes. Block collections deeper than MaxDepth are left out of the text it
// returns; its lines are those of src.
func guard(src string) (string, *yamlError) {
	g := guardian{block: -1}
	var out strings.Builder
	kept := 0 // the bytes of src that are in out
	at := 0
	for line := range strings.Lines(src) {
		g.number++
		text := strings.TrimRight(line, "\n")
		if !g.keep(text) {
			out.WriteString(src[kept:at])
			kept = at + len(text)
		}
		if g.problem != "" {
			return "", &yamlError{line: g.number, col: 1, problem: g.problem}
		}
		at += len(line)
	}
	if kept == 0 {
		return src, nil
	}
	out.WriteString(src[kept:])
	return out.String(), nil
}

// guardian follows the indentation of a text.
type guardian struct {
	number  int
	stack   []int // the columns at which the open collections begin
	block   int   // the indentation of the line that began a block scalar, -1 outside of one
	flow    int   // open brackets, texts included
	keys    int
	entries int  // of lists
	content bool // a line with content came before
	problem string
}

// keep reports whether line is to be read.
func (g *guardian) keep(line string) bool {
	text := strings.TrimLeft(line, " ")
	indent := len(line) - len(text)
	switch {
	case strings.TrimLeft(text, "\t ") == "":
		return text == "" && (line == "" || g.block >= 0) // goccy stumbles over white space on blank lines
	case g.block >= 0 && indent > g.block:
		return true
	case text[0] == '#':
		return true
	case strings.HasPrefix(line, "---") && (len(line) == 3 || isWhite(line[3])):
		if g.content {
			g.problem = "a second YAML document"
		}
		return true
	}
	if strings.HasPrefix(line, "...") {
		g.problem = "a line that begins with three dots" // goccy takes them for the end of the document
		return true
	}
	g.block, g.content = -1, true
	if indent == 0 {
		g.flow = 0
	}
	for len(g.stack) > 0 && g.stack[len(g.stack)-1] >= indent {
		g.stack = g.stack[:len(g.stack)-1]
	}
	if len(g.stack) >= MaxDepth && g.flow == 0 {
		return false
	}
	g.open(line, indent)
	g.count(line)
	return true
}

// open notes the collections that begin on line.
func (g *guardian) open(line string, indent int) {
	g.stack = append(g.stack, indent)
	for i := indent; i+1 < len(line) && (line[i] == '-' || line[i] == '?') && isWhite(line[i+1]); {
		for i++; i < len(line) && isWhite(line[i]); i++ {
		}
		g.stack = append(g.stack, i)
		g.entries++
	}
	if len(g.stack) > MaxDepth+1 {
		g.problem = "collections deeper than " + strconv.Itoa(MaxDepth)
	}
	if beginsBlockScalar(line) {
		g.block = g.stack[max(0, len(g.stack)-1)]
	}
}

// beginsBlockScalar reports whether line ends with | or > and what may follow it.
func beginsBlockScalar(line string) bool {
	if i := strings.Index(line, " #"); i >= 0 {
		line = line[:i]
	}
	line = strings.TrimRight(line, " \t")
	header := strings.TrimRight(line, "+-0123456789")
	return len(header) > 1 && len(line)-len(header) <= 2 && (header[len(header)-1] == '|' || header[len(header)-1] == '>') &&
		isWhite(header[len(header)-2])
}

// count counts the brackets and the keys of line. Those in texts count too: a text that has so many costs the file no
// more than the reading of its entries one by one.
func (g *guardian) count(line string) {
	for i := range len(line) {
		switch line[i] {
		case '[', '{':
			g.flow++
		case ']', '}':
			g.flow = max(0, g.flow-1)
		case ',':
			if g.flow > 0 {
				g.entries++
			}
		case ':', '?':
			if i+1 == len(line) || strings.IndexByte(" \t,]}", line[i+1]) >= 0 {
				g.keys++
			}
		}
		if g.flow > MaxDepth {
			g.problem = "brackets deeper than " + strconv.Itoa(MaxDepth)
			return
		}
	}
	if g.keys > maxKeys || g.entries > maxEntries {
		g.problem = "more keys or list entries than are read at once"
	}
}
