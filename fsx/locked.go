package fsx

import (
	"errors"
	"os"
	"sync"

	"github.com/go-git/go-billy/v5"
)

// Locked returns fsys with one mutex around every call, reads and writes of files and the file systems made by Chroot
// included: what a memfs needs before several goroutines may use it. All users must go through the one value that
// Locked returned. Single calls are safe; a sequence of calls that belongs together takes [Lock].
func Locked(fsys billy.Filesystem) billy.Filesystem {
	return &lockedFS{fs: fsys, mu: new(sync.Mutex)}
}

type lockedFS struct {
	fs billy.Filesystem
	mu *sync.Mutex
}

var (
	_ billy.Filesystem = (*lockedFS)(nil)
	_ billy.Capable    = (*lockedFS)(nil)
	_ billy.Chmod      = (*lockedFS)(nil)
	_ Exchanger        = (*lockedFS)(nil)
	_ Unwrapper        = (*lockedFS)(nil)
)

// Unwrap returns the file system without its lock.
func (l *lockedFS) Unwrap() billy.Filesystem { return l.fs }

func (l *lockedFS) file(f billy.File, err error) (billy.File, error) {
	if err != nil {
		return nil, err
	}
	return &lockedFile{f, l.mu}, nil
}

func (l *lockedFS) Create(name string) (billy.File, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file(l.fs.Create(name))
}

func (l *lockedFS) Open(name string) (billy.File, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file(l.fs.Open(name))
}

func (l *lockedFS) OpenFile(name string, flag int, perm os.FileMode) (billy.File, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file(l.fs.OpenFile(name, flag, perm))
}

func (l *lockedFS) TempFile(dir, prefix string) (billy.File, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file(l.fs.TempFile(dir, prefix))
}

func (l *lockedFS) Stat(name string) (os.FileInfo, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fs.Stat(name)
}

func (l *lockedFS) Lstat(name string) (os.FileInfo, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fs.Lstat(name)
}

func (l *lockedFS) ReadDir(name string) ([]os.FileInfo, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fs.ReadDir(name)
}

func (l *lockedFS) Readlink(name string) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fs.Readlink(name)
}

func (l *lockedFS) Rename(from, to string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fs.Rename(from, to)
}

func (l *lockedFS) Remove(name string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fs.Remove(name)
}

func (l *lockedFS) MkdirAll(name string, perm os.FileMode) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fs.MkdirAll(name, perm)
}

func (l *lockedFS) Symlink(target, link string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fs.Symlink(target, link)
}

// Chmod does nothing on a file system without modes.
func (l *lockedFS) Chmod(name string, mode os.FileMode) error {
	c, ok := l.fs.(billy.Chmod)
	if !ok {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return c.Chmod(name, mode)
}

func (l *lockedFS) Exchange(a, b string) error {
	x, ok := l.fs.(Exchanger)
	if !ok {
		return errors.ErrUnsupported
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return x.Exchange(a, b)
}

func (l *lockedFS) Join(elem ...string) string { return l.fs.Join(elem...) }

func (l *lockedFS) Root() string { return l.fs.Root() }

func (l *lockedFS) Capabilities() billy.Capability { return billy.Capabilities(l.fs) }

func (l *lockedFS) Chroot(name string) (billy.Filesystem, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	sub, err := l.fs.Chroot(name)
	if err != nil {
		return nil, err
	}
	return &lockedFS{fs: sub, mu: l.mu}, nil
}

// lockedFile leaves Name, Lock and Unlock alone: the last two may wait for other processes.
type lockedFile struct {
	billy.File
	mu *sync.Mutex
}

func (f *lockedFile) Read(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.File.Read(p)
}

func (f *lockedFile) ReadAt(p []byte, off int64) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.File.ReadAt(p, off)
}

func (f *lockedFile) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.File.Write(p)
}

func (f *lockedFile) Seek(offset int64, whence int) (int64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.File.Seek(offset, whence)
}

func (f *lockedFile) Truncate(size int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.File.Truncate(size)
}

func (f *lockedFile) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.File.Close()
}

// Sync does nothing for a file that cannot be synced.
func (f *lockedFile) Sync() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return syncFile(f.File)
}
