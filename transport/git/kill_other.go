//go:build !unix

package git

import "os/exec"

// killWithChildren leaves cmd as it is: the end of its context ends cmd, and closing its pipes ends what it started.
func killWithChildren(*exec.Cmd) {}
