//go:build !windows

package fsx

func retry(fn func() error) error { return fn() }
