package skill

import (
	"iter"
	"strings"
)

// nodeKind tells the shapes of a node.
type nodeKind uint8

const (
	scalarNode nodeKind = iota
	mappingNode
	sequenceNode
	aliasNode // an alias of a collection: it is never followed
)

// nodeID is the index of a node in its tree. The zero node is no node.
type nodeID int32

// node is a value or a key of the frontmatter. The children of a mapping are its keys and values in turn.
type node struct {
	kind      nodeKind
	plain     bool // a scalar without quotes, whose text decides its type
	tagged    bool
	anchored  bool // it has an anchor or is an alias
	flow      bool
	commented bool   // a plain scalar that a comment follows on its line
	merge     bool   // the key <<, without quotes
	line, col int    // where it begins in the block, from 1, in runes
	lines     int    // of a key that was read alone: how many lines its field takes
	text      string // of a scalar, with quotes and folds resolved
	first     nodeID
	next      nodeID // the following sibling
}

// yamlTree is the YAML of a block. Its root is a mapping, or it has none.
type yamlTree struct {
	nodes []node
	root  nodeID
	// dropped are the lines of fields whose key is a collection; they are not in the tree.
	dropped []droppedKey
	budget  int // how many bytes the YAML parser may still see
}

type droppedKey struct {
	line, col int
	flow      bool
}

// callCost is what a call of the YAML parser costs at least, in bytes read.
const callCost = 32

// yamlError says why a text is not read as YAML.
type yamlError struct {
	line, col int
	problem   string
}

// newTree returns an empty tree with room for the fields of src, one to a line.
func newTree(src string) *yamlTree {
	return &yamlTree{nodes: make([]node, 1, 4+2*strings.Count(src, "\n")), budget: MaxFrontmatter}
}

func (t *yamlTree) add(n node) nodeID {
	t.nodes = append(t.nodes, n)
	return nodeID(len(t.nodes) - 1)
}

// link makes child the sibling after last, or the first child of parent if there is none, and returns child.
func (t *yamlTree) link(parent, last, child nodeID) nodeID {
	if last == 0 {
		t.nodes[parent].first = child
	} else {
		t.nodes[last].next = child
	}
	return child
}

// fields iterates over the keys and values of the mapping id.
func (t *yamlTree) fields(id nodeID) iter.Seq2[*node, *node] {
	return func(yield func(key, value *node) bool) {
		for k := t.nodes[id].first; k != 0; {
			v := t.nodes[k].next
			if !yield(&t.nodes[k], &t.nodes[v]) {
				return
			}
			k = t.nodes[v].next
		}
	}
}

// readYAML reads src, which begins on the line firstLine of its block. A frontmatter of plain one-line fields takes
// the short way, which needs a fraction of the memory and has no bound on its size.
func (t *yamlTree) readYAML(src string, firstLine int) *yamlError {
	if t.readPlain(src, firstLine) {
		return nil
	}
	if len(src) > t.budget {
		return &yamlError{line: firstLine, col: 1, problem: "more than 16 KiB that are not plain lines"}
	}
	t.budget -= len(src) + callCost
	guarded, problem := guard(src)
	if problem != nil {
		problem.line += firstLine - 1
		return problem
	}
	problem = t.readGoccy(guarded, firstLine)
	if problem == nil {
		return nil
	}
	rest, dropped := dropComplexKeys(guarded)
	if len(dropped) == 0 || t.readGoccy(rest, firstLine) != nil {
		return problem
	}
	if t.root == 0 {
		t.root = t.add(node{kind: mappingNode, line: firstLine, col: 1})
	}
	if t.nodes[t.root].kind != mappingNode {
		return problem
	}
	for _, d := range dropped {
		d.line += firstLine - 1
		t.dropped = append(t.dropped, d)
	}
	return nil
}
