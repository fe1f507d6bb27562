package fsx

import (
	"errors"
	"os"

	"github.com/go-git/go-billy/v5"
)

// RemoveAll removes name and everything below it. Nothing there is no error, nor is it when others remove at the same
// time. Links in the way to name follow the policy of [Resolve]; name itself and what is below it is removed as a
// link, never through it. BoundOS would do that, so a link at name is a [*LinkError] there.
func RemoveAll(fsys billy.Filesystem, name string) error {
	if err := CheckPath(name); err != nil {
		return err
	}
	real, info, err := resolvePath(fsys, name, false)
	if errors.Is(err, ErrNotDir) { // nothing stands below a file
		return nil
	}
	if err != nil || info == nil {
		return err
	}
	r := remover{fs: fsys, keepsLinks: traitsOf(fsys).keepsLinks}
	if all, ok := fsys.(interface{ RemoveAll(string) error }); ok && info.IsDir() && trusted(fsys) {
		return pathError("remove", name, all.RemoveAll(real))
	}
	return r.remove(real, info)
}

// trusted reports whether fsys has a RemoveAll that is known not to go through links below the name.
func trusted(fsys billy.Filesystem) bool {
	_, wrapped := fsys.(Unwrapper)
	return !wrapped && traitsOf(fsys).renamesDirs
}

type remover struct {
	fs         billy.Filesystem
	keepsLinks bool
}

// remove goes on after an error, so that as much as possible is gone, and returns the first.
func (r remover) remove(name string, info os.FileInfo) error {
	var first error
	switch {
	case info.Mode()&os.ModeSymlink != 0 && r.keepsLinks:
		target, _ := r.fs.Readlink(name)
		return &LinkError{Name: name, Target: target, Err: ErrLink}
	case info.IsDir():
		infos, err := readDir(r.fs, name)
		if isNotExist(err) {
			return nil
		}
		first = err
		for _, child := range infos {
			if err := r.remove(join(name, child.Name()), child); first == nil {
				first = err
			}
		}
		if first != nil {
			return first
		}
	}
	if err := r.fs.Remove(name); err != nil && !isNotExist(err) {
		return pathError("remove", name, err)
	}
	return nil
}

// Prune removes dir and then its parents as long as they are empty, and stops below stop, which must contain dir
// and is kept; "" is the root. Directories that hold anything stay, without error.
func Prune(fsys billy.Filesystem, dir, stop string) error {
	if err := errors.Join(CheckPath(dir), checkDir(stop)); err != nil {
		return err
	}
	for depth := len(split(dir)); depth > len(split(stop)); depth-- {
		real, info, err := resolvePath(fsys, dir, false)
		if err != nil {
			return err
		}
		if info != nil {
			if !info.IsDir() {
				return nil
			}
			infos, err := readDir(fsys, real)
			if err != nil && !isNotExist(err) || len(infos) > 0 {
				return err
			}
			if err := fsys.Remove(real); err != nil && !isNotExist(err) {
				return pathError("remove", dir, err)
			}
		}
		dir = parent(dir)
	}
	return nil
}
