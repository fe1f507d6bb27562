package gitignore_test

import (
	"slices"
	"testing"

	"github.com/atskills-go/atskills/internal/gitignore"
)

func TestVerdict(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		lines []string
		path  string
		dir   bool
		want  gitignore.Verdict
	}{
		{"no line decides", []string{"a"}, "b", true, gitignore.Verdict{Line: -1}},
		{"the path itself", []string{"b"}, "a/b", true, gitignore.Verdict{Line: 0, Ignored: true, At: "a/b"}},
		{"an ancestor", []string{"", "team/"}, "team/a/b", false, gitignore.Verdict{Line: 1, Ignored: true, At: "team"}},
		{"the topmost ancestor", []string{"b", "a"}, "a/b/c", true, gitignore.Verdict{Line: 1, Ignored: true, At: "a"}},
		{"T3: nothing below an excluded directory comes back", []string{"team/", "!team/x"}, "team/x", true, gitignore.Verdict{Line: 0, Ignored: true, At: "team"}},
		{"T3: what is excluded itself comes back", []string{"team/*", "!team/x"}, "team/x", true, gitignore.Verdict{Line: 1, At: "team/x"}},
		{"T1: repeats count", []string{"a", "!a", "a"}, "a", true, gitignore.Verdict{Line: 2, Ignored: true, At: "a"}},
		{"an ancestor taken back decides nothing below", []string{"!team"}, "team/x", true, gitignore.Verdict{Line: -1}},
		{"T3: last match wins", []string{"*", "!*-tdd", "old-*"}, "old-tdd", true, gitignore.Verdict{Line: 2, Ignored: true, At: "old-tdd"}},
		{"the empty path", []string{"*", "**", "/**"}, "", true, gitignore.Verdict{Line: -1}},
	} {
		rules := gitignore.New(tt.lines)
		if got := rules.Match(tt.path, tt.dir); got != tt.want {
			t.Errorf("%s: New(%q).Match(%q, %t) = %+v, want %+v", tt.name, tt.lines, tt.path, tt.dir, got, tt.want)
		}
		if got := rules.Walk().Match(tt.path, tt.dir); got != tt.want {
			t.Errorf("%s: New(%q).Walk().Match(%q, %t) = %+v, want %+v", tt.name, tt.lines, tt.path, tt.dir, got, tt.want)
		}
	}
}

func TestSingleLines(t *testing.T) {
	t.Parallel()
	lines := []string{"# note", "", "!team/", "/x", "   ", "!"}
	rules := gitignore.New(lines)
	if got := rules.Len(); got != len(lines) {
		t.Errorf("Len() = %d, want %d", got, len(lines))
	}
	for i, want := range []bool{false, false, true, false, false, true} {
		if got := rules.Negated(i); got != want {
			t.Errorf("Negated(%d) of %q = %t, want %t", i, lines[i], got, want)
		}
	}
	for _, tt := range []struct {
		line int
		path string
		dir  bool
		want bool
	}{
		{0, "# note", true, false},
		{1, "a", true, false},
		{2, "team", true, true},
		{2, "team", false, false},
		{2, "a/team", true, true},
		{2, "team/x", true, false},
		{3, "x", false, true},
		{3, "a/x", false, false},
		{4, "   ", true, false},
		{5, "a", true, false},
	} {
		if got := rules.Alone(tt.line, tt.path, tt.dir); got != tt.want {
			t.Errorf("Alone(%d, %q, %t) of %q = %t, want %t", tt.line, tt.path, tt.dir, lines[tt.line], got, tt.want)
		}
	}
}

// Matching and MatchingUp yield the lines that match by themselves, in order and from a line upwards.
func TestMatching(t *testing.T) {
	t.Parallel()
	r := gitignore.New([]string{"a", "", "!a", "# a", "b", "/a/", "a\\"})
	if got, want := slices.Collect(r.Matching("a", true)), []int{0, 2, 5}; !slices.Equal(got, want) {
		t.Errorf("Matching = %v, want %v", got, want)
	}
	if got, want := slices.Collect(r.Matching("a", false)), []int{0, 2}; !slices.Equal(got, want) {
		t.Errorf("Matching a file = %v, want %v", got, want)
	}
	for from, want := range map[int][]int{6: {5, 2, 0}, 5: {5, 2, 0}, 4: {2, 0}, 0: {0}} {
		if got := slices.Collect(r.MatchingUp("a", from)); !slices.Equal(got, want) {
			t.Errorf("MatchingUp from %d = %v, want %v", from, got, want)
		}
	}
	for range r.Matching("a", true) {
		break // a reader may stop
	}
}
