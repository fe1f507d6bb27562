package trigger

import "github.com/atskills-go/atskills/internal/gitignore"

// Rules compiles the plain lines as one ruleset, in which index i is f.Lines[i] (T3). Lines of other kinds match nothing.
func (f File) Rules() *gitignore.Rules {
	lines := make([]string, len(f.Lines))
	for i, l := range f.Lines {
		if l.Kind == Pattern {
			lines[i] = l.Text
		}
	}
	return gitignore.New(lines)
}
