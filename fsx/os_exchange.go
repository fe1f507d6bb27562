//go:build linux || darwin

package fsx

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// exchange swaps a and b through handles of their directories, so that it stays inside root as os.Root does.
func exchange(root *os.Root, a, b string) error {
	da, err := root.Open(filepath.Dir(a))
	if err != nil {
		return err
	}
	defer da.Close()
	db, err := root.Open(filepath.Dir(b))
	if err != nil {
		return err
	}
	defer db.Close()
	err = exchangeAt(int(da.Fd()), filepath.Base(a), int(db.Fd()), filepath.Base(b))
	if unsupported(err) {
		err = fmt.Errorf("%w: %w", errors.ErrUnsupported, err)
	}
	if err != nil {
		return &os.LinkError{Op: "exchange", Old: a, New: b, Err: err}
	}
	return nil
}

// unsupported reports the ways in which kernels and file systems say that they cannot exchange; EXDEV is what an
// overlay says of a directory in a lower layer.
func unsupported(err error) bool {
	for _, no := range []error{unix.EINVAL, unix.ENOSYS, unix.ENOTSUP, unix.EOPNOTSUPP, unix.EXDEV} {
		if errors.Is(err, no) {
			return true
		}
	}
	return false
}
