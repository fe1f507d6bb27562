package atskills

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/go-git/go-billy/v5"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

// Saved is what [Save] did. It is the caller's to keep.
type Saved struct {
	ID       skill.ID
	State    SaveState
	Kind     Kind
	Source   Source
	Served   Served // how the content was reached; ServedStale when upstream did not confirm it
	Revision transport.Revision

	// Dir is the folder and Path the SKILL.md (for a menu: the folder), as the host's file system spells them.
	// Nothing of a playlist stands at its own path: both are "".
	Dir, Path string

	Skills int // how many skills the copy holds, or the copies of all rows together
	Files  int // how many files, the stamps not counted
	// Executables are the files that carry the executable bit, slash-separated paths relative to Dir in byte order (S10).
	Executables []string
	// Absorbed are the copies with stamps of their own that stood below Dir and are part of this one now (S6).
	Absorbed []skill.ID
	// Set has a playlist's rows in the list's order, those that failed too: see [Saved.Err]. It is nil for anything else.
	Set []SetItem

	ReviewURL string // the page where a person reviews a gh: id at Revision, "" otherwise
	Warnings  []Warning
}

// SaveState says what a save changed.
type SaveState string

// The states.
const (
	SavedNew       SaveState = "new"       // nothing stood there
	SavedReplaced  SaveState = "replaced"  // an unedited copy stood there (S3)
	SavedUnchanged SaveState = "unchanged" // an unedited copy of this very revision stands there; nothing was written
	SavedSet       SaveState = "set"       // a playlist: what became of each row is in Set (S12)
)

// The codes of warnings that saving adds.
const (
	WarnTrigger  = "trigger"  // .autotrigger still follows the id, or the playlist, that copies answer now (S10)
	WarnPortable = "portable" // names that other systems cannot hold
	WarnShadowed = "shadowed" // a copy stands at a playlist's own path, and answers for it
)

// maxSaveTries bounds how often a call starts again because somebody else wrote. Whoever wrote got on with it, so that
// only a crowd can keep one waiting.
const maxSaveTries = 16

// Save copies what ref addresses into the project, to .atskills/ and the id's own path, with a stamp that says where it
// came from (S1). From then on the copy answers for the id, and it is the project's: edit it freely.
//
// Where a copy stands already it is replaced by what upstream has now, but only when it is unedited: equal, file for
// file and byte for byte, to upstream at the revision its stamp records (S3, S4). An unedited copy of the present
// revision is left alone, which costs one probe when the cache holds it, else a listing more. A collection takes over
// the unedited copies saved below it (S6). A copy below a saved collection is compared with that collection's revision,
// and gets a stamp of its own that speaks for it from then on (S7).
//
// Content comes through the cache, at HEAD. While upstream does not answer, a cached copy is saved with the revision it
// has and a warning, but not one that is damaged, and never over another copy. Links, submodules and files called
// .source never land; warnings name them.
//
// A playlist is saved as a set: each row at its own id's path, one after the other, as if it had been named by itself
// (S12). Nothing stands at the playlist's own path. A row that fails touches no other and is no error of the call:
// [Saved.Set] has what became of each, and [Saved.Err] the failures. Rows of one repository share a probe and, where
// nothing stands yet, a listing. A row that is a playlist itself is not followed. A trigger line that takes the whole list
// stays as it is, since it also brings what the list gains; when copies answer every row, a warning says so (S10). The cap
// holds for each row, as it does for the list: copies cost no prompt until a line loads them, which has a cap of its own (R5).
// Of rows that overlap, a collection takes over the copy below it, and that gets a stamp of its own again: a list of both is
// written anew each time, to the same files.
//
// The copy is complete before it takes its place, in one step where the file system can; a failed or interrupted save
// leaves what stood there before, or the new copy whole (S8). Calls may run at once, in any number of goroutines and
// processes. An edit made while a save runs is found when the old copy is moved away, and the copy is put back; on a
// file system that cannot move folders (memfs) the last look is just before the first file is replaced.
//
// Errors: [*ConflictError] for a copy that is edited or cannot be compared; [ErrOwnWork] for content without a stamp,
// and for a bare path, which is the project's own already; [*NamesError] for names the file system cannot hold;
// everything [Resolve] returns for an id that cannot be read; and what the file system says. Nothing was touched then.
func Save(ctx context.Context, env Env, ref string) (*Saved, error) {
	parsed, err := skill.ParseRef(ref)
	if err != nil {
		return nil, err
	}
	if parsed.ID.Scheme() == skill.Local {
		return nil, fmt.Errorf("save %s: %w already: %s", parsed.ID.Reference(), ErrOwnWork, cloudForms(parsed.ID, false, false))
	}
	s, err := newSave(env, parsed)
	if err != nil {
		return nil, fmt.Errorf("save %s: %w", parsed.ID.Reference(), err)
	}
	took := env.timer()
	saved, err := s.run(ctx)
	env.savedEvent(ctx, parsed.ID, saved, took(), err)
	return saved, err
}

// save is one call.
type save struct {
	project
	ref   skill.Ref
	id    skill.ID
	cache *cache
	page  func(skill.ID, transport.Revision) string // where a person reviews it

	failed  map[skill.ID]error // origins whose probe failed: one call asks none of them twice
	refused error              // what upstream said to the id in this call already
	listed  bool               // it is a row of a playlist
}

func newSave(env Env, ref skill.Ref) (*save, error) {
	if err := env.check(); err != nil {
		return nil, err
	}
	page := env.reviewURL // a wrapper may know less than the transport itself
	if env.Transport != nil {
		env.Transport = transport.Memo(env.Transport) // every try, and the cache, go by one probe (C11)
	}
	p, err := newProject(env)
	if err != nil {
		return nil, err
	}
	return &save{project: p, ref: ref, id: ref.ID, cache: newCache(env), page: page, failed: make(map[skill.ID]error)}, nil
}

// run saves, as often as somebody else wrote meanwhile.
func (s *save) run(ctx context.Context) (*Saved, error) {
	for try := 1; ; try++ {
		saved, err := s.try(ctx)
		if errors.Is(err, errChanged) && try < maxSaveTries {
			continue
		}
		if err != nil {
			return nil, s.explain(ctx, err)
		}
		return saved, nil
	}
}

// head probes id's origin. A failure is remembered, as the transport's memory does for answers.
func (s *save) head(ctx context.Context, id skill.ID) (transport.Head, error) {
	origin := id.Origin()
	if err, ok := s.failed[origin]; ok {
		return transport.Head{}, err
	}
	head, err := s.cache.probe(ctx, id)
	if err != nil && ctx.Err() == nil {
		s.failed[origin] = err
	}
	return head, err
}

// explain gives err the verb and the input, unless it has them.
func (s *save) explain(ctx context.Context, err error) error {
	var conflict *ConflictError
	var names *NamesError
	switch {
	case errors.As(err, &conflict) || errors.As(err, &names):
		return err
	case errors.Is(err, errChanged):
		err = fmt.Errorf("others wrote at the same time, %d times in a row: %w", maxSaveTries, err)
	}
	return fmt.Errorf("save %s: %w", s.id.Reference(), s.cache.onBranch(ctx, s.ref, err))
}

// try saves once; errChanged says that somebody wrote meanwhile.
func (s *save) try(ctx context.Context) (*Saved, error) {
	dir := Dir + "/" + s.id.DiskPath()
	if err := s.tidy(ctx, dir); err != nil {
		return nil, err
	}
	at, err := s.look(ctx, s.id)
	if err != nil {
		return nil, err
	}
	units, unowned := at.units()
	if err := at.ownWork(units); err != nil {
		return nil, s.settled(ctx, at, err)
	}
	head, headErr := s.head(ctx, s.id)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if len(units) > 0 && !at.empty() {
		current, err := s.check(ctx, at, units, unowned, head, headErr)
		if err != nil {
			return nil, s.settled(ctx, at, err)
		}
		if current {
			return s.unchanged(ctx, at, head)
		}
	}
	a, err := s.content(ctx, at, headErr)
	switch {
	case err != nil:
		return nil, err
	case a.playlist && s.listed:
		return nil, errNested
	case a.playlist:
		return s.set(ctx, at, a), nil
	}
	return s.land(ctx, at, a)
}

// ownWork refuses what stands at the place when no stamp covers it (S3).
func (at *place) ownWork(units []copyUnit) error {
	switch {
	case at.other != "":
		return fmt.Errorf("%s is a %s and %w; it was not touched", oneLine(at.dir), at.other, ErrOwnWork)
	case at.empty() || len(units) > 0:
		return nil
	}
	var names []string
	for _, f := range at.files {
		names = append(names, oneLine(f.path))
	}
	return fmt.Errorf("%s holds %s without a stamp and is %w; it was not touched; move or delete it, and save again",
		oneLine(at.dir), strings.Join(firstNames(names), ", "), ErrOwnWork)
}

// check refuses to go on unless the copy is unedited (S4), and reports whether it is of the present revision already.
func (s *save) check(ctx context.Context, at *place, units []copyUnit, unowned []copied, head transport.Head, headErr error) (current bool, err error) {
	for i, u := range units {
		if u.stamp.Problem == "" && !u.own {
			units[i].stamp.Problem = fmt.Sprintf("the stamp is of %s, which belongs elsewhere", u.stamp.ID.Reference())
		}
	}
	if headErr != nil {
		var all []verdict
		for _, u := range units {
			v := verdict{copyUnit: u, reason: u.stamp.Problem}
			if v.reason == "" {
				v.reason, v.err = unverifiable(u.stamp.Revision, headErr), headErr
			}
			all = append(all, v)
		}
		return false, at.conflict("save", all, unowned)
	}
	top := units[0]
	current = len(units) == 1 && len(unowned) == 0 && top.at == "" && top.sub == "" && top.stamp.Problem == "" &&
		top.stamp.Revision == head.Revision
	if current && s.equalsCache(ctx, top, head.Revision) {
		return true, nil
	}
	verdicts, err := s.verify(ctx, at, units)
	if err != nil {
		return false, err
	}
	err = at.conflict("save", verdicts, unowned)
	var conflict *ConflictError
	if errors.As(err, &conflict) && conflict.modesAlone() && !s.holdsModes(at) {
		return current, nil
	}
	return current, err
}

// modesAlone reports whether nothing but executable bits differs.
func (e *ConflictError) modesAlone() bool {
	return e.Err == nil && len(e.Files) > 0 && !slices.ContainsFunc(e.Files, func(f FileChange) bool { return f.Change != Mode })
}

// equalsCache reports whether u holds what the cache has at rev, which a probe has just confirmed. It saves the listing
// when nothing is going to be replaced anyway.
func (s *save) equalsCache(ctx context.Context, u copyUnit, rev transport.Revision) bool {
	if _, ok := s.cache.confirmed(ctx, s.id, rev); !ok {
		return false
	}
	files, _, err := scan(ctx, s.cache.fs, s.id.DiskPath())
	if err != nil {
		return false
	}
	files = slices.DeleteFunc(files, func(f copied) bool { return path.Base(f.path) == SourceFile })
	modes := keepsModes(u.files) && keepsModes(files)
	return slices.EqualFunc(files, u.files, func(a, b copied) bool {
		return a.path == b.path && a.regular && b.regular && a.sha256 == b.sha256 && (!modes || a.executable == b.executable)
	})
}

// content reads s.id through the cache. What upstream does not confirm never takes the place of another copy.
func (s *save) content(ctx context.Context, at *place, headErr error) (answer, error) {
	if s.refused != nil {
		return answer{}, s.refused
	}
	var a answer
	if headErr != nil {
		a = s.cache.fallback(ctx, s.id, headErr)
	} else {
		s.cache.spare = at.bodies(s.fs)
		a = s.cache.serve(ctx, []skill.ID{s.id})[s.id]
	}
	if a.err == nil && a.inMemory { // the cache cannot be used: one of this call's own holds what is copied
		env := s.env
		env.Cache = nil
		s.cache = newCache(env)
		s.cache.spare = at.bodies(s.fs)
		if !a.playlist {
			broken := a.warnings
			a = s.cache.serve(ctx, []skill.ID{s.id})[s.id]
			a.warnings = append(a.warnings, broken...)
		}
	}
	switch {
	case a.err != nil:
		return a, a.err
	case a.unread != nil:
		return a, a.unread
	case a.served == ServedStale && !at.empty():
		return a, fmt.Errorf("%s stays as it is: %w", oneLine(at.dir), a.cause)
	case a.served == ServedStale && slices.ContainsFunc(a.warnings, func(w Warning) bool { return w.Code == WarnDamaged }):
		return a, errors.Join(errDamaged, a.cause)
	}
	return a, nil
}

// bodies returns a look-up of the place's files by their digest, for bodies that need not move again (C10).
func (at *place) bodies(fsys billy.Filesystem) func(transport.Entry) ([]byte, bool) {
	byHash := make(map[string]copied)
	for _, f := range at.files {
		if f.regular {
			byHash[f.git], byHash[f.sha256] = f, f
		}
	}
	return func(e transport.Entry) ([]byte, bool) {
		f, ok := byHash[e.Hash]
		if !ok || e.Hash == "" {
			return nil, false
		}
		body, err := fsx.ReadFile(fsys, path.Join(at.real, f.path), f.size)
		return body, err == nil && e.Matches(body)
	}
}
