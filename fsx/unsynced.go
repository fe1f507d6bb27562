package fsx

import (
	"errors"
	"os"

	"github.com/go-git/go-billy/v5"
)

// Unsynced returns fsys with files that are never synced. It is for content that can be had again, such as a cache: a
// power cut may cost an entry there, and waiting for the disk after each of a thousand files costs seconds. Everything
// else is as in fsys.
func Unsynced(fsys billy.Filesystem) billy.Filesystem { return &unsyncedFS{fsys} }

type unsyncedFS struct{ billy.Filesystem }

var (
	_ billy.Chmod   = (*unsyncedFS)(nil)
	_ billy.Capable = (*unsyncedFS)(nil)
	_ Exchanger     = (*unsyncedFS)(nil)
	_ Unwrapper     = (*unsyncedFS)(nil)
)

// Unwrap returns the file system whose files sync.
func (u *unsyncedFS) Unwrap() billy.Filesystem { return u.Filesystem }

func (u *unsyncedFS) Create(name string) (billy.File, error) {
	return unsynced(u.Filesystem.Create(name))
}

func (u *unsyncedFS) OpenFile(name string, flag int, perm os.FileMode) (billy.File, error) {
	return unsynced(u.Filesystem.OpenFile(name, flag, perm))
}

func (u *unsyncedFS) TempFile(dir, prefix string) (billy.File, error) {
	return unsynced(u.Filesystem.TempFile(dir, prefix))
}

// Chmod does nothing on a file system without modes.
func (u *unsyncedFS) Chmod(name string, mode os.FileMode) error {
	if c, ok := u.Filesystem.(billy.Chmod); ok {
		return c.Chmod(name, mode)
	}
	return nil
}

func (u *unsyncedFS) Exchange(a, b string) error {
	if x, ok := u.Filesystem.(Exchanger); ok {
		return x.Exchange(a, b)
	}
	return errors.ErrUnsupported
}

func (u *unsyncedFS) Capabilities() billy.Capability { return billy.Capabilities(u.Filesystem) }

func (u *unsyncedFS) Chroot(name string) (billy.Filesystem, error) {
	sub, err := u.Filesystem.Chroot(name)
	if err != nil {
		return nil, err
	}
	return Unsynced(sub), nil
}

// unsyncedFile has the methods of billy.File and no Sync.
type unsyncedFile struct{ billy.File }

func unsynced(f billy.File, err error) (billy.File, error) {
	if err != nil {
		return nil, err
	}
	return unsyncedFile{f}, nil
}
