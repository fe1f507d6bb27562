package toggle

import "github.com/atskills-go/atskills/internal/trigger"

// Edit is what a plan does to a file: lines that give way to others in their place, and lines added at the end. Every
// other line keeps its bytes (T6).
type Edit struct {
	replaced map[int][]string // by the index of the line; without texts the line is removed
	added    []string
}

// Remove returns an edit that removes the lines at the given indexes.
func Remove(index ...int) Edit {
	e := Edit{replaced: make(map[int][]string)}
	for _, i := range index {
		e.replaced[i] = nil
	}
	return e
}

// Add returns an edit that adds lines at the end.
func Add(text ...string) Edit { return Edit{replaced: make(map[int][]string), added: text} }

// Apply returns f with the edit made.
func (e Edit) Apply(f trigger.File) trigger.File {
	return f.Rewrite(e.replaced).Append(e.added...)
}

// Numbered is one line with its number, counted from 1.
type Numbered struct {
	Number int
	Text   string
}

// Removed lists the lines of f that are gone, with their numbers in f.
func (e Edit) Removed(f trigger.File) []Numbered {
	var out []Numbered
	for i, l := range f.Lines {
		if _, ok := e.replaced[i]; ok {
			out = append(out, Numbered{l.Number, l.Text})
		}
	}
	return out
}

// Written lists the lines that are new, with their numbers in the file that Apply makes of f.
func (e Edit) Written(f trigger.File) []Numbered {
	var out []Numbered
	n := 0
	for i := range f.Lines {
		texts, ok := e.replaced[i]
		if !ok {
			n++
		}
		for _, text := range texts {
			n++
			out = append(out, Numbered{n, text})
		}
	}
	for _, text := range e.added {
		n++
		out = append(out, Numbered{n, text})
	}
	return out
}

// sources has, for each line of the file that Apply makes of f, the index it had in f, -1 for a new one.
func (e Edit) sources(f trigger.File) []int {
	var out []int
	for i := range f.Lines {
		texts, ok := e.replaced[i]
		if !ok {
			out = append(out, i)
		}
		for range texts {
			out = append(out, -1)
		}
	}
	for range e.added {
		out = append(out, -1)
	}
	return out
}
