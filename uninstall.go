package atskills

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/atskills-go/atskills/internal/trigger"
	"github.com/atskills-go/atskills/skill"
)

// Uninstall removes the lines of the trigger file that are ref's own: every literal spelling of its path, and for a cloud
// id the lines that follow it, with a slash behind it or without (T7, T9). Nothing has to stand at ref any more, and no
// such line is no error: the note says so, and names what may have been meant when nothing stands at ref either. What fires all the same, through a pattern or the line of a folder above it,
// goes on doing so, and the note names that line with its number in the new file. A bare name matches at any depth; when
// its line selected other skills too, the note names those. No other byte of the file changes (T6), and upstream is not
// asked.
//
// Errors: [*skill.SyntaxError], and those of the file system and the lock, as in [Install].
func Uninstall(ctx context.Context, env Env, ref string) (*Change, error) {
	parsed, err := skill.ParseRef(ref)
	if err != nil {
		return nil, err
	}
	wrap := func(err error) error { return fmt.Errorf("uninstall %s: %w", parsed.ID.Reference(), err) }
	if env.Project == nil {
		return nil, wrap(errNoProject)
	}
	s, err := env.survey(ctx)
	if err != nil {
		return nil, wrap(err)
	}
	var c Change
	err = env.editTriggers(ctx, func(f trigger.File) (trigger.File, error) {
		c = Change{ID: s.named(parsed, f)}
		own := indexesOf(f, c.ID, owns)
		after := c.remove(f, own)
		c.Note = strings.Join(slices.Concat([]string{c.summary(s.noLine(c.ID, f))}, s.left(c.ID, f, after)), "; ")
		return after, nil
	})
	if err != nil {
		return nil, wrap(err)
	}
	return &c, nil
}

// named is the id that ref stands for: the first spelling that has a folder or a line of its own (G3). A folder called as
// it was spelled answers also without a line: the line of its twin in lower case is another skill's.
func (s *survey) named(ref skill.Ref, f trigger.File) skill.ID {
	for _, id := range ref.IDs() {
		if len(s.below(id.DiskPath())) > 0 || len(indexesOf(f, id, owns)) > 0 {
			return id
		}
	}
	return ref.ID
}

// noLine says that nothing is to be removed, and what may have been meant by an id that nothing is known of.
func (s *survey) noLine(id skill.ID, f trigger.File) string {
	text := fmt.Sprintf("nothing changed: no line names %s", id.Reference())
	if len(s.below(id.DiskPath())) > 0 {
		return text
	}
	var near []string
	if id.Scheme() == skill.Local {
		text += ", and the project has no such skill"
		for _, dir := range skill.Nearest(id.Path(), s.skills, maxNear) {
			near = append(near, shownDir(dir))
		}
	} else {
		near = skill.Nearest(id.Reference(), followedIn(f), maxNear)
	}
	if len(near) > 0 {
		text += "; did you mean " + strings.Join(near, ", ")
	}
	return text
}

// followedIn are the ids that lines of f follow, in reference spelling.
func followedIn(f trigger.File) []string {
	var refs []string
	for _, l := range f.Lines {
		if l.Kind == trigger.Cloud && l.Err == nil {
			refs = append(refs, l.Ref.ID.Reference())
		}
	}
	return refs
}

// left says what still fires of id after the removal of its lines, and what else no longer does.
func (s *survey) left(id skill.ID, before, after trigger.File) []string {
	at := id.DiskPath()
	was, is := before.Rules().Walk(), after.Rules().Walk()
	var on, off []string
	var lines []int
	for _, dir := range s.skills {
		v := is.Match(dir, true)
		switch inside := within(at, dir); {
		case inside && v.Ignored:
			on, lines = append(on, shownDir(dir)), append(lines, v.Line)
		case !inside && !v.Ignored && was.Match(dir, true).Ignored:
			off = append(off, shownDir(dir))
		}
	}
	if len(on) == len(s.below(at)) {
		on = []string{id.Reference()}
	}
	var out []string
	if len(lines) > 0 {
		slices.Sort(lines)
		out = append(out, stillFires(on, after, slices.Compact(lines)))
	}
	for i, l := range after.Lines {
		if coversID(l, id) {
			out = append(out, stillFires([]string{id.Reference()}, after, []int{i}))
		}
	}
	if len(off) > 0 {
		out = append(out, "no longer fires with it: "+strings.Join(firstNames(off), ", "))
	}
	return out
}

func stillFires(what []string, f trigger.File, index []int) string {
	var by []string
	for _, l := range triggerLinesAt(f, index) {
		by = append(by, l.String())
	}
	return fmt.Sprintf("%s still fires through %s", strings.Join(firstNames(what), ", "), strings.Join(by, "; "))
}

// shownDir is a folder of the tree as a person refers to it.
func shownDir(dir string) string {
	if id, err := skill.ParseDiskPath(dir); err == nil {
		return id.Reference()
	}
	return oneLine(dir)
}
