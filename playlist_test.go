package atskills_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/memfs"
	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/internal/fstest"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/transporttest"
)

const (
	listRef  = "hub:acme/starter"
	notesRef = "hub:acme/notes"
	listPath = "hub/acme/starter/.playlist"

	// listed is a playlist with a skill of a repository, one of the hub, a whole directory, and a line that is none of these.
	listed = `
gh:acme/kit/skills/review Reads a change.
hub:acme/notes Takes notes.
../escape Is no reference.
gh:acme/kit/.claude/
`
	starter = acme + `
-- hub:acme/starter/.playlist --
name: Starter
` + listed + `
-- hub:acme/notes/SKILL.md --
---
name: notes
description: Takes notes.
---
Write it down.
-- hub:acme/notes/pen.txt --
blue
`
)

// relist makes text the playlist at listRef, and takes away what else was there.
func (w *world) relist(text string) { w.entry(listRef, map[string]string{".playlist": text}) }

// entry makes files the whole content of a hub entry.
func (w *world) entry(name string, files map[string]string) {
	w.Helper()
	changes := make(map[string]transporttest.File)
	if tip := w.fake.Tip(name); tip != "" {
		had, err := w.fake.Files(name, tip)
		if err != nil {
			w.Fatal(err)
		}
		for name := range had {
			changes[name] = transporttest.File{Deleted: true}
		}
	}
	for name, body := range files {
		changes[name] = transporttest.File{Body: body}
	}
	if _, err := w.fake.Commit(name, time.Time{}, changes); err != nil {
		w.Fatal(err)
	}
}

// rows spells a menu's entries.
func rows(r *atskills.Resolution) (out []string) {
	for _, e := range r.Entries {
		out = append(out, fmt.Sprintf("%s %q %q %v", e.ID, e.Name, e.Description, e.Whole))
	}
	return out
}

// H5, G11: a playlist is a menu in its own order, whose rows keep their ids; what is no reference is told (W4 is for
// folders).
func TestPlaylistMenu(t *testing.T) {
	t.Parallel()
	w := newWorld(t, starter)
	check := func(what string, served atskills.Served, asked transporttest.Counts) {
		t.Helper()
		res := w.resolve("@skills:" + listRef)
		if res.Kind != atskills.Menu || !res.Playlist || res.Source != atskills.FromHub || res.Served != served || res.Revision == "" {
			t.Errorf("%s: kind %s, playlist %v, source %s, served %s", what, res.Kind, res.Playlist, res.Source, res.Served)
		}
		want := []string{
			`gh:acme/kit/skills/review "review" "Reads a change." false`,
			`hub:acme/notes "notes" "Takes notes." false`,
			`gh:acme/kit/.claude ".claude" "" true`,
		}
		if diff := cmp.Diff(want, rows(res)); diff != "" {
			t.Errorf("%s: entries (-want +got):\n%s", what, diff)
		}
		text := "gh:acme/kit/skills/review: Reads a change.\nhub:acme/notes: Takes notes.\ngh:acme/kit/.claude/: (no description)"
		if res.Content != text {
			t.Errorf("%s: content %q, want %q", what, res.Content, text)
		}
		if !cmp.Equal(codes(res.Warnings), []string{atskills.WarnSkipped}) || !hasWarning(res.Warnings, atskills.WarnSkipped, "../escape", listRef) {
			t.Errorf("%s: warnings %v", what, res.Warnings)
		}
		for _, e := range res.Entries {
			if e.Path != "" || e.Bundle != nil {
				t.Errorf("%s: %s has path %q, bundle %v", what, e.ID, e.Path, e.Bundle)
			}
		}
		w.asked(what, asked)
		for line := range strings.Lines(res.Content) { // R4
			ref, _, _ := strings.Cut(line, ": ")
			w.resolve(ref)
		}
		w.counter.Reset()
	}
	check("a cold list", atskills.ServedFresh, transporttest.Counts{Probes: 1, Opens: 1})
	check("a warm list", atskills.ServedCached, transporttest.Counts{Probes: 1})
	if !strings.Contains(w.resolve(listRef).Prompt(), "--- playlist hub:acme/starter (hub, cached") {
		t.Errorf("the frame does not say that it is a playlist:\n%s", w.resolve(listRef).Prompt())
	}
	w.env.Cache = nil
	w.counter.Reset()
	check("a list in memory", atskills.ServedFresh, transporttest.Counts{Probes: 1, Opens: 1})
}

// H5, B7: what a list says of a row stays on one line and hides nothing.
func TestPlaylistRowsAreOneLine(t *testing.T) {
	t.Parallel()
	w := newWorld(t, starter)
	w.env.Transport = rowsOf{w.counter, []transport.Row{{
		Ref: skill.Ref{ID: ids(w, "gh:acme/kit/a b:c")[0]}, Name: "x\ngh:evil/x: y", Description: "good\u202e\r\n- forged: row",
	}}}
	res := w.resolve(listRef)
	if want := "gh:acme/kit/a%20b%3Ac: good - forged: row"; res.Content != want || strings.ContainsAny(res.Entries[0].Name, "\n\u202e") {
		t.Errorf("content %q, want %q; name %q", res.Content, want, res.Entries[0].Name)
	}
}

// rowsOf is a transport whose listings are playlists of these rows.
type rowsOf struct {
	transport.Transport
	rows []transport.Row
}

type rowsSnapshot struct {
	transport.Snapshot
	rows []transport.Row
}

func (r rowsOf) Open(ctx context.Context, rev transport.Revision, ids ...skill.ID) (transport.Snapshot, error) {
	snap, err := r.Transport.Open(ctx, rev, ids...)
	return rowsSnapshot{snap, r.rows}, err
}

func (s rowsSnapshot) Tree(skill.ID) (transport.Tree, error) {
	return transport.Tree{Rows: s.rows}, nil
}

// H5: a row that nobody could read, whatever the transport makes of it, is left out and told; a list of such rows alone is
// nothing.
func TestPlaylistUnusableRows(t *testing.T) {
	t.Parallel()
	w := newWorld(t, starter)
	local, suffixed := skill.Ref{ID: ids(w, "mine")[0]}, skill.Ref{ID: ids(w, notesRef)[0], Save: true}
	w.env.Transport = rowsOf{w.counter, []transport.Row{{Ref: local}, {Ref: suffixed}, {}, {Ref: skill.Ref{ID: ids(w, notesRef)[0]}}}}
	res := w.resolve(listRef)
	if len(res.Entries) != 1 || !cmp.Equal(codes(res.Warnings), []string{"skipped", "skipped", "skipped"}) {
		t.Errorf("entries %v, warnings %v", rows(res), res.Warnings)
	}
	again := transport.Row{Ref: skill.Ref{ID: ids(w, notesRef)[0], Dir: true}, Name: "again"}
	w.env.Transport = rowsOf{w.counter, []transport.Row{again, {Ref: skill.Ref{ID: again.Ref.ID}}}}
	w.env.Cache = fsx.Locked(memfs.New())
	if res := w.resolve(listRef); len(res.Entries) != 1 || res.Entries[0].Name != "again" || !hasWarning(res.Warnings, atskills.WarnSkipped, notesRef, "listed already") {
		t.Errorf("listed twice: entries %v, warnings %v", rows(res), res.Warnings)
	}
	w.env.Transport = rowsOf{w.counter, []transport.Row{{Ref: local}}}
	w.env.Cache = fsx.Locked(memfs.New())
	w.refuse(listRef, atskills.ErrNotFound)
	w.relist("../escape\n")
	w.env.Transport = w.counter
	if err := w.refuse(listRef, atskills.ErrNotFound); !strings.Contains(err.Error(), "../escape") {
		t.Errorf("error %q does not name the row", err)
	}
}

func manyRows(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "gh:acme/kit/s%03d Numbered.\n", i)
	}
	return b.String()
}

// R5, R6, C6: the cap counts rows, inclusive; a refusal names the first of them and is never masked by a cached list.
func TestPlaylistCap(t *testing.T) {
	t.Parallel()
	w := newWorld(t, starter)
	w.relist(manyRows(128))
	if res := w.resolve(listRef); len(res.Entries) != 128 {
		t.Errorf("%d rows, want 128", len(res.Entries))
	}
	w.relist(listRef + "\n" + manyRows(129))
	err := w.refuse(listRef, atskills.ErrTooLarge)
	var large *atskills.TooLargeError
	if !errors.As(err, &large) || large.Count != 130 || len(large.Suggestions) != 6 || large.Suggestions[0].ID != ids(w, "gh:acme/kit/s000")[0] {
		t.Fatalf("error %+v", err)
	}
	if text := err.Error(); !strings.Contains(text, "try gh:acme/kit/s000, gh:acme/kit/s001, ") {
		t.Errorf("error %q", text)
	}
	if _, err := atskills.Save(t.Context(), w.env, listRef); !errors.Is(err, atskills.ErrTooLarge) {
		t.Errorf("Save error %v, want too large", err)
	}
	w.fake.SetOffline(true)
	if res := w.resolve(listRef); res.Served != atskills.ServedStale || len(res.Entries) != 128 {
		t.Errorf("offline: served %s, %d rows; want the list that fits", res.Served, len(res.Entries))
	}
}

// C4, C5, C6: a cached list is served when upstream does not answer, has lost it, or breaks off.
func TestPlaylistStale(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		breaks func(*world)
		code   string
	}{
		"unreachable": {func(w *world) { w.fake.SetOffline(true) }, atskills.WarnStale},
		"gone":        {func(w *world) { w.fake.Remove(listRef) }, atskills.WarnGone},
		"refresh": {func(w *world) {
			w.relist("gh:acme/kit/other\n")
			w.fake.Intercept(func(_ context.Context, op string, _ skill.ID) error {
				if op == "list" {
					return errors.New("broke off")
				}
				return nil
			})
		}, atskills.WarnRefresh},
		"empty": {func(w *world) { w.relist("# nothing\n") }, atskills.WarnGone},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, starter)
			w.resolve(listRef)
			tt.breaks(w)
			res := w.resolve(listRef)
			if res.Served != atskills.ServedStale || len(res.Entries) != 3 || !hasWarning(res.Warnings, tt.code, "cached 2026-03-04") {
				t.Errorf("served %s, %d rows, warnings %v", res.Served, len(res.Entries), res.Warnings)
			}
		})
	}
}

// C7, C8: a list that was damaged or deleted in the cache is fetched again; while upstream is away, what can be read of a
// damaged one is served with a warning, and what cannot is absent.
func TestPlaylistDamaged(t *testing.T) {
	t.Parallel()
	const other = `[{"path":"gh:evil/x","name":"x","description":"y"}]`
	tests := []struct {
		name   string
		damage func(*world)
		offer  string // what is served offline, "" for nothing
	}{
		{"other rows", func(w *world) { write(w.T, w.env.Cache, map[string]string{listPath: other}) }, "gh:evil/x: y"},
		{"no JSON", func(w *world) { write(w.T, w.env.Cache, map[string]string{listPath: "gh:evil/x"}) }, ""},
		{"no rows", func(w *world) { write(w.T, w.env.Cache, map[string]string{listPath: "[]"}) }, ""},
		{"local row", func(w *world) { write(w.T, w.env.Cache, map[string]string{listPath: `[{"path":"mine"}]`}) }, ""},
		{"bad row", func(w *world) { write(w.T, w.env.Cache, map[string]string{listPath: `[{"path":"gh:a"}]`}) }, ""},
		{"deleted list", func(w *world) { _ = w.env.Cache.Remove(listPath) }, ""},
		{"deleted folder", func(w *world) { _ = fsx.RemoveAll(w.env.Cache, "hub") }, ""},
		{"deleted metadata", func(w *world) { _ = w.env.Cache.Remove(metaName(listRef)) }, ""},
		{"a skill beside", func(w *world) {
			write(w.T, w.env.Cache, map[string]string{"hub/acme/starter/SKILL.md": skillText("x", "Y.", "Z.")})
		}, "Z."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, starter)
			w.resolve(listRef)
			tt.damage(w)
			w.fake.SetOffline(true)
			if tt.offer == "" {
				w.refuse(listRef, atskills.ErrUnreachable)
			} else if res := w.resolve(listRef); res.Content != tt.offer || !hasWarning(res.Warnings, atskills.WarnDamaged) {
				t.Errorf("offline: %q, warnings %v", res.Content, res.Warnings)
			}
			w.fake.SetOffline(false)
			if res := w.resolve(listRef); len(res.Entries) != 3 || res.Served == atskills.ServedStale || hasWarning(res.Warnings, atskills.WarnDamaged) {
				t.Errorf("online: served %s, rows %v, warnings %v", res.Served, rows(res), res.Warnings)
			}
			w.counter.Reset()
			w.resolve(listRef)
			w.asked("a healed list", transporttest.Counts{Probes: 1})
		})
	}
}

// C6, C7: an entry may be a skill, become a playlist, and a skill again; nothing of the one shows in the other.
func TestPlaylistAndSkill(t *testing.T) {
	t.Parallel()
	fstest.Each(t, func(t *testing.T, sys fstest.System) {
		w := newWorld(t, starter)
		w.env.Cache = fsx.Locked(sys.New(t))
		for round := range 2 {
			w.entry(listRef, map[string]string{"SKILL.md": skillText("starter", "Starts.", "Once a skill."), "a/b.txt": "b"})
			res := w.resolve(listRef)
			if res.Kind != atskills.Skill || res.Playlist || res.Content != "Once a skill." || !cmp.Equal(res.Files, []string{"a/b.txt"}) || len(res.Warnings) != round {
				t.Errorf("as a skill: %s %q, files %v, warnings %v", res.Kind, res.Content, res.Files, res.Warnings)
			}
			w.relist(listed)
			for _, served := range []atskills.Served{atskills.ServedFresh, atskills.ServedCached} {
				res := w.resolve(listRef)
				if !res.Playlist || len(res.Entries) != 3 || res.Files != nil || res.Name != "" || res.Served != served {
					t.Errorf("as a playlist: %s, rows %v, files %v, served %s, want %s", res.Kind, rows(res), res.Files, res.Served, served)
				}
			}
			if got := tree(t, w.env.Cache, "hub/acme/starter"); len(got) != 1 {
				t.Errorf("the entry of a playlist holds %v", got)
			}
		}
		w.relist(listed + "# another revision of the same rows\n")
		if res := w.resolve(listRef); res.Served != atskills.ServedCached || len(res.Entries) != 3 {
			t.Errorf("another revision of the same rows: served %s, rows %v", res.Served, rows(res))
		}
	})
}

// C6, C7, C8: whatever call fails, or wherever the process dies, while an entry changes between skill and playlist, the
// next call answers with one of the two, whole.
func TestPlaylistFaults(t *testing.T) {
	t.Parallel()
	faults := map[string]func(billy.Filesystem, int) (billy.Filesystem, func() bool){
		"fails": fstest.FailNth, "dies": fstest.LosePower,
	}
	states := map[string]map[string]string{
		"skill":    {"SKILL.md": skillText("starter", "Starts.", "Once a skill."), "a/b.txt": "b"},
		"playlist": {".playlist": listed},
		"shorter":  {".playlist": "gh:acme/kit/skills/review Reads.\n"},
	}
	content := map[string]string{
		"skill":    "Once a skill.",
		"playlist": "gh:acme/kit/skills/review: Reads a change.\nhub:acme/notes: Takes notes.\ngh:acme/kit/.claude/: (no description)",
		"shorter":  "gh:acme/kit/skills/review: Reads.",
	}
	step := func(t *testing.T, from, to string, fault func(billy.Filesystem) (billy.Filesystem, func() bool)) bool {
		w := newWorld(t, starter)
		if from != "" {
			w.entry(listRef, states[from])
			w.resolve(listRef)
		}
		w.entry(listRef, states[to])
		sound := w.env.Cache
		broken, reached := fault(sound)
		w.env.Cache = broken
		res, err := atskills.Resolve(t.Context(), w.env, listRef)
		if err == nil && res.Content != content[to] && (res.Content != content[from] || len(res.Warnings) == 0) {
			t.Errorf("during the fault: %q, warnings %v", res.Content, res.Warnings)
		}
		w.env.Cache = sound
		w.fake.SetOffline(true)
		if res, err := atskills.Resolve(t.Context(), w.env, listRef); err == nil && res.Content != content[to] && res.Content != content[from] {
			t.Errorf("offline after the fault: %q, warnings %v", res.Content, res.Warnings)
		}
		w.fake.SetOffline(false)
		if res := w.resolve(listRef); res.Content != content[to] || res.Served == atskills.ServedStale || hasWarning(res.Warnings, atskills.WarnDamaged) {
			t.Errorf("after the fault (%v): %q, served %s, warnings %v", err, res.Content, res.Served, res.Warnings)
		}
		return reached()
	}
	for name, fault := range faults {
		for _, change := range [][2]string{{"", "playlist"}, {"skill", "playlist"}, {"playlist", "skill"}, {"playlist", "shorter"}} {
			t.Run(fmt.Sprintf("%s/%s to %s", name, change[0], change[1]), func(t *testing.T) {
				t.Parallel()
				fstest.Sweep(t, func(t *testing.T, n int) (reached bool) {
					synctest.Test(t, func(t *testing.T) { // waiting for the lock of the dead takes no time here
						reached = step(t, change[0], change[1], func(fsys billy.Filesystem) (billy.Filesystem, func() bool) {
							return fault(fsys, n)
						})
					})
					return reached
				})
			})
		}
	}
}

// B7, H5: no list fills a prompt by its words: names and descriptions are cut as in a block, which is one warning; rows that
// are none are named up to a bound, and counted, each time the list is served.
func TestPlaylistIsBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, starter)
	w.env.Transport = wordy{w.counter}
	long := strings.Repeat("ä", 1024) + "…"
	for range 2 {
		res := w.resolve(listRef)
		want := []string{
			fmt.Sprintf("%s %q %q false", notesRef, strings.Repeat("n", 256)+"…", long),
			fmt.Sprintf("%s %q %q false", deployRef, "deploy", "short"),
		}
		if diff := cmp.Diff(want, rows(res)); diff != "" {
			t.Errorf("entries (-want +got):\n%s", diff)
		}
		if want := notesRef + ": " + long + "\n" + deployRef + ": short"; res.Content != want {
			t.Errorf("a menu of %d bytes, want %d", len(res.Content), len(want))
		}
		if !hasWarning(res.Warnings, atskills.WarnShortened, "1 of 2 rows", "256", "1024") ||
			!hasWarning(res.Warnings, atskills.WarnSkipped, "49980 more") || len(res.Warnings) != 22 {
			t.Errorf("%d warnings: %.2000q", len(res.Warnings), codes(res.Warnings))
		}
		for _, warning := range res.Warnings {
			if len(warning.Message) > 512 {
				t.Errorf("a warning of %d bytes", len(warning.Message))
			}
		}
	}
	_, err := atskills.Resolve(t.Context(), w.env, "hub:acme/useless")
	if err == nil || len(err.Error()) > 8192 || !strings.Contains(err.Error(), "and 499") {
		t.Errorf("a list without a usable row: %.200v", err)
	}
}

// wordy is a hub whose lists have long texts and very many rows that are none. Of hub:acme/useless these are all.
type wordy struct{ transport.Transport }

func (u wordy) Head(context.Context, skill.ID) (transport.Head, error) {
	return transport.Head{Revision: "1"}, nil
}

func (u wordy) Open(_ context.Context, _ transport.Revision, ids ...skill.ID) (transport.Snapshot, error) {
	return wordyList{useless: ids[0].Base() == "useless"}, nil
}

type wordyList struct {
	transport.Snapshot
	useless bool
}

func (l wordyList) Tree(skill.ID) (transport.Tree, error) {
	tree := transport.Tree{Skipped: slices.Repeat([]string{"../" + strings.Repeat("y", 40<<10)}, 50_000)}
	for _, row := range []struct{ ref, name, description string }{
		{notesRef, strings.Repeat("n", 50_000), strings.Repeat("ä", 100_000)}, {deployRef, "deploy", "short"},
	} {
		ref, err := skill.ParseRef(row.ref)
		if err != nil {
			return tree, err
		}
		if !l.useless {
			tree.Rows = append(tree.Rows, transport.Row{Ref: ref, Name: row.name, Description: row.description})
		}
	}
	return tree, nil
}

func (l wordyList) Close() error { return nil }
