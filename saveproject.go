package atskills

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-billy/v5"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/transport"
)

// projectLock keeps those apart who replace or remove folders of one project, in any process. Its name is a temporary
// one: no walk shows it, and no reference addresses it (S9).
const projectLock = Dir + "/.atskills-grd-00000000000000000000000000000000"

// lockPoll is the pause between two looks at a lock that another holds: nobody types faster.
const lockPoll = 100 * time.Millisecond

// project is a project's tree as the verbs that change it see it.
type project struct {
	env Env
	fs  billy.Filesystem
}

// newProject puts one mutex around the project's file system: whoever holds its lock also keeps the lock fresh from a
// goroutine, and not every file system bears two.
func newProject(env Env) (project, error) {
	if env.Project == nil {
		return project{}, errNoProject
	}
	return project{env, fsx.Locked(env.Project)}, nil
}

// lock takes the project's lock. It is held over local work alone, never while upstream is asked. A holder that died is
// succeeded after a while, or a crash would lock the project for good; one that merely stood still and lost its lock
// does no harm, since it compares what it replaces at the very moment it moves it.
func (p project) lock(ctx context.Context) (unlock func(), err error) {
	release, err := fsx.Lock(ctx, p.fs, projectLock, fsx.LockOptions{Takeover: true, Poll: lockPoll})
	if err != nil {
		return nil, fmt.Errorf("lock the project: %w", err)
	}
	return func() { _ = release() }, nil // a lock that cannot be removed is taken over by the next
}

// tidy undoes what a crashed call left half done at dir or above it, and removes what it left behind (S8, S9). Without
// left-overs it only looks.
func (p project) tidy(ctx context.Context, dir string) error {
	var dirs []string
	for d := path.Dir(dir); d != "."; d = path.Dir(d) {
		infos, err := p.fs.ReadDir(d)
		if err == nil && slices.ContainsFunc(infos, func(i os.FileInfo) bool { return fsx.IsTemp(i.Name()) }) {
			dirs = append(dirs, d)
		}
	}
	return p.sweep(ctx, dirs)
}

// sweep undoes and removes what crashed calls left in each of dirs. A call at work is waited for.
func (p project) sweep(ctx context.Context, dirs []string) error {
	if len(dirs) == 0 {
		return nil
	}
	unlock, err := p.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	keep := func(i os.FileInfo) bool {
		return i.Name() == path.Base(projectLock) || fsx.IsTempFile(i.Name()) && p.editsTriggers()
	}
	var errs []error
	for _, d := range dirs {
		if err := p.settleNotes(ctx, d); err != nil {
			errs = append(errs, err)
			continue
		}
		// What cannot be removed stays under its temporary name; what cannot be undone keeps its record, and counts.
		if err := fsx.Sweep(p.fs, d, keep); err != nil && p.unfinished(d) {
			errs = append(errs, fmt.Errorf("clean up after an interrupted call: %w", err))
		}
	}
	return errors.Join(errs...)
}

// unfinished reports whether an interrupted replacement in dir still waits to be undone.
func (p project) unfinished(dir string) bool {
	d, err := fsx.NewView(p.fs, dir, false).ReadDir("")
	return err != nil || d.Unfinished
}

// settled returns err if the place is still as at shows it, else errChanged: a look that fell into another call's
// replacement may have seen a little of both, and is no reason to blame anyone.
func (p project) settled(ctx context.Context, at *place, err error) error {
	now, errNow := at.again(ctx, p.fs)
	if errors.Is(errNow, errNotExist) || errors.Is(errNow, errChanged) || errNow == nil && !now.same(at) {
		return errChanged
	}
	if d, errDir := fsx.NewView(p.fs, "", true).ReadDir(path.Dir(at.dir)); errDir == nil && d.Unfinished {
		return errChanged
	}
	return err
}

// again reads the place anew: what an interrupted call left is not undone, and shows as a difference.
func (at *place) again(ctx context.Context, fsys billy.Filesystem) (*place, error) {
	now := &place{id: at.id, dir: at.dir, real: at.real, stamps: make(map[string]Stamp)}
	err := now.read(ctx, fsys)
	if err == nil && len(now.unfinished) > 0 {
		err = errChanged
	}
	return now, err
}

// swap makes the place what staged holds, if it still is as at shows it; errChanged says that it is not. The lock is held.
func (p project) swap(ctx context.Context, at *place, staged string) error {
	now, err := at.again(ctx, p.fs)
	if err != nil {
		return err
	}
	if !now.same(at) {
		return errChanged
	}
	fresh, _, err := scan(ctx, p.fs, staged)
	if err != nil {
		return err
	}
	w := &watched{Filesystem: p.fs, dest: at.real, staged: staged, note: note{at.real, at.files, fresh}, check: func(moved string) error {
		files, _, err := scan(ctx, p.fs, moved)
		if err == nil && !slices.Equal(files, at.files) {
			err = errChanged
		}
		return err
	}}
	return fsx.Replace(w, staged, at.real, fsx.ReplaceOptions{Commit: SkillFile})
}

// holdsModes tries whether the project's file system has an executable bit (S4).
func (p project) holdsModes(at *place) bool {
	stage, err := fsx.Stage(p.fs, at.dir)
	if err != nil {
		return true
	}
	defer func() { _ = fsx.RemoveAll(p.fs, stage) }() // what this cannot do, the next save does
	for name, mode := range map[string]transport.Mode{"plain": transport.Regular, "runs": transport.Executable} {
		at := path.Join(stage, name)
		if _, err := fsx.CopyFrom(p.fs, at, strings.NewReader(""), perm(mode), 0); err != nil {
			return true
		}
		info, err := p.fs.Lstat(at)
		if err != nil {
			return true
		}
		if runs := info.Mode()&0o111 != 0; runs != (mode == transport.Executable) {
			return false
		}
	}
	return true
}
