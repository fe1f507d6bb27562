package skill

import "strings"

// ReadPlain and ReadYAML read src as top-level fields the short way and the long one, as "key@line:col=value@line:col"
// lines. They are false if the way does not read src.
func ReadPlain(src string) (string, bool) {
	t := newTree(src)
	if !t.readPlain(src, 1) {
		return "", false
	}
	return fieldLines(&block{text: src, line: 1}, t), true
}

// ReadYAML is the long way; see ReadPlain.
func ReadYAML(src string) (string, bool) {
	t := newTree(src)
	text, problem := guard(src)
	if problem != nil || t.readGoccy(text, 1) != nil || t.root == 0 || t.nodes[t.root].kind != mappingNode {
		return "", false
	}
	return fieldLines(&block{text: src, line: 1}, t), true
}

func fieldLines(b *block, t *yamlTree) string {
	var out strings.Builder
	addFields(&out, b, t, t.root)
	return out.String()
}

func addFields(out *strings.Builder, b *block, t *yamlTree, root nodeID) {
	for key, value := range t.fields(root) {
		for _, n := range []*node{key, value} {
			line, col := b.place(*n)
			f := Finding{Message: n.text, Line: line, Column: col, Code: Code([]string{"text", "map", "list", "alias"}[n.kind])}
			if n.plain {
				f.Code += " plain"
			}
			out.WriteString(f.String() + "\n")
		}
		if value.kind == mappingNode {
			for id := range t.nodes {
				if &t.nodes[id] == value {
					addFields(out, b, t, nodeID(id))
				}
			}
		}
	}
}
