package skill

import (
	"strings"
	"unicode"
)

func (f *fieldReader) metadataField(id nodeID) {
	if id == 0 {
		return
	}
	n := f.tree.nodes[id]
	if n.kind != mappingNode {
		if _, kind := f.text(id); kind == nullValue {
			f.report(n, CodeMetadataEmpty, "metadata is empty", "remove the field")
			return
		}
		f.report(n, CodeMetadataNotMapping, "metadata is no mapping", "write key: value lines below it")
		return
	}
	if n.first == 0 {
		f.report(n, CodeMetadataEmpty, "metadata is empty", "remove the field")
	}
	f.doc.Metadata = make(map[string]string)
	for key := n.first; key != 0; {
		value := f.tree.nodes[key].next
		f.metadataEntry(key, value)
		key = f.tree.nodes[value].next
	}
}

func (f *fieldReader) metadataEntry(key, value nodeID) {
	k := f.tree.nodes[key]
	if k.kind != scalarNode || k.merge {
		return
	}
	if _, kind := f.text(key); kind != textValue {
		f.report(k, CodeMetadataKeyNotString, "the key "+cite(k.text)+" is no text", "put it in quotes")
	}
	text, kind := f.text(value)
	if kind != textValue {
		f.report(f.tree.nodes[value], CodeMetadataValueNotString, "the value of "+cite(k.text)+" is no text", "put it in quotes")
	}
	if kind == collectionValue {
		delete(f.doc.Metadata, k.text)
		return
	}
	f.doc.Metadata[k.text] = text
}

func (f *fieldReader) toolsField(id nodeID) {
	if id == 0 {
		return
	}
	n := f.tree.nodes[id]
	text, kind := f.text(id)
	switch {
	case kind == collectionValue:
		f.report(n, CodeToolsNotString, "allowed-tools is no text", "write the tools in one line, separated by spaces")
		f.toolList(n)
		return
	case kind == nullValue || strings.TrimSpace(text) == "":
		f.report(n, CodeToolsEmpty, "allowed-tools is empty", "remove the field")
		return
	case kind == typedValue:
		f.report(n, CodeToolsNotString, "allowed-tools is a number or a truth value", "write names of tools")
	}
	tools, comma, balanced := cutTools(text)
	if comma {
		f.report(n, CodeToolsComma, "commas between the tools", "separate them by spaces")
	}
	if !balanced {
		f.report(n, CodeToolsSyntax, "a parenthesis without its partner", "close it")
	}
	f.doc.AllowedTools = tools
}

// toolList takes the texts of a list, each as one tool. Cutting them further could grant what was never written.
func (f *fieldReader) toolList(n node) {
	if n.kind != sequenceNode {
		return
	}
	for id := n.first; id != 0; id = f.tree.nodes[id].next {
		item := f.tree.nodes[id]
		if tool := strings.TrimSpace(item.text); item.kind == scalarNode && tool != "" {
			f.doc.AllowedTools = append(f.doc.AllowedTools, tool)
		}
	}
}

// cutTools cuts s at white space and commas outside of parentheses. A parenthesis that is never closed takes the rest
// into one token, so that nothing is granted beyond what stands there.
func cutTools(s string) (tools []string, comma, balanced bool) {
	level, start := 0, -1
	balanced = true
	for i, r := range s {
		separates := level == 0 && (r == ',' || unicode.IsSpace(r))
		switch {
		case r == '(':
			level++
		case r == ')' && level == 0:
			balanced = false
		case r == ')':
			level--
		case r == ',' && level == 0:
			comma = true
		}
		switch {
		case separates && start >= 0:
			tools = append(tools, s[start:i])
			start = -1
		case !separates && start < 0:
			start = i
		}
	}
	if start >= 0 {
		tools = append(tools, strings.TrimSpace(s[start:]))
	}
	return tools, comma, balanced && level == 0
}
