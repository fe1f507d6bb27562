package trigger_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/atskills-go/atskills/internal/gitignore"
	"github.com/atskills-go/atskills/internal/trigger"
)

// T3: plain lines are one ruleset under the indexes of all lines, and other lines match nothing.
func TestRules(t *testing.T) {
	t.Parallel()
	rules := trigger.Parse([]byte("\ufeffteam/*\r\n# x\r\n  # y\n@z\n!team/x\n")).Rules()
	if rules.Len() != 5 {
		t.Errorf("%d lines", rules.Len())
	}
	tests := map[string]struct {
		line    int
		ignored bool
	}{
		"team/y": {0, true}, "team/x": {4, false}, "# x": {-1, false}, "  # y": {-1, false}, "@z": {-1, false}, "team": {-1, false},
	}
	for path, want := range tests {
		if v := rules.Match(path, true); v.Line != want.line || v.Ignored != want.ignored {
			t.Errorf("Match(%q) = %+v, want line %d, %v", path, v, want.line, want.ignored)
		}
	}
}

// T7: the literal of any path matches it, in every spelling. Anchored, or with a slash inside, it matches nothing else but
// what is below; a bare name also matches that name further down.
func TestLiteralMatchesItself(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		path, other := paths().Draw(t, "path"), paths().Draw(t, "other")
		dir, anchored := rapid.Bool().Draw(t, "dir"), rapid.Bool().Draw(t, "anchored")
		text, err := trigger.Literal(path, dir, anchored)
		if err != nil {
			t.Fatal(err)
		}
		rules := trigger.Parse([]byte(text + "\n")).Rules()
		if v := rules.Match(path, true); !v.Ignored || v.At != path {
			t.Fatalf("%q does not match %q: %+v", text, path, v)
		}
		if rules.Match(path, false).Ignored == dir {
			t.Fatalf("%q, a folder %v, and a file at %q", text, dir, path)
		}
		for _, p := range []string{other, path + other, path + "/" + other, other + "/" + path, "x/" + path} {
			want := strings.HasPrefix(p+"/", path+"/") || !anchored && !strings.Contains(path, "/") && strings.Contains("/"+p+"/", "/"+path+"/")
			if got := rules.Match(p, true).Ignored; got != want {
				t.Fatalf("%q on %q: %v, want %v", text, p, got, want)
			}
		}
	})
}

// Lines that are no patterns cost the rules nothing, however many there are. AllocsPerRun counts for the whole program, so
// this runs alone.
func TestRulesAreSparse(t *testing.T) {
	f := trigger.Parse([]byte("a\n" + strings.Repeat("# x\n\n@gh:o/r\n", 10_000) + "!a\n"))
	var rules *gitignore.Rules
	if n := testing.AllocsPerRun(5, func() { rules = f.Rules() }); n > 16 {
		t.Errorf("%v allocations", n)
	}
	if v := rules.Match("a", true); v.Line != 30_001 || v.Ignored || rules.Len() != 30_002 {
		t.Errorf("Match = %+v of %d lines", v, rules.Len())
	}
}

// RulesWithout leaves lines out, and the others keep their indexes.
func TestRulesWithout(t *testing.T) {
	t.Parallel()
	rules := trigger.Parse([]byte("a\n!a\na\nb\n")).RulesWithout(map[int][]string{1: nil, 2: {"x"}})
	for path, want := range map[string]int{"a": 0, "b": 3, "x": -1} {
		if v := rules.Match(path, true); v.Line != want {
			t.Errorf("Match(%q) = %+v, want line %d", path, v, want)
		}
	}
}
