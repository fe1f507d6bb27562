package atskills

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

const (
	maxNear  = 3  // references that a miss offers
	maxThere = 20 // names that a miss lists
)

// errNotExist is what every file system's "no such file" matches.
var errNotExist = fs.ErrNotExist

// missing explains why nothing stands at id although its origin exists: the nearest folder above and what it holds, a
// link's target, or the skills whose names look like the one meant (R4).
func (c *cache) missing(ctx context.Context, snap transport.Snapshot, id skill.ID) error {
	e := &NotFoundError{ID: id, Reason: "no such folder in " + id.Origin().Reference()}
	for up, ok := id.Parent(); ok; up, ok = up.Parent() {
		tree, err := snap.Tree(up)
		if err != nil {
			continue
		}
		e.There = topNames(tree)
		if len(e.There) > 0 && up != id.Origin() {
			e.Reason = "no such folder in " + up.Reference()
		}
		for _, at := range tree.Entries {
			if full, err := up.Join(at.Path); err == nil && full == id {
				c.notFolder(ctx, snap, up, at, e)
			}
		}
		break
	}
	if len(e.Near) == 0 {
		e.Near = nearUpstream(snap, id)
	}
	if _, word, ok := cutWord(id); ok {
		e.Hint = noSuffix(word)
	}
	return e
}

// notFolder says what stands at a path that is no folder.
func (c *cache) notFolder(ctx context.Context, snap transport.Snapshot, up skill.ID, at transport.Entry, e *NotFoundError) {
	if at.Mode != transport.Symlink {
		e.Reason = withArticle(at.Mode) + " stands there, not a folder"
		e.offer(snap, up)
		return
	}
	e.Reason = "it is a link upstream, and links are not followed"
	l := link{Entry: at}
	err := snap.Fetch(ctx, []transport.Entry{at}, func(_ transport.Entry, r io.Reader) error {
		text, err := io.ReadAll(io.LimitReader(r, maxLinkText))
		l.text = string(text)
		return err
	})
	if to, ok := l.target(up); ok && err == nil {
		e.Reason = "it is a link upstream to " + to.Reference()
		e.offer(snap, to)
	}
}

func withArticle(m transport.Mode) string {
	if m == transport.Executable {
		return "an " + m.String()
	}
	return "a " + m.String()
}

// offer names id as a way out if it would resolve, as far as the listing shows.
func (e *NotFoundError) offer(snap transport.Snapshot, id skill.ID) {
	if n := indexSkills(snap, id.Origin()).count(snap, id); n == unknown || 0 < n && n <= MaxSkills {
		e.Near = []string{id.Reference()}
	}
}

// nothing explains a folder that holds no skill (R4); problems are those of its listing.
func (c *cache) nothing(ctx context.Context, snap transport.Snapshot, id skill.ID, tree transport.Tree, problems []skill.Problem) error {
	e := &NotFoundError{ID: id, Reason: "no skill there", There: topNames(tree), Near: nearUpstream(snap, id)}
	for _, p := range problems {
		if p.Code == skill.ProblemCase {
			e.Hint = fmt.Sprintf("%s: %v", oneLine(p.Path), p.Err)
		}
	}
	for _, t := range tree.Entries {
		name := path.Base(t.Path)
		if t.Mode != transport.Symlink || !strings.EqualFold(name, SkillFile) {
			continue
		}
		if name != SkillFile { // a link does not land, so that no problem of the listing tells of it
			e.Hint = fmt.Sprintf("%s: found %s; a skill's file is called %s exactly, and a link does not count", oneLine(t.Path), name, SkillFile)
		}
		if name == t.Path {
			c.notFolder(ctx, snap, id, t, e)
		}
	}
	return e
}

// nearUpstream offers the skills of the whole listing, when it is held, whose paths look like id's.
func nearUpstream(snap transport.Snapshot, id skill.ID) []string {
	tree, err := snap.Tree(id.Origin())
	if err != nil || tree.Partial {
		return nil
	}
	var near []string
	for _, dir := range skill.Nearest(id.Sub(), leaves(tree), maxNear) {
		if sub, err := id.Origin().Join(dir); err == nil {
			near = append(near, sub.Reference())
		}
	}
	return near
}

// topNames lists what stands at the top of a listing, folders with a trailing slash.
func topNames(tree transport.Tree) []string {
	var names []string
	for _, e := range tree.Entries {
		name, _, nested := strings.Cut(e.Path, "/")
		name = oneLine(name)
		if nested || e.Mode == transport.Directory {
			name += "/"
		}
		if len(names) == 0 || names[len(names)-1] != name {
			names = append(names, name)
		}
	}
	return firstNames(names)
}

func firstNames(names []string) []string {
	if len(names) <= maxThere {
		return names
	}
	return append(slices.Clip(names[:maxThere]), fmt.Sprintf("and %d more", len(names)-maxThere))
}

// onBranch explains a miss of a pasted address whose branch name holds slashes: the remote's branch names settle where
// the path begins (G5). It returns err unchanged when they do not help.
func (c *cache) onBranch(ctx context.Context, ref skill.Ref, err error) error {
	var miss *NotFoundError
	if ref.Branch == "" || !errors.As(err, &miss) {
		return err
	}
	asked := skill.Ref{ID: ref.ID, Branch: ref.Branch}
	if kept := c.refusal(asked); kept != nil {
		return kept
	}
	better, ok := c.elsewhere(ctx, ref, *miss)
	if !ok {
		return err
	}
	c.refuse(asked, better)
	return better
}

// elsewhere is miss with what the remote's branch names tell of ref. It reports whether upstream answered.
func (c *cache) elsewhere(ctx context.Context, ref skill.Ref, miss NotFoundError) (*NotFoundError, bool) {
	lister, ok := c.env.Transport.(transport.BranchLister)
	if !ok {
		return nil, false
	}
	branches, err := lister.Branches(ctx, ref.ID)
	if err != nil {
		return nil, false
	}
	meant, ok := ref.Rebranch(branches)
	if !ok || meant.ID == ref.ID {
		return &miss, true
	}
	head, err := c.probe(ctx, meant.ID)
	if err != nil {
		return nil, false
	}
	snap, err := c.env.open(ctx, head.Revision, meant.ID)
	if err != nil {
		return nil, false
	}
	defer func() { _ = snap.Close() }() // only read
	miss.Reason = fmt.Sprintf("the address names branch %q, and HEAD is what is read", oneLine(meant.Branch))
	miss.Near = nil
	if miss.offer(snap, meant.ID); len(miss.Near) == 0 {
		miss.Hint = fmt.Sprintf("%s is not on %s, the branch HEAD points at", meant.ID.Reference(), oneLine(head.Branch))
	}
	return &miss, true
}
