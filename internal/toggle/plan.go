package toggle

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/atskills-go/atskills/internal/gitignore"
	"github.com/atskills-go/atskills/internal/trigger"
)

// Refusal says why a row cannot be toggled by writing lines. Nothing is to be written then.
type Refusal struct {
	Line    int    // index of the line that is in the way, -1 for none
	Covered bool   // the line is a pattern that covers the row, and only a person can say what it shall be instead (V2)
	Fix     string // a line that, added at the end, would do what was asked; "" when none would
	Reason  string
}

func (r *Refusal) Error() string { return r.Reason }

// Plan turns n off when all its skills are on, and on otherwise (V2). The error is a [*Refusal], or the context's.
//
// A folder's skills are turned on by one line for the folder, and lines that name something below it literally are
// removed. Turning off removes the lines that name n or something below it and splits those that name a folder above it
// (V3), as many of both as there are; a line that also matches elsewhere gives way to lines for what it matches there.
func Plan(ctx context.Context, s *Selection, n *Node) (Edit, error) {
	if s.On(n) == n.Count() {
		return off(ctx, s, n)
	}
	return on(ctx, s, n)
}

// on appends the line for n, and removes what a folder's line covers. Lines below that have to stay as they are for
// another skill's sake stay.
func on(ctx context.Context, s *Selection, n *Node) (Edit, error) {
	line, err := s.Tree.Line(n)
	if err != nil {
		return Edit{}, &Refusal{Line: -1, Reason: err.Error()}
	}
	e := Add(line)
	if n.Skill {
		return e, s.prove(ctx, e, n, true)
	}
	bare := Add(line)
	for i, l := range s.File.Lines {
		if path, ok := l.Literal(); ok && (path == n.Path || strings.HasPrefix(path, n.Path+"/")) {
			e.replaced[i] = nil
		}
	}
	if s.prove(ctx, e, n, true) == nil {
		return e, nil
	}
	return bare, s.prove(ctx, bare, n, true)
}

// off takes away or splits every line that makes a skill of n resident.
func off(ctx context.Context, s *Selection, n *Node) (Edit, error) {
	e := Remove()
	if err := s.plain(ctx, e, n); err != nil {
		return Edit{}, err
	}
	if err := s.follow(e, n); err != nil {
		return Edit{}, err
	}
	// What another line names already needs no second line, unless a negation between the two makes a difference.
	if s.split(e, n, false) == nil && s.prove(ctx, e, n, false) == nil {
		return e, nil
	}
	if err := s.split(e, n, true); err != nil {
		return Edit{}, err
	}
	return e, s.prove(ctx, e, n, false)
}

// plain enters the plain lines that have to go into e. A line that decides is taken out and the rest is asked again,
// until nothing in n is on: lines that are overridden anyway stay.
func (s *Selection) plain(ctx context.Context, e Edit, n *Node) error {
	walk := s.rules.Walk()
	for {
		before := len(e.replaced)
		for _, path := range s.Tree.Below(n) {
			if err := ctx.Err(); err != nil {
				return err
			}
			v := walk.Match(path, true)
			if !v.Ignored {
				continue
			}
			if err := s.take(ctx, e, v, n); err != nil {
				return err
			}
		}
		if len(e.replaced) == before {
			return nil
		}
		walk = s.File.RulesWithout(e.replaced).Walk()
	}
}

// take enters v's line into e, and those before it that would decide in turn once it is gone, up to the next negation:
// however often a file repeats a name, its rules are not made anew for each time.
func (s *Selection) take(ctx context.Context, e Edit, v gitignore.Verdict, n *Node) error {
	for i := range s.rules.MatchingUp(v.At, v.Line) {
		if s.rules.Negated(i) {
			return nil
		}
		if named, ok := s.File.Lines[i].Literal(); !ok || s.Tree.Find(named) == nil {
			return s.covered(ctx, gitignore.Verdict{Line: i, Ignored: true, At: v.At}, n)
		}
		e.replaced[i] = nil
	}
	return nil
}

// covered refuses to take n out of a pattern (V2).
func (s *Selection) covered(ctx context.Context, v gitignore.Verdict, n *Node) error {
	l := s.File.Lines[v.Line]
	r := &Refusal{Line: v.Line, Covered: true, Reason: fmt.Sprintf("%s, covers %s as a pattern: edit that line", shown(l), trigger.Quote(v.At))}
	line, err := s.Tree.Line(n)
	if err != nil {
		return r
	}
	if fix := "!" + line; s.prove(ctx, Add(fix), n, false) == nil {
		r.Fix = fix
		r.Reason += ", or add " + trigger.Quote(fix) + " below it"
	}
	return r
}

// follow enters the cloud lines that n's own copies answer into e (B1). One that takes a directory above n with it is
// refused: what it follows upstream cannot be written as lines for what is there now. So is one that brings something of n
// from elsewhere, a playlist's or through a link: what else it is there for would go with it.
func (s *Selection) follow(e Edit, n *Node) error {
	for i, l := range s.File.Lines {
		at, skills := s.brings(l)
		k := slices.IndexFunc(skills, func(k int) bool { return n.first <= k && k < n.end })
		switch {
		case k < 0:
		case at == nil:
			brings := trigger.Quote(s.Tree.Skills[skills[k]])
			return &Refusal{Line: i, Covered: true, Reason: shown(l) + ", brings " + brings + ": edit that line"}
		case at.within(n):
			e.replaced[i] = nil
		default:
			return &Refusal{Line: i, Covered: true, Reason: shown(l) + ", follows the whole directory: edit that line"}
		}
	}
	return nil
}

// split gives each plain line of e the lines that keep on what else it matches (V3). With repeat false, what a line of
// the new file names already is left out.
func (s *Selection) split(e Edit, n *Node, repeat bool) error {
	known := make(map[string]bool)
	for i, l := range s.File.Lines {
		if path, ok := l.Literal(); ok && !repeat {
			if _, gone := e.replaced[i]; !gone {
				known[path] = true
			}
		}
	}
	for i, l := range s.File.Lines {
		if _, ok := e.replaced[i]; !ok || l.Kind != trigger.Pattern {
			continue
		}
		var stay []*Node
		for _, root := range s.matched(i) {
			stay = without(stay, root, n)
		}
		e.replaced[i] = nil
		for _, m := range stay {
			if known[m.Path] {
				continue
			}
			known[m.Path] = !repeat
			line, err := s.Tree.Line(m)
			if err != nil {
				return &Refusal{Line: i, Reason: fmt.Sprintf("%s, cannot be split: %v", shown(l), err)}
			}
			e.replaced[i] = append(e.replaced[i], line)
		}
	}
	return nil
}

// matched lists what the literal line at index i matches, in walk order: the folders and skills themselves and nothing
// below them.
func (s *Selection) matched(i int) []*Node {
	if path, _ := s.File.Lines[i].Literal(); strings.Contains(path, "/") {
		return []*Node{s.Tree.Find(path)} // an inner slash anchors a line
	}
	var out []*Node
	var search func(n *Node)
	search = func(n *Node) {
		for _, c := range n.Children {
			if s.rules.Alone(i, c.Path, true) {
				out = append(out, c)
			} else {
				search(c)
			}
		}
	}
	search(s.Tree.Top)
	return out
}

// without appends the largest nodes that are all of n but skip, in walk order. Folders that stay whole stay folders.
func without(list []*Node, n, skip *Node) []*Node {
	switch {
	case n.within(skip):
		return list
	case !skip.within(n):
		return append(list, n)
	}
	for _, c := range n.Children {
		list = without(list, c, skip)
	}
	return list
}

// prove returns nil when e makes the skills of n as wanted and leaves every other as it is, else a [*Refusal] or the
// context's error.
func (s *Selection) prove(ctx context.Context, e Edit, n *Node, want bool) error {
	after, err := Select(ctx, s.Tree, e.Apply(s.File), s.also)
	if err != nil {
		return err
	}
	wrong := -1
	for i, c := range after.Covers {
		on := s.Covers[i].On
		if n.first <= i && i < n.end {
			on = want
		}
		if c.On != on {
			wrong = i
			break
		}
	}
	if wrong < 0 {
		return nil
	}
	also := " too"
	if n.first <= wrong && wrong < n.end {
		also = " after all"
	}
	r := &Refusal{Line: -1, Reason: fmt.Sprintf("%s would be %s%s", trigger.Quote(s.Tree.Skills[wrong]), onOff(after.Covers[wrong].On), also)}
	if line := after.Covers[wrong].Line; line >= 0 {
		if from := e.sources(s.File)[line]; from >= 0 {
			l := s.File.Lines[from]
			r.Line = from
			r.Reason += ", by " + shown(l) + ": edit that line first"
		}
	}
	return r
}

func shown(l trigger.Line) string { return fmt.Sprintf("line %d, %s", l.Number, trigger.Quote(l.Text)) }

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}
