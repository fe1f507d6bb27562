package fsx

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-billy/v5"
)

// OS returns the file system of the directory dir, which is created, with its parents, by the first call that writes.
// It is the file system recommended to hosts: like osfs with WithBoundOS nothing outside of dir can be reached, not
// even by links that are planted while a call is under way ([os.Root]). It also refuses names that leave dir instead of
// folding them, removes and renames links rather than what they lead to, lists directories that change, and offers
// [Exchanger] where the system does. Links with absolute targets are not followed by its own calls, only by a [View].
// A relative dir is taken from the working directory of this call. It is safe for concurrent use.
//
// Its files have Sync and no locks: Lock and Unlock return [billy.ErrNotSupported].
func OS(dir string) billy.Filesystem {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	return &osFS{dir: filepath.Clean(dir), perm: 0o755}
}

// osFS opens its root anew for each call, since a cache may be deleted, root and all, at any time (C8).
type osFS struct {
	dir  string
	perm os.FileMode // of dir itself when it must be created
}

var (
	_ billy.Filesystem = (*osFS)(nil)
	_ billy.Capable    = (*osFS)(nil)
	_ billy.Chmod      = (*osFS)(nil)
	_ Exchanger        = (*osFS)(nil)
)

// clean turns a billy name, which may be empty or begin with a slash, into one for os.Root.
func clean(name string) string {
	name = strings.TrimLeft(filepath.ToSlash(name), "/")
	if name == "" {
		return "."
	}
	return filepath.FromSlash(name)
}

func (o *osFS) open() (*os.Root, error) { return os.OpenRoot(o.dir) }

// openWrite is open for calls that may create the root.
func (o *osFS) openWrite() (*os.Root, error) {
	root, err := o.open()
	if !errors.Is(err, fs.ErrNotExist) {
		return root, err
	}
	if err := os.MkdirAll(o.dir, o.perm); err != nil {
		return nil, err
	}
	return o.open()
}

// do runs fn in the root.
func (o *osFS) do(fn func(*os.Root) error) error {
	root, err := o.open()
	if err != nil {
		return err
	}
	return andClose(fn(root), root)
}

// andClose keeps an error as it is, for callers that ask os.IsNotExist.
func andClose(err error, c io.Closer) error {
	if closeErr := c.Close(); err == nil {
		err = closeErr
	}
	return err
}

// doWrite runs fn in the root, where name's parents have been created.
func (o *osFS) doWrite(name string, fn func(*os.Root) error) error {
	root, err := o.openWrite()
	if err != nil {
		return err
	}
	err = root.MkdirAll(filepath.Dir(name), 0o755)
	if err == nil {
		err = fn(root)
	}
	return andClose(err, root)
}

func (o *osFS) Create(name string) (billy.File, error) {
	return o.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
}

func (o *osFS) Open(name string) (billy.File, error) { return o.OpenFile(name, os.O_RDONLY, 0) }

func (o *osFS) OpenFile(name string, flag int, perm os.FileMode) (billy.File, error) {
	var f *os.File
	open := func(root *os.Root) (err error) {
		f, err = root.OpenFile(clean(name), flag, perm)
		return err
	}
	var err error
	if flag&os.O_CREATE != 0 {
		err = o.doWrite(clean(name), open)
	} else {
		err = o.do(open)
	}
	if err != nil {
		return nil, err
	}
	return osFile{f, name}, nil
}

func (o *osFS) Stat(name string) (info os.FileInfo, err error) {
	err = o.do(func(root *os.Root) error {
		info, err = root.Stat(clean(name))
		return err
	})
	return info, err
}

func (o *osFS) Lstat(name string) (info os.FileInfo, err error) {
	err = o.do(func(root *os.Root) error {
		info, err = root.Lstat(clean(name))
		return err
	})
	return info, err
}

func (o *osFS) Readlink(name string) (target string, err error) {
	err = o.do(func(root *os.Root) error {
		target, err = root.Readlink(clean(name))
		return err
	})
	return target, err
}

// ReadDir leaves out what vanishes while it lists.
func (o *osFS) ReadDir(name string) ([]os.FileInfo, error) {
	var infos []os.FileInfo
	err := o.do(func(root *os.Root) error {
		d, err := root.Open(clean(name))
		if err != nil {
			return err
		}
		defer d.Close()
		entries, err := d.ReadDir(-1)
		for _, entry := range entries {
			info, infoErr := entry.Info()
			switch {
			case infoErr == nil:
				infos = append(infos, info)
			case !isNotExist(infoErr):
				return infoErr
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return infos, nil
}

func (o *osFS) Rename(from, to string) error {
	from, to = clean(from), clean(to)
	return o.doWrite(to, func(root *os.Root) error {
		return retry(func() error { return root.Rename(from, to) })
	})
}

func (o *osFS) Remove(name string) error {
	return o.do(func(root *os.Root) error { return retry(func() error { return root.Remove(clean(name)) }) })
}

func (o *osFS) RemoveAll(name string) error {
	err := o.do(func(root *os.Root) error { return root.RemoveAll(clean(name)) })
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (o *osFS) MkdirAll(name string, perm os.FileMode) error {
	name = clean(name)
	return o.doWrite(name, func(root *os.Root) error { return root.MkdirAll(name, perm) })
}

func (o *osFS) Symlink(target, link string) error {
	link = clean(link)
	return o.doWrite(link, func(root *os.Root) error { return root.Symlink(target, link) })
}

func (o *osFS) Chmod(name string, mode os.FileMode) error {
	return o.do(func(root *os.Root) error { return root.Chmod(clean(name), mode) })
}

// TempFile creates a file in dir, "" being the root and not the system's temporary directory.
func (o *osFS) TempFile(dir, prefix string) (billy.File, error) {
	return o.OpenFile(o.Join(dir, prefix+randomHex()), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
}

func (o *osFS) Join(elem ...string) string { return filepath.Join(elem...) }

// Chroot returns the file system of the directory name, whose links are resolved once, now.
func (o *osFS) Chroot(name string) (billy.Filesystem, error) {
	real, err := Resolve(o, strings.TrimLeft(filepath.ToSlash(name), "/"))
	if err != nil {
		return nil, err
	}
	return &osFS{dir: filepath.Join(o.dir, filepath.FromSlash(real)), perm: o.perm}, nil
}

func (o *osFS) Root() string { return o.dir }

func (o *osFS) Capabilities() billy.Capability {
	return billy.AllCapabilities &^ billy.LockCapability
}

// Exchange swaps what a and b name.
func (o *osFS) Exchange(a, b string) error {
	return o.do(func(root *os.Root) error { return exchange(root, clean(a), clean(b)) })
}

type osFile struct {
	*os.File
	name string
}

func (f osFile) Name() string { return f.name }

func (f osFile) Lock() error { return billy.ErrNotSupported }

func (f osFile) Unlock() error { return billy.ErrNotSupported }
