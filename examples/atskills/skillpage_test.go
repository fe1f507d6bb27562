package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The page for agents, the overview and the help texts name the same commands, and each of them runs.
func TestCommandsAgree(t *testing.T) {
	t.Parallel()
	names := func(pattern, text string) (out []string) {
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
			out = append(out, m[1])
		}
		slices.Sort(out)
		return out
	}
	var known []string
	for name := range helpTexts {
		if name != "" {
			known = append(known, name)
		}
	}
	slices.Sort(known)
	_, overview, _ := strings.Cut(helpTexts[""], "Commands:\n")
	overview, _, _ = strings.Cut(overview, "\n\n")
	_, table, _ := strings.Cut(instructions, "## Commands")
	if got := names(`(?m)^  ([a-z]+)`, overview); !slices.Equal(got, known) {
		t.Errorf("the overview has %q, the help texts are about %q", got, known)
	}
	if got := names("(?m)^\\| `([a-z]+)", table); !slices.Equal(got, known) {
		t.Errorf("SKILLS.md has %q, the help texts are about %q", got, known)
	}
	for _, name := range known {
		var stdout, stderr strings.Builder
		h := host{dir: t.TempDir(), getenv: func(string) string { return "" }}
		if code := h.run(t.Context(), []string{name, "-h"}, strings.NewReader(""), &stdout, &stderr); code != exitOK || stdout.String() != helpTexts[name] {
			t.Errorf("%s -h exits with %d and prints %q and %q", name, code, stdout.String(), stderr.String())
		}
	}
}

// The page is one: an agent pays for it in every session.
func TestPageIsShort(t *testing.T) {
	t.Parallel()
	if n := len(instructions); n > 6<<10 {
		t.Errorf("SKILLS.md has %d bytes", n)
	}
}
