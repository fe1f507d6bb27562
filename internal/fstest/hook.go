package fstest

import (
	"errors"
	"os"

	"github.com/go-git/go-billy/v5"

	"github.com/atskills-go/atskills/fsx"
)

// Op is a kind of call.
type Op string

// The calls that a hook sees. Create, Open and OpenFile are all OpOpen, or OpCreate when they may create or truncate.
const (
	OpCreate   Op = "create"
	OpOpen     Op = "open"
	OpStat     Op = "stat" // and Lstat
	OpReadDir  Op = "readdir"
	OpReadlink Op = "readlink"
	OpMkdirAll Op = "mkdirall"
	OpRename   Op = "rename"
	OpRemove   Op = "remove"
	OpSymlink  Op = "symlink"
	OpChmod    Op = "chmod"
	OpExchange Op = "exchange"
	OpRead     Op = "read" // of a file, and ReadAt
	OpWrite    Op = "write"
	OpSeek     Op = "seek"
	OpTruncate Op = "truncate"
	OpSync     Op = "sync"
	OpClose    Op = "close"
)

// Mutates reports whether a call of this kind changes the file system.
func (op Op) Mutates() bool {
	switch op {
	case OpCreate, OpMkdirAll, OpRename, OpRemove, OpSymlink, OpChmod, OpExchange, OpWrite, OpTruncate:
		return true
	}
	return false
}

// Call is one call: its kind and the name it is about (the source of a rename).
type Call struct {
	Op   Op
	Name string
}

// Hook returns fsys with a function that sees each call, of the file system and of its files, before it is made. An
// error of before is the call's result and the call is not made, except that a file is closed all the same.
func Hook(fsys billy.Filesystem, before func(Call) error) billy.Filesystem {
	return &hooked{fsys, before}
}

type hooked struct {
	fs     billy.Filesystem
	before func(Call) error
}

var (
	_ billy.Filesystem = (*hooked)(nil)
	_ billy.Chmod      = (*hooked)(nil)
	_ billy.Capable    = (*hooked)(nil)
	_ fsx.Exchanger    = (*hooked)(nil)
	_ fsx.Unwrapper    = (*hooked)(nil)
)

// Unwrap returns the file system without its hook.
func (h *hooked) Unwrap() billy.Filesystem { return h.fs }

func (h *hooked) Create(name string) (billy.File, error) {
	return h.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
}

func (h *hooked) Open(name string) (billy.File, error) { return h.OpenFile(name, os.O_RDONLY, 0) }

func (h *hooked) OpenFile(name string, flag int, perm os.FileMode) (billy.File, error) {
	op := OpOpen
	if flag&(os.O_CREATE|os.O_TRUNC) != 0 {
		op = OpCreate
	}
	if err := h.before(Call{op, name}); err != nil {
		return nil, err
	}
	f, err := h.fs.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return &hookedFile{f, name, h.before}, nil
}

func (h *hooked) TempFile(dir, prefix string) (billy.File, error) {
	if err := h.before(Call{OpCreate, dir}); err != nil {
		return nil, err
	}
	f, err := h.fs.TempFile(dir, prefix)
	if err != nil {
		return nil, err
	}
	return &hookedFile{f, f.Name(), h.before}, nil
}

func (h *hooked) Stat(name string) (os.FileInfo, error) {
	if err := h.before(Call{OpStat, name}); err != nil {
		return nil, err
	}
	return h.fs.Stat(name)
}

func (h *hooked) Lstat(name string) (os.FileInfo, error) {
	if err := h.before(Call{OpStat, name}); err != nil {
		return nil, err
	}
	return h.fs.Lstat(name)
}

func (h *hooked) ReadDir(name string) ([]os.FileInfo, error) {
	if err := h.before(Call{OpReadDir, name}); err != nil {
		return nil, err
	}
	return h.fs.ReadDir(name)
}

func (h *hooked) Readlink(name string) (string, error) {
	if err := h.before(Call{OpReadlink, name}); err != nil {
		return "", err
	}
	return h.fs.Readlink(name)
}

func (h *hooked) MkdirAll(name string, perm os.FileMode) error {
	if err := h.before(Call{OpMkdirAll, name}); err != nil {
		return err
	}
	return h.fs.MkdirAll(name, perm)
}

func (h *hooked) Rename(from, to string) error {
	if err := h.before(Call{OpRename, from}); err != nil {
		return err
	}
	return h.fs.Rename(from, to)
}

func (h *hooked) Remove(name string) error {
	if err := h.before(Call{OpRemove, name}); err != nil {
		return err
	}
	return h.fs.Remove(name)
}

func (h *hooked) Symlink(target, link string) error {
	if err := h.before(Call{OpSymlink, link}); err != nil {
		return err
	}
	return h.fs.Symlink(target, link)
}

func (h *hooked) Chmod(name string, mode os.FileMode) error {
	c, ok := h.fs.(billy.Chmod)
	if !ok {
		return nil
	}
	if err := h.before(Call{OpChmod, name}); err != nil {
		return err
	}
	return c.Chmod(name, mode)
}

// Exchange is unsupported, without a look at the hook, where the file system has none.
func (h *hooked) Exchange(a, b string) error {
	x, ok := h.fs.(fsx.Exchanger)
	if !ok {
		return errors.ErrUnsupported
	}
	if err := h.before(Call{OpExchange, a}); err != nil {
		return err
	}
	return x.Exchange(a, b)
}

func (h *hooked) Join(elem ...string) string { return h.fs.Join(elem...) }

func (h *hooked) Root() string { return h.fs.Root() }

func (h *hooked) Capabilities() billy.Capability { return billy.Capabilities(h.fs) }

func (h *hooked) Chroot(name string) (billy.Filesystem, error) {
	sub, err := h.fs.Chroot(name)
	if err != nil {
		return nil, err
	}
	return Hook(sub, h.before), nil
}

type hookedFile struct {
	billy.File
	name   string
	before func(Call) error
}

func (f *hookedFile) Read(p []byte) (int, error) {
	if err := f.before(Call{OpRead, f.name}); err != nil {
		return 0, err
	}
	return f.File.Read(p)
}

func (f *hookedFile) ReadAt(p []byte, off int64) (int, error) {
	if err := f.before(Call{OpRead, f.name}); err != nil {
		return 0, err
	}
	return f.File.ReadAt(p, off)
}

// Write lets a hook that is a *full disk* take the part that still fits.
func (f *hookedFile) Write(p []byte) (int, error) {
	err := f.before(Call{OpWrite, f.name})
	if full := (*fullError)(nil); errors.As(err, &full) {
		n, writeErr := f.File.Write(p[:full.take(len(p))])
		if writeErr != nil || n == len(p) {
			return n, writeErr
		}
		return n, full.err
	}
	if err != nil {
		return 0, err
	}
	return f.File.Write(p)
}

func (f *hookedFile) Seek(offset int64, whence int) (int64, error) {
	if err := f.before(Call{OpSeek, f.name}); err != nil {
		return 0, err
	}
	return f.File.Seek(offset, whence)
}

func (f *hookedFile) Truncate(size int64) error {
	if err := f.before(Call{OpTruncate, f.name}); err != nil {
		return err
	}
	return f.File.Truncate(size)
}

// Sync is seen and goes no further: tests run the same faults hundreds of times, and none cuts the machine's power.
func (f *hookedFile) Sync() error { return f.before(Call{OpSync, f.name}) }

func (f *hookedFile) Close() error {
	return errors.Join(f.before(Call{OpClose, f.name}), f.File.Close())
}
