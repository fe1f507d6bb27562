//go:build unix

package git_test

import "syscall"

const nonblocking = syscall.O_NONBLOCK
