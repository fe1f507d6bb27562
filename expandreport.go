package atskills

import (
	"fmt"
	"slices"
	"strings"

	"github.com/atskills-go/atskills/skill"
)

// report says what became of the references: a line of counts, and one for each thing to know.
func (x *expansion) report() string {
	loaded, saved, resident := make(map[skill.ID]bool), make(map[skill.ID]bool), make(map[skill.ID]bool)
	failed := 0
	var lines []string
	line := func(p *Part, format string, args ...any) {
		if text := p.name() + ": " + oneLine(fmt.Sprintf(format, args...)); !slices.Contains(lines, text) {
			lines = append(lines, text)
		}
	}
	references := 0
	for i := range x.out.Parts {
		p := &x.out.Parts[i]
		if p.Reference == nil {
			continue
		}
		references++
		if p.Err != nil {
			failed++
			line(p, "%v", p.Err)
			continue
		}
		loaded[p.Resolution.ID] = true
		if p.Rendered.Cut() {
			line(p, "cut at %d of %d bytes", p.Rendered.Shown, p.Rendered.Bytes)
		}
		if p.Saved != nil {
			if p.Saved.Skills > 0 { // of a playlist every row may have failed
				saved[p.Saved.ID] = true
			}
			line(p, "%s", p.Saved.summary())
		}
		if p.Installed != nil {
			resident[p.Installed.ID] = true
			line(p, "%s", p.Installed.Note)
		}
		if p.SaveErr != nil {
			line(p, "not saved: %v", p.SaveErr)
		}
		if p.InstallErr != nil {
			line(p, "not installed: %v", p.InstallErr)
		}
	}
	if references == 0 {
		return ""
	}
	for _, w := range x.out.Warnings {
		lines = append(lines, "warning: "+w.String())
	}
	counts := []string{fmt.Sprintf("%d loaded", len(loaded))}
	for _, c := range []struct {
		n    int
		what string
	}{{len(saved), "saved"}, {len(resident), "resident"}, {failed, "failed"}} {
		if c.n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	return strings.Join(append([]string{strings.Join(counts, ", ")}, lines...), "\n")
}

// summary says in a line what a save did.
func (s *Saved) summary() string {
	switch s.State {
	case SavedUnchanged:
		return "the saved copy is up to date"
	case SavedSet:
		n := 0
		for _, item := range s.Set {
			if item.Err == nil {
				n++
			}
		}
		return fmt.Sprintf("saved %d of %d rows", n, len(s.Set))
	}
	return "saved to " + s.Dir
}
