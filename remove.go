package atskills

import (
	"context"
	"errors"
	"fmt"
	"path"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/skill"
)

// RemoveOptions change one call of [Remove]. The zero value is the careful one.
type RemoveOptions struct {
	// Force removes also what is edited, what cannot be compared, and the project's own work. Upstream is not asked.
	Force bool
	// Lines deletes also the lines of .autotrigger that name the folder or follow its id. No other byte of the file
	// changes, and two calls that edit it at once take turns.
	Lines bool
}

// Removed is what [Remove] did. It is the caller's to keep.
type Removed struct {
	ID       skill.ID
	Dir      string // the folder, as the host's file system spells it
	Origin   *Stamp // what the copy was of, nil for the project's own work
	Files    []string
	Absorbed []skill.ID // copies with stamps of their own that stood below it, and are gone with it
	// Lines are the lines of .autotrigger, counted from 1, that named the folder or followed its id: deleted when
	// [RemoveOptions.Lines] asked for that, and still there otherwise.
	Lines []int
	// Git says what the project's git repository still holds of Files. Nil means that nothing is known: the project's root
	// is not the root of a repository, or its index cannot be read.
	Git *GitKeeps
}

// Remove deletes the project's folder for ref, a saved copy or the project's own, and the folders above it that hold
// nothing else (S11). An unedited copy goes without asking back, as it can be saved again; comparing it takes one listing
// of upstream for each revision that its stamps record. All else needs [RemoveOptions.Force].
//
// The folder goes in one step, as it comes in [Save]; an edit made meanwhile keeps it in place.
//
// Errors: [*skill.SyntaxError], [*NotFoundError] when there is no such folder, [*ConflictError] for a copy that is edited
// or cannot be compared, [ErrOwnWork] for content without a stamp. Nothing was touched then. When the folder is gone and
// its lines could not be deleted, the result comes with the error.
func Remove(ctx context.Context, env Env, ref string, opts RemoveOptions) (*Removed, error) {
	parsed, err := skill.ParseRef(ref)
	if err != nil {
		return nil, err
	}
	p, err := newProject(env)
	if err != nil {
		return nil, fmt.Errorf("remove %s: %w", parsed.ID.Reference(), err)
	}
	for try := 1; ; try++ {
		removed, err := p.remove(ctx, parsed, opts)
		if errors.Is(err, errChanged) && try < maxSaveTries {
			continue
		}
		var conflict *ConflictError
		var miss *NotFoundError
		if err != nil && !errors.As(err, &conflict) && !errors.As(err, &miss) {
			err = fmt.Errorf("remove %s: %w", parsed.ID.Reference(), err)
		}
		return removed, err
	}
}

func (p project) remove(ctx context.Context, ref skill.Ref, opts RemoveOptions) (*Removed, error) {
	if err := p.tidy(ctx, Dir+"/"+ref.ID.DiskPath()); err != nil {
		return nil, err
	}
	at, err := p.find(ctx, ref)
	if err != nil {
		return nil, err
	}
	units, unowned := at.units()
	if !opts.Force {
		if err := p.mayRemove(ctx, at, units, unowned); err != nil {
			return nil, p.settled(ctx, at, err)
		}
	}
	removed := &Removed{ID: at.id, Dir: hostPath(p.fs, at.dir), Git: p.gitKeeps(at)}
	for _, f := range at.files {
		if path.Base(f.path) != SourceFile {
			removed.Files = append(removed.Files, f.path)
		}
	}
	for _, u := range units {
		if u.at == "" {
			removed.Origin = &u.stamp
		} else if u.stamp.Problem == "" {
			removed.Absorbed = append(removed.Absorbed, u.stamp.ID)
		}
	}
	if err := p.takeAway(ctx, at); err != nil {
		return nil, err
	}
	lines, _, err := p.readTriggers()
	removed.Lines = numbers(lines, indexesOf(lines, at.id, meant)) // a file that cannot be read has none; whoever loads it reports that
	if opts.Lines && len(removed.Lines) > 0 {
		removed.Lines, err = p.dropLines(ctx, at.id)
	}
	if opts.Lines && err != nil {
		return removed, fmt.Errorf("the folder is gone, its lines in %s are not: %w", triggerPath, err)
	}
	return removed, nil
}

// mayRemove refuses what nobody could bring back.
func (p project) mayRemove(ctx context.Context, at *place, units []copyUnit, unowned []copied) error {
	if err := at.ownWork(units); err != nil {
		return err
	}
	if at.empty() {
		return nil
	}
	verdicts, err := p.verify(ctx, at, units)
	if err != nil {
		return err
	}
	err = at.conflict("remove", verdicts, unowned)
	var conflict *ConflictError
	if errors.As(err, &conflict) && conflict.modesAlone() && !p.holdsModes(at) {
		return nil
	}
	return err
}

// takeAway puts an empty folder in the place of at, which is one step, and then removes that.
func (p project) takeAway(ctx context.Context, at *place) error {
	unlock, err := p.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if at.other != "" {
		return fsx.RemoveAll(p.fs, at.real)
	}
	if err := fsx.Recover(p.fs, at.dir); err != nil {
		return err
	}
	staged, err := fsx.Stage(p.fs, at.dir)
	if err != nil {
		return err
	}
	if err := p.swap(ctx, at, staged); err != nil {
		if !errors.Is(err, errStuck) {
			p.giveUp(at, staged)
		}
		return err
	}
	return fsx.Prune(p.fs, at.dir, Dir)
}
