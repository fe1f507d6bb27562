package gitignore_test

import (
	"strings"
	"testing"

	"github.com/atskills-go/atskills/internal/gitignore"
)

// FuzzMatch: no line and path make a fault, cost more than the bound, or give a verdict that contradicts itself; and the
// literal line of a path matches it.
func FuzzMatch(f *testing.F) {
	for _, row := range table {
		for path := range row.paths() {
			f.Add(strings.Join(row.lines, "\n"), path)
		}
	}
	f.Add("a**/b\n!**\\/c[[:x:]]\n[a-\\", "a/b//c/")
	f.Fuzz(func(t *testing.T, file, path string) {
		lines := strings.Split(file, "\n")
		rules := gitignore.New(lines)
		walk := rules.Walk()
		for _, dir := range []bool{true, false} {
			got := rules.Match(path, dir)
			if problem := inconsistent(rules, path, dir, got); problem != "" {
				t.Errorf("%q, %q (dir %t): %+v: %s", lines, path, dir, got, problem)
			}
			if walked := walk.Match(path, dir); walked != got {
				t.Errorf("%q, %q (dir %t): Walk says %+v, Match %+v", lines, path, dir, walked, got)
			}
		}
		for _, line := range lines {
			if _, steps := gitignore.Steps(line, path); steps > bound(line, path) {
				t.Errorf("%q against %q: %d steps, want at most %d", line, path, steps, bound(line, path))
			}
		}
		if path == "" || path != strings.Trim(path, "/") || strings.Contains(path, "\x00") {
			return
		}
		name := path[strings.LastIndexByte(path, '/')+1:]
		own := gitignore.New([]string{"/" + escape(path), escape(path) + "/", escape(name)})
		for i := range own.Len() {
			if !own.Alone(i, path, true) {
				t.Errorf("line %d of %q does not match %q", i, []string{"/" + escape(path), escape(path) + "/", escape(name)}, path)
			}
		}
	})
}

// escape writes a path as a line that matches it alone.
func escape(path string) string {
	var b strings.Builder
	for i := range len(path) {
		if strings.IndexByte(`*?[\ !#`, path[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(path[i])
	}
	return b.String()
}
