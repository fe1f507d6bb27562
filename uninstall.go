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
// such line is no error: the note says so, and names what may have been meant when nothing stands at ref either. What
// fires all the same, through a pattern, the line of a folder above it or a playlist, goes on doing so, and the note names
// that line with its number in the new file. A bare name matches at any depth; when its line selected other skills too,
// the note names those. No other byte of the file changes (T6), and upstream is not asked: what a followed line brings is
// told as far as the project and the cache know, and of a line that they know nothing about the note says that ref may
// still fire through it.
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
	k := s.known(env)
	err = env.editTriggers(ctx, func(f trigger.File) (trigger.File, error) {
		c = Change{ID: s.named(parsed, f)}
		own := indexesOf(f, c.ID, owns)
		after := c.remove(f, own)
		if err := k.look(ctx, after); err != nil {
			return f, err
		}
		c.Note = strings.Join(slices.Concat([]string{c.summary(s.noLine(c.ID, f))}, k.left(c.ID, f, after)), "; ")
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
func (k *known) left(id skill.ID, before, after trigger.File) []string {
	at := id.DiskPath()
	was, is := before.Rules().Walk(), after.Rules().Walk()
	on, off := firing{of: k.s.below(at)}, []string(nil)
	for _, dir := range k.s.skills {
		v := is.Match(dir, true)
		switch inside := within(at, dir); {
		case inside && v.Ignored:
			on.add(dir, shownDir(dir), v.Line)
		case !inside && !v.Ignored && was.Match(dir, true).Ignored:
			off = append(off, shownDir(dir))
		}
	}
	var out []string
	if len(on.lines) > 0 {
		out = append(out, on.text("still fires", id, after))
	}
	out = append(out, k.followed(id, after)...)
	if len(off) > 0 {
		out = append(out, "no longer fires with it: "+strings.Join(firstNames(off), ", "))
	}
	return out
}

// followed says what of id the cloud lines of f bring, and through which of them it may come for all that is known.
func (k *known) followed(id skill.ID, f trigger.File) (out []string) {
	below := k.s.below(id.DiskPath())
	real := make(map[string]string, len(below))
	for _, dir := range below {
		real[k.s.real(dir)] = dir
	}
	on, maybe := firing{of: below}, firing{}
	for i, l := range f.Lines {
		if l.Ref == nil {
			continue
		}
		b := k.brings(*l.Ref)
		for _, dir := range b.dirs {
			if in, ok := real[k.s.real(dir)]; ok {
				on.add(in, shownDir(in), i)
			} else if within(id.DiskPath(), dir) {
				on.add(dir, shownDir(dir), i)
			}
		}
		for _, e := range b.ids {
			if id.Contains(e) {
				on.add(e.DiskPath(), e.Reference(), i)
			}
		}
		for _, u := range b.unsure {
			if u.Contains(id) {
				u = id
			}
			if id.Contains(u) {
				maybe.add(u.DiskPath(), u.Reference(), i)
			}
		}
	}
	if len(on.lines) > 0 {
		out = append(out, on.text("still fires", id, f))
	}
	if len(maybe.lines) > 0 {
		out = append(out, maybe.text("may still fire", id, f)+" (the cache does not hold what that brings)")
	}
	return out
}

// firing is what still fires of something, and through which lines.
type firing struct {
	of    []string // the folders of all of it, nil when nobody knows
	dirs  map[string]bool
	names []string
	lines []int // their indexes
}

// add notes the skill whose folder is or would be dir, below Dir.
func (f *firing) add(dir, name string, line int) {
	if !f.dirs[dir] {
		if f.dirs == nil {
			f.dirs = make(map[string]bool)
		}
		f.dirs[dir] = true
		f.names = append(f.names, name)
	}
	f.lines = append(f.lines, line)
}

// text says what of id fires through which lines of file; all of it goes by its own name.
func (f *firing) text(verb string, id skill.ID, file trigger.File) string {
	slices.Sort(f.lines)
	var by []string
	for _, l := range triggerLinesAt(file, slices.Compact(f.lines)) {
		by = append(by, l.String())
	}
	names := f.names
	if len(names) == len(f.of) {
		names = []string{id.Reference()}
	}
	return fmt.Sprintf("%s %s through %s", strings.Join(firstNames(names), ", "), verb, strings.Join(by, "; "))
}

// shownDir is a folder of the tree as a person refers to it.
func shownDir(dir string) string {
	if id, err := skill.ParseDiskPath(dir); err == nil {
		return id.Reference()
	}
	return oneLine(dir)
}
