package atskills

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/atskills-go/atskills/internal/trigger"
	"github.com/atskills-go/atskills/skill"
)

// SetItem is one row of a playlist that was saved (S12).
type SetItem struct {
	ID    skill.ID // the row's own id, at whose path the copy stands
	Name  string   // as the list has it
	Whole bool     // the row means a whole directory
	Saved *Saved   // nil when Err is not
	Err   error    // what [Save] returns for the row
}

// Err returns why rows of a playlist were not saved, all of them joined; nil when each was, and for what is no playlist.
func (s *Saved) Err() error {
	var errs []error
	for _, item := range s.Set {
		errs = append(errs, item.Err)
	}
	return errors.Join(errs...)
}

// set saves the rows of the playlist that a tells of, one after the other in the list's order, each as if it had been
// named by itself (S12). at is the playlist's own place, where nothing is written. When the context ends, the rows that
// are left fail with its error.
func (s *save) set(ctx context.Context, at *place, a answer) *Saved {
	saved := &Saved{
		ID: s.id, State: SavedSet, Kind: Menu, Source: source(a, s.id), Served: a.served, Revision: a.meta.Revision,
		Warnings: append(a.warnings, a.meta.skippedWarnings(s.id)...),
	}
	if !at.empty() {
		saved.Warnings = append(saved.Warnings, Warning{WarnShadowed, fmt.Sprintf(
			"%s is a playlist now, and the copy in %s still answers for it; it was not touched", s.id.Reference(), oneLine(at.dir))})
	}
	warmed := s.warm(ctx, a.entries)
	for _, e := range a.entries {
		item := SetItem{ID: e.ID, Name: e.Name, Whole: e.Whole}
		before := warmed[e.ID]
		if item.Saved, item.Err = s.row(e, before.err).run(ctx); item.Err == nil {
			saved.Skills += item.Saved.Skills
			saved.Files += item.Saved.Files
			if before.served == ServedFresh {
				item.Saved.Served = ServedFresh // it was this call that fetched it
			}
		}
		saved.Set = append(saved.Set, item)
	}
	if saved.Err() == nil {
		saved.Warnings = append(saved.Warnings, s.followedSet(saved.Set)...)
	}
	return saved
}

// followedSet notes each trigger line that takes the whole playlist although copies answer all of its rows (S10). The line
// still means something: whatever the list gains is read from upstream, and it is asked for in every session. So the lines
// that mean the copies alone are told, and none of them is called the one to write instead.
func (s *save) followedSet(set []SetItem) []Warning {
	file, _, _ := s.readTriggers() // a file that cannot be read follows nothing; whoever loads it reports that
	var warnings []Warning
	for _, l := range file.Lines {
		if follows(l, s.id) && l.Ref.Dir && len(set) > 0 {
			warnings = append(warnings, Warning{WarnTrigger, fmt.Sprintf(
				"%s/%s line %d follows the playlist %s: copies answer its rows now, and what the list gains is read from upstream; "+
					"the lines for the copies alone are %s", Dir, TriggerFile, l.Number, s.id.Reference(), strings.Join(setLines(set), ", "))})
		}
	}
	return warnings
}

// setLines are the lines that stand for the copies of a set, quoted.
func setLines(set []SetItem) []string {
	var lines []string
	for _, item := range set {
		if text, err := trigger.Literal(item.ID.DiskPath(), item.Saved.Kind == Menu, false); err == nil {
			lines = append(lines, quoteLine(text))
		}
	}
	return firstNames(lines)
}

// row is the save of one row. It goes by the probes and the cache of the whole set (C11), and by what upstream said to
// the row already, if that was an error.
func (s *save) row(e Entry, refused error) *save {
	return &save{
		project: s.project, ref: e.ref(), id: e.ID, cache: s.cache, page: s.page,
		failed: s.failed, refused: refused, listed: true,
	}
}

// warm brings the rows of which nothing stands in the project into the cache, those of one repository in one exchange
// (C11), and returns what upstream said to each.
func (s *save) warm(ctx context.Context, rows []Entry) map[skill.ID]answer {
	groups := make(map[skill.ID][]skill.ID)
	var order []skill.ID
	for _, e := range rows {
		if at, err := s.look(ctx, e.ID); err != nil || !at.empty() {
			continue
		}
		origin := e.ID.Origin()
		if groups[origin] == nil {
			order = append(order, origin)
		}
		groups[origin] = append(groups[origin], e.ID)
	}
	warmed := make(map[skill.ID]answer)
	for _, origin := range order {
		if len(groups[origin]) == 1 {
			continue
		}
		if _, err := s.head(ctx, origin); err != nil {
			continue // the rows say so
		}
		for id, a := range s.cache.serve(ctx, groups[origin]) {
			if !errors.Is(a.err, errChanged) && ctx.Err() == nil {
				warmed[id] = a
			}
		}
	}
	return warmed
}
