package atskills

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode/utf16"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/internal/trigger"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

// bundle is what a save takes from the cache.
type bundle struct {
	entry   entry
	files   []file // relative to the id
	skipped []string
}

// bundle lists what the cache holds of s.id, as a tells of it. errChanged says that it holds something else by now.
func (s *save) bundle(ctx context.Context, a answer) (bundle, error) {
	e, err := s.cache.lookup(s.id)
	if err != nil || e.pending || e.meta.Revision != a.meta.Revision {
		return bundle{}, errors.Join(errChanged, ctx.Err())
	}
	f, err := readFolder(ctx, s.cache.view, s.id.DiskPath())
	if err != nil {
		return bundle{}, errors.Join(errChanged, ctx.Err())
	}
	if err := checkCap(s.id, f.skills, 0); err != nil {
		return bundle{}, err
	}
	if !e.intact(f) {
		return bundle{}, s.damaged(e, a.served)
	}
	b := bundle{entry: e}
	for _, dir := range f.skills {
		for _, fl := range f.bundles[dir] {
			fl.path = path.Join(dir, fl.path)
			if path.Base(fl.path) == SourceFile { // a stamp is written by a save and never comes from upstream (S1, S2)
				b.skipped = append(b.skipped, fl.path)
				continue
			}
			b.files = append(b.files, fl)
		}
	}
	return b, nil
}

// damaged is why e cannot be copied. One that upstream can heal is forgotten, so that the next try fetches it.
func (s *save) damaged(e entry, served Served) error {
	if served == ServedStale {
		return errDamaged
	}
	_ = s.cache.fs.Remove(metaPath(e.meta.ID)) // an entry may vanish at any time (C8)
	return errChanged
}

// land copies what a tells of into the project, in place of at.
func (s *save) land(ctx context.Context, at *place, a answer) (*Saved, error) {
	b, err := s.bundle(ctx, a)
	if err != nil {
		return nil, err
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := fsx.Recover(s.fs, at.dir); err != nil {
		return nil, err
	}
	staged, err := fsx.Stage(s.fs, at.dir)
	if err != nil {
		return nil, err
	}
	names, err := s.stage(ctx, staged, at, b)
	if err == nil {
		err = s.swap(ctx, at, staged)
	}
	if err != nil {
		if !errors.Is(err, errStuck) {
			s.giveUp(at, staged)
		}
		return nil, err
	}
	saved := s.result(at, a.meta.Revision, b.files)
	saved.State, saved.Served, saved.Source = SavedReplaced, a.served, source(a, s.id)
	if at.empty() {
		saved.State = SavedNew
	}
	units, _ := at.units()
	for _, u := range units {
		if u.at != "" {
			id, err := at.id.Join(u.at)
			if err == nil {
				saved.Absorbed = append(saved.Absorbed, id)
			}
		}
	}
	for _, name := range b.skipped {
		a.warn(WarnSkipped, "%s did not land: a stamp never comes from upstream", oneLine(s.id.String()+"/"+name))
	}
	saved.Warnings = append(saved.Warnings, a.warnings...)
	saved.Warnings = append(saved.Warnings, a.meta.skippedWarnings(s.id)...)
	saved.Warnings = append(saved.Warnings, branchWarning(s.ref, a)...)
	saved.Warnings = append(saved.Warnings, names...)
	return saved, nil
}

// stage fills the staging folder, after a look at the names that are to stand in it.
func (s *save) stage(ctx context.Context, staged string, at *place, b bundle) ([]Warning, error) {
	paths := make([]string, len(b.files))
	for i, f := range b.files {
		paths[i] = f.path
	}
	host := len(utf16.Encode([]rune(hostPath(s.fs, at.dir))))
	names, err := checkNames(at.dir, host, paths).judge(s.id, s.fs, staged, onWindows())
	if err != nil {
		return nil, err
	}
	for _, f := range b.files {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		body, err := s.cache.view.ReadFile(path.Join(s.id.DiskPath(), f.path), f.size)
		if err != nil || int64(len(body)) != f.size {
			return nil, errChanged
		}
		if _, err := fsx.CopyFrom(s.fs, path.Join(staged, f.path), bytes.NewReader(body), f.perm(), f.size); err != nil {
			return nil, err
		}
	}
	if now, err := s.cache.lookup(s.id); err != nil || now.pending || !bytes.Equal(now.raw, b.entry.raw) {
		return nil, errChanged
	}
	stamp := stampText(s.id, b.entry.meta.Revision, s.env.now())
	_, err = fsx.CopyFrom(s.fs, path.Join(staged, SourceFile), strings.NewReader(stamp), perm(transport.Regular), maxStamp)
	return names, err
}

// giveUp removes what was staged, and the folders that were made for it.
func (p project) giveUp(at *place, staged string) {
	_ = fsx.RemoveAll(p.fs, staged) // what this cannot do, the next save does
	if parent := path.Dir(at.dir); !at.exists && parent != Dir {
		_ = fsx.Prune(p.fs, parent, Dir)
	}
}

// unchanged reports the copy at the place, which is of head already.
func (s *save) unchanged(ctx context.Context, at *place, head transport.Head) (*Saved, error) {
	var files []file
	for _, f := range at.files {
		if path.Base(f.path) != SourceFile {
			files = append(files, file{f.path, f.size, f.executable})
		}
	}
	a := answer{served: ServedCached, meta: meta{ID: s.id, Revision: head.Revision, extra: extra{Branch: head.Branch}}}
	if head.Moved != "" {
		a.warn(WarnMoved, "the repository answers at %s now", head.Moved)
	}
	saved := s.result(at, head.Revision, files)
	saved.State, saved.Served, saved.Source = SavedUnchanged, a.served, source(a, s.id)
	saved.Warnings = append(saved.Warnings, a.warnings...)
	saved.Warnings = append(saved.Warnings, branchWarning(s.ref, a)...)
	return saved, ctx.Err()
}

// result describes the copy that consists of files.
func (s *save) result(at *place, rev transport.Revision, files []file) *Saved {
	saved := &Saved{
		ID: s.id, Revision: rev, Kind: Menu, Files: len(files),
		Dir: hostPath(s.fs, at.dir), ReviewURL: s.page(s.id, rev),
	}
	paths := make([]string, len(files))
	for i, f := range files {
		paths[i] = f.path
		if f.executable {
			saved.Executables = append(saved.Executables, f.path)
		}
	}
	dirs, _ := skill.Leaves(paths)
	saved.Skills, saved.Path = len(dirs), saved.Dir
	if len(dirs) > 0 && dirs[0] == "" {
		saved.Kind, saved.Path = Skill, s.fs.Join(saved.Dir, SkillFile)
	}
	lines, _, _ := s.readTriggers() // a file that cannot be read follows nothing; whoever loads it reports that
	for _, line := range numbers(lines, indexesOf(lines, s.id, follows)) {
		text := fmt.Sprintf("%s/%s line %d follows %s upstream, and the copy answers it now", Dir, TriggerFile, line, s.id.Reference())
		if plain, err := trigger.Literal(s.id.DiskPath(), saved.Kind == Menu, false); err == nil {
			text += ": write " + quoteLine(plain) + " instead"
		}
		saved.Warnings = append(saved.Warnings, Warning{WarnTrigger, text})
	}
	return saved
}
