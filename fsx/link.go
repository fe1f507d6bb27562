package fsx

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-billy/v5"
)

// Why a link is not followed (W3). They are found inside a [*LinkError].
var (
	ErrLinkEscapes = errors.New("leads outside")
	ErrLinkDangles = errors.New("leads nowhere")
	ErrLinkLoop    = errors.New("leads through too many links")
	// ErrLink says that links are not followed here at all.
	ErrLink = errors.New("links are not followed here")
)

// maxLinks bounds the links behind one name, as Linux does.
const maxLinks = 40

// LinkError says that a link was refused, and where it points. It matches one of [ErrLinkEscapes], [ErrLinkDangles],
// [ErrLinkLoop] and [ErrLink], and never [fs.ErrNotExist]: something stands at the name.
type LinkError struct {
	Name   string // the link, relative to the file system's root
	Target string // as the link spells it, "" when it could not be read
	Err    error
}

func (e *LinkError) Error() string {
	return fmt.Sprintf("link %q -> %q %v", e.Name, e.Target, e.Err)
}

// Unwrap returns the reason.
func (e *LinkError) Unwrap() error { return e.Err }

// Resolve returns the path behind all links of name, relative to the root of fsys and itself free of links: the name
// that writing calls should use, since MkdirAll, Rename and Remove of the various file systems disagree about links,
// and ChrootOS leaves its root through them. The last segments need not exist; they are kept as they are. A link
// that leaves the root, dangles or loops is a [*LinkError].
func Resolve(fsys billy.Filesystem, name string) (string, error) {
	real, _, err := resolvePath(fsys, name, true)
	return real, err
}

// resolvePath is Resolve that also tells what stands there, nil for nothing, and leaves a link at the very end alone
// unless told to follow it.
func resolvePath(fsys billy.Filesystem, name string, final bool) (real string, info os.FileInfo, err error) {
	if err := checkDir(name); err != nil {
		return "", nil, err
	}
	segs := split(name)
	if len(segs) == 0 {
		return "", nil, nil
	}
	last := len(segs) - 1
	w := newWalker(fsys, true)
	if err := w.walk(segs[:last]); err != nil {
		return "", nil, err
	}
	w.keepLink = !final
	if err := w.step(segs[last]); err != nil {
		return "", nil, err
	}
	info, err = w.stat()
	return w.name(), info, err
}

// walker goes from the root to a name one segment at a time, so that every step of a link's way is seen (W3).
type walker struct {
	fs       billy.Filesystem
	traits   traits
	follow   bool // follow links; else each is an error
	keepLink bool // stand on a link instead of following it
	view     bool // temporary names do not exist, and directories may be replaced at any time

	real    []string    // where it stands, without links
	info    os.FileInfo // what stands there; nil for a directory not looked at, and for nothing
	missing bool        // nothing stands there
	links   int         // followed so far
	link    *LinkError  // the outermost link being followed, nil outside of one
}

func newWalker(fsys billy.Filesystem, follow bool) *walker {
	return &walker{fs: fsys, traits: traitsOf(fsys), follow: follow}
}

func (w *walker) name() string { return strings.Join(w.real, "/") }

// stat returns what stands where the walker does, nil for nothing.
func (w *walker) stat() (os.FileInfo, error) {
	if w.info != nil || w.missing {
		return w.info, nil
	}
	if len(w.real) == 0 {
		info, err := w.fs.Stat("") // BoundOS has no Lstat of a root that stands below a link
		return info, pathError("stat", ".", err)
	}
	info, err := w.fs.Lstat(w.name())
	return info, pathError("stat", w.name(), err)
}

func (w *walker) walk(segs []string) error {
	for _, seg := range segs {
		if err := w.step(seg); err != nil {
			return err
		}
	}
	return nil
}

// step goes on by one segment. Below nothing there is nothing; ".." and "." occur in link targets only.
func (w *walker) step(seg string) error {
	if seg == "" || seg == "." {
		return nil
	}
	if w.info != nil && !w.info.IsDir() {
		return w.refuse(ErrLinkDangles, ErrNotDir)
	}
	if seg == ".." {
		return w.up()
	}
	w.real = append(w.real, seg)
	if w.missing {
		return nil
	}
	info, err := w.lstat(seg)
	if isNotExist(err) {
		if w.view && moved(w.fs, parent(w.name()), w.info) {
			return errMoved
		}
		w.info, w.missing = nil, true
		return w.refuse(ErrLinkDangles, nil)
	}
	if err != nil {
		return pathError("stat", w.name(), err)
	}
	if info.Mode()&os.ModeSymlink != 0 && !w.keepLink {
		return w.followLink()
	}
	w.info = info
	return nil
}

// errMoved says that a directory was replaced while it was looked into: what was seen may be the old one in the course
// of its removal, and the question must be asked again.
var errMoved = fmt.Errorf("%w: the directory is being replaced", fs.ErrNotExist)

// settle repeats fn while it returns errMoved, within reason (C7).
func settle(fn func() error) error {
	const tries = 100
	for range tries - 1 {
		if err := fn(); err != errMoved {
			return err
		}
	}
	return fn()
}

// moved reports whether something else stands at name than before, when info was taken. It is asked after a
// directory was looked into: when the same one stands there still, its removal had not begun. Numbers of files are
// used again at once, so the time counts too. File systems whose directories have no identity cannot exchange them.
func moved(fsys billy.Filesystem, name string, info os.FileInfo) bool {
	if info == nil || !os.SameFile(info, info) {
		return false
	}
	now, err := fsys.Lstat(name)
	return isNotExist(err) || err == nil && !(os.SameFile(info, now) && info.ModTime().Equal(now.ModTime()))
}

func (w *walker) up() error {
	if len(w.real) == 0 {
		return w.refuse(ErrLinkEscapes, fs.ErrInvalid)
	}
	w.real, w.info = w.real[:len(w.real)-1], nil
	return nil
}

func (w *walker) lstat(seg string) (os.FileInfo, error) {
	if w.view && IsTemp(seg) {
		return nil, fs.ErrNotExist
	}
	return w.fs.Lstat(w.name())
}

// refuse is the error of a step: inLink while a link is followed, else plain, which may be nil.
func (w *walker) refuse(inLink, plain error) error {
	if w.link != nil {
		return &LinkError{Name: w.link.Name, Target: w.link.Target, Err: inLink}
	}
	return pathError("resolve", w.name(), plain)
}

// followLink goes on from the link the walker stands on to where it leads.
func (w *walker) followLink() error {
	name := w.name()
	target, err := w.fs.Readlink(name)
	outer := w.link
	if outer == nil {
		w.link = &LinkError{Name: name, Target: target}
	}
	w.links++
	switch {
	case !w.follow:
		return w.refuse(ErrLink, nil)
	case err != nil:
		return pathError("readlink", name, err)
	case w.links > maxLinks:
		return w.refuse(ErrLinkLoop, nil)
	}
	w.real, w.info = w.real[:len(w.real)-1], nil
	if isAbs(target) {
		rest, ok := w.below(target)
		if !ok {
			return w.refuse(ErrLinkEscapes, nil)
		}
		w.real, target = w.real[:0], rest
	}
	if err := w.walk(strings.Split(filepath.ToSlash(target), "/")); err != nil {
		return err
	}
	w.link = outer
	return nil
}

// below returns the part of an absolute target below the root. ChrootOS and memfs spell such a target from their
// root, the others as the machine does.
func (w *walker) below(target string) (string, bool) {
	if w.traits.rooted {
		return strings.TrimLeft(filepath.ToSlash(target), "/"), true
	}
	return cutRoot(w.traits.root, target)
}

func isAbs(target string) bool {
	return filepath.IsAbs(target) || strings.HasPrefix(filepath.ToSlash(target), "/")
}
