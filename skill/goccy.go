package skill

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// readGoccy reads src with the YAML parser, which gives the shape. Texts come from its tokens, not from its values:
// 1.10 stays 1.10, and tabs in plain text stay.
//
// The parser has panicked on odd input before, and a stranger's file must not end the host's process.
func (t *yamlTree) readGoccy(src string, firstLine int) (problem *yamlError) {
	defer func() {
		if recover() != nil {
			problem = &yamlError{line: firstLine, col: 1, problem: "the YAML parser cannot read it"}
		}
	}()
	tokens := lexer.Tokenize(src)
	c := converter{tree: t, shift: firstLine - 1}
	c.findComments(tokens)
	c.checkEscapes(src, tokens)
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return c.syntaxError(err)
	}
	t.root = 0
	for i, doc := range file.Docs {
		switch {
		case doc.Body == nil:
			continue
		case i > 0:
			return c.fail(doc.Body.GetToken(), "a second YAML document")
		}
		t.root = c.node(doc.Body)
	}
	return c.problem
}

// converter makes a tree of goccy's.
type converter struct {
	tree      *yamlTree
	shift     int // what to add to a line
	anchors   map[string]nodeID
	commented map[*token.Token]bool // tokens that a comment follows on their line
	column    int                   // of the keys of the block mapping around what is read
	problem   *yamlError
}

// findComments notes which tokens a comment follows on the same line; the parser drops comments.
func (c *converter) findComments(tokens token.Tokens) {
	for i, tk := range tokens {
		if tk.Type != token.CommentType || i == 0 {
			continue
		}
		before := tokens[i-1]
		if tk.Position.Line != before.Position.Line+strings.Count(strings.Trim(before.Origin, " \t\n"), "\n") {
			continue
		}
		if c.commented == nil {
			c.commented = make(map[*token.Token]bool)
		}
		c.commented[before] = true
	}
}

// checkEscapes fails where a hexadecimal escape is not one: goccy reads "C:\Users" as a code point.
func (c *converter) checkEscapes(src string, tokens token.Tokens) {
	if !strings.Contains(src, `\x`) && !strings.Contains(src, `\u`) && !strings.Contains(src, `\U`) {
		return
	}
	lines := strings.Split(src, "\n")
	var from string // what is left of the line of the last token, from its column on
	var at token.Position
	for _, tk := range tokens {
		if tk.Type != token.DoubleQuoteType || tk.Position.Line > len(lines) {
			continue
		}
		line := tk.Position.Line - 1
		if at.Line != tk.Position.Line || at.Column > tk.Position.Column {
			from, at = lines[line], token.Position{Line: line + 1, Column: 1}
		}
		from = skipRunes(from, tk.Position.Column-at.Column)
		at.Column = tk.Position.Column
		for text := strings.TrimPrefix(from, `"`); ; text = lines[line] {
			if !validEscapes(text) {
				c.fail(tk, "an escape without its hexadecimal digits")
				return
			}
			if line++; endsQuoted(text) || line >= len(lines) {
				break
			}
		}
	}
}

// skipRunes returns s without its first n runes.
func skipRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[i:]
		}
		n--
	}
	return ""
}

// endsQuoted reports whether text holds a quote that no backslash escapes.
func endsQuoted(text string) bool {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return true
		}
	}
	return false
}

// validEscapes reports whether the hexadecimal escapes of text, up to a closing quote, have all their digits and are
// code points.
func validEscapes(text string) bool {
	for i := 0; i < len(text) && text[i] != '"'; i++ {
		if text[i] != '\\' || i+1 == len(text) {
			continue
		}
		i++
		digits := 0
		switch text[i] {
		case 'x':
			digits = 2
		case 'u':
			digits = 4
		case 'U':
			digits = 8
		default:
			continue
		}
		n, err := strconv.ParseUint(text[i+1:min(i+1+digits, len(text))], 16, 32)
		if err != nil || len(text) < i+1+digits || n > utf8.MaxRune {
			return false
		}
	}
	return true
}

func (c *converter) fail(tk *token.Token, problem string) *yamlError {
	if c.problem == nil {
		c.problem = &yamlError{line: c.shift + 1, col: 1, problem: problem}
		if tk != nil && tk.Position != nil {
			c.problem.line, c.problem.col = tk.Position.Line+c.shift, tk.Position.Column
		}
	}
	return c.problem
}

func (c *converter) syntaxError(err error) *yamlError {
	var syntax interface {
		error
		GetToken() *token.Token
		GetMessage() string
	}
	if !errors.As(err, &syntax) {
		return c.fail(nil, err.Error())
	}
	return c.fail(syntax.GetToken(), syntax.GetMessage())
}

// node converts n and what is below it. The depth of n is bounded by what guard lets through.
func (c *converter) node(n ast.Node) nodeID {
	switch n := n.(type) {
	case *ast.MappingNode:
		return c.mapping(n, n.Values, n.IsFlowStyle)
	case *ast.MappingValueNode:
		return c.mapping(n, []*ast.MappingValueNode{n}, n.IsFlowStyle)
	case *ast.SequenceNode:
		return c.sequence(n)
	case *ast.MappingKeyNode:
		return c.node(n.Value)
	case *ast.TagNode:
		return c.tag(n)
	case *ast.AnchorNode:
		return c.anchor(n)
	case *ast.AliasNode:
		return c.alias(n)
	case *ast.LiteralNode:
		return c.add(n, node{text: n.Value.Value})
	case nil:
		return c.tree.add(node{plain: true, line: c.shift + 1, col: 1})
	}
	return c.scalar(n)
}

func (c *converter) add(n ast.Node, to node) nodeID {
	to.line, to.col = c.shift+1, 1
	if tk := n.GetToken(); tk != nil && tk.Position != nil {
		to.line, to.col = tk.Position.Line+c.shift, tk.Position.Column
	}
	return c.tree.add(to)
}

func (c *converter) mapping(n ast.Node, values []*ast.MappingValueNode, flow bool) nodeID {
	id := c.add(n, node{kind: mappingNode, flow: flow})
	defer func(column int) { c.column = column }(c.column)
	var last nodeID
	for _, v := range values {
		key := c.node(v.Key)
		if !flow {
			c.column = c.tree.nodes[key].col
			c.checkKey(v)
		}
		last = c.tree.link(id, last, key)
		value := c.node(v.Value)
		last = c.tree.link(id, last, value)
		if _, explicit := v.Key.(*ast.MappingKeyNode); !flow && !explicit {
			c.checkIndent(key, value, v.Value)
		}
	}
	// goccy puts a block mapping at its first colon.
	if first := c.tree.nodes[id].first; first != 0 && !flow {
		c.tree.nodes[id].line, c.tree.nodes[id].col = c.tree.nodes[first].line, c.tree.nodes[first].col
	}
	return id
}

// checkKey fails where a key begins on a line above its colon: goccy takes "name:s" for the first line of the next key.
func (c *converter) checkKey(v *ast.MappingValueNode) {
	if _, explicit := v.Key.(*ast.MappingKeyNode); explicit || v.Start == nil {
		return
	}
	tk := v.Key.GetToken()
	if tk != nil && (tk.Position.Line != v.Start.Position.Line || strings.Contains(strings.Trim(tk.Origin, " \t\n"), "\n")) {
		c.fail(tk, "a line without a colon and a blank")
	}
}

// checkIndent fails where the value of a block mapping's key begins on a later line and is not indented.
func (c *converter) checkIndent(key, value nodeID, n ast.Node) {
	k, v := c.tree.nodes[key], c.tree.nodes[value]
	list := v.kind == sequenceNode && !v.flow
	if v.line > k.line && v.col <= k.col && !(list && v.col == k.col) {
		c.fail(n.GetToken(), "a line without a colon and a blank")
	}
}

func (c *converter) sequence(n *ast.SequenceNode) nodeID {
	id := c.add(n, node{kind: sequenceNode, flow: n.IsFlowStyle})
	var last nodeID
	for _, v := range n.Values {
		last = c.tree.link(id, last, c.node(v))
	}
	return id
}

// tag keeps that there was a tag and nothing of what it asks for.
func (c *converter) tag(n *ast.TagNode) nodeID {
	if strings.ContainsAny(n.Start.Value, "[]{},") {
		c.fail(n.Start, "a tag that holds a bracket or a comma")
	}
	id := c.node(n.Value)
	c.prepend(id, n.Start)
	c.tree.nodes[id].tagged = true
	return id
}

// prepend moves the beginning of id to the tag or anchor before it. goccy takes the next field for the value of one
// that has none.
func (c *converter) prepend(id nodeID, start *token.Token) {
	n := &c.tree.nodes[id]
	least := c.column
	if n.kind != sequenceNode {
		least++
	}
	if n.line > start.Position.Line+c.shift && n.col < least {
		c.fail(start, "a tag or an anchor without a value")
	}
	n.line, n.col = start.Position.Line+c.shift, start.Position.Column
}

func (c *converter) anchor(n *ast.AnchorNode) nodeID {
	id := c.node(n.Value)
	c.prepend(id, n.Start)
	c.tree.nodes[id].anchored = true
	if c.anchors == nil {
		c.anchors = make(map[string]nodeID)
	}
	c.anchors[nodeText(n.Name)] = id
	return id
}

// alias gives the text of a scalar. Collections that hold aliases of collections grow beyond any bound, so the alias
// of one stands for nothing.
func (c *converter) alias(n *ast.AliasNode) nodeID {
	id, ok := c.anchors[nodeText(n.Value)]
	if !ok {
		c.fail(n.Start, "an alias of something that does not exist")
	}
	to := node{kind: aliasNode, anchored: true}
	if target := c.tree.nodes[id]; ok && target.kind == scalarNode {
		to.kind, to.plain, to.tagged, to.text = scalarNode, target.plain, false, target.text
	}
	return c.add(n, to)
}

func nodeText(n ast.Node) string {
	if tk := n.GetToken(); tk != nil {
		return tk.Value
	}
	return ""
}

func (c *converter) scalar(n ast.Node) nodeID {
	tk := n.GetToken()
	switch {
	case tk == nil || tk.Type == token.ImplicitNullType:
		return c.add(n, node{plain: true})
	case tk.Type == token.SingleQuoteType, tk.Type == token.DoubleQuoteType:
		return c.add(n, node{text: tk.Value})
	}
	to := node{plain: true, text: tk.Value, commented: c.commented[tk], merge: tk.Type == token.MergeKeyType}
	if strings.IndexByte(tk.Origin, '\t') >= 0 {
		to.text = foldPlain(tk.Origin)
	}
	if to.text != "" && strings.IndexByte(",[]{}#&*!|>'\"%@`", to.text[0]) >= 0 {
		c.fail(tk, "a value that begins with a character YAML reserves")
	}
	if strings.Contains(strings.Trim(tk.Origin, " \t\n"), "\n") && (strings.Contains(to.text, ": ") || strings.HasSuffix(to.text, ":")) {
		c.fail(tk, "a colon and a blank within the value") // goccy lets it pass below a line that begins with a dash
	}
	return c.add(n, to)
}

// foldPlain returns the text of a plain scalar from its source: goccy loses the tabs in it.
func foldPlain(origin string) string {
	var text strings.Builder
	breaks := 0
	for line := range strings.SplitSeq(strings.Trim(origin, " \t\n"), "\n") {
		line = strings.Trim(line, " \t")
		switch {
		case line == "":
		case breaks == 1:
			text.WriteByte(' ')
		default:
			text.WriteString(strings.Repeat("\n", max(0, breaks-1)))
		}
		if line != "" {
			breaks = 0
		}
		text.WriteString(line)
		breaks++
	}
	return text.String()
}
