//go:build !unix

package fsx_test

import "errors"

func mkfifo(string) error { return errors.ErrUnsupported }
