package atskills

import (
	"context"
	"errors"
	"path"
	"strings"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

// plan is what one id's entry is to become.
type plan struct {
	id    skill.ID
	meta  meta
	old   folder // what stands there now; empty when nothing does
	was   meta   // what vouches for old, of id or an ancestor; zero when nothing does
	reuse bool   // the content on disk is already right: only metadata changes (C9, C10)
	under *plan  // an ancestor's, in the same call, that brings the content along; nil for none

	lands []landing
	links []link
	list  []byte // the rows of a playlist, nil for what holds skills
	stage string // the staging folder, "" until something is staged
}

// changed reports whether upstream has something else at p.id now than what the machine last read there (X4).
func (p *plan) changed() bool {
	same := p.was.ID == p.id && p.was.Tree != "" && p.was.Tree == p.meta.Tree
	return p.was.Revision != "" && p.was.Revision != p.meta.Revision && !p.reuse && p.under == nil && !same
}

// landing is a file that the new entry holds.
type landing struct {
	transport.Entry
	kept bool // the same bytes are in the old copy (C10)
}

// listing is one origin's snapshot and the head it was taken at.
type listing struct {
	transport.Snapshot
	head transport.Head
}

// plan decides what id's entry becomes, without moving a body (F1); earlier are the plans of the same call. Errors are
// answers: nothing there, too many.
func (c *cache) plan(ctx context.Context, snap listing, id skill.ID, earlier []*plan) (*plan, error) {
	tree, err := snap.Tree(id)
	if errors.Is(err, transport.ErrNoPath) {
		return nil, c.missing(ctx, snap, id)
	}
	if err != nil {
		return nil, err
	}
	if isList(id, tree) {
		return c.planList(ctx, snap.head, id, tree)
	}
	p := &plan{id: id, meta: c.newMeta(id, snap.head, tree)}
	dirs, size, problems := readListing(tree)
	if len(dirs) == 0 {
		return nil, c.nothing(ctx, snap, id, tree, problems)
	}
	if err := checkCap(id, dirs, size); err != nil {
		return nil, err
	}
	for _, e := range earlier {
		if e.id.Contains(id) {
			p.under = e
			return p, nil
		}
	}
	p.old, _ = readFolder(ctx, c.view, id.DiskPath()) // absent: nothing to keep
	var was meta
	if e, err := c.lookup(id); err == nil {
		if p.was = e.meta; e.own() {
			was = e.meta
			p.meta.other = was.other
		}
	}
	p.sort(tree, dirs)
	for _, problem := range problems {
		p.skip(problem.Path, oneLine(problem.Err.Error()), "")
	}
	c.keep(p)
	if tree.Hash != "" && was.Tree == tree.Hash { // the sub-tree did not move (C9)
		p.meta.Skipped, p.links = was.Skipped, nil
		if p.reuse {
			p.meta.Fetched = was.Fetched
		}
	}
	return p, nil
}

// leaves returns the skills of a listing.
func leaves(tree transport.Tree) []string {
	dirs, _, _ := readListing(tree)
	return dirs
}

// readListing finds the skills of a listing (W5), their bytes where every size is known, 0 otherwise (R6), and what looks
// like a skill and is none (W1).
func readListing(tree transport.Tree) (dirs []string, size int64, problems []skill.Problem) {
	paths := make([]string, 0, len(tree.Entries))
	for _, e := range tree.Entries {
		if lands(e) {
			paths = append(paths, e.Path)
			if e.Size < 0 {
				size = -1
			} else if size >= 0 {
				size += e.Size
			}
		}
	}
	dirs, problems = skill.Leaves(paths)
	return dirs, max(size, 0), problems
}

// lands reports whether e is something that may stand in the cache (F2).
func lands(e transport.Entry) bool { return whySkipped(e) == "" }

func whySkipped(e transport.Entry) string {
	switch e.Mode {
	case transport.Symlink, transport.Submodule:
		return e.Mode.String()
	}
	for seg := range strings.SplitSeq(e.Path, "/") {
		if skill.Reserved(seg) || fsx.IsTemp(seg) {
			return "reserved name"
		}
	}
	return ""
}

// sort sorts the listing into what lands and what is skipped: everything of each skill, nothing beside them (F2).
func (p *plan) sort(tree transport.Tree, dirs []string) {
	in := make(map[string]bool, len(dirs))
	for _, d := range dirs {
		in[d] = true
	}
	for _, e := range tree.Entries {
		why, inSkill := whySkipped(e), inFolder(in, e.Path)
		switch {
		case why == "" && inSkill:
			p.lands = append(p.lands, landing{Entry: e})
		case e.Mode == transport.Symlink:
			p.links = append(p.links, link{Entry: e, inSkill: inSkill})
		case why != "" && inSkill:
			p.skip(e.Path, "it is a "+why, "")
		}
	}
	for _, name := range tree.Skipped {
		p.skip(name, "no reference can hold its name", "")
	}
}

// maxSkipped bounds what an entry says of things that did not land.
const maxSkipped = 200

// skip records what did not land, to be said whenever the entry is served (F2).
func (p *plan) skip(name, why, target string) {
	switch n := len(p.meta.Skipped); {
	case n < maxSkipped:
		p.meta.Skipped = append(p.meta.Skipped, skipped{Path: name, Why: why, Target: target})
	case n == maxSkipped:
		p.meta.Skipped = append(p.meta.Skipped, skipped{Why: "more than is listed here"})
	}
}

// inFolder reports whether name lies in one of the folders of in, "" standing for all.
func inFolder(in map[string]bool, name string) bool {
	if in[""] {
		return true
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if in[dir] {
			return true
		}
	}
	return false
}

// keep marks the files of p that the old copy holds already, byte for byte; when it holds them all and nothing else,
// the content stays where it is (C10).
func (c *cache) keep(p *plan) {
	had := make(map[string]file)
	for dir, files := range p.old.bundles {
		for _, f := range files {
			had[path.Join(dir, f.path)] = f
		}
	}
	same := len(had) == len(p.lands)
	for i, l := range p.lands {
		f, ok := had[l.Path]
		if ok {
			body, err := c.view.ReadFile(path.Join(p.id.DiskPath(), l.Path), f.size)
			ok = err == nil && l.Matches(body)
		}
		if ok {
			p.lands[i].kept, p.lands[i].Size = true, f.size
		}
		same = same && ok && f.executable == (l.Mode == transport.Executable)
	}
	p.reuse = same
	if same {
		p.meta.Skills = p.old.digests()
	}
}
