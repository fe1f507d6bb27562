package skill

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// The limits of the format, in characters (code points).
const (
	MaxNameLength          = 64
	MaxDescriptionLength   = 1024
	MaxCompatibilityLength = 500
)

// fields reads the block and fills in the document.
func (p *docReader) fields(b *block) {
	t := newTree(b.text)
	if problem := t.readYAML(b.text, 1); problem != nil && !p.retry(b, t, problem) {
		return
	}
	if t.root == 0 || t.nodes[t.root].kind != mappingNode {
		p.log.add(Finding{Code: CodeFrontmatterNotMapping, Line: b.line, Column: 1,
			Message: "the frontmatter has no fields", Fix: "write key: value lines"})
		p.refuse(CodeFrontmatterNotMapping)
		return
	}
	f := &fieldReader{docReader: p, block: b, tree: t}
	f.walk(t.root)
	for _, d := range t.dropped {
		f.report(node{line: d.line, col: d.col}, CodeYAMLKeyNotString, "a key that is no text", "write a word for the key")
		if d.flow {
			f.report(node{line: d.line, col: d.col}, CodeYAMLFlowStyle, flowMessage, flowFix)
		}
	}
	f.read()
}

// retry reads the block entry by entry. The strict reading ends with the problem.
func (p *docReader) retry(b *block, t *yamlTree, problem *yamlError) bool {
	line, col := b.place(node{line: problem.line, col: problem.col})
	f := Finding{Code: CodeYAMLInvalid, Line: line, Column: col,
		Message: "not valid YAML: " + oneLineOf(problem.problem), Fix: "put the value in quotes, or below the key after >-"}
	if !t.retry(b.text) {
		p.log.add(f)
		p.refuse(CodeYAMLInvalid)
		return false
	}
	p.log.addTo(p.log.active&strictly, f)
	f.Code, f.Message = CodeYAMLRetry, f.Message+"; read field by field"
	p.log.addTo(p.log.active&leniently, f)
	p.log.active &^= strictly
	return true
}

// oneLineOf returns s with its line breaks as spaces.
func oneLineOf(s string) string { s, _ = OneLine(s); return s }

// fieldReader interprets a tree (sections 5.4 and 5.6).
type fieldReader struct {
	*docReader
	block *block
	tree  *yamlTree
	index map[string]int // of the names in Document.Unknown
}

const (
	flowMessage = "brackets or braces, which some readers refuse"
	flowFix     = "write the entries on lines of their own"
)

func (f *fieldReader) report(n node, code Code, message, fix string) {
	if f.log.full(code) {
		return
	}
	line, col := f.block.place(n)
	f.log.add(Finding{Code: code, Message: message, Line: line, Column: col, Fix: fix})
}

// walk reports what YAML allows and the format does not, at any depth.
func (f *fieldReader) walk(id nodeID) {
	n := f.tree.nodes[id]
	if n.anchored {
		f.report(n, CodeYAMLAnchor, "an anchor or an alias", "write the value itself")
	}
	if n.tagged {
		f.report(n, CodeYAMLTag, "an explicit tag", "remove it, and put the value in quotes")
	}
	if n.flow {
		f.report(n, CodeYAMLFlowStyle, flowMessage, flowFix)
	}
	if n.kind == mappingNode {
		f.walkKeys(id)
	}
	for child := n.first; child != 0; child = f.tree.nodes[child].next {
		f.walk(child)
	}
}

func (f *fieldReader) walkKeys(id nodeID) {
	var seen keySet
	for key := range f.tree.fields(id) {
		switch {
		case key.merge:
			f.report(*key, CodeYAMLMergeKey, "a merge key; nothing is merged", "write the fields out")
		case key.kind != scalarNode:
			f.report(*key, CodeYAMLKeyNotString, "a key that is no text", "write a word for the key")
			continue
		}
		if seen.add(key.text) {
			f.report(*key, CodeYAMLDuplicateKey, "the key "+cite(key.text)+" is there twice; the last one counts", "remove one")
		}
	}
}

// keySet is a set of names, made for few.
type keySet struct {
	few  []string
	many map[string]bool
}

// add adds key and reports whether it was there.
func (s *keySet) add(key string) bool {
	if s.many == nil {
		if slices.Contains(s.few, key) {
			return true
		}
		if s.few = append(s.few, key); len(s.few) <= 16 {
			return false
		}
		s.many = make(map[string]bool, 2*len(s.few))
		for _, k := range s.few {
			s.many[k] = true
		}
		return false
	}
	found := s.many[key]
	s.many[key] = true
	return found
}

// known are the fields of the format, each the last of its name.
type known struct {
	name, description, license, compatibility, metadata, tools nodeID
}

// read takes the fields at the top.
func (f *fieldReader) read() {
	var k known
	for id := f.tree.nodes[f.tree.root].first; id != 0; {
		key, value := f.tree.nodes[id], f.tree.nodes[id].next
		if key.kind == scalarNode && !key.merge {
			f.sort(&k, id, value)
		}
		id = f.tree.nodes[value].next
	}
	f.nameField(k.name)
	f.descriptionField(k.description)
	f.doc.License = f.license(k.license)
	f.doc.Compatibility = f.compatibility(k.compatibility)
	f.metadataField(k.metadata)
	f.toolsField(k.tools)
}

func (f *fieldReader) sort(k *known, key, value nodeID) {
	switch f.tree.nodes[key].text {
	case "name":
		k.name = value
	case "description":
		k.description = value
	case "license":
		k.license = value
	case "compatibility":
		k.compatibility = value
	case "metadata":
		k.metadata = value
	case "allowed-tools":
		k.tools = value
	default:
		f.unknown(key, value)
	}
}

// unknown keeps a field the format does not have.
func (f *fieldReader) unknown(key, value nodeID) {
	k, v := f.tree.nodes[key], f.tree.nodes[value]
	line, col := f.block.place(k)
	field := Field{Name: k.text, Raw: f.raw(key, value), Scalar: v.kind == scalarNode, Text: v.text, Line: line, Column: col}
	if f.index == nil {
		f.index = make(map[string]int)
	}
	if i, ok := f.index[k.text]; ok {
		f.doc.Unknown[i] = field
		return
	}
	f.index[k.text] = len(f.doc.Unknown)
	f.doc.Unknown = append(f.doc.Unknown, field)
	if slices.Contains(f.opts.AllowFields, k.text) {
		return
	}
	f.report(k, CodeUnknownField, "the format has no field "+cite(k.text), "put it under metadata")
}

// raw returns the source of the value of a field at the top.
func (f *fieldReader) raw(key, value nodeID) string {
	b, k := f.block, f.tree.nodes[key]
	start, end := b.find(k).at, len(b.text)
	if next := f.tree.nodes[value].next; next != 0 {
		end = b.find(f.tree.nodes[next]).at
	}
	if k.lines > 0 && k.line-1+k.lines < len(b.starts) {
		end = b.starts[k.line-1+k.lines]
	}
	source := b.text[min(start, end):end]
	at := 0
	if source != "" && (source[0] == '"' || source[0] == '\'') {
		at = 1 + strings.IndexByte(source[1:], source[0])
	}
	if strings.HasPrefix(source, k.text) {
		at = len(k.text)
	}
	_, source, _ = strings.Cut(source[at:], ":")
	if f.tree.nodes[f.tree.root].flow {
		source = strings.TrimRight(source, " \t\n,}")
	}
	return strings.Trim(source, " \t\n")
}

// text returns the text of n if it is a scalar, and what its type is.
func (f *fieldReader) text(id nodeID) (text string, kind valueType) {
	n := f.tree.nodes[id]
	if n.kind != scalarNode {
		return "", collectionValue
	}
	kind = textValue
	if n.plain && !n.tagged {
		kind = plainType(n.text)
	}
	if kind == yaml11Value {
		f.report(n, CodeYAML11Type, cite(n.text)+" is text here and not for every reader", "put it in quotes")
		kind = textValue
	}
	return n.text, kind
}

func (f *fieldReader) missing(code Code, field string) {
	f.log.add(Finding{Code: code, Line: f.block.line, Column: 1,
		Message: "the field " + field + " is missing", Fix: "add " + field + ":"})
}

func (f *fieldReader) descriptionField(id nodeID) {
	if id == 0 {
		f.missing(CodeDescriptionMissing, "description")
		f.refuse(CodeDescriptionMissing)
		return
	}
	n := f.tree.nodes[id]
	text, kind := f.text(id)
	switch {
	case kind == collectionValue:
		f.report(n, CodeDescriptionNotString, "the description is no text", "write sentences")
		f.refuse(CodeDescriptionNotString)
		return
	case kind == nullValue || strings.TrimSpace(text) == "":
		f.report(n, CodeDescriptionEmpty, "the description is empty", "say what the skill does and when to use it")
		f.refuse(CodeDescriptionEmpty)
		return
	case kind == typedValue:
		f.report(n, CodeDescriptionNotString, "the description is a number or a truth value", "put it in quotes")
	}
	if utf8.RuneCountInString(text) > MaxDescriptionLength {
		f.report(n, CodeDescriptionTooLong, "the description has more than 1024 characters", "shorten it")
	}
	if n.commented {
		f.report(n, CodeCommentInValue, "a blank and # cut the description off", "put it in quotes")
	}
	if i := indexUnsafe(text); i >= 0 {
		f.report(n, CodeUnsafeChar, "the description holds "+runeName([]byte(text[i:]))+", which hides or changes text", "remove it")
	}
	f.doc.Description = strings.TrimSpace(text)
}

func (f *fieldReader) license(id nodeID) string {
	return strings.TrimSpace(f.optionalText(id,
		Finding{Code: CodeLicenseNotString, Message: "the license is no text", Fix: "write its name"},
		Finding{Code: CodeLicenseEmpty, Message: "the license is empty", Fix: "write its name or remove the field"}))
}

func (f *fieldReader) compatibility(id nodeID) string {
	text := f.optionalText(id,
		Finding{Code: CodeCompatibilityNotString, Message: "compatibility is no text", Fix: "write a sentence"},
		Finding{Code: CodeCompatibilityEmpty, Message: "compatibility is empty", Fix: "say what is needed or remove the field"})
	if utf8.RuneCountInString(text) > MaxCompatibilityLength {
		f.report(f.tree.nodes[id], CodeCompatibilityTooLong, "compatibility has more than 500 characters", "shorten it")
	}
	return strings.TrimSpace(text)
}

// optionalText returns the source text of a field that may be left out, "" without one, and reports a value that is no
// text or says nothing.
func (f *fieldReader) optionalText(id nodeID, noText, empty Finding) string {
	if id == 0 {
		return ""
	}
	n := f.tree.nodes[id]
	text, kind := f.text(id)
	switch {
	case kind == collectionValue, kind == typedValue:
		f.report(n, noText.Code, noText.Message, noText.Fix)
	case kind == nullValue || strings.TrimSpace(text) == "":
		f.report(n, empty.Code, empty.Message, empty.Fix)
		return ""
	}
	return text
}
