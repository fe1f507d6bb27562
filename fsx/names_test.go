package fsx_test

import (
	"testing"

	"github.com/atskills-go/atskills/fsx"
)

func TestBadOnWindows(t *testing.T) {
	t.Parallel()
	bad := []string{"CON", "nul", "com1", "LPT9.txt", "COM¹", "aux .md", "conin$", "a:b", "what?", `a\b`, "dot.", "blank ", "a\x01", "LPT9.x.y", "a|b", "<a>", `"`}
	for _, name := range bad {
		if !fsx.BadOnWindows(name) {
			t.Errorf("BadOnWindows(%q) = false", name)
		}
	}
	for _, name := range []string{"a", "console", "com", "COM10", ".hidden", "a b", "代码", "lpt.d", ".aux", "a.con", "SKILL.md", " a", "é"} {
		if fsx.BadOnWindows(name) {
			t.Errorf("BadOnWindows(%q) = true", name)
		}
	}
}
