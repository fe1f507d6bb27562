package atskills

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/skill"
)

// missingLocal explains why no folder of the project answers a bare path (R2): where it looked, what looks like it, and
// the two cloud forms. It makes no request.
func (r *resolver) missingLocal(ctx context.Context, ref skill.Ref) error {
	e := &NotFoundError{ID: ref.ID, Reason: "the project has no such skill"}
	for _, id := range ref.IDs() {
		e.Looked = append(e.Looked, Dir+"/"+oneLine(id.DiskPath()))
	}
	e.Hint = cloudForms(ref.ID, false, false)
	if r.env.Project == nil {
		e.Reason, e.Looked = "no project is configured", nil
		return e
	}
	view := fsx.NewView(r.env.Project, "", true)
	for _, name := range e.Looked {
		if at, err := view.Lookup(name + ".md"); err == nil && at.IsFile() {
			e.Reason = fmt.Sprintf("a skill is a folder: %s.md would have to be %s/%s", name, name, SkillFile)
		}
	}
	f, err := readFolder(ctx, view, Dir)
	if errors.Is(err, errNotExist) {
		e.Reason = "the project has no " + Dir + " folder"
		return e
	}
	if err != nil {
		return err
	}
	for _, id := range ref.IDs() {
		if own, at, ok := f.insideSkill(id); ok && at.IsFile() {
			e.Reason, e.Near = "that is a file of the skill "+own.Reference(), []string{own.Reference()}
		}
	}
	ask, word, suffixed := cutWord(ref.IDs()[0])
	if before, err := skill.ParseRef(ask); suffixed && err == nil {
		e.Hint = noSuffix(word)
		if f.holds(before) {
			e.Near = []string{ask}
		}
		return e
	}
	if len(e.Near) == 0 {
		e.Near = f.near(ref.ID)
	}
	e.Hint = cloudForms(ref.ID, slices.ContainsFunc(ref.IDs(), f.beginsIn), len(e.Near) > 0)
	return e
}

// insideSkill finds the skill of the tree that id lies in, and what stands at id.
func (f *folder) insideSkill(id skill.ID) (own skill.ID, at fsx.Entry, ok bool) {
	for up, more := id.Parent(); more; up, more = up.Parent() {
		if slices.Contains(f.skills, up.DiskPath()) {
			at, err := f.view.Lookup(f.base + "/" + id.DiskPath())
			return up, at, err == nil
		}
	}
	return own, at, false
}

// holds reports whether ref addresses a skill of the tree, or a folder that leads to one.
func (f *folder) holds(ref skill.Ref) bool {
	return slices.ContainsFunc(ref.IDs(), func(id skill.ID) bool {
		return slices.ContainsFunc(f.skills, func(dir string) bool { return within(id.DiskPath(), dir) })
	})
}

// beginsIn reports whether id's first name is one of the tree's own.
func (f *folder) beginsIn(id skill.ID) bool {
	first, _, _ := strings.Cut(id.DiskPath(), "/")
	return slices.ContainsFunc(f.skills, func(dir string) bool { return within(first, dir) })
}

// near offers the skills of the tree whose paths look like id's.
func (f *folder) near(id skill.ID) []string {
	var near []string
	for _, dir := range skill.Nearest(id.Path(), f.skills, maxNear) {
		if id, err := skill.ParseDiskPath(dir); err == nil {
			near = append(near, id.Reference())
		}
	}
	return near
}

// cutWord cuts ":word" off the end of a path, which may be meant as a suffix; ask is what remains.
func cutWord(id skill.ID) (ask, word string, ok bool) {
	i := strings.LastIndexByte(id.Path(), ':')
	_, marker := noMarker(strings.Split(id.Path(), "/"))
	if i <= 0 || i == len(id.Path())-1 || strings.Contains(id.Path()[i:], "/") || id.Scheme() == skill.Local && marker {
		return "", "", false
	}
	return id.Path()[:i], id.Path()[i:], true
}

func noSuffix(word string) string {
	return fmt.Sprintf("%q is no suffix: those are :save, :install and :index", oneLine(word))
}

// cloudForms says how the same words would address a provider: all of it, or what a line that says more has room for. Of
// words that begin in the project none is made a provider's.
func cloudForms(id skill.ID, begins, short bool) string {
	segs := strings.Split(id.Path(), "/")
	if marker, ok := noMarker(segs); ok {
		return fmt.Sprintf("%q is no marker: the markers are gh: and hub:", oneLine(marker))
	}
	gh, hub := "gh:"+id.Reference(), "hub:<owner>/<name>"
	switch {
	case begins:
		gh = "gh:<owner>/<repo>/<path>"
	case len(segs) == 1:
		gh, hub = "gh:<owner>/<repo>/"+id.Reference(), "hub:<owner>/"+id.Reference()
	case len(segs) == 2:
		hub = "hub:" + id.Reference()
	}
	if short {
		return fmt.Sprintf("elsewhere it would be %s or %s", gh, hub)
	}
	return fmt.Sprintf("a bare path is the project's own; a skill elsewhere is %s or %s", gh, hub)
}

// noMarker returns what is written like a marker in front of a path.
func noMarker(segs []string) (marker string, ok bool) {
	marker, _, ok = strings.Cut(segs[0], ":")
	return marker + ":", ok && len(segs) > 1
}

func isRefusedLink(err error) bool {
	return errors.Is(err, fsx.ErrLinkEscapes) || errors.Is(err, fsx.ErrLinkDangles) || errors.Is(err, fsx.ErrLinkLoop)
}
