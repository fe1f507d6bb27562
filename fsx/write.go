package fsx

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/go-git/go-billy/v5"
)

// WriteFile makes data the content of name in one step: a reader, in any process, sees the old content or the new,
// and a failed call leaves the old. The bytes go to a temporary file beside the target, are synced where the file
// system offers it, and are renamed into place. Parents are created. An existing file keeps its mode; perm is for a
// new one. A link at name is kept and the file it leads to is written, under the rules of [Resolve].
func WriteFile(fsys billy.Filesystem, name string, data []byte, perm os.FileMode) error {
	if err := CheckPath(name); err != nil {
		return err
	}
	real, info, err := resolvePath(fsys, name, true)
	if err != nil {
		return err
	}
	if info != nil {
		if !info.Mode().IsRegular() {
			return pathError("write", name, ErrNotRegular)
		}
		perm = info.Mode().Perm()
	} else if _, err := makeDir(fsys, parent(real)); err != nil {
		return err
	}
	put := func(w io.Writer) error { return writeAll(w, data) }
	if err := putFile(fsys, real, perm, info != nil, put); err != nil {
		return pathError("write", name, err)
	}
	return nil
}

// CopyFrom creates the file name from what r holds and returns the number of bytes. It is for filling a staged
// directory: the file must not exist ([fs.ErrExist]), and readers can see it grow. It is synced where the file system
// offers it; see [Unsynced].
// More than max bytes are a [*SizeError]; a negative max means no limit. After an error no file is left. Parents are
// created.
func CopyFrom(fsys billy.Filesystem, name string, r io.Reader, perm os.FileMode, max int64) (n int64, err error) {
	if err := CheckPath(name); err != nil {
		return 0, err
	}
	real, info, err := resolvePath(fsys, name, false)
	if err != nil {
		return 0, err
	}
	if info != nil {
		return 0, pathError("create", name, fs.ErrExist)
	}
	if _, err := makeDir(fsys, parent(real)); err != nil {
		return 0, err
	}
	err = createFile(fsys, real, perm, true, func(w io.Writer) error {
		n, err = copyMax(w, r, name, max)
		return err
	})
	if sizeErr := (*SizeError)(nil); errors.As(err, &sizeErr) {
		return n, err
	}
	return n, pathError("create", name, err)
}

func copyMax(w io.Writer, r io.Reader, name string, max int64) (int64, error) {
	if max < 0 {
		return io.Copy(w, r)
	}
	n, err := io.Copy(w, io.LimitReader(r, max))
	if err != nil || n < max {
		return n, err
	}
	switch _, err := io.ReadFull(r, make([]byte, 1)); err {
	case nil:
		return n, &SizeError{Name: name, Max: max}
	case io.EOF:
		return n, nil
	default:
		return n, err
	}
}

// writeAll is for billy's files, some of which report a short write without an error.
func writeAll(w io.Writer, data []byte) error {
	n, err := w.Write(data)
	if err == nil && n < len(data) {
		return io.ErrShortWrite
	}
	return err
}

// putFile writes real, a path without links, by way of a temporary name. Nothing is removed once the rename is done.
func putFile(fsys billy.Filesystem, real string, perm os.FileMode, exact bool, put func(io.Writer) error) error {
	temp := join(parent(real), tempName(kindFile))
	if traitsOf(fsys).memory {
		if err := primeMemory(fsys, temp); err != nil {
			_ = RemoveAll(fsys, temp)
			return err
		}
	}
	err := createFile(fsys, temp, perm, true, put)
	if err != nil {
		return err
	}
	if exact {
		err = chmod(fsys, temp, perm)
	}
	if err == nil {
		err = fsys.Rename(temp, real)
	}
	if err != nil {
		_ = fsys.Remove(temp) // the first error is the one to know
	}
	return err
}

// primeMemory makes temp a name that once was a directory. memfs.Rename leaves a nil map of children at the name that
// a file is moved to, and a directory made there later, when the file is gone, panics with its first entry; the
// map that is left at a former directory is moved along instead and does no harm.
func primeMemory(fsys billy.Filesystem, temp string) error {
	inner := join(temp, "x")
	if err := fsys.MkdirAll(inner, 0o755); err != nil {
		return err
	}
	if err := fsys.Remove(inner); err != nil {
		return err
	}
	return fsys.Remove(temp)
}

// createFile creates real, a path without links where nothing stands, and leaves nothing there after an error.
func createFile(fsys billy.Filesystem, real string, perm os.FileMode, sync bool, put func(io.Writer) error) error {
	f, err := fsys.OpenFile(real, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	err = put(f)
	if err == nil && sync {
		err = syncFile(f)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		_ = fsys.Remove(real)
		return err
	}
	return nil
}

func syncFile(f billy.File) error {
	if s, ok := f.(interface{ Sync() error }); ok {
		return s.Sync()
	}
	return nil
}

// chmod gives a file a mode that the umask may have cut, where the file system has modes to give.
func chmod(fsys billy.Filesystem, name string, perm os.FileMode) error {
	c, ok := fsys.(billy.Chmod)
	if !ok {
		return nil
	}
	info, err := fsys.Lstat(name)
	if err != nil || info.Mode().Perm() == perm {
		return err
	}
	return c.Chmod(name, perm)
}

// makeDir creates the directory name with its parents and returns its path without links. It looks before it calls:
// MkdirAll of memfs makes directories below files, and that of ChrootOS goes through links that leave its root.
func makeDir(fsys billy.Filesystem, name string) (string, error) {
	real, info, err := resolvePath(fsys, name, true)
	if err != nil || real == "" {
		return real, err
	}
	if info == nil {
		return real, pathError("mkdir", real, fsys.MkdirAll(real, 0o755))
	}
	if !info.IsDir() {
		return "", pathError("mkdir", name, fmt.Errorf("%w: %w", ErrNotDir, fs.ErrExist))
	}
	return real, nil
}
