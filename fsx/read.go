package fsx

import (
	"errors"
	"fmt"
	"io"

	"github.com/go-git/go-billy/v5"
)

// SizeError says that a file is larger than the caller allowed. Nothing of it was returned or kept.
type SizeError struct {
	Name string
	Max  int64 // bytes allowed
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("file %q is larger than %d bytes", e.Name, e.Max)
}

// What stands at a name is of the wrong kind.
var (
	ErrNotRegular = errors.New("not a regular file") // a directory, pipe, socket or device where a file was wanted
	ErrNotDir     = errors.New("not a directory")    // something else where a directory was needed
)

// ReadFile returns the whole content of name, a regular file of at most max bytes; a negative max means no limit. A
// larger file is a [*SizeError]: what a file claims to be is not trusted, one byte more than allowed is read. Links are
// followed as fsys does; [View.ReadFile] follows the link policy. Errors match [fs.ErrNotExist] on every file system,
// and [ErrNotRegular]: opening a pipe would wait for ever.
func ReadFile(fsys billy.Basic, name string, max int64) ([]byte, error) {
	data, more, err := ReadHead(fsys, name, max)
	if err != nil {
		return nil, err
	}
	if more {
		return nil, &SizeError{Name: name, Max: max}
	}
	return data, nil
}

// ReadHead returns the first max bytes of name and whether there are more. Everything else is as in [ReadFile].
func ReadHead(fsys billy.Basic, name string, max int64) (head []byte, more bool, err error) {
	if err := CheckPath(name); err != nil {
		return nil, false, err
	}
	info, err := fsys.Stat(name)
	if err != nil {
		return nil, false, pathError("read", name, err)
	}
	if !info.Mode().IsRegular() {
		return nil, false, pathError("read", name, ErrNotRegular)
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, false, pathError("read", name, err)
	}
	head, err = readUpTo(f, info.Size(), max)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, false, pathError("read", name, err)
	}
	if max >= 0 && int64(len(head)) > max {
		return head[:max], true, nil
	}
	return head, false, nil
}

// readUpTo reads at most one byte more than max; size is a hint for the buffer.
func readUpTo(r io.Reader, size, max int64) ([]byte, error) {
	if max >= 0 {
		r = io.LimitReader(r, max+1)
		size = min(size, max)
	}
	buf := make([]byte, 0, min(size, 1<<20)+1)
	for {
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if err == io.EOF {
			return buf, nil
		}
		if err != nil {
			return nil, err
		}
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
	}
}
