//go:build !unix

package git_test

const nonblocking = 0
