package atskills

import (
	"fmt"
	"strconv"
	"strings"
)

// maxPromptFiles is how many bundled files [Resolution.Prompt] lists by name; the rest is a count.
const maxPromptFiles = 100

// Prompt returns the content framed for a model's context: a first line that says what it is and where it came from,
// the folder and the bundled files, the content, and a closing line that does not occur in the content, so that a body
// cannot end its own frame (X2).
func (r *Resolution) Prompt() string {
	var b strings.Builder
	ref := r.ID.Reference()
	fmt.Fprintf(&b, "--- %s %s (%s) ---\n", r.Kind, ref, r.provenance())
	if r.Kind == Skill {
		fmt.Fprintf(&b, "%s: %s\n", r.Name, orNone(r.Description))
	}
	switch {
	case r.Kind == Menu:
		b.WriteString("Each id is a reference: @skills:<id> reads that skill.\n")
	case r.Dir != "":
		fmt.Fprintf(&b, "Folder: %s (relative paths start here)\n", oneLine(r.Dir))
	}
	if len(r.Files) > 0 {
		b.WriteString("Files:\n")
	}
	for i, f := range r.Files {
		if i == maxPromptFiles {
			fmt.Fprintf(&b, "  and %d more\n", len(r.Files)-i)
			break
		}
		fmt.Fprintf(&b, "  %s\n", oneLine(f))
	}
	fmt.Fprintf(&b, "\n%s\n%s\n", r.Content, closing(ref, r.Content))
	return b.String()
}

func (r *Resolution) provenance() string {
	parts := []string{string(r.Source)}
	if r.Served != ServedLocal {
		parts = append(parts, string(r.Served))
	}
	if r.Revision != "" {
		parts = append(parts, "revision "+oneLine(string(r.Revision)))
	}
	return strings.Join(parts, ", ")
}

// closing returns a frame's last line, numbered until the content does not hold it.
func closing(ref, content string) string {
	line := fmt.Sprintf("--- end of %s ---", ref)
	if !strings.Contains(content, line) {
		return line
	}
	// One pass, whatever the content lists: the first number that it does not hold.
	taken := make(map[string]bool)
	open := fmt.Sprintf("--- end of %s (", ref)
	for rest := content; ; {
		_, after, found := strings.Cut(rest, open)
		if !found {
			break
		}
		if number, _, closed := strings.Cut(after[:min(len(after), maxNumber+len(") ---"))], ") ---"); closed {
			taken[number] = true
		}
		rest = after
	}
	n := 2
	for taken[strconv.Itoa(n)] {
		n++
	}
	return fmt.Sprintf("%s%d) ---", open, n)
}

// maxNumber is how many digits the number of a closing line can have.
const maxNumber = 10
