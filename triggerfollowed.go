package atskills

import (
	"context"
	"strings"

	"github.com/atskills-go/atskills/internal/trigger"
	"github.com/atskills-go/atskills/skill"
)

// follows reports whether l follows id itself or its whole directory (S10, T2).
func follows(l trigger.Line, id skill.ID) bool {
	return l.Ref != nil && l.Ref.ID == id
}

// owns reports whether l is id's own line: it follows id, or is a literal spelling of its path (T7).
func owns(l trigger.Line, id skill.ID) bool {
	at, ok := l.Literal()
	return follows(l, id) || ok && at == id.DiskPath()
}

// meant is owns, and also true for a literal with blanks before it: it matches nothing, and names a folder that is gone.
func meant(l trigger.Line, id skill.ID) bool {
	bare := l
	bare.Text = strings.TrimLeft(l.Text, " \t")
	return owns(l, id) || owns(bare, id)
}

// indexesOf returns the indexes of the lines of f that are is says.
func indexesOf(f trigger.File, id skill.ID, is func(trigger.Line, skill.ID) bool) []int {
	var found []int
	for i, l := range f.Lines {
		if is(l, id) {
			found = append(found, i)
		}
	}
	return found
}

// numbers returns the numbers of the lines of f at the given indexes.
func numbers(f trigger.File, index []int) []int {
	var out []int
	for _, i := range index {
		out = append(out, f.Lines[i].Number)
	}
	return out
}

// dropLines deletes id's own lines, and no other byte (S11, T6). It returns their numbers.
func (p project) dropLines(ctx context.Context, id skill.ID) (dropped []int, err error) {
	err = p.editTriggers(ctx, func(f trigger.File) (trigger.File, error) {
		own := indexesOf(f, id, meant)
		dropped = numbers(f, own)
		return f.Delete(own...), nil
	})
	return dropped, err
}
