package fsx

import (
	"path/filepath"
	"runtime"
	"strings"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/helper/chroot"
	"github.com/go-git/go-billy/v5/memfs"
)

// Exchanger is the ability to swap two names in one step that no reader can observe half done. An error that matches
// [errors.ErrUnsupported] means that nothing happened and another way must be taken.
type Exchanger interface {
	Exchange(a, b string) error
}

// DirRenamer is how a file system of a host's own says that its Rename moves a whole directory in one step. Nobody
// else is trusted to: memfs loses entries when it is asked to.
type DirRenamer interface {
	RenamesDirs() bool
}

// Unwrapper is implemented by file systems that add behaviour to another one and leave names, links and roots as they
// are, so that this package recognises what stands below.
type Unwrapper interface {
	Unwrap() billy.Filesystem
}

// traits are the facts about a file system that billy has no call for.
type traits struct {
	renamesDirs bool // Rename moves a directory whole
	concurrent  bool // calls from several goroutines are safe
	rooted      bool // Readlink spells absolute targets from the file system's root
	keepsLinks  bool // Remove of a link removes its target instead
	memory      bool // it is memfs
	root        string
}

func traitsOf(fsys billy.Basic) traits {
	var t traits
	if c, ok := fsys.(billy.Chroot); ok {
		t.root = c.Root()
	}
	for {
		switch f := fsys.(type) {
		case *osFS:
			t.renamesDirs, t.concurrent = true, true
			return t
		case *lockedFS:
			t.concurrent = true
			fsys = f.fs
		case *chroot.ChrootHelper:
			t.rooted = true
			fsys = f.Underlying()
		case *memfs.Memory:
			t.memory = true
			return t
		case DirRenamer:
			t.renamesDirs = f.RenamesDirs()
			return t
		case Unwrapper:
			fsys = f.Unwrap()
		case interface{ Underlying() billy.Basic }:
			fsys = f.Underlying()
		default:
			osTraits(fsys, &t)
			return t
		}
	}
}

// cutRoot returns the part of target, an absolute path of the machine, that lies below root.
func cutRoot(root, target string) (string, bool) {
	if !filepath.IsAbs(root) {
		return "", false
	}
	root = strings.TrimSuffix(filepath.Clean(root), string(filepath.Separator))
	if len(target) < len(root) || !sameName(target[:len(root)], root) {
		return "", false
	}
	rest := filepath.ToSlash(target[len(root):])
	if rest != "" && rest[0] != '/' {
		return "", false
	}
	return strings.TrimLeft(rest, "/"), true
}

func sameName(a, b string) bool {
	if runtime.GOOS == "windows" {
		return strings.EqualFold(filepath.ToSlash(a), filepath.ToSlash(b))
	}
	return a == b
}
