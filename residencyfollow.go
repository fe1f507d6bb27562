package atskills

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/atskills-go/atskills/internal/trigger"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

// follower adds what cloud lines bring to a block.
type follower struct {
	*blockBuilder
	r      *resolver
	copies map[skill.ID][]string // the project's own skills that answer an id, by the ids asked about
	broken map[skill.ID]error    // why the project's folder for an id cannot be looked into
	drift  *drift
}

func newFollower(b *blockBuilder) *follower {
	env := b.env
	if env.Transport != nil {
		env.Transport = transport.Memo(env.Transport) // a line, and the row of a playlist, share a probe (C11)
	}
	r := newResolver(env)
	r.heads = true // a block has no bodies (B4)
	return &follower{blockBuilder: b, r: r, copies: make(map[skill.ID][]string), broken: make(map[skill.ID]error), drift: newDrift(b.env)}
}

// follow adds the skills of the cloud lines in the order of the file (B3). Those that no copy in the project answers are
// read through the cache together (B10).
func (b *blockBuilder) follow(ctx context.Context) {
	f := newFollower(b)
	f.lines(ctx, f.r.upstream)
	if ctx.Err() == nil {
		f.drift.settle(b)
	}
}

// lines adds the skills of the cloud lines. answer is called to answer in one go all of f.r.want: once for the lines, and
// once more when playlists among them list other ids (H5).
func (f *follower) lines(ctx context.Context, answer func(context.Context)) {
	f.learn(ctx, f.s.file, answer)
	for _, l := range f.s.file.Lines {
		switch {
		case l.Kind != trigger.Cloud || ctx.Err() != nil:
		case l.Err != nil:
			f.note(Note{Line: l.Number, Code: NoteBadID, Message: l.Err.Error()})
		default:
			f.bring(ctx, l.Number, *l.Ref)
		}
	}
}

// learn finds out what stands behind the cloud lines of file, as lines says.
func (f *follower) learn(ctx context.Context, file trigger.File, answer func(context.Context)) {
	var refs []skill.Ref
	for _, l := range file.Lines {
		if l.Ref != nil {
			refs = append(refs, *l.Ref)
		}
	}
	if f.ask(ctx, refs); len(f.r.want) > 0 {
		answer(ctx)
		f.r.want = nil
	}
	if f.ask(ctx, f.listed(refs)); len(f.r.want) > 0 {
		f.askAgain(refs)
		answer(ctx)
		f.r.want = nil
	}
}

// listed returns the rows of the playlists that refs take as a whole.
func (f *follower) listed(refs []skill.Ref) (rows []skill.Ref) {
	for _, ref := range refs {
		if a := f.r.found[ref.ID]; ref.Dir && a.playlist {
			for _, e := range a.entries {
				rows = append(rows, e.ref())
			}
		}
	}
	return rows
}

// ask finds the project's own copies that answer refs, and which ids the cache has to. A link that is not followed does
// not answer (W3); a folder that cannot be read may hold the copy, and nothing else answers for it.
func (f *follower) ask(ctx context.Context, refs []skill.Ref) {
	for _, ref := range refs {
		if _, asked := f.copies[ref.ID]; asked || ctx.Err() != nil {
			continue
		}
		dirs, err := f.s.copies(ctx, ref.ID)
		f.copies[ref.ID] = dirs
		if err != nil {
			f.broken[ref.ID] = fmt.Errorf("%s/%s: %w", Dir, ref.ID.DiskPath(), err)
		}
		if len(dirs) == 0 && (err == nil || isRefusedLink(err)) {
			f.r.want = append(f.r.want, ref.ID)
		}
	}
}

// askAgain has the cache answer anew for what refs follow above or below the ids it is asked for now, whose landing may
// replace what the first answer was read from.
func (f *follower) askAgain(refs []skill.Ref) {
	asked := slices.Clone(f.r.want)
	for _, ref := range refs {
		_, answered := f.r.found[ref.ID]
		if answered && !slices.Contains(f.r.want, ref.ID) && slices.ContainsFunc(asked, func(id skill.ID) bool {
			return id.Contains(ref.ID) || ref.ID.Contains(id)
		}) {
			f.r.want = append(f.r.want, ref.ID)
		}
	}
}

// bring adds the rows that line has for ref.
func (f *follower) bring(ctx context.Context, line int, ref skill.Ref) {
	offers, said := f.offers(ctx, line, ref)
	for _, o := range offers {
		f.add(o, line)
	}
	if said == allOfIt {
		f.drift.saw(line, ref.ID, offers, f.blockBuilder)
	}
}

// saying is what offers tell of what stands upstream (B9).
type saying int

const (
	nothing saying = iota // the project's own copies answer, which do not drift, or the line takes none of it
	untold                // upstream did not tell
	allOfIt               // they are what stands there
)

// offers turns the answer to ref into what it puts forward; whatever a cloud line follows comes through here.
func (f *follower) offers(ctx context.Context, line int, ref skill.Ref) ([]offer, saying) {
	if dirs := f.copies[ref.ID]; len(dirs) > 0 {
		return f.copied(line, ref, dirs), nothing
	}
	if err := f.broken[ref.ID]; err != nil {
		f.note(Note{Line: line, ID: ref.ID, Path: Dir + "/" + ref.ID.DiskPath(), Code: NoteUnreadable, Message: err.Error()})
		if !isRefusedLink(err) {
			return nil, untold
		}
	}
	res, err := f.r.result(ctx, ref)
	if err != nil {
		f.failed(line, ref.ID, err)
		if isRefusal(err) {
			return nil, nothing
		}
		return nil, untold
	}
	f.warnings(line, res.ID, res.Warnings)
	if res.Kind == Menu && !f.whole(line, ref, len(res.Entries)) {
		return nil, nothing
	}
	if res.Playlist {
		return f.playlist(ctx, line, res)
	}
	return offered(res, f.r.found[ref.ID].content), allOfIt
}

// playlist offers what the rows of a playlist stand for, each as a line of its own would; one that fails takes nothing
// from the others (H5). While upstream does not tell of one, nobody can say what is gone from the list. Rows that together
// cover more than the cap bring nothing, as any line over it does: which of them loads would be chance (R5).
func (f *follower) playlist(ctx context.Context, line int, list *Resolution) (offers []offer, said saying) {
	said = allOfIt
	var rows []Suggestion
	for _, e := range list.Entries {
		if f.r.found[e.ID].playlist {
			f.note(Note{Line: line, ID: e.ID, Code: NoteFailed, Message: fmt.Sprintf(
				"%s, a row of %s, is a playlist itself and is not followed; give it a line of its own", e.ID.Reference(), list.ID.Reference())})
			continue
		}
		some, of := f.offers(ctx, line, e.ref())
		offers = append(offers, some...)
		rows = append(rows, Suggestion{e.ID, len(some)})
		if of == untold {
			said = untold
		}
	}
	if err := checkListed(list.ID, rows, offers); err != nil {
		f.failed(line, list.ID, err)
		return nil, nothing
	}
	return offers, said
}

// copied offers the project's own skills in dirs, which answer ref (B1).
func (f *follower) copied(line int, ref skill.Ref, dirs []string) (offers []offer) {
	id, base := ref.ID, ref.ID.DiskPath()
	for _, p := range f.s.problems {
		if told := f.s.verdict(p.Path).Ignored; within(base, p.Path) && p.Code != skill.ProblemDuplicate && !told {
			f.walkProblem(line, p)
		}
	}
	below := make([]string, len(dirs))
	for i, dir := range dirs {
		below[i] = dir[min(len(base)+1, len(dir)):]
	}
	if err := checkCap(id, below, 0); err != nil {
		f.failed(line, id, err)
		return nil
	}
	menu := dirs[0] != base
	if menu && !f.whole(line, ref, len(dirs)) {
		return nil
	}
	f.warnings(line, id, branchWarning(ref, answer{served: ServedLocal}))
	if menu && !f.s.saved(base) {
		f.note(Note{Line: line, ID: id, Path: Dir + "/" + base, Code: WarnPartial, Message: fmt.Sprintf(
			"the project's own copies alone answer this line; what else %s has is not resident", id.Reference())})
	}
	for _, dir := range dirs {
		offers = append(offers, f.localOffer(dir))
	}
	return offers
}

// offered turns what was read through the cache, and was put into res, into offers: the skill, or each entry of the menu.
func offered(res *Resolution, c content) []offer {
	if res.Kind == Skill {
		return []offer{cloudOffer(res, Entry{ID: res.ID, Path: res.Path}, c.doc(0))}
	}
	offers := make([]offer, len(res.Entries))
	for i, e := range res.Entries {
		offers[i] = cloudOffer(res, e, c.doc(i))
	}
	return offers
}

func cloudOffer(res *Resolution, e Entry, doc *skill.Document) offer {
	o := offer{key: e.ID.String(), id: e.ID, where: WhereCloud, path: e.Path, stale: res.Served == ServedStale}
	if e.ID.IsZero() {
		o.key = fmt.Sprintf("%s/%q of %q", res.ID, e.Name, e.Path) // no reference addresses it (G12)
	}
	for _, w := range res.Warnings {
		if w.Code == WarnGone {
			o.stale = false // upstream has spoken (C5): the note tells, and the row does not promise that it may come back
		}
	}
	if doc == nil {
		o.fail(NoteUnreadable, "%s cannot be read", SkillFile)
		return o
	}
	o.read(doc, nil)
	return o
}

// whole reports whether ref takes a whole directory; if not, a note says how it would (B5).
func (f *follower) whole(line int, ref skill.Ref, skills int) bool {
	if ref.Dir {
		return true
	}
	at, all := ref.ID.Reference(), fmt.Sprintf("all %d skills", skills)
	if skills == 1 {
		all = "its one skill"
	}
	f.note(Note{Line: line, ID: ref.ID, Code: NoteMenu, Message: fmt.Sprintf(
		"%s is a collection, not a skill, and nothing of it is loaded; add \"/\" to follow %s: @%s/", at, all, at)})
	return false
}

// warnings passes on what was served although something was wrong on the way, once for the line (B6). What the skills'
// own texts lack is told where they are read.
func (f *follower) warnings(line int, id skill.ID, warnings []Warning) {
	var skipped []string
	for _, w := range warnings {
		switch w.Code {
		case WarnFrontmatter, WarnChanged, WarnShortened: // a row's own text, and drift, tell what of that is in the block
		case WarnSkipped:
			skipped = append(skipped, w.Message)
		default:
			f.note(Note{Line: line, ID: id, Code: w.Code, Message: w.Message})
		}
	}
	if len(skipped) == 0 {
		return
	}
	message := skipped[0]
	if more := len(skipped) - 1; more > 0 {
		message = fmt.Sprintf("%s (and %d more)", message, more)
	}
	f.note(Note{Line: line, ID: id, Code: WarnSkipped, Message: message})
}

// failed says why line brings nothing (B6).
func (f *follower) failed(line int, id skill.ID, err error) {
	n := Note{Line: line, ID: id, Code: NoteFailed, Message: err.Error()}
	for _, known := range []struct {
		err  error
		code string
	}{
		{ErrTooLarge, NoteTooLarge}, {ErrNotFound, NoteNotFound}, {ErrNoAccess, NoteNoAccess},
		{ErrNotConfigured, NoteNotConfigured}, {ErrUnreachable, NoteUnreachable}, {errUncached, WarnUncached},
	} {
		if errors.Is(err, known.err) {
			n.Code = known.code
			break
		}
	}
	f.note(n)
}
