package fsx

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/go-git/go-billy/v5"
)

// View reads one tree of a file system under the one link policy (W3). It never writes. A View is a value without
// state: every call looks afresh, and calls from several goroutines are as safe as the file system makes them.
//
// Names given to it are relative to its root, slash-separated; "" is the root. What this package writes under
// temporary names is not there for it (S9), and neither is it at the end of a link.
type View struct {
	fs     billy.Filesystem
	root   string
	follow bool
}

// NewView returns a view of what stands below root, "" for all of fsys. With follow, meant for the project's own
// tree, a link is followed when each step of its way and its end lie inside fsys; without, for trees that came from
// upstream, none is. An absolute target lies inside when it is spelled with fsys.Root() in front. Links in root
// itself fall under the same policy; a temporary name in root is taken, so that a staged tree can be viewed.
func NewView(fsys billy.Filesystem, root string, follow bool) View {
	return View{fs: fsys, root: root, follow: follow}
}

// Dir is what a directory holds.
type Dir struct {
	// Real is the directory's path behind all links, relative to the file system's root: the identity by which a walk
	// cuts cycles and counts each directory once.
	Real string
	// Entries are in byte order of name.
	Entries []Entry
	// Unfinished says that an interrupted [Replace] of one of the entries waits to be undone by [Sweep], or that one is
	// at work.
	Unfinished bool
}

// Entry is one name in a directory.
type Entry struct {
	Name string
	// Info describes what stands behind all links, under the link's own name; for a link that was not followed, the
	// link itself. It is never nil in the entries of a Dir.
	Info os.FileInfo
	// Link says that the name is a link.
	Link bool
	// Real is the path of what Info describes, relative to the file system's root.
	Real string
	// Err says why a link was refused: a [*LinkError], or why what it leads to could not be read. A view that does not
	// follow links leaves it nil.
	Err error
}

// IsDir reports whether a directory stands at the entry, behind any link that may be followed.
func (e Entry) IsDir() bool { return e.Err == nil && e.Info != nil && e.Info.IsDir() }

// IsFile reports whether a regular file stands at the entry, behind any link that may be followed.
func (e Entry) IsFile() bool { return e.Err == nil && e.Info != nil && e.Info.Mode().IsRegular() }

// ReadDir returns what dir holds. One bad entry does not hide its siblings (W6): its Err is set. dir is spelled as
// [View.Lookup] or an earlier ReadDir did; a file system that folds case answers other spellings too. Errors match
// [fs.ErrNotExist], and a refused link on the way is a [*LinkError].
func (v View) ReadDir(dir string) (Dir, error) {
	var d Dir
	err := settle(func() (err error) {
		d, err = v.readDir(dir)
		return err
	})
	return d, err
}

func (v View) readDir(dir string) (Dir, error) {
	w, err := v.walkTo(dir)
	if err != nil {
		return Dir{}, err
	}
	real := w.name()
	if w.info != nil && !w.info.IsDir() {
		return Dir{}, pathError("readdir", dir, ErrNotDir) // memfs lists a file as an empty directory
	}
	infos, err := readDir(v.fs, real)
	if err != nil {
		return Dir{}, pathError("readdir", dir, err)
	}
	if moved(v.fs, real, w.info) {
		return Dir{}, errMoved
	}
	return v.dir(w.traits, real, infos), nil
}

// ReadDirAt is ReadDir for a directory that a listing of the one above just showed as the entry at: a walk of many
// directories need not go the whole way from the root to each. A link, and whatever is not known to be still as the entry
// shows it, is looked up afresh by its name.
func (v View) ReadDirAt(dir string, at Entry) (Dir, error) {
	if at.Link || !at.IsDir() || !os.SameFile(at.Info, at.Info) {
		return v.ReadDir(dir)
	}
	infos, err := readDir(v.fs, at.Real)
	if err != nil || moved(v.fs, at.Real, at.Info) {
		return v.ReadDir(dir)
	}
	return v.dir(traitsOf(v.fs), at.Real, infos), nil
}

// dir is the listing of the directory real, a path without links.
func (v View) dir(t traits, real string, infos []os.FileInfo) Dir {
	d := Dir{Real: real, Entries: make([]Entry, 0, len(infos))}
	for _, info := range infos {
		if IsTemp(info.Name()) {
			d.Unfinished = d.Unfinished || isKind(info.Name(), kindJournal)
			continue
		}
		d.Entries = append(d.Entries, v.entry(t, real, info))
	}
	return d
}

// Lookup returns what stands at name, whose every segment must be spelled exactly as the directory above spells it: a
// disk that folds case never answers "Deploy" with "deploy" (W1, G3). A refused link at the end is returned both
// as the entry and as the error; a view that does not follow links returns the bare entry. Errors match
// [fs.ErrNotExist] when nothing stands there.
func (v View) Lookup(name string) (Entry, error) {
	if err := checkDir(name); err != nil {
		return Entry{}, err
	}
	var e Entry
	err := settle(func() (err error) {
		e, err = v.lookup(name)
		return err
	})
	return e, err
}

func (v View) lookup(name string) (Entry, error) {
	w, err := v.walkTo("")
	if err != nil {
		return Entry{}, err
	}
	segs := split(name)
	if len(segs) == 0 {
		info, err := w.stat()
		return Entry{Name: path.Base(v.root), Info: info, Real: w.name()}, err
	}
	for _, seg := range segs[:len(segs)-1] {
		if err := w.exact(seg); err != nil {
			return Entry{}, wrapLookup(name, err)
		}
	}
	last := segs[len(segs)-1]
	info, err := w.find(last)
	if err != nil {
		return Entry{}, wrapLookup(name, err)
	}
	e := v.entry(w.traits, w.name(), info)
	return e, e.Err
}

// ReadFile returns the content of name under the view's link policy; see the function [ReadFile] for max and errors.
func (v View) ReadFile(name string, max int64) ([]byte, error) {
	data, more, err := v.ReadHead(name, max)
	if err == nil && more {
		return nil, &SizeError{Name: name, Max: max}
	}
	return data, err
}

// ReadHead returns the first max bytes of name and whether there are more, under the view's link policy.
func (v View) ReadHead(name string, max int64) (head []byte, more bool, err error) {
	if err := CheckPath(name); err != nil {
		return nil, false, err
	}
	err = settle(func() error {
		w, err := v.walkTo(name)
		if err != nil {
			return err
		}
		head, more, err = ReadHead(v.fs, w.name(), max)
		if isNotExist(err) && moved(v.fs, w.name(), w.info) {
			return errMoved
		}
		return err
	})
	return head, more, err
}

// Open opens name, a regular file, for reading under the view's link policy: for callers who learn only while they read
// how much they need. Errors are those of [View.ReadFile]. The caller closes it.
func (v View) Open(name string) (f io.ReadCloser, err error) {
	if err := CheckPath(name); err != nil {
		return nil, err
	}
	err = settle(func() error {
		w, err := v.walkTo(name)
		if err != nil {
			return err
		}
		info, err := w.stat()
		if err == nil && !info.Mode().IsRegular() {
			return pathError("open", name, ErrNotRegular)
		}
		if err == nil {
			f, err = v.fs.Open(w.name())
		}
		if isNotExist(err) && moved(v.fs, w.name(), w.info) {
			return errMoved
		}
		return pathError("open", name, err)
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// walkTo returns a walker that stands on name, which exists.
func (v View) walkTo(name string) (w *walker, err error) {
	err = settle(func() error {
		w, err = v.walkOnce(name)
		return err
	})
	return w, err
}

func (v View) walkOnce(name string) (*walker, error) {
	if err := checkDir(v.root); err != nil {
		return nil, err
	}
	if err := checkDir(name); err != nil {
		return nil, err
	}
	w := newWalker(v.fs, v.follow)
	if err := w.walk(split(v.root)); err != nil {
		return nil, err
	}
	w.view = true
	if err := w.walk(split(name)); err != nil && !errors.Is(err, ErrNotDir) {
		return nil, err
	} else if err != nil || w.missing { // below a file there is nothing
		return nil, pathError("open", join(v.root, name), fs.ErrNotExist)
	}
	return w, nil
}

// entry describes info, which stands in the directory dir, a path without links.
func (v View) entry(t traits, dir string, info os.FileInfo) Entry {
	e := Entry{Name: info.Name(), Info: info, Real: join(dir, info.Name())}
	if info.Mode()&os.ModeSymlink == 0 {
		return e
	}
	e.Link = true
	if !v.follow {
		return e
	}
	w := &walker{fs: v.fs, traits: t, follow: true, view: true, real: split(dir)}
	if e.Err = w.step(info.Name()); e.Err != nil {
		return e
	}
	target, err := w.stat()
	if err != nil {
		e.Err = err
		return e
	}
	e.Info, e.Real = namedInfo{target, info.Name()}, w.name()
	return e
}

// exact is step for a segment that must be spelled as the directory spells it.
func (w *walker) exact(seg string) error {
	if _, err := w.find(seg); err != nil {
		return err
	}
	return w.step(seg)
}

// find returns the entry seg of the directory the walker stands in. The cheap question comes first: most names asked
// for are not there.
func (w *walker) find(seg string) (os.FileInfo, error) {
	if w.info != nil && !w.info.IsDir() || w.view && IsTemp(seg) {
		return nil, fs.ErrNotExist
	}
	name := join(w.name(), seg)
	if _, err := w.fs.Lstat(name); err != nil {
		if isNotExist(err) && moved(w.fs, w.name(), w.info) {
			return nil, errMoved
		}
		return nil, err
	}
	infos, err := readDir(w.fs, w.name())
	if moved(w.fs, w.name(), w.info) {
		return nil, errMoved
	}
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(infos, func(info os.FileInfo) bool { return info.Name() == seg })
	if i < 0 {
		return nil, fmt.Errorf("%w in this spelling", fs.ErrNotExist)
	}
	return infos[i], nil
}

func wrapLookup(name string, err error) error {
	if _, ok := err.(*LinkError); ok || err == errMoved {
		return err
	}
	return pathError("lookup", name, err)
}

// namedInfo shows what a link leads to under the link's own name.
type namedInfo struct {
	os.FileInfo
	name string
}

func (i namedInfo) Name() string { return i.name }

// readDir lists a directory in byte order. The osfs package gives up when an entry vanishes while it lists, so a
// listing of a directory that is still there is asked for again.
func readDir(fsys billy.Filesystem, name string) ([]os.FileInfo, error) {
	const tries = 10
	for try := 1; ; try++ {
		infos, err := fsys.ReadDir(name)
		if err == nil {
			slices.SortFunc(infos, func(a, b os.FileInfo) int { return strings.Compare(a.Name(), b.Name()) })
			return infos, nil
		}
		if !isNotExist(err) || try == tries {
			return nil, err
		}
		if _, err := fsys.Stat(name); err != nil {
			return nil, err
		}
	}
}
