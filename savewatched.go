package atskills

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"

	"github.com/go-git/go-billy/v5"

	"github.com/atskills-go/atskills/fsx"
)

// watched is the file system that a folder is replaced through: at the moment the old folder is moved away, where nobody
// reaches it by its name any more, check sees it at its new place. An error of check puts it back, and ends the
// replacement. So an edit made after the last look is not lost (S8).
type watched struct {
	billy.Filesystem
	dest, staged string // without links
	check        func(moved string) error
	note         note   // what stood and what is to stand at dest
	away         string // where the old folder was moved to, "" before that
	stuck        bool   // the old folder could not be put back: nothing may be removed any more
}

// errStuck says that a folder which was moved away could not be put back: nothing may be removed then.
var errStuck = errors.New("could not put the old folder back")

var (
	_ fsx.Unwrapper = (*watched)(nil)
	_ fsx.Exchanger = (*watched)(nil)
	_ billy.Chmod   = (*watched)(nil)
	_ billy.Capable = (*watched)(nil)
)

// Unwrap returns the file system below.
func (w *watched) Unwrap() billy.Filesystem { return w.Filesystem }

// Capabilities are those of the file system below.
func (w *watched) Capabilities() billy.Capability { return billy.Capabilities(w.Filesystem) }

// Chmod does nothing on a file system without modes.
func (w *watched) Chmod(name string, mode os.FileMode) error {
	if c, ok := w.Filesystem.(billy.Chmod); ok {
		return c.Chmod(name, mode)
	}
	return nil
}

// Rename checks what it moves away from dest.
func (w *watched) Rename(from, to string) error {
	err := w.Filesystem.Rename(from, to)
	switch {
	case err == nil && from == w.dest:
		w.away = to
		err := w.checked(to, func() error { return w.Filesystem.Rename(to, from) })
		if w.stuck { // perhaps somebody made the folder anew
			if err := w.rejoin(err); errors.Is(err, errChanged) {
				w.stuck = false
				return err
			}
		}
		return err
	case err != nil && to == w.dest && w.away != "":
		return w.rejoin(err)
	}
	return err
}

// rejoin is for a new folder that could not take dest, since somebody wrote there while the old one was away: what
// they wrote is an edit of the old folder, and is put into it.
func (w *watched) rejoin(cause error) error {
	if info, err := w.Filesystem.Lstat(w.dest); err != nil || !info.IsDir() {
		return cause // the replacement undoes this by itself
	}
	room, err := fsx.Stage(w.Filesystem, w.dest)
	if err != nil {
		return errors.Join(cause, err)
	}
	theirs := path.Join(room, "theirs")
	if err = w.Filesystem.Rename(w.dest, theirs); err == nil {
		err = w.Filesystem.Rename(w.away, w.dest)
	}
	if err == nil {
		err = w.takeIn(theirs, nil)
	}
	if err != nil {
		w.stuck = true
		return fmt.Errorf("%w: %q from %q and %q: %w", errStuck, w.dest, w.away, theirs, err)
	}
	_ = fsx.RemoveAll(w.Filesystem, room)
	return errChanged
}

// Exchange checks what it leaves at staged.
func (w *watched) Exchange(a, b string) error {
	x, ok := w.Filesystem.(fsx.Exchanger)
	if !ok {
		return errors.ErrUnsupported
	}
	if err := w.note.write(w.Filesystem, w.staged); err != nil {
		return err
	}
	if err := x.Exchange(a, b); err != nil {
		_ = w.note.remove(w.Filesystem, w.staged)
		return err
	}
	err := w.checked(w.staged, func() error { return x.Exchange(a, b) })
	if w.stuck {
		return err // the note stays: the old folder is under a temporary name
	}
	if err != nil {
		if lost := w.takeIn(w.staged, w.note.fresh); lost != nil { // written while the new folder stood at dest
			w.stuck = true
			return fmt.Errorf("%w: what was written meanwhile: %w", errStuck, lost)
		}
	}
	return errors.Join(err, w.note.remove(w.Filesystem, w.staged))
}

// takeIn puts into the old folder, which is back at dest, what somebody wrote to another while that stood there: the
// files of from but those that were there before.
func (w *watched) takeIn(from string, before []copied) error {
	files, _, err := scan(context.Background(), w.Filesystem, from) // no context may end this half way
	if err != nil {
		return err
	}
	for _, f := range files {
		if slices.Contains(before, f) {
			continue
		}
		to := path.Join(w.dest, f.path)
		if err := w.Filesystem.MkdirAll(path.Dir(to), 0o755); err != nil {
			return err
		}
		if err := w.Filesystem.Rename(path.Join(from, f.path), to); err != nil {
			return err
		}
	}
	return nil
}

func (w *watched) checked(moved string, back func() error) error {
	err := w.check(moved)
	if err == nil {
		return nil
	}
	for range maxReadTries {
		backErr := back()
		if backErr == nil {
			return err
		}
		err = errors.Join(err, backErr)
	}
	w.stuck = true
	return fmt.Errorf("%w: %q from %q: %v", errStuck, w.dest, moved, err) // not errChanged: nobody tries again
}

// Remove keeps the record of the replacement, from which the next call puts the old folder back.
func (w *watched) Remove(name string) error {
	if w.stuck {
		return &os.PathError{Op: "remove", Path: name, Err: os.ErrInvalid}
	}
	return w.Filesystem.Remove(name)
}
