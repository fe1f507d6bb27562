package skill

import "strings"

// dropComplexKeys takes the fields out of src whose key is a list or a mapping, which the YAML parser refuses. The
// lines stay, as comments.
func dropComplexKeys(src string) (string, []droppedKey) {
	lines := strings.SplitAfter(src, "\n")
	var dropped []droppedKey
	budget := MaxFrontmatter // of the bytes that are read to see what the keys are
	for i := 0; i < len(lines) && budget > 0; i++ {
		text := strings.TrimLeft(lines[i], " ")
		indent := len(lines[i]) - len(text)
		n, flow := complexKey(lines[i:], text, indent, &budget)
		if n == 0 {
			continue
		}
		dropped = append(dropped, droppedKey{line: i + 1, col: indent + 1, flow: flow})
		for j := i; j < i+n; j++ {
			lines[j] = "#" + lines[j][len(strings.TrimRight(lines[j], "\n")):]
		}
		i += n - 1
	}
	return strings.Join(lines, ""), dropped
}

// complexKey returns how many lines the field takes that begins with text and has a collection for its key; 0 if
// there is none.
func complexKey(lines []string, text string, indent int, budget *int) (n int, flow bool) {
	switch {
	case strings.HasPrefix(text, "? "):
		n = 1 + deeperLines(lines[1:], indent)
		key := strings.Repeat(" ", indent+2) + text[2:] + strings.Join(lines[1:n], "")
		t := newTree(key)
		*budget -= len(key) + callCost
		if t.readGoccy(key, 1) != nil || t.root == 0 || t.nodes[t.root].kind == scalarNode {
			return 0, false
		}
		if n < len(lines) && isValueLine(lines[n], indent) {
			n += 1 + deeperLines(lines[n+1:], indent)
		}
		return n, hasFlow(t)
	case strings.HasPrefix(text, "[") || strings.HasPrefix(text, "{"):
		end := flowEnd(text)
		rest := strings.TrimLeft(text[end:], " \t")
		t := newTree("")
		*budget -= callCost
		if end == 0 || !strings.HasPrefix(rest, ":") || len(rest) > 1 && !isWhite(rest[1]) ||
			t.readGoccy(text[:end], 1) != nil {
			return 0, false
		}
		return 1 + deeperLines(lines[1:], indent), true
	}
	return 0, false
}

func hasFlow(t *yamlTree) bool {
	for _, n := range t.nodes {
		if n.flow {
			return true
		}
	}
	return false
}

// deeperLines counts the lines at the start of lines that are blank or indented beyond indent.
func deeperLines(lines []string, indent int) int {
	for n, line := range lines {
		text := strings.TrimLeft(line, " ")
		if strings.TrimSpace(text) != "" && len(line)-len(text) <= indent {
			return n
		}
	}
	return len(lines)
}

// isValueLine reports whether line is the value of a key that a question mark began.
func isValueLine(line string, indent int) bool {
	text := strings.TrimLeft(line, " ")
	return len(line)-len(text) == indent && strings.HasPrefix(text, ":") && (len(text) == 1 || isWhite(text[1]))
}

// flowEnd returns where the bracket at the start of text is closed, 0 if it is not.
func flowEnd(text string) int {
	level := 0
	var quote byte
	for i := range len(text) {
		switch c := text[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '[' || c == '{':
			level++
		case c == ']' || c == '}':
			if level--; level == 0 {
				return i + 1
			}
		}
	}
	return 0
}
