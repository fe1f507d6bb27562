package gitignore

// Steps matches one line's pattern to exactly path and counts the bytes it looked at behind the literal prefix.
func Steps(line, path string) (matched bool, steps int) {
	p := compile(line)
	var m matcher
	matched = p.match(&m, newSubject(path, true))
	return matched, m.steps
}

// Asked is how many paths, ancestors included, the walk has held against the lines.
func (w *Walk) Asked() int { return w.m.asked }
