//go:build unix

package fsx_test

import "golang.org/x/sys/unix"

func mkfifo(name string) error { return unix.Mkfifo(name, 0o600) }
