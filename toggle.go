package atskills

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/atskills-go/atskills/internal/toggle"
	"github.com/atskills-go/atskills/internal/trigger"
	"github.com/atskills-go/atskills/skill"
)

// ErrCovered says that a pattern or a followed directory makes a row resident, and that a person has to edit that line
// (V2). It is matched by a [*ToggleError].
var ErrCovered = errors.New("covered by a line that only a person can edit")

// ToggleError refuses to toggle a row because no lines would change that row and nothing else. Nothing was written.
type ToggleError struct {
	Row    string
	Line   TriggerLine // the line that is in the way; Number is 0 when there is none
	Fix    string      // a line that, added at the end of the file, would do what was asked; "" when none would
	Reason string
	// Covered says that the line is a pattern or a followed directory that covers the row: the error matches [ErrCovered].
	Covered bool
}

func (e *ToggleError) Error() string {
	return fmt.Sprintf("toggle %q: %s", cut(e.Row, maxDisplay), e.Reason)
}

// Is reports whether target is [ErrCovered] and a line covers the row.
func (e *ToggleError) Is(target error) bool { return e.Covered && target == ErrCovered }

// Toggle turns a row of the tree on or off by editing .autotrigger, and tells which lines it wrote and removed (V2, V5).
// row is a [Row.Key], or any reference to the same: the path of a skill or folder below .atskills/ first of all, else a
// cloud id, with or without "@" in front. A cloud id that no line follows and no folder answers gets its "@" line, as
// given: a trailing "/" follows the whole directory, and so does an id without "@" of which the cache knows that it is a
// collection. "line:N" stands for the line of that number, if a tree shows it as a
// row, and removes it; with ":" and its text behind, as in a Key, only if that is still the text.
//
// A skill that is off gets its line, a folder a line with "/" that later skills will be covered by too; literal lines below
// a folder go then. What is on is turned off by removing its own lines and by splitting every line for a folder above
// it, in its place, into lines for all that stays on (V3). Of a folder, what is on in part turns on, and only a
// folder whose skills are all on turns off. So a second call gives back the same resident skills, except where a
// folder was on in part (V7).
//
// The result is proven before it is written: under the new lines exactly the skills of the row changed. Where that cannot
// be, Toggle refuses with a [*ToggleError], and where a pattern covers the row, or a followed line that brings more than
// the row, the error matches [ErrCovered]. What followed lines bring, the rows of playlists among it (H5), counts as far as
// the project and the cache know. The skills are those that stood in the tree when the call began; the file is read and
// written under its lock, so that two calls at once, in any process, both count, and only the touched lines change (T6).
// Nothing is asked of upstream.
//
// Other errors: [*NotFoundError] when the project has nothing at a bare path, [*skill.SyntaxError] for what is no row,
// fsx.ErrLocked when another holds the file for too long, fs.ErrPermission when its mode lets nobody write it, and other
// file-system errors. Nothing was written then.
func Toggle(ctx context.Context, env Env, row string) (*Change, error) {
	s, err := env.survey(ctx)
	if err != nil {
		return nil, fmt.Errorf("toggle %q: %w", row, err)
	}
	t := &toggler{s: s, tree: toggle.NewTree(s.skills, MaxSkills), known: s.knownLists(env), row: row}
	err = env.editTriggers(ctx, func(f trigger.File) (trigger.File, error) { return t.plan(ctx, f) })
	var refused *ToggleError
	var miss *NotFoundError
	var syntax *skill.SyntaxError
	switch {
	case errors.As(err, &refused), errors.As(err, &miss), errors.As(err, &syntax):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("toggle %q: %w", cut(row, maxDisplay), err)
	}
	return t.change, nil
}

// toggler is one call.
type toggler struct {
	s      *survey
	tree   *toggle.Tree
	known  *known
	row    string
	change *Change
	again  string // what the note says of turning the row on again
}

// plan returns what f becomes, and describes it in t.change.
func (t *toggler) plan(ctx context.Context, f trigger.File) (trigger.File, error) {
	e, err := t.edit(ctx, f)
	var refusal *toggle.Refusal
	if errors.As(err, &refusal) {
		return f, t.refused(f, refusal)
	}
	if err != nil {
		return f, err
	}
	if t.change.Row == "" {
		t.change.Row = t.row
	}
	for _, l := range e.Removed(f) {
		t.change.Removed = append(t.change.Removed, TriggerLine(l))
	}
	for _, l := range e.Written(f) {
		t.change.Written = append(t.change.Written, TriggerLine(l))
	}
	t.change.Note = t.change.summary("nothing changed") + t.again
	return e.Apply(f), nil
}

func (t *toggler) refused(f trigger.File, r *toggle.Refusal) error {
	e := &ToggleError{Row: t.row, Fix: r.Fix, Reason: r.Reason, Covered: r.Covered}
	if r.Line >= 0 {
		e.Line = TriggerLine{Number: f.Lines[r.Line].Number, Text: f.Lines[r.Line].Text}
	}
	return e
}

// edit finds out what the row is. The path of a folder comes first: it says most exactly what is meant.
func (t *toggler) edit(ctx context.Context, f trigger.File) (toggle.Edit, error) {
	t.change, t.again = &Change{}, ""
	if n := t.node(t.row); n != nil {
		return t.local(ctx, f, n)
	}
	if n, text, ok := lineKey(t.row); ok {
		return t.line(ctx, f, n, text)
	}
	if l := rowLine(t.row); l.Kind == trigger.Cloud {
		return t.cloudLine(f, l)
	}
	ref, err := skill.ParseRef(t.row)
	if err != nil {
		return toggle.Edit{}, err
	}
	for _, id := range ref.IDs() {
		if n := t.node(id.DiskPath()); n != nil {
			return t.local(ctx, f, n)
		}
	}
	if ref.ID.Scheme() == skill.Local {
		return toggle.Edit{}, t.miss(ref)
	}
	return t.typed(ctx, f, ref)
}

// node returns the skill or folder at path; the whole tree is none.
func (t *toggler) node(path string) *toggle.Node {
	path = strings.TrimSuffix(path, "/")
	if path == "" {
		return nil
	}
	return t.tree.Find(path)
}

// local toggles a skill or folder of the project.
func (t *toggler) local(ctx context.Context, f trigger.File, n *toggle.Node) (toggle.Edit, error) {
	t.change.Row = n.Path
	if id, err := skill.ParseDiskPath(n.Path); err == nil {
		t.change.ID = id
	}
	if err := t.known.look(ctx, f); err != nil {
		return toggle.Edit{}, err
	}
	s, err := toggle.Select(ctx, t.tree, f, t.known.skills)
	if err != nil {
		return toggle.Edit{}, err
	}
	e, err := toggle.Plan(ctx, s, n)
	if err == nil && n.Skill && s.On(n) == 0 {
		t.warn(n.Path)
	}
	return e, err
}

// warn says so when a skill that is turned on will load nothing (B4).
func (t *toggler) warn(dir string) {
	doc, err := t.s.head(dir)
	name := oneLine(path.Join(Dir, dir, SkillFile))
	switch {
	case err != nil:
		t.change.Warnings = append(t.change.Warnings, Warning{WarnUnreadable, oneLine(fmt.Sprintf("%s: %v", name, err))})
	case !doc.Named() || !doc.Loads():
		t.change.Warnings = append(t.change.Warnings, Warning{WarnFrontmatter, oneLine(fmt.Sprintf("%s loads nothing yet: %s", name, lacks(doc)))})
	}
}

// rowLine reads row as the line that it would be. References with their prefix begin with "@" too, and are none.
func rowLine(row string) trigger.Line {
	lines := trigger.Parse([]byte(row)).Lines
	if len(lines) != 1 || lines[0].Text != row {
		return trigger.Line{}
	}
	body := strings.ToLower(strings.TrimSpace(row))
	if strings.HasPrefix(body, "@skills:") || strings.HasPrefix(body, "@workflow:") {
		return trigger.Line{}
	}
	return lines[0]
}

// cloudLine toggles the line that follows what l does, or removes a line that is no reference and reads as l.
func (t *toggler) cloudLine(f trigger.File, l trigger.Line) (toggle.Edit, error) {
	if l.Err == nil {
		return t.cloud(f, *l.Ref, true, l.Text)
	}
	var lines []int
	for i, other := range f.Lines {
		if other.Err != nil && strings.TrimSpace(other.Text) == strings.TrimSpace(l.Text) {
			lines = append(lines, i)
		}
	}
	if len(lines) == 0 {
		return toggle.Edit{}, l.Err
	}
	return toggle.Remove(lines...), nil
}

// typed toggles a cloud id that is no row's text. It stands for either line that follows it; where none does, the slash is
// put behind one that the cache knows as a collection, which would load nothing without (B5).
func (t *toggler) typed(ctx context.Context, f trigger.File, ref skill.Ref) (toggle.Edit, error) {
	if !ref.Dir && len(indexesOf(f, ref.ID, follows)) == 0 {
		a := newCache(t.known.env).asStored(ctx, ref.ID)
		ref.Dir = a.err == nil && a.kind == Menu
	}
	return t.cloud(f, ref, false, followLine(ref))
}

// cloud removes the lines that follow what ref does, or adds text (V2). Lines for the whole directory and for the id
// alone are two rows; a reference that is no row's text, for which exact is false, stands for either.
func (t *toggler) cloud(f trigger.File, ref skill.Ref, exact bool, text string) (toggle.Edit, error) {
	t.change.ID = ref.ID
	var same, other []int
	for i, l := range f.Lines {
		switch {
		case !follows(l, ref.ID):
		case l.Ref.Dir == ref.Dir:
			same = append(same, i)
		default:
			other = append(other, i)
		}
	}
	switch {
	case len(same) > 0:
		return toggle.Remove(same...), nil
	case len(other) > 0 && !exact:
		t.again = "; to have it again, toggle " + trigger.Quote(strings.TrimSpace(f.Lines[other[0]].Text))
		return toggle.Remove(other...), nil
	}
	return toggle.Add(text), nil
}

// line removes a line that the tree shows as a row of its own. A text that came with its number, not "", tells when
// another line has that number by now (T6).
func (t *toggler) line(ctx context.Context, f trigger.File, number int, text string) (toggle.Edit, error) {
	if text != "" && (number > len(f.Lines) || text != f.Lines[number-1].Text) {
		return toggle.Edit{}, &ToggleError{Row: t.row, Reason: "there is no such row: lines were added or removed since the tree was read"}
	}
	s, err := toggle.Select(ctx, t.tree, f, nil)
	if err != nil {
		return toggle.Edit{}, err
	}
	if number <= len(f.Lines) && s.Stray(number-1) {
		return toggle.Remove(number - 1), nil
	}
	e := &ToggleError{Row: t.row}
	switch {
	case number > len(f.Lines):
		e.Reason = fmt.Sprintf("there is no line %d", number)
	case f.Lines[number-1].Kind == trigger.Comment:
		e.Reason = fmt.Sprintf("line %d is a comment", number)
	case f.Lines[number-1].Kind == trigger.Blank:
		e.Reason = fmt.Sprintf("line %d is blank", number)
	default:
		e.Line = TriggerLine{Number: number, Text: f.Lines[number-1].Text}
		e.Reason = fmt.Sprintf("%s is no row of the tree: toggle the skills that it is about", e.Line)
	}
	return toggle.Edit{}, e
}

// lineKey reads "line:N" and "line:N:" with a line's text behind, which is "" for the former.
func lineKey(row string) (number int, text string, ok bool) {
	rest, ok := strings.CutPrefix(row, "line:")
	digits, text, has := strings.Cut(rest, ":")
	n, err := strconv.ParseUint(digits, 10, 31)
	return int(n), text, ok && err == nil && n > 0 && has == (text != "")
}

// miss explains why no row answers a bare path.
func (t *toggler) miss(ref skill.Ref) error {
	e := &NotFoundError{ID: ref.ID, Reason: "no skill stands there, and no folder that leads to one"}
	for _, id := range ref.IDs() {
		e.Looked = append(e.Looked, Dir+"/"+oneLine(id.DiskPath()))
		for dir := path.Dir(id.DiskPath()); dir != "."; dir = path.Dir(dir) {
			if n := t.tree.Find(dir); n != nil && n.Skill {
				e.Reason = fmt.Sprintf("it lies inside the skill %s and cannot fire apart from it", oneLine(dir))
			}
		}
	}
	for _, p := range t.s.problems {
		if p.Path == "" || within(p.Path, ref.ID.DiskPath()) {
			e.Reason = oneLine(fmt.Sprintf("%s: %v", path.Join(Dir, p.Path), p.Err))
		}
	}
	for _, dir := range skill.Nearest(ref.ID.Path(), t.s.skills, maxNear) {
		if id, err := skill.ParseDiskPath(dir); err == nil {
			e.Near = append(e.Near, id.Reference())
		}
	}
	return e
}
