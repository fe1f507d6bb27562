package fsx

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// CheckPath reports why name cannot be handed to a file system, or nil. A name is relative and slash-separated on
// every system; it has no empty, "." or ".." segment and no NUL, and on Windows no backslash, colon or device name.
// It is decided from the segments alone: BoundOS would silently read "../up" as "up", and comparing prefixes of
// strings takes "root-2" for a part of "root".
func CheckPath(name string) error {
	if reason := pathFault(name, runtime.GOOS == "windows"); reason != "" {
		return &fs.PathError{Op: "check", Path: name, Err: fmt.Errorf("%s: %w", reason, fs.ErrInvalid)}
	}
	return nil
}

func pathFault(name string, windows bool) string {
	switch {
	case name == "":
		return "empty path"
	case name[0] == '/':
		return "path is not relative"
	case strings.IndexByte(name, 0) >= 0:
		return "path holds a NUL"
	case windows && strings.ContainsAny(name, `\:`):
		return "path holds a backslash or colon"
	}
	for seg := range strings.SplitSeq(name, "/") {
		if seg == "" || seg == "." || seg == ".." {
			return fmt.Sprintf("path segment %q is not a name", seg)
		}
	}
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return "path is not local"
	}
	return ""
}

// checkDir is CheckPath for names where "" and "." mean the root.
func checkDir(name string) error {
	if name == "" || name == "." {
		return nil
	}
	return CheckPath(name)
}

func split(name string) []string {
	if name == "" || name == "." {
		return nil
	}
	return strings.Split(name, "/")
}

func parent(name string) string {
	if dir := path.Dir(name); dir != "." {
		return dir
	}
	return ""
}

func join(dir, name string) string {
	if dir == "" || dir == "." {
		return name
	}
	return dir + "/" + name
}

// pathError gives err the caller's spelling of the name: file systems report the machine's absolute one, or none at
// all (memfs). Below a file there is nothing, which some systems call "not a directory".
func pathError(op, name string, err error) error {
	if err == nil {
		return nil
	}
	if inner := (*fs.PathError)(nil); errors.As(err, &inner) {
		err = inner.Err
	} else if inner := (*os.LinkError)(nil); errors.As(err, &inner) {
		err = inner.Err
	}
	if errors.Is(err, syscall.ENOTDIR) && !errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}

func isNotExist(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}
