package atskills

import (
	"fmt"
	"slices"
	"strings"

	"github.com/atskills-go/atskills/internal/trigger"
	"github.com/atskills-go/atskills/skill"
)

// Change is what [Install], [Uninstall] or [Toggle] did to the trigger file (T9, V5). It is the caller's to keep.
type Change struct {
	// ID is what was asked for, zero for what no id addresses. Row is the row that was toggled: the path of a folder, else
	// as it was given.
	ID  skill.ID
	Row string
	// Written are the lines that are new, with their numbers in the new file, and Removed those that are gone, with their
	// numbers in the old one. Both are in file order, and both are empty when the file is as it was.
	Written, Removed []TriggerLine
	// Note says in one line for a person exactly which lines were written and removed, or why none was.
	Note     string
	Warnings []Warning
}

// TriggerLine is one line of the trigger file.
type TriggerLine struct {
	Number int    // from 1
	Text   string // without its line end
}

// String returns the line's number and text, as notes have them.
func (l TriggerLine) String() string { return fmt.Sprintf("line %d, %s", l.Number, quoteLine(l.Text)) }

// quoteLine shows a line in a sentence.
func quoteLine(text string) string { return trigger.Quote(text) }

func triggerLine(l trigger.Line) TriggerLine { return TriggerLine{l.Number, l.Text} }

// triggerLinesAt are the lines of f at the given indexes.
func triggerLinesAt(f trigger.File, index []int) []TriggerLine {
	var out []TriggerLine
	for _, i := range index {
		out = append(out, triggerLine(f.Lines[i]))
	}
	return out
}

// summary says what was written and removed, or why nothing was.
func (c *Change) summary(otherwise string) string {
	list := func(verb string, lines []TriggerLine) string {
		texts := make([]string, len(lines))
		for i, l := range lines {
			texts[i] = l.String()
		}
		return verb + " " + strings.Join(texts, "; ")
	}
	var parts []string
	if len(c.Removed) > 0 {
		parts = append(parts, list("removed", c.Removed))
	}
	if len(c.Written) > 0 {
		parts = append(parts, list("wrote", c.Written))
	}
	if len(parts) == 0 {
		return otherwise
	}
	return strings.Join(parts, "; ")
}

// append plans text as f's last line.
func (c *Change) append(f trigger.File, text string) trigger.File {
	f = f.Append(text)
	c.Written = append(c.Written, triggerLine(f.Lines[len(f.Lines)-1]))
	return f
}

// replace plans text in the place of the line at index i.
func (c *Change) replace(f trigger.File, i int, text string) trigger.File {
	c.Removed = append(c.Removed, triggerLine(f.Lines[i]))
	f = f.Replace(i, text)
	c.Written = append(c.Written, triggerLine(f.Lines[i]))
	return f
}

// remove plans f without the lines at the given indexes.
func (c *Change) remove(f trigger.File, index []int) trigger.File {
	c.Removed = slices.Concat(c.Removed, triggerLinesAt(f, index))
	return f.Delete(index...)
}
