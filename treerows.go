package atskills

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/atskills-go/atskills/internal/toggle"
	"github.com/atskills-go/atskills/skill"
)

// treeBuilder puts a tree together.
type treeBuilder struct {
	env    Env
	s      *survey
	sel    *toggle.Selection
	block  *blockBuilder         // the block as the cache has it
	copies map[skill.ID][]string // the project's own skills that answer a followed id
	tree   *Tree

	stamps map[string]*Stamp // those that were read, by the folder they stand in
}

// folder appends the rows below n.
func (b *treeBuilder) folder(ctx context.Context, n *toggle.Node, depth int) {
	for _, c := range n.Children {
		if ctx.Err() != nil {
			return // whoever called says so
		}
		chain := []*toggle.Node{c}
		for last := c; !last.Skill && len(last.Children) == 1 && !last.Children[0].Skill; {
			last = last.Children[0]
			chain = append(chain, last)
		}
		last := chain[len(chain)-1]
		at := len(b.tree.Rows)
		b.tree.Rows = append(b.tree.Rows, b.row(ctx, chain, strings.TrimPrefix(last.Path, n.Path+"/"), depth))
		if !last.Skill {
			b.folder(ctx, last, depth+1)
			b.sum(at)
		}
	}
}

// row is the row of a skill, or of the folders of a chain, of which each holds but the next.
func (b *treeBuilder) row(ctx context.Context, chain []*toggle.Node, display string, depth int) Row {
	n := chain[len(chain)-1]
	r := Row{Kind: RowDir, Key: n.Path, Display: cut(oneLine(display), maxDisplay), Depth: depth, Skills: n.Count(), On: b.sel.On(n)}
	if id, err := skill.ParseDiskPath(n.Path); err == nil {
		r.ID = id
	}
	b.origin(&r, n.Path)
	b.state(&r, chain)
	if _, err := b.sel.Tree.Line(n); err != nil {
		r.warn(WarnUnnamed, "%v", err)
	}
	if n.Skill {
		b.skill(ctx, &r, n.Path)
	}
	return r
}

// skill fills in what is a skill's alone.
func (b *treeBuilder) skill(ctx context.Context, r *Row, dir string) {
	o := b.block.localOffer(dir)
	r.Kind, r.Path, r.Hidden = RowSkill, o.path, b.s.hidden(ctx, dir)
	if o.name == "" && o.problem == nil {
		o.read(b.s.head(dir)) // the block has it already
	}
	if o.problem != nil {
		r.warn(o.problem.Code, "%s", o.problem.Message)
		return
	}
	row, notes := o.row()
	for _, n := range notes {
		r.warn(n.Code, "%s", n.Message)
	}
	r.Name, r.Description = row.Name, row.Description
	if row.Text == "" {
		return
	}
	r.Tokens = b.env.tokens(row.Text)
	if r.On > 0 {
		r.OnTokens = r.Tokens
	}
}

// sum adds up the costs of the skills below the row at index i, the last folder that was begun.
func (b *treeBuilder) sum(i int) {
	at := &b.tree.Rows[i]
	for _, r := range b.tree.Rows[i+1:] {
		if r.Kind == RowSkill {
			at.Tokens += r.Tokens
			at.OnTokens += r.OnTokens
		}
	}
}

// state says whether the last folder or skill of a chain is resident, and by which line.
func (b *treeBuilder) state(r *Row, chain []*toggle.Node) {
	n := chain[len(chain)-1]
	one := b.sel.One(n)
	switch {
	case r.On == 0:
		r.State = StateOff
		if n.Skill {
			b.line(r, one.Line)
		}
		return
	case r.On < r.Skills:
		r.State = StatePartly
		return
	}
	r.State = StatePartly
	if one.Line < 0 || b.s.file.Lines[one.Line].Ref != nil && !within(one.At, n.Path) {
		return // a playlist covers its rows, and not a folder that they happen to fill
	}
	named, literal := b.s.file.Lines[one.Line].Literal()
	own, has := b.own(chain)
	switch {
	case has && (own == one.Line || literal && within(named, n.Path)):
		r.State = StateOn
		b.line(r, own)
	case !literal || !within(n.Path, named):
		r.State = StateCovered
		b.line(r, one.Line)
	}
}

// own returns the index of the line that names a folder of the chain, the first that has one.
func (b *treeBuilder) own(chain []*toggle.Node) (line int, ok bool) {
	for _, c := range chain {
		if line, ok = b.sel.Own[c.Path]; ok {
			return line, true
		}
	}
	return 0, false
}

func (b *treeBuilder) line(r *Row, i int) {
	if i >= 0 {
		r.Line, r.LineText = b.s.file.Lines[i].Number, b.s.file.Lines[i].Text
	}
}

// origin says whose the row of the folder at dir is (S2).
func (b *treeBuilder) origin(r *Row, dir string) {
	r.Where, r.Origin = WhereYours, "yours"
	stamp, saved := b.stamp(dir)
	if !saved {
		return
	}
	r.Where, r.Stamp, r.Origin = WhereSaved, stamp, "saved"
	if stamp == nil {
		return
	}
	if !stamp.ID.IsZero() {
		r.Origin += " from " + stamp.ID.Reference()
	}
	if !stamp.Date.IsZero() {
		r.Origin += " (" + stamp.Date.Format(time.DateOnly) + ")"
	}
}

// stamp returns the stamp closest to the folder at dir, at it or above; where there is none, the one that speaks for all
// skills below it. A folder is also saved, without a stamp, when several speak for its skills.
func (b *treeBuilder) stamp(dir string) (stamp *Stamp, saved bool) {
	if s := b.above(dir); s != nil {
		return s, true
	}
	for i, below := range b.s.below(dir) {
		s := b.above(below)
		switch {
		case s == nil:
			return nil, false
		case i == 0:
			stamp, saved = s, true
		case s != stamp:
			stamp = nil
		}
	}
	return stamp, saved
}

// above returns the stamp closest to the folder at dir, at it or above, and nil for none. Each is read once.
func (b *treeBuilder) above(dir string) *Stamp {
	for ; dir != "."; dir = path.Dir(dir) {
		if !b.s.stamps[dir] {
			continue
		}
		if b.stamps[dir] == nil {
			s := readStamp(b.s.view, path.Join(Dir, dir)).Stamp
			s.Dir = path.Join(Dir, dir)
			b.stamps[dir] = &s
		}
		return b.stamps[dir]
	}
	return nil
}

// top is the row of a SKILL.md that stands at the top of the tree and hides all others (V6).
func (b *treeBuilder) top(ctx context.Context) {
	if !slices.ContainsFunc(b.s.problems, func(p skill.Problem) bool { return p.Path == "" && p.Code == skill.ProblemName }) {
		return
	}
	b.tree.Rows = append(b.tree.Rows, Row{
		Kind: RowSkill, Key: ".", Display: Dir, State: StateOff, Where: WhereYours, Origin: "yours",
		Path: path.Join(Dir, SkillFile), Skills: 1, Hidden: b.s.hidden(ctx, ""),
		Warnings: []Warning{{WarnUnnamed, "no path addresses it and no line can name it"}},
	})
}

func (r *Row) warn(code, format string, args ...any) {
	r.Warnings = append(r.Warnings, Warning{code, cut(oneLine(fmt.Sprintf(format, args...)), maxMessage)})
}

// hidden counts the skills inside the skill at dir, a path below Dir: the walk stops at it, and each of them is addressed
// by its own path alone (W1, V6).
func (s *survey) hidden(ctx context.Context, dir string) int {
	n := 0
	skill.Walk(func(sub string) (skill.Listing, error) {
		if err := ctx.Err(); err != nil {
			return skill.Listing{}, err
		}
		d, err := s.view.ReadDir(path.Join(Dir, dir, sub))
		found := nodes(d.Entries)
		inside := slices.DeleteFunc(slices.Clone(found), func(f skill.Node) bool { return f.Name == SkillFile && f.Kind == skill.File && f.Err == nil })
		if sub != "" && len(inside) < len(found) {
			n++
		}
		return skill.Listing{Real: d.Real, Nodes: inside}, err
	})
	return n
}
