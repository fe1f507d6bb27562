package remote_test

import (
	"strings"
	"testing"

	"github.com/atskills-go/atskills/internal/remote"
)

func TestClean(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		" a\r\n\tb ":                "a b",
		"\x1b[31mred\x07\u202e\xff": "[31mred",
		strings.Repeat("é", 1000):   strings.Repeat("é", 240) + "…",
	} {
		if got := remote.Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
}

// G7, F6: which names refuse a tree, and which are left out.
func TestCheckName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"SKILL.md": "usable", ".github": "usable", "a:b": "usable", ".gitfoo": "usable", "git~1x": "usable", "...": "usable",
		"a\\b": "left out", "a\nb": "left out", "a\xff": "left out", "\x7f": "left out",
		"": "hostile", ".": "hostile", "..": "hostile", "a/b": "hostile", "a\x00": "hostile", ".git": "hostile",
		".GiT": "hostile", ".git. . ": "hostile", "GIT~1": "hostile", ".git:x": "hostile", ".git\\x": "hostile",
		".g\u200ci\u200dt": "hostile",
	} {
		usable, err := remote.CheckName(name)
		got := "left out"
		switch {
		case err != nil:
			got = "hostile"
		case usable:
			got = "usable"
		}
		if got != want {
			t.Errorf("%q is %s, want %s", name, got, want)
		}
	}
}
