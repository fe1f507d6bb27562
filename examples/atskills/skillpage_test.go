package main

import (
	"flag"
	"io"
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
	if got := slices.Sorted(slices.Values(commands)); !slices.Equal(got, known) {
		t.Errorf("the list of commands has %q, the help texts are about %q", got, known)
	}
	for _, name := range known {
		var stdout, stderr strings.Builder
		h := host{dir: t.TempDir(), getenv: func(string) string { return "" }}
		if code := h.run(t.Context(), []string{name, "-h"}, strings.NewReader(""), &stdout, &stderr); code != exitOK || stdout.String() != helpTexts[name] {
			t.Errorf("%s -h exits with %d and prints %q and %q", name, code, stdout.String(), stderr.String())
		}
	}
}

// Each flag of a command stands in its usage and in the list below that, and no other does.
func TestFlagsAgree(t *testing.T) {
	t.Parallel()
	flagNames := func(text string) []string {
		var out []string
		for _, m := range regexp.MustCompile(`(?:^|[\s\[|])--?([a-z][a-z-]*)`).FindAllStringSubmatch(text, -1) {
			out = append(out, m[1])
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	for _, name := range commands {
		out := newOutput(io.Discard, io.Discard)
		h := host{dir: t.TempDir(), getenv: func(string) string { return "" }}
		h.command(t.Context(), []string{name, "-h"}, strings.NewReader(""), out)
		var flags []string
		out.flags.VisitAll(func(f *flag.Flag) { flags = append(flags, f.Name) })
		if got := flagNames(usageLine(name)); !slices.Equal(got, flags) {
			t.Errorf("the usage of %s has the flags %q, the command has %q", name, got, flags)
		}
		var listed []string
		for _, line := range regexp.MustCompile(`(?m)^  --?[a-z].*`).FindAllString(helpTexts[name], -1) {
			listed = append(listed, flagNames(strings.Fields(line)[0])...)
		}
		slices.Sort(listed)
		if !slices.Equal(listed, flags) {
			t.Errorf("the help on %s is about the flags %q, the command has %q", name, listed, flags)
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
