package gitignore_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/atskills-go/atskills/internal/gitignore"
)

// bound is what matching one line to one path may cost.
func bound(line, path string) int { return 2 * (len(line) + 1) * (len(path) + 1) }

func TestCost(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("a/", 500) + "a"
	for _, tt := range []struct{ line, path string }{
		{strings.Repeat("a*", 200) + "b", strings.Repeat("a", 1000)},
		{strings.Repeat("*a", 200) + "b", strings.Repeat("a", 1000)},
		{strings.Repeat("*", 1000) + "b", strings.Repeat("a", 1000)},
		{strings.Repeat("?*", 200) + "b", strings.Repeat("a", 1000)},
		{strings.Repeat("[a-b]*", 200) + "c", strings.Repeat("ab", 500)},
		{strings.Repeat("**/a/", 100) + "b", deep},
		{strings.Repeat("**/a/*/", 100) + "b", deep},
		{strings.Repeat("**/", 300) + "b", deep},
		{strings.Repeat(`**\/`, 100) + "b", deep},
		{strings.Repeat("**/*/", 100) + "b", deep},
		{"**/" + strings.Repeat("a/", 200) + "b", deep},
		{strings.Repeat("**/a/**/", 60) + "b/**", deep},
		{strings.Repeat("**/a*a*a*/", 60) + "b", strings.Repeat("aaaaaaaaaa/", 100) + "a"},
		{"/" + strings.Repeat("**/*a*b/", 60) + "c", strings.Repeat("aaaaaaaaab/", 100) + "a"},
	} {
		matched, steps := gitignore.Steps(tt.line, tt.path)
		if matched {
			t.Errorf("%.30q... matches, want a line that has to try everything", tt.line)
		}
		if steps > bound(tt.line, tt.path) {
			t.Errorf("%.30q... of %d bytes against %d bytes: %d steps, want at most %d", tt.line, len(tt.line), len(tt.path), steps, bound(tt.line, tt.path))
		}
	}
}

// TestRandomCost looks for lines that cost more than the bound, in a grammar made of what makes matchers slow.
func TestRandomCost(t *testing.T) {
	t.Parallel()
	g := grammar{Rand: rand.New(rand.NewPCG(1, 1))}
	for range 20_000 {
		line, path := g.string(40, "a", "b", "*", "*", "?", "/", "**/", "/**/", "[ab]", `**\/`, "a*", "*a*"), g.string(80, "a", "a", "a", "b", "/")
		if _, steps := gitignore.Steps(line, path); steps > bound(line, path) {
			t.Errorf("%q against %q: %d steps, want at most %d", line, path, steps, bound(line, path))
		}
	}
}

func (g grammar) string(most int, from ...string) string {
	var b strings.Builder
	for range 1 + g.IntN(most) {
		b.WriteString(pick(g, from...))
	}
	return b.String()
}

func TestWalkAsksOnce(t *testing.T) {
	t.Parallel()
	_, paths := skills(0, 2000)
	seen := make(map[string]bool)
	for _, path := range paths {
		for i := range path {
			if path[i] == '/' {
				seen[path[:i]] = true
			}
		}
	}
	walk := gitignore.New([]string{"nothing"}).Walk()
	for _, path := range paths {
		walk.Match(path, true)
	}
	if got, want := walk.Asked(), len(paths)+len(seen); got != want {
		t.Errorf("a walk over %d skills below %d directories asked about %d paths, want %d", len(paths), len(seen), got, want)
	}
	cut := gitignore.New([]string{"/team-0/"}).Walk()
	for _, path := range paths[:1000] {
		cut.Match(path, true)
	}
	if got := cut.Asked(); got != 1 {
		t.Errorf("1000 skills below an ignored directory: asked about %d paths, want 1", got)
	}
}

// TestMatchAllocates holds that matching allocates nothing.
func TestMatchAllocates(t *testing.T) {
	lines, paths := skills(50, 200)
	rules := gitignore.New(lines)
	walk := rules.Walk()
	allocs := testing.AllocsPerRun(5, func() {
		for _, path := range paths {
			rules.Match(path, true)
			walk.Match(path, true)
			rules.Alone(0, path, true)
		}
	})
	if allocs != 0 {
		t.Errorf("%d paths: %.0f allocations, want none", len(paths), allocs)
	}
}

// skills are lines of every kind and the paths of skills, in walk order.
func skills(lineCount, pathCount int) (lines, paths []string) {
	for i := range lineCount {
		lines = append(lines, []string{
			"skill-%d", "/team-%d/", "team-%d/*", "!team-1/skill-%d", "*-tdd-%d", "**/group-%d/*-[0-9]", "gh/**/x-%d", "old-?-%d",
			"/team-3/group-2/skill-%d", "# note %d",
		}[i%10])
		lines[i] = strings.Replace(lines[i], "%d", fmt.Sprint(i), 1)
	}
	for i := range pathCount {
		paths = append(paths, fmt.Sprintf("team-%d/group-%d/skill-%d", i/1000, i/50%20, i))
	}
	return lines, paths
}

func BenchmarkMatch(b *testing.B) {
	for _, size := range []struct{ lines, paths int }{{50, 10_000}, {1000, 10_000}} {
		lines, paths := skills(size.lines, size.paths)
		rules := gitignore.New(lines)
		for _, how := range []struct {
			name string
			run  func() func(string, bool) gitignore.Verdict
		}{
			{"rules", func() func(string, bool) gitignore.Verdict { return rules.Match }},
			{"walk", func() func(string, bool) gitignore.Verdict { return rules.Walk().Match }},
		} {
			b.Run(fmt.Sprintf("lines=%d/paths=%d/%s", size.lines, size.paths, how.name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					match, ignored := how.run(), 0
					for _, path := range paths {
						if match(path, true).Ignored {
							ignored++
						}
					}
					if ignored == 0 || ignored == len(paths) {
						b.Fatalf("%d of %d paths are ignored", ignored, len(paths))
					}
				}
			})
		}
	}
}

func BenchmarkNew(b *testing.B) {
	lines, _ := skills(50, 0)
	b.ReportAllocs()
	for b.Loop() {
		if got := gitignore.New(lines).Len(); got != len(lines) {
			b.Fatalf("%d lines, want %d", got, len(lines))
		}
	}
}
