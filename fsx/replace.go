package fsx

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"github.com/go-git/go-billy/v5"
)

// ReplaceOptions tell [Replace] what it cannot know about the tree. The zero value is good for trees without a commit
// file.
type ReplaceOptions struct {
	// Commit is the name of the file whose appearance makes a directory count, at any depth ("SKILL.md"). It matters
	// where directories cannot be renamed: these files are removed first and written last. "" for none.
	Commit string
}

// Replace makes dest the tree staged, whole, or leaves it as it was (S8). Both are directories of one file system,
// staged beside dest as [Stage] made it; dest may be missing, in which case its parents are created. After success
// staged is gone; after an error it is the caller's to remove. Callers that may meet at one dest take a lock first.
//
// There are three ways, and the first that the file system allows is taken:
//
//   - In one step. A dest that is missing is made by a single rename; one that exists is exchanged with staged
//     ([Exchanger]: [OS] on Linux and macOS). A reader sees the old tree or the new one, and there is nothing to undo
//     after a crash.
//   - By two renames, where directories can be renamed: dest away, staged in. In between a reader sees no dest.
//   - File by file, elsewhere: the old files are copied aside, the commit files are removed, then the other files are
//     written and the superfluous removed, then the commit files are written. Each file is replaced in one
//     step. A reader sees a directory with a commit file only when everything else in it is complete, and in
//     between sees directories without one.
//
// An error on the way is undone before Replace returns. A crash, or an error that cannot be undone, leaves a journal
// beside dest, and [Recover] or [Sweep] puts the old tree back from it. Old trees are removed at the end; when that
// fails they stay under a temporary name until the next Sweep, which is no failure of Replace.
func Replace(fsys billy.Filesystem, staged, dest string, opt ReplaceOptions) error {
	if err := replace(fsys, staged, dest, opt); err != nil {
		return fmt.Errorf("replace %q: %w", dest, err)
	}
	return nil
}

func replace(fsys billy.Filesystem, staged, dest string, opt ReplaceOptions) error {
	if err := errors.Join(CheckPath(staged), CheckPath(dest)); err != nil {
		return err
	}
	staged, info, err := resolvePath(fsys, staged, false)
	if err != nil {
		return err
	}
	if info == nil {
		return pathError("stat", staged, fs.ErrNotExist)
	}
	dest, old, err := resolvePath(fsys, dest, false)
	if err != nil {
		return err
	}
	if !info.IsDir() || old != nil && !old.IsDir() {
		return ErrNotDir // a link too: it is the user's own
	}
	if _, err := makeDir(fsys, parent(dest)); err != nil {
		return err
	}
	err = swap{fs: fsys, staged: staged, dest: dest, commit: opt.Commit}.run(old != nil)
	if err == nil {
		_ = RemoveAll(fsys, staged) // exchanged or copied, what stands there is of no use any more
	}
	return err
}

// swap is one Replace with its names free of links.
type swap struct {
	fs           billy.Filesystem
	staged, dest string
	commit       string
}

func (s swap) run(exists bool) error {
	renames := traitsOf(s.fs).renamesDirs
	if renames && !exists {
		err := s.fs.Rename(s.staged, s.dest)
		if !cannotMove(err) {
			return err
		}
		return s.byFile(exists)
	}
	if x, ok := s.fs.(Exchanger); ok && exists {
		if err := x.Exchange(s.staged, s.dest); !errors.Is(err, errors.ErrUnsupported) {
			return err
		}
	}
	if renames {
		err := s.byRename()
		if !cannotMove(err) {
			return err
		}
	}
	return s.byFile(exists)
}

// cannotMove reports whether a directory refused to be renamed because of where it is stored: overlay file systems say
// so for directories of a lower layer.
func cannotMove(err error) bool { return errors.Is(err, syscall.EXDEV) }

// byRename moves dest away and staged in. The journal says, from before the first rename until after the second,
// that an old tree without a dest beside it is to be put back.
func (s swap) byRename() error {
	j := journal{Way: wayRename, Dest: s.dest, Old: join(parent(s.dest), tempName(kindOld)), Staged: s.staged}
	if err := j.write(s.fs); err != nil {
		return err
	}
	if err := s.fs.Rename(s.dest, j.Old); err != nil {
		_ = j.remove(s.fs)
		return err
	}
	if err := s.fs.Rename(s.staged, s.dest); err != nil {
		return errors.Join(err, j.undo(s.fs))
	}
	_ = j.remove(s.fs) // with a dest in place it asks for nothing
	_ = RemoveAll(s.fs, j.Old)
	return nil
}

// byFile copies. The journal says, from when the copy of the old tree is complete until the new one is, that the old
// one is to be put back; removing it is the moment the new tree counts.
func (s swap) byFile(exists bool) error {
	j := journal{Way: wayFiles, Dest: s.dest, Commit: s.commit}
	if exists {
		j.Old = join(parent(s.dest), tempName(kindOld))
		if err := mirror(s.fs, s.dest, j.Old, s.commit); err != nil {
			_ = RemoveAll(s.fs, j.Old)
			return err
		}
	}
	if err := j.write(s.fs); err != nil {
		if j.Old != "" {
			_ = RemoveAll(s.fs, j.Old)
		}
		return err
	}
	err := mirror(s.fs, s.staged, s.dest, s.commit)
	if err == nil {
		err = j.remove(s.fs)
	}
	if err != nil {
		return errors.Join(err, j.undo(s.fs))
	}
	if j.Old != "" {
		_ = RemoveAll(s.fs, j.Old)
	}
	return nil
}

// Recover undoes an interrupted [Replace] of name or of a directory above it: the old tree stands at its place again,
// or the new one if it was complete. It looks for one file in each directory on the way and does nothing when there
// is none. It writes, so it belongs under the lock that Replace is called under.
func Recover(fsys billy.Filesystem, name string) error {
	if err := CheckPath(name); err != nil {
		return err
	}
	segs := split(name)
	for n := range segs {
		real, _, err := resolvePath(fsys, strings.Join(segs[:n+1], "/"), false)
		if errors.Is(err, ErrNotDir) {
			return nil
		}
		if err != nil {
			return err
		}
		journal := journalName(real)
		if _, err := fsys.Lstat(journal); isNotExist(err) {
			continue
		}
		if err := recoverJournal(fsys, journal); err != nil {
			return err
		}
	}
	return nil
}
