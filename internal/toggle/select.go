package toggle

import (
	"context"
	"slices"

	"github.com/atskills-go/atskills/internal/gitignore"
	"github.com/atskills-go/atskills/internal/trigger"
)

// Cover says what makes one skill resident.
type Cover struct {
	On   bool
	Line int    // index of the line, -1 when no line decides; of a skill that is off, the negation that keeps it off
	At   string // the path the line was decided on: the skill's own or that of a folder above; "" without a line
}

// Selection is what a trigger file says about the skills of a tree.
type Selection struct {
	Tree *Tree
	File trigger.File
	// Covers has one element for each of Tree.Skills.
	Covers []Cover
	// Own has, by path, the last line that names a folder or skill literally (T7), or follows its id when the copies there
	// answer it (B1).
	Own map[string]int

	rules *gitignore.Rules
	also  Also
}

// Also tells which skills of a tree a line that follows a cloud id makes resident when no folder at the id's own path
// answers it, by their indexes in Tree.Skills: the rows of a playlist (H5), or what stands behind a link (W3). A nil Also
// knows none.
type Also func(trigger.Line) []int

// Select matches every skill of t, as a folder, against the plain lines of f (T4), and the cloud lines of f against the
// copies that answer them (B1). The error is the context's.
func Select(ctx context.Context, t *Tree, f trigger.File, also Also) (*Selection, error) {
	s := &Selection{Tree: t, File: f, Covers: make([]Cover, len(t.Skills)), Own: make(map[string]int), rules: f.Rules(), also: also}
	walk := s.rules.Walk()
	for i, path := range t.Skills {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		v := walk.Match(path, true)
		s.Covers[i] = Cover{On: v.Ignored, Line: v.Line, At: v.At}
	}
	for i, l := range f.Lines {
		if path, ok := l.Literal(); ok {
			s.Own[path] = i
		}
		if l.Ref == nil {
			continue
		}
		at, skills := s.brings(l)
		if at != nil {
			s.Own[at.Path] = i
		}
		for _, k := range skills {
			if s.Covers[k].On {
				continue
			}
			s.Covers[k] = Cover{On: true, Line: i, At: t.Skills[k]}
			if at != nil {
				s.Covers[k].At = at.Path
			}
		}
	}
	return s, ctx.Err()
}

// brings returns the skills that the cloud line l makes resident, by index, and the folder at its id's own path when that
// is what brings them.
func (s *Selection) brings(l trigger.Line) (at *Node, skills []int) {
	if n := s.Tree.followed(l); n != nil {
		for k := n.first; k < n.end; k++ {
			skills = append(skills, k)
		}
		return n, skills
	}
	if s.also == nil || l.Ref == nil {
		return nil, nil
	}
	return nil, s.also(l)
}

// followed returns the node that answers the cloud line l from the project (B1), nil for none: a skill, or a folder
// when the line takes the whole directory (B5).
func (t *Tree) followed(l trigger.Line) *Node {
	if l.Ref == nil {
		return nil
	}
	n := t.Find(l.Ref.ID.DiskPath())
	if n == nil || n.Count() > t.limit || !n.Skill && !l.Ref.Dir {
		return nil
	}
	return n
}

// On counts the skills at or below n that are on.
func (s *Selection) On(n *Node) int {
	on := 0
	for _, c := range s.Covers[n.first:n.end] {
		if c.On {
			on++
		}
	}
	return on
}

// One returns what makes n as a whole resident: the line that decides on a skill or on the folder itself, else the one
// line that decides on all of a folder's skills. On is false when some skill is off, and Line -1 when several lines make
// them resident.
func (s *Selection) One(n *Node) Cover {
	one := Cover{On: true, Line: -1}
	for i, c := range s.Covers[n.first:n.end] {
		if !c.On {
			return c
		}
		if i == 0 {
			one = c
		} else if c.Line != one.Line {
			one.Line, one.At = -1, ""
		}
	}
	return one
}

// Stray reports whether the line at index i belongs to no skill or folder, so that a tree has to show it as a row of its
// own (V1): it follows a cloud id or would, or it is a pattern that no skill of the tree matches.
func (s *Selection) Stray(i int) bool {
	switch l := s.File.Lines[i]; {
	case l.Kind == trigger.Cloud:
		return true
	case l.Kind != trigger.Pattern || s.rules.Negated(i):
		return false
	}
	return !s.matches(i, s.Tree.Top)
}

// matches reports whether the line at index i alone matches a node below n.
func (s *Selection) matches(i int, n *Node) bool {
	return slices.ContainsFunc(n.Children, func(c *Node) bool {
		return s.rules.Alone(i, c.Path, true) || s.matches(i, c)
	})
}
