package atskills

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/atskills-go/atskills/internal/gitignore"
	"github.com/atskills-go/atskills/internal/trigger"
	"github.com/atskills-go/atskills/skill"
)

// ErrNotLoadable is matched by every [*NotLoadableError].
var ErrNotLoadable = errors.New("the skill would not be loaded")

// NotLoadableError refuses to install what would load nothing: a skill whose frontmatter lacks a usable name or
// description, or a collection of such skills alone (T8). It matches [ErrNotLoadable].
type NotLoadableError struct {
	ID skill.ID // what was asked for
	// Skill is the id of the skill that Findings are about: ID itself, or the first below it. It is zero for a folder that
	// no reference addresses.
	Skill    skill.ID
	Findings []skill.Finding // all remarks about its frontmatter
	reason   string
}

func (e *NotLoadableError) Error() string {
	if e.Skill == e.ID {
		return fmt.Sprintf("install %s: it would load nothing: %s", e.ID.Reference(), e.reason)
	}
	return fmt.Sprintf("install %s: none of its skills would be loaded; the first: %s", e.ID.Reference(), e.reason)
}

// Is reports whether target is [ErrNotLoadable].
func (e *NotLoadableError) Is(target error) bool { return target == ErrNotLoadable }

// Install makes what ref addresses fire on its own: it writes one line to the trigger file (T8, T9). For a skill of the
// project, and a folder of skills, that is the literal path, for a folder with a slash behind it, and for a cloud id
// "@" and the id, for a collection with a slash as well. A saved copy at a cloud id's own path is a skill of the
// project's. What fires on its own already is left as it is, and the note names the line that does it, a playlist that
// lists it among others as far as the cache knows. The suffixes of ref count for nothing.
//
// No other skill's state changes, and no other byte of the file (T6): a bare name that would also match a skill elsewhere
// in the tree is written with a slash in front (T7). A line that follows a collection without the slash behind it, and
// so loads nothing, is replaced. A cloud id is resolved, through the cache and as [Resolve] does; one that upstream does
// not confirm is installed with the warning that says so.
//
// Errors: everything [Resolve] returns for ref, [*NotLoadableError], what no line can select, a [*fsx.LockedError] when
// another holds the lock of the trigger file for half a minute, which names that file, fs.ErrPermission when the mode of
// the trigger file lets nobody write it, and what the file system says.
// Nothing was written then; only an error that says the lock could not be given back comes after the line was written.
func Install(ctx context.Context, env Env, ref string) (*Change, error) {
	parsed, err := skill.ParseRef(ref)
	if err != nil {
		return nil, err
	}
	in, err := env.newInstall(ctx, parsed, ref)
	if err != nil {
		return nil, err
	}
	plan := in.planCloud
	if in.local() {
		plan = in.planPath
	}
	err = env.editTriggers(ctx, func(f trigger.File) (trigger.File, error) {
		in.change = Change{ID: in.res.ID, Warnings: in.res.Warnings}
		return plan(f)
	})
	if err != nil {
		return nil, fmt.Errorf("install %s: %w", in.res.ID.Reference(), err)
	}
	return &in.change, nil
}

// install is one call of Install.
type install struct {
	res    *Resolution
	survey *survey
	below  []string // the skills of the tree that its path stands for
	// covers are the lines, as followLine has them, that bring all of it and follow something else: a collection as a
	// whole, or a playlist.
	covers map[string]bool
	change Change
}

// newInstall finds out what is to be installed, and whether it would load.
func (e Env) newInstall(ctx context.Context, parsed skill.Ref, ref string) (*install, error) {
	if e.Project == nil {
		return nil, fmt.Errorf("install %s: %w", parsed.ID.Reference(), errNoProject)
	}
	s, err := e.survey(ctx)
	if err != nil {
		return nil, fmt.Errorf("install %s: %w", parsed.ID.Reference(), err)
	}
	refs := []string{ref}
	for _, l := range s.file.Lines {
		if coversID(l, parsed.ID) {
			refs = append(refs, l.Ref.ID.Reference())
		}
	}
	r := newResolver(e)
	out := r.all(ctx, refs) // together, for they share an origin (C11)
	if out[0].Err != nil {
		return nil, out[0].Err
	}
	in := &install{res: out[0].Resolution, survey: s, covers: make(map[string]bool)}
	if err := loadable(in.res, r.found[parsed.ID].docs); err != nil {
		return nil, err
	}
	in.below = s.below(in.res.ID.DiskPath())
	if in.res.ID.Scheme() == skill.Local && len(in.below) == 0 {
		return nil, s.unseen(in.res.ID)
	}
	for _, o := range out[1:] {
		if o.Err == nil && brings(o.Resolution, in.res) {
			in.covers[followLine(skill.Ref{ID: o.Resolution.ID, Dir: true})] = true
		}
	}
	return in, in.listed(ctx, e)
}

// listed finds the followed lines that bring all of what is to be installed although they follow something else: a playlist
// that lists it, as far as the cache knows (H5), or the id of a link that leads to it (W3).
func (in *install) listed(ctx context.Context, env Env) error {
	if in.res.Playlist {
		return nil // what it lists will not be what others bring for long
	}
	k := in.survey.known(env)
	if err := k.look(ctx, in.survey.file); err != nil {
		return fmt.Errorf("install %s: %w", in.res.ID.Reference(), err)
	}
	for _, l := range in.survey.file.Lines {
		if l.Ref == nil || l.Ref.ID.Contains(in.res.ID) {
			continue
		}
		has := make(map[string]bool)
		b := k.brings(*l.Ref)
		for _, dir := range b.dirs {
			has[in.survey.real(dir)] = true
		}
		for _, id := range b.ids {
			has[id.String()] = !id.IsZero()
		}
		if !slices.ContainsFunc(in.keys(), func(key string) bool { return !has[key] }) {
			in.covers[followLine(*l.Ref)] = true
		}
	}
	return nil
}

// keys are the identities of the skills that are to be installed: where they stand in the project, else their ids.
func (in *install) keys() (keys []string) {
	switch {
	case in.local():
		for _, dir := range in.below {
			keys = append(keys, in.survey.real(dir))
		}
	case in.res.Kind == Skill:
		keys = append(keys, in.res.ID.String())
	default:
		for _, e := range in.res.Entries {
			keys = append(keys, e.ID.String())
		}
	}
	return keys
}

// loadable refuses what would load nothing. docs are the frontmatters of the skill, or of all those of a collection.
func loadable(res *Resolution, docs []*skill.Document) error {
	loads := func(doc *skill.Document) bool {
		return doc == nil || doc.Named() && doc.Loads() && oneLine(doc.Name) != "" && oneLine(doc.Description) != ""
	}
	if len(docs) == 0 || slices.ContainsFunc(docs, loads) {
		return nil
	}
	e := &NotLoadableError{ID: res.ID, Skill: res.ID, Findings: docs[0].Findings, reason: lacks(docs[0])}
	if res.Kind == Menu {
		e.Skill = res.Entries[0].ID
		e.reason = fmt.Sprintf("%s, %s", oneLine(res.Entries[0].Name), e.reason)
	}
	return e
}

// unseen explains why no line can select the folder of id although it answers for its path.
func (s *survey) unseen(id skill.ID) error {
	at := id.DiskPath()
	for _, dir := range s.skills {
		if within(dir, at) {
			owner := oneLine(dir)
			if up, err := skill.ParseDiskPath(dir); err == nil {
				owner = up.Reference()
			}
			return fmt.Errorf("install %s: it belongs to the skill %s and fires with that one alone (W1)", id.Reference(), owner)
		}
	}
	for _, p := range s.problems {
		if within(p.Path, at) || p.Path == "" {
			return fmt.Errorf("install %s: no line selects it: %s: %w", id.Reference(), oneLine(Dir+"/"+p.Path), p.Err)
		}
	}
	return fmt.Errorf("install %s: no line selects it: the walk over %s does not come to it", id.Reference(), Dir)
}

// local reports whether a plain line is to be written: a folder of the project's answers, and the walk comes to it.
func (in *install) local() bool { return in.res.Served == ServedLocal && len(in.below) > 0 }

// coversID reports whether l follows a whole collection that id lies in.
func coversID(l trigger.Line, id skill.ID) bool {
	return l.Ref != nil && l.Ref.Dir && l.Ref.ID != id && l.Ref.ID.Contains(id)
}

// brings reports whether all skills of res are among those of a collection.
func brings(all, res *Resolution) bool {
	if all.Kind != Menu {
		return false
	}
	has := make(map[skill.ID]bool)
	for _, e := range all.Entries {
		has[e.ID] = true
	}
	if res.Kind == Skill {
		return has[res.ID]
	}
	return !slices.ContainsFunc(res.Entries, func(e Entry) bool { return e.ID.IsZero() || !has[e.ID] })
}

// planPath plans the literal line of a folder of the project's.
func (in *install) planPath(f trigger.File) (trigger.File, error) {
	c, at := &in.change, in.res.ID.DiskPath()
	rules := f.Rules()
	if v := rules.Match(at, true); v.Ignored {
		c.Note = nothingNew(f.Lines[v.Line], in.res.ID)
		return f, nil
	}
	if l, ok := in.followed(f); ok {
		c.Note = nothingNew(l, in.res.ID)
		return f, nil
	}
	for _, anchored := range []bool{false, true} {
		text, err := trigger.Literal(at, in.res.Kind == Menu, anchored)
		if err != nil {
			return f, err
		}
		if !in.matchesOnly(text) {
			continue
		}
		if after := f.Append(text); in.selectsOnly(rules, after.Rules()) {
			c.append(f, text)
			c.Note = c.summary("")
			return after, nil
		}
	}
	return f, fmt.Errorf("no line selects %s and nothing else", in.res.ID.Reference())
}

// matchesOnly reports whether the line text by itself selects in's skills and no others.
func (in *install) matchesOnly(text string) bool {
	return in.selectsOnly(gitignore.New(nil), gitignore.New([]string{text}))
}

// selectsOnly reports whether, of all skills of the tree, the rules after select in's and leave the others as before has
// them.
func (in *install) selectsOnly(before, after *gitignore.Rules) bool {
	at := in.res.ID.DiskPath()
	was, is := before.Walk(), after.Walk()
	return !slices.ContainsFunc(in.survey.skills, func(dir string) bool {
		return is.Match(dir, true).Ignored != (within(at, dir) || was.Match(dir, true).Ignored)
	})
}

// planCloud plans the line that follows a cloud id.
func (in *install) planCloud(f trigger.File) (trigger.File, error) {
	c, id := &in.change, in.res.ID
	text := "@" + id.Reference()
	if in.res.Kind == Menu {
		text += "/"
	}
	if l, ok := in.followed(f); ok {
		c.Note = nothingNew(l, id)
		return f, nil
	}
	idle := indexesOf(f, id, follows) // as if the collection were a skill: they load nothing (B5)
	if len(idle) == 0 {
		f = c.append(f, text)
	} else {
		rest := triggerLinesAt(f, idle[1:])
		f = c.replace(f, idle[0], text).Delete(idle[1:]...)
		c.Removed = append(c.Removed, rest...)
	}
	c.Note = c.summary("")
	return f, nil
}

// followed returns the line that follows what is to be installed, or a collection that brings it.
func (in *install) followed(f trigger.File) (trigger.Line, bool) {
	for _, l := range f.Lines {
		if follows(l, in.res.ID) && (l.Ref.Dir || in.res.Kind == Skill) || l.Ref != nil && in.covers[followLine(*l.Ref)] {
			return l, true
		}
	}
	return trigger.Line{}, false
}

// nothingNew says that l brings id already: as its own line, or as one that covers it.
func nothingNew(l trigger.Line, id skill.ID) string {
	verb := "covers"
	if owns(l, id) {
		verb = "names"
	}
	return fmt.Sprintf("nothing changed: %s already %s %s", triggerLine(l), verb, id.Reference())
}
