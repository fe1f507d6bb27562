package trigger

import "github.com/atskills-go/atskills/internal/gitignore"

// Rules compiles the plain lines as one ruleset, in which index i is f.Lines[i] (T3). Lines of other kinds match nothing.
func (f File) Rules() *gitignore.Rules { return f.RulesWithout(nil) }

// RulesWithout is [File.Rules] without the lines that gone has the indexes of; the others keep theirs.
func (f File) RulesWithout(gone map[int][]string) *gitignore.Rules {
	return gitignore.Compile(len(f.Lines), func(yield func(int, string) bool) {
		for i, l := range f.Lines {
			if _, skip := gone[i]; l.Kind == Pattern && !skip && !yield(i, l.Text) {
				return
			}
		}
	})
}
