package toggle

import (
	"strings"

	"github.com/atskills-go/atskills/internal/trigger"
)

// Tree is the local skills and the folders that lead to them. It never changes once built, so any number of goroutines
// may use it.
type Tree struct {
	Top    *Node    // the skill tree itself; its path is ""
	Skills []string // in walk order, as given

	limit int // how many skills a cloud line may bring (R5)
	nodes map[string]*Node
	inner map[string]bool // names of folders below the first level, those below a namesake aside
}

// Node is a skill, or a folder with skills below it.
type Node struct {
	Path     string
	Skill    bool
	Children []*Node // in walk order

	first, end int // its skills are Tree.Skills[first:end]
}

// NewTree builds the tree of skills: paths in byte order, none of them below another (W1, W4). A cloud line brings none
// of its copies when there are more than limit (R5).
func NewTree(skills []string, limit int) *Tree {
	t := &Tree{Skills: skills, limit: limit, nodes: make(map[string]*Node), inner: make(map[string]bool)}
	t.Top = t.build("", 0, len(skills))
	return t
}

// build makes the node of the folder at path, to which the skills of a range belong. Byte order keeps the skills of
// every folder together.
func (t *Tree) build(path string, first, end int) *Node {
	n := &Node{Path: path, first: first, end: end}
	t.nodes[path] = n
	prefix := path + "/"
	if path == "" {
		prefix = ""
	}
	for i := first; i < end; {
		name, _, nested := strings.Cut(t.Skills[i][len(prefix):], "/")
		at, next := prefix+name, i+1
		if nested {
			for next < end && strings.HasPrefix(t.Skills[next], at+"/") {
				next++
			}
			n.Children = append(n.Children, t.build(at, i, next))
		} else {
			leaf := &Node{Path: at, Skill: true, first: i, end: next}
			t.nodes[at] = leaf
			n.Children = append(n.Children, leaf)
		}
		if prefix != "" && !strings.HasPrefix(at, name+"/") {
			t.inner[name] = true
		}
		i = next
	}
	return n
}

// Find returns the node at path, nil when there is neither a skill nor a folder that leads to one.
func (t *Tree) Find(path string) *Node { return t.nodes[path] }

// Below returns the skills at or below n, in walk order.
func (t *Tree) Below(n *Node) []string { return t.Skills[n.first:n.end] }

// Count is the number of skills at or below n.
func (n *Node) Count() int { return n.end - n.first }

// within reports whether n is m or lies below it.
func (n *Node) within(m *Node) bool {
	return n == m || m.Path == "" || strings.HasPrefix(n.Path, m.Path+"/")
}

// Line returns the line that names n and nothing else in the tree: the literal path, a folder's with a slash behind it,
// and one in front where the bare name stands elsewhere in the tree too (T7). It fails for names that no line can hold.
func (t *Tree) Line(n *Node) (string, error) {
	return trigger.Literal(n.Path, !n.Skill, t.inner[n.Path])
}
