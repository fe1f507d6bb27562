package atskills_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/transporttest"
)

const followedList = acme + `
-- hub:acme/notes/SKILL.md --
---
name: notes
description: Takes notes.
---
-- hub:acme/starter/.playlist --
gh:acme/kit/skills/review Reads a change.
hub:acme/notes
gh:acme/gone
gh:acme/kit/skills
hub:acme/other
gh:acme/kit/.claude/
../forged
-- hub:acme/other/.playlist --
hub:acme/notes
`

// names are the names of a block's rows, in order.
func names(b *atskills.Block) (out []string) {
	for _, r := range b.Rows {
		out = append(out, r.Name)
	}
	return out
}

// H5, B6: a playlist is one line, whose rows load each for itself, in the list's order; what a row lacks is a note, and
// the others load.
func TestResidencyPlaylist(t *testing.T) {
	t.Parallel()
	w := newWorld(t, followedList)
	w.trigger("@hub:acme/starter/")
	b := w.block()
	if got, want := names(b), []string{"review", "notes", "plan"}; !slices.Equal(got, want) {
		t.Errorf("rows %q, want %q", got, want)
	}
	if l := b.Lines[0]; len(l.Rows) != 3 || l.Tokens != b.Rows[0].Tokens+b.Rows[1].Tokens+b.Rows[2].Tokens {
		t.Errorf("line %+v does not have the three rows", l)
	}
	w.noted(b, atskills.NoteNotFound)
	w.noted(b, atskills.NoteMenu)
	w.noted(b, atskills.NoteFailed)
	w.noted(b, atskills.WarnSkipped)
	for _, n := range b.Notes {
		if n.Line != 1 {
			t.Errorf("note %+v is of no line", n)
		}
	}
}

// B5: without the slash nothing of it loads, and none of its rows is asked for.
func TestResidencyPlaylistWithoutSlash(t *testing.T) {
	t.Parallel()
	w := newWorld(t, followedList)
	w.trigger("@hub:acme/starter")
	b := w.block()
	if len(b.Rows) != 0 || !strings.Contains(w.noted(b, atskills.NoteMenu), "@hub:acme/starter/") {
		t.Errorf("rows %q, notes %q", names(b), told(b.Notes))
	}
	if n := w.counter.Counts(); n.Probes != 1 {
		t.Errorf("%d probes, want the list's alone", n.Probes)
	}
}

// C11: a repository that a line follows and a playlist names is probed once.
func TestResidencyPlaylistProbes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme+`
-- hub:acme/starter/.playlist --
gh:acme/kit/skills/review
gh:acme/kit/skills/deploy
`)
	w.trigger("@gh:acme/kit/.claude/", "@hub:acme/starter/")
	w.block()
	w.counter.Reset()
	w.block()
	w.asked("the second block", transporttest.Counts{Probes: 2})
}

// B1: a saved row is the project's own; nobody is asked for it, and it counts once however many lines cover it.
func TestResidencyPlaylistSaved(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme+`
-- hub:acme/starter/.playlist --
gh:acme/kit/skills/review
`)
	if _, err := atskills.Save(t.Context(), w.env, "hub:acme/starter"); err != nil {
		t.Fatal(err)
	}
	w.counter.Reset()
	w.trigger("gh/acme/kit/skills/review", "@hub:acme/starter/")
	b := w.block()
	if len(b.Rows) != 1 || b.Rows[0].Where != atskills.WhereSaved || !slices.Equal(b.Rows[0].Lines, []int{1, 2}) {
		t.Errorf("rows %+v, want the copy once, of both lines", b.Rows)
	}
	w.asked("the block", transporttest.Counts{Probes: 1})
}

// B6: offline the list and its rows come from the cache, and each row says so.
func TestResidencyPlaylistOffline(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme+`
-- hub:acme/starter/.playlist --
gh:acme/kit/skills/review
gh:acme/kit/skills/deploy
`)
	w.trigger("@hub:acme/starter/")
	w.block()
	w.fake.SetOffline(true)
	b := w.block()
	if len(b.Rows) != 2 || !b.Rows[0].Stale || !b.Rows[1].Stale {
		t.Errorf("rows %+v, want both, stale", b.Rows)
	}
	tree, err := atskills.ReadTree(t.Context(), w.env)
	if err != nil || tree.On != 2 || len(tree.Rows) != 1 || tree.Rows[0].On != 2 {
		t.Errorf("the tree has %+v, %v, want the line with two skills on", tree, err)
	}
}

// B9: a list that gains and loses rows has drifted.
func TestResidencyPlaylistDrift(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acme+`
-- hub:acme/starter/.playlist --
gh:acme/kit/skills/review
`)
	w.trigger("@hub:acme/starter/")
	if b := w.block(); len(b.Drift) != 0 {
		t.Errorf("the first block has drifted: %+v", b.Drift)
	}
	w.relist("gh:acme/kit/skills/deploy\n")
	got := map[skill.ID]atskills.DriftChange{}
	for _, d := range w.block().Drift {
		got[d.ID] = d.Change
	}
	for ref, want := range map[string]atskills.DriftChange{
		"gh:acme/kit/skills/review": atskills.DriftVanished, "gh:acme/kit/skills/deploy": atskills.DriftAppeared,
	} {
		id, err := skill.ParseID(ref)
		if err != nil || got[id] != want {
			t.Errorf("%s %q, want %q (%v)", ref, got[id], want, err)
		}
	}
}

// R5, R6: the rows of a playlist count together, each skill once. One too many and the line brings nothing; the note says
// how many there are, and names the largest rows. Nothing has drifted then, and the rows have lines of their own.
func TestResidencyPlaylistCap(t *testing.T) {
	t.Parallel()
	archive := many("acme/big", "a", 100) + many("acme/big", "b", 28) + many("acme/big", "c", 1)
	w := newWorld(t, archive+"-- hub:acme/list/.playlist --\ngh:acme/big/a/\ngh:acme/big/b/\ngh:acme/big/a/s0000\n")
	w.trigger("@hub:acme/list/")
	if b := w.block(); len(b.Rows) != 128 || len(b.Lines[0].Rows) != 128 {
		t.Fatalf("%d rows of the block, %d of the line", len(b.Rows), len(b.Lines[0].Rows))
	}
	w.entry("hub:acme/list", map[string]string{".playlist": "gh:acme/big/c/s0000\ngh:acme/big/b/\ngh:acme/big/a/\n"})
	b := w.block()
	if len(b.Rows) != 0 || b.Text != "" || len(b.Drift) != 0 {
		t.Errorf("%d rows, drift %v", len(b.Rows), b.Drift)
	}
	const ways = "hub:acme/list holds 129 skills, more than the 128 one reference may cover; " +
		"try gh:acme/big/a (100), gh:acme/big/b (28), gh:acme/big/c/s0000 (1)"
	if got := w.noted(b, atskills.NoteTooLarge); got != ways {
		t.Errorf("note %q, want %q", got, ways)
	}
	if tree := w.readTree(); tree.On != 0 {
		t.Errorf("%d skills are on in the tree", tree.On)
	}
	w.trigger("@gh:acme/big/a/", "@gh:acme/big/b/", "@gh:acme/big/c/")
	if b := w.block(); len(b.Rows) != 129 {
		t.Errorf("%d rows of three lines", len(b.Rows))
	}
	w.entry("hub:acme/list", map[string]string{".playlist": "gh:acme/big/c/s0000\ngh:acme/big/b/\ngh:acme/big/a/\n"})
	if saved := w.save("hub:acme/list"); saved.Skills != 129 || saved.Err() != nil { // S12: each row for itself
		t.Errorf("saved %d skills, %v", saved.Skills, saved.Err())
	}
}

// B9: a row that upstream refuses, or that is a collection without a slash, does not keep the list from drifting; one of
// which upstream does not tell does.
func TestResidencyPlaylistDriftBesideIdleRows(t *testing.T) {
	t.Parallel()
	for row, drifts := range map[string]bool{"gh:acme/kit/skills": true, "gh:acme/kit/none": true, "gh:no/body": true, "gh:acme/down": false} {
		w := newWorld(t, acme+`
-- acme/down/SKILL.md --
down
-- hub:acme/starter/.playlist --
gh:acme/kit/skills/review
`)
		w.fake.Intercept(func(_ context.Context, _ string, id skill.ID) error {
			if id.Path() == "acme/down" {
				return transport.ErrUnreachable
			}
			return nil
		})
		w.relist("gh:acme/kit/skills/review\n" + row + "\n")
		w.trigger("@hub:acme/starter/")
		w.block()
		w.relist("gh:acme/kit/skills/deploy\n" + row + "\n")
		if b := w.block(); len(b.Rows) != 1 || (len(b.Drift) == 2) != drifts {
			t.Errorf("beside %s: rows %q, drift %+v, want some: %t", row, names(b), b.Drift, drifts)
		}
	}
}
