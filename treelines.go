package atskills

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/atskills-go/atskills/internal/toggle"
	"github.com/atskills-go/atskills/internal/trigger"
	"github.com/atskills-go/atskills/skill"
)

// lines appends the rows of the lines that belong to no skill or folder.
func (b *treeBuilder) lines() {
	for i, l := range b.s.file.Lines {
		if !b.sel.Stray(i) {
			continue
		}
		r := Row{Kind: RowBroken, Key: b.lineKey(l), Display: cut(oneLine(l.Text), maxDisplay), State: StateOff, Line: l.Number, LineText: l.Text}
		switch {
		case l.Err != nil:
			r.warn(LintReference, "%v", l.Err)
		case l.Kind == trigger.Pattern:
			r.warn(LintNothing, "%s", strings.TrimSuffix("no skill matches this line: "+b.s.passed(i), ": "))
		default:
			r.Kind, r.State, r.ID = RowCloud, StateOn, l.Ref.ID
			b.followed(&r, l)
		}
		b.tree.Rows = append(b.tree.Rows, r)
	}
}

// lineKey is what Toggle takes for a line: its text, unless that says something else there.
func (b *treeBuilder) lineKey(l trigger.Line) string {
	key := strings.TrimSpace(l.Text)
	if rowLine(key).Kind == trigger.Cloud && b.sel.Tree.Find(strings.TrimSuffix(key, "/")) == nil {
		return key
	}
	key = fmt.Sprintf("line:%d:%s", l.Number, l.Text)
	for b.sel.Tree.Find(strings.TrimSuffix(key, "/")) != nil {
		key = strings.Replace(key, ":", ":0", 1)
	}
	return key
}

// followed fills in what the cloud line l brings, from the project's copies or the cache.
func (b *treeBuilder) followed(r *Row, l trigger.Line) {
	r.Where, r.Origin = WhereCloud, "cloud"
	if len(b.copies[l.Ref.ID]) > 0 {
		b.origin(r, l.Ref.ID.DiskPath())
	}
	line := b.block.block.Lines[b.block.lines[l.Number]]
	r.Skills, r.On, r.Tokens, r.OnTokens = len(line.Rows), len(line.Rows), line.Tokens, line.Tokens
	if len(line.Rows) == 1 {
		row := b.block.block.Rows[line.Rows[0]]
		if row.ID == l.Ref.ID {
			r.Name, r.Description, r.Path = row.Name, row.Description, row.Path
		}
	}
	for _, n := range line.Notes {
		r.warn(n.Code, "%s", n.Message)
	}
}

// errUncached stands in place of the answer that only upstream could give.
var errUncached = errors.New("nothing of it is in the cache yet: what it holds is known once it was read")

// known builds the block as far as the cache can tell, and finds out what makes which skill resident.
func (b *treeBuilder) known(ctx context.Context) (err error) {
	b.block = newBlockBuilder(b.env, b.s)
	b.block.local()
	f := newFollower(b.block)
	f.lines(ctx, f.stored)
	b.copies = f.copies
	block := b.block.finish()
	b.tree.On, b.tree.Tokens = len(block.Rows), block.Tokens
	b.sel, err = toggle.Select(ctx, toggle.NewTree(b.s.skills, MaxSkills), b.s.file, newKnown(f).skills)
	return err
}

// asStored answers id from the cache without asking upstream.
func (c *cache) asStored(ctx context.Context, id skill.ID) answer {
	a := answer{served: ServedCached, err: errUncached}
	for range maxReadTries {
		e, err := c.lookup(id)
		if err != nil {
			return a
		}
		a.meta = e.meta
		a.content, err = c.read(ctx, e)
		if errors.Is(err, errChanged) && ctx.Err() == nil {
			continue
		}
		if errors.Is(err, errDamaged) && a.kind != "" {
			a.warn(WarnDamaged, "the cached copy of %s was damaged or changed since it was fetched", id.Reference())
			err = nil
		}
		a.err = err
		return a
	}
	return a
}
