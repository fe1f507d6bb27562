package gitignore

import "strings"

// Walk matches the paths of one tree. Asked in walk order, where a directory comes before what is below it and siblings
// follow each other, it asks about each ancestor once; in any other order its answers are the same. It is for one
// goroutine.
type Walk struct {
	rules *Rules
	prev  string  // the last path asked about
	known int     // the ancestors of prev of up to so many bytes, and prev itself, are not ignored as directories
	cut   Verdict // of a directory that is ignored; it holds for what is below
	m     matcher
}

// Walk begins at the top of a tree.
func (r *Rules) Walk() *Walk { return &Walk{rules: r} }

// Match is [Rules.Match].
func (w *Walk) Match(path string, dir bool) Verdict {
	if w.cut.Ignored && below(path, w.cut.At) {
		return w.cut
	}
	verdict, asked := w.rules.descend(&w.m, path, dir, w.shared(path))
	isDir := dir || asked < len(path)
	w.prev, w.known, w.cut = path, asked, Verdict{}
	if verdict.Ignored && isDir {
		w.cut = verdict
	}
	if verdict.Ignored || !isDir {
		w.known = max(strings.LastIndexByte(path[:asked], '/'), 0)
	}
	return verdict
}

func below(path, dir string) bool {
	return len(path) > len(dir) && path[len(dir)] == '/' && strings.HasPrefix(path, dir)
}

// shared is the length of the longest ancestor of path that is known not to be ignored.
func (w *Walk) shared(path string) int {
	n, slash := 0, 0
	for n < w.known && n < len(path) && path[n] == w.prev[n] {
		if path[n] == '/' {
			slash = n
		}
		n++
	}
	if n == w.known && n < len(path) && path[n] == '/' {
		return n
	}
	return slash
}
