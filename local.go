package atskills

import (
	"context"
	"errors"
	"fmt"
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
	e.Hint = cloudForms(ref.ID)
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
	for _, dir := range skill.Nearest(ref.ID.Path(), f.skills, maxNear) {
		if id, err := skill.ParseDiskPath(dir); err == nil {
			e.Near = append(e.Near, id.Reference())
		}
	}
	return e
}

// cloudForms says how the same words would address a provider.
func cloudForms(id skill.ID) string {
	segs := strings.Split(id.Path(), "/")
	if len(segs) == 1 {
		return fmt.Sprintf("a bare path is the project's own; a skill elsewhere is gh:<owner>/<repo>/%[1]s or hub:<owner>/%[1]s", id.Reference())
	}
	hint := fmt.Sprintf("a bare path is the project's own; a skill elsewhere is gh:%s", id.Reference())
	if len(segs) == 2 {
		hint += " or hub:" + id.Reference()
	} else {
		hint += " or hub:<owner>/<name>"
	}
	if marker, _, ok := strings.Cut(segs[0], ":"); ok {
		hint = fmt.Sprintf("%q is no marker: the markers are gh: and hub:", oneLine(marker)+":")
	}
	return hint
}

func isRefusedLink(err error) bool {
	return errors.Is(err, fsx.ErrLinkEscapes) || errors.Is(err, fsx.ErrLinkDangles) || errors.Is(err, fsx.ErrLinkLoop)
}
