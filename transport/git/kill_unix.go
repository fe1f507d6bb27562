//go:build unix

package git

import (
	"os/exec"
	"syscall"
)

// killWithChildren makes the end of cmd's context end everything cmd started: a helper that waits for a person would
// otherwise survive it.
func killWithChildren(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
