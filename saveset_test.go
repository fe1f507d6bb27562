package atskills_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-git/go-billy/v5/memfs"
	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/internal/fstest"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/transporttest"
)

// outcomes spells what became of a set's rows.
func outcomes(s *atskills.Saved) (out []string) {
	for _, item := range s.Set {
		state := "failed"
		if item.Err == nil {
			state = fmt.Sprintf("%s %s", item.Saved.State, item.Saved.Kind)
		}
		out = append(out, item.ID.String()+" "+state)
	}
	return out
}

// stamps lists the folders of the project that have a stamp, with the ids in them.
func stamps(w *world) map[string]string {
	w.Helper()
	out := make(map[string]string)
	for name, body := range fstest.Read(w.T, w.env.Project, ".atskills") {
		if dir, ok := strings.CutSuffix(name, "/.source"); ok {
			out[dir], _, _ = strings.Cut(body, "\n")
		}
	}
	return out
}

// S12, H5, G11: each row lands at its own id's path under its own stamp, a directory as a collection; nothing stands at the
// playlist's path.
func TestSaveSet(t *testing.T) {
	t.Parallel()
	fstest.Each(t, func(t *testing.T, sys fstest.System) {
		w := newWorld(t, starter)
		w.env.Project = fsx.Locked(sys.New(t))
		got := w.save("@skills:" + listRef + ":save")
		if got.State != atskills.SavedSet || got.Kind != atskills.Menu || got.Source != atskills.FromHub || got.Served != atskills.ServedFresh ||
			got.Revision != w.revision(ids(w, listRef)[0]) || got.Dir != "" || got.Path != "" || got.Skills != 3 || got.Files != 5 {
			t.Errorf("Save = %+v", got)
		}
		if !cmp.Equal(codes(got.Warnings), []string{atskills.WarnSkipped}) || got.Err() != nil {
			t.Errorf("warnings %v, error %v", got.Warnings, got.Err())
		}
		want := []string{"gh:acme/kit/skills/review new skill", "hub:acme/notes new skill", "gh:acme/kit/.claude new menu"}
		if diff := cmp.Diff(want, outcomes(got)); diff != "" {
			t.Errorf("rows (-want +got):\n%s", diff)
		}
		if name, whole := got.Set[0].Name, got.Set[2].Whole; name != "review" || !whole || got.Set[0].Whole {
			t.Errorf("rows %+v", got.Set)
		}
		if diff := cmp.Diff(map[string]string{
			"gh/acme/kit/skills/review": reviewRef, "hub/acme/notes": notesRef, "gh/acme/kit/.claude": "gh:acme/kit/.claude",
		}, stamps(w)); diff != "" {
			t.Errorf("stamps (-want +got):\n%s", diff)
		}
		for i, src := range []atskills.Source{atskills.FromGitHub, atskills.FromHub, atskills.FromGitHub} {
			if s := got.Set[i].Saved; s.Source != src || s.Served != atskills.ServedFresh {
				t.Errorf("row %d came from %s, served %s; want %s, fetched now", i, s.Source, s.Served, src)
			}
		}
		w.noLeftovers(w.env.Project)

		for i, item := range w.save(listRef).Set {
			if item.Err != nil || item.Saved.State != atskills.SavedUnchanged {
				t.Errorf("again: row %d is %+v, %v", i, item.Saved, item.Err)
			}
		}
	})
}

// C11: rows of one repository share a probe, a listing and an exchange; what stands in the project is not fetched for it.
func TestSaveSetSharesProbes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, starter)
	w.save(listRef)
	// The list and the entry that it names take a probe and a listing each, and so does the repository of the other two.
	w.asked("a cold set", transporttest.Counts{Probes: 3, Opens: 3, Fetches: 2, Bodies: 5})
	w.save(listRef)
	w.asked("the same set again", transporttest.Counts{Probes: 3})

	w.env.Cache = fsx.Locked(memfs.New())
	w.save(listRef)
	if got := w.counter.Reset(); got.Bodies != 0 || got.Probes != 3 {
		t.Errorf("with an empty cache the same set asked %+v, want no body", got)
	}

	w = newWorld(t, starter)
	w.env.Cache = nil
	w.save(listRef)
	w.asked("a set without a cache", transporttest.Counts{Probes: 3, Opens: 3, Fetches: 2, Bodies: 5})
	w = newWorld(t, starter)
	w.env.Cache = fstest.ReadOnly(w.env.Cache)
	if got := w.save(listRef); got.Err() != nil || !hasWarning(got.Warnings, atskills.WarnCache) {
		t.Errorf("with a read-only cache: %v, warnings %v", got.Err(), got.Warnings)
	}
	if got := w.counter.Reset(); got.Probes != 3 || got.Bodies != 5 {
		t.Errorf("with a read-only cache the set asked %+v", got)
	}
}

// S12: a row that fails, for whatever reason, touches no other, and each failure is told.
func TestSaveSetFailures(t *testing.T) {
	t.Parallel()
	w := newWorld(t, starter+many("acme/kit", "lots", 129)+`
-- hub:acme/other/.playlist --
hub:acme/starter
`)
	w.relist(`
gh:acme/kit/skills/nope
gh:acme/kit/skills/deploy
gh:acme/nowhere/x
gh:acme/nowhere/y
gh:acme/kit/lots
hub:acme/other
hub:acme/starter
hub:acme/notes
gh:acme/kit/skills/review
`)
	w.save(deployRef)
	w.edit(deployCopy+"/scripts/run.sh", "mine")
	w.edit(".atskills/hub/acme/notes/mine.md", "my own")
	before := fstest.Read(t, w.env.Project, "")
	w.counter.Reset()
	got := w.save(listRef)
	want := []string{
		"gh:acme/kit/skills/nope failed", "gh:acme/kit/skills/deploy failed", "gh:acme/nowhere/x failed", "gh:acme/nowhere/y failed",
		"gh:acme/kit/lots failed", "hub:acme/other failed", "hub:acme/starter failed", "hub:acme/notes failed",
		"gh:acme/kit/skills/review new skill",
	}
	if diff := cmp.Diff(want, outcomes(got)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	var miss *atskills.NotFoundError
	var conflict *atskills.ConflictError
	err := got.Err()
	for what, ok := range map[string]bool{
		"not found": errors.As(got.Set[0].Err, &miss), "a conflict": errors.As(got.Set[1].Err, &conflict),
		"no repository": errors.Is(got.Set[2].Err, atskills.ErrNotFound), "the cap": errors.Is(got.Set[4].Err, atskills.ErrTooLarge),
		"own work":       errors.Is(got.Set[7].Err, atskills.ErrOwnWork),
		"joined":         errors.Is(err, atskills.ErrOwnWork) && errors.Is(err, atskills.ErrTooLarge) && errors.Is(err, atskills.ErrConflict),
		"nested":         strings.Contains(got.Set[5].Err.Error(), "save hub:acme/other: it is a playlist itself"),
		"itself":         strings.Contains(got.Set[6].Err.Error(), "save hub:acme/starter: it is a playlist itself"),
		"skills counted": got.Skills == 1,
	} {
		if !ok {
			t.Errorf("%s: %v", what, err)
		}
	}
	// Two lists and two repositories, of which one is missing; a listing of each, and one to compare the edited copy with.
	w.asked("a set with failures", transporttest.Counts{Probes: 4, Opens: 4, Fetches: 1, Bodies: 2})
	after := fstest.Read(t, w.env.Project, "")
	for name, body := range before {
		if after[name] != body {
			t.Errorf("%s is %q, want %q", name, after[name], body)
		}
	}
	w.noLeftovers(w.env.Project)
}

// S12, C4: while upstream is away a cached list is saved from what is cached, and says so; rows that are not cached fail.
func TestSaveSetOffline(t *testing.T) {
	t.Parallel()
	w := newWorld(t, starter)
	w.resolve(listRef)
	w.resolve(notesRef)
	w.fake.SetOffline(true)
	got := w.save(listRef)
	want := []string{"gh:acme/kit/skills/review failed", "hub:acme/notes new skill", "gh:acme/kit/.claude failed"}
	if diff := cmp.Diff(want, outcomes(got)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if got.Served != atskills.ServedStale || !hasWarning(got.Warnings, atskills.WarnStale) || !hasWarning(got.Set[1].Saved.Warnings, atskills.WarnStale) {
		t.Errorf("served %s, warnings %v", got.Served, got.Warnings)
	}
	if !errors.Is(got.Err(), atskills.ErrUnreachable) {
		t.Errorf("error %v", got.Err())
	}

	write(t, w.env.Cache, map[string]string{listPath: `[{"path":"hub:acme/evil"}]`}) // nobody vouches for these rows
	if saved, err := atskills.Save(t.Context(), w.env, listRef); err == nil {
		t.Errorf("a damaged list was saved: %v", outcomes(saved))
	}
}

// S12: when the context ends in the middle, what landed stays, and the rest fails with its error.
func TestSaveSetCancelled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, starter)
	w.relist("hub:acme/notes\ngh:acme/kit/skills/review\n")
	ctx, cancel := context.WithCancel(t.Context())
	w.fake.Intercept(func(_ context.Context, op string, id skill.ID) error {
		if op == "probe" && id.Scheme() == skill.GitHub {
			cancel()
		}
		return nil
	})
	got, err := atskills.Save(ctx, w.env, listRef)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"hub:acme/notes new skill", "gh:acme/kit/skills/review failed"}, outcomes(got)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if !errors.Is(got.Err(), context.Canceled) {
		t.Errorf("error %v", got.Err())
	}
	w.noLeftovers(w.env.Project)
}

// keepsOld is a hub that serves the revisions it had.
type keepsOld struct {
	transport.Transport
	old map[transport.Revision]transport.Snapshot
}

func (k keepsOld) Open(ctx context.Context, rev transport.Revision, ids ...skill.ID) (transport.Snapshot, error) {
	if snap, ok := k.old[rev]; ok {
		return unclosed{snap}, nil
	}
	return k.Transport.Open(ctx, rev, ids...)
}

type unclosed struct{ transport.Snapshot }

func (unclosed) Close() error { return nil }

// S3, S12: where a copy of the skill that stood at the playlist's id stands, it is not touched, and still answers; edited
// or not comparable it is a conflict as everywhere, and the project's own folder is refused.
func TestSaveSetWhereACopyStands(t *testing.T) {
	t.Parallel()
	const copyOfList = ".atskills/hub/acme/starter"
	w := newWorld(t, starter)
	w.entry(listRef, map[string]string{"SKILL.md": skillText("starter", "Starts.", "Once a skill.")})
	w.save(listRef)
	id := ids(w, listRef)[0]
	rev := w.revision(id)
	snap, err := w.fake.Open(t.Context(), rev, id)
	if err != nil {
		t.Fatal(err)
	}
	w.relist("hub:acme/notes\n")
	w.conflict(listRef) // this hub does not serve the recorded revision any more

	before := fstest.Read(t, w.env.Project, copyOfList)
	w.env.Transport = keepsOld{w.counter, map[transport.Revision]transport.Snapshot{rev: snap}}
	got := w.save(listRef)
	if !hasWarning(got.Warnings, atskills.WarnShadowed, copyOfList) || !cmp.Equal(outcomes(got), []string{"hub:acme/notes new skill"}) {
		t.Errorf("rows %v, warnings %v", outcomes(got), got.Warnings)
	}
	if diff := cmp.Diff(before, fstest.Read(t, w.env.Project, copyOfList)); diff != "" {
		t.Errorf("the copy (-before +after):\n%s", diff)
	}
	d, err := atskills.Diff(t.Context(), w.env, listRef)
	if err != nil || len(d.Files) != 1 || d.Files[0].Path != "SKILL.md" || d.Files[0].Theirs != atskills.Missing {
		t.Errorf("Diff = %+v, %v; want the skill gone upstream", d, err)
	}

	w.remove(copyOfList)
	w.edit(copyOfList+"/notes.md", "mine")
	if _, err := atskills.Save(t.Context(), w.env, listRef); !errors.Is(err, atskills.ErrOwnWork) {
		t.Errorf("over own work: %v", err)
	}
}

// S12, S2, S11, S13: a playlist has no folder; who asks for it is told to name a row, those that were saved if it is known.
func TestPlaylistHasNoFolder(t *testing.T) {
	t.Parallel()
	verbs := map[string]func(*world) error{
		"Remove": func(w *world) error {
			_, err := atskills.Remove(w.Context(), w.env, listRef, atskills.RemoveOptions{Force: true})
			return err
		},
		"Diff": func(w *world) error {
			_, err := atskills.Diff(w.Context(), w.env, listRef)
			return err
		},
		"Origin": func(w *world) error {
			_, err := atskills.Origin(w.env, listRef)
			return err
		},
	}
	w := newWorld(t, starter)
	expect := func(what, reason string, near []string, hint string) {
		t.Helper()
		for verb, call := range verbs {
			err := call(w)
			var miss *atskills.NotFoundError
			if !errors.As(err, &miss) || !strings.Contains(miss.Reason, reason) || !cmp.Equal(miss.Near, near) || !strings.Contains(miss.Hint, hint) {
				t.Errorf("%s, %s: %+v", what, verb, err)
			}
		}
		w.asked(what, transporttest.Counts{})
	}
	expect("an unknown id", "no such folder", nil, "if it is a playlist")
	w.resolve(listRef)
	w.counter.Reset()
	expect("a list that was read", "it is a playlist", nil, "none of them was")
	w.save(listRef)
	w.counter.Reset()
	expect("a list that was saved", "it is a playlist", []string{reviewRef, notesRef, "gh:acme/kit/.claude"}, "name a row")
	if _, err := atskills.Remove(t.Context(), w.env, notesRef, atskills.RemoveOptions{}); err != nil {
		t.Errorf("Remove of a row: %v", err)
	}
	w.counter.Reset()
	expect("a list with a row removed", "it is a playlist", []string{reviewRef, "gh:acme/kit/.claude"}, "name a row")
}

// S10: a line that takes the whole playlist is noted once copies answer every row, with the lines that mean the copies
// alone; they load what the list's line did. A line without the slash loads nothing, and a list with a row that failed is
// still needed.
func TestSaveSetNotesTrigger(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"":                                     0,
		"@" + listRef + "\n":                   0,
		"# x\n  @HUB:Acme/Starter/ \r\n":       1,
		"@" + listRef + "/\n@" + listRef + "/": 2,
		"@" + notesRef + "\n":                  0, // the row's own note
	} {
		w := newWorld(t, starter)
		w.edit(".atskills/.autotrigger", text)
		for range 2 {
			got := w.save(listRef)
			notes := slices.DeleteFunc(got.Warnings, func(w atskills.Warning) bool { return w.Code != atskills.WarnTrigger })
			if len(notes) != want || want > 0 && !hasWarning(notes, atskills.WarnTrigger, "playlist "+listRef,
				"alone are `gh/acme/kit/skills/review`, `hub/acme/notes`, `gh/acme/kit/.claude/`") {
				t.Errorf(".autotrigger %q: warnings %v", text, notes)
			}
		}
	}
	w := newWorld(t, starter)
	w.edit(".atskills/.autotrigger", "@"+listRef+"/\n")
	w.save(listRef)
	names := func() (names []string) {
		for _, r := range w.block().Rows {
			names = append(names, r.Name)
		}
		return slices.Sorted(slices.Values(names))
	}
	followed := names()
	w.edit(".atskills/.autotrigger", "gh/acme/kit/skills/review\nhub/acme/notes\ngh/acme/kit/.claude/\n")
	if got := names(); !cmp.Equal(got, followed) || len(got) != 3 {
		t.Errorf("rows %q by the copies, %q by the list; want the same 3", got, followed)
	}
	w = newWorld(t, starter)
	w.edit(".atskills/.autotrigger", "@"+listRef+"/\n")
	w.fake.Remove("hub:acme/notes")
	if got := w.save(listRef); got.Err() == nil || hasWarning(got.Warnings, atskills.WarnTrigger) {
		t.Errorf("with a row that failed: %v, warnings %v", got.Err(), got.Warnings)
	}
}

// S6, S7, S12: rows of a list may overlap. Each save ends with the same files, whichever comes first, and none fails.
func TestSaveSetOverlap(t *testing.T) {
	t.Parallel()
	for _, list := range []string{
		"gh:acme/kit/skills/\ngh:acme/kit/skills/review\n",
		"gh:acme/kit/skills/review\ngh:acme/kit/skills/\n",
		"gh:acme/kit/\ngh:acme/kit/skills/\ngh:acme/kit/skills/deploy\n",
		"gh:acme/kit/skills/deploy\ngh:acme/kit/skills/deploy/nested\ngh:acme/kit/\n",
	} {
		w := newWorld(t, starter)
		w.relist(list)
		if first := w.save(listRef); first.Err() != nil {
			t.Errorf("%q: %v", list, first.Err())
		}
		before := fstest.Read(t, w.env.Project, ".atskills")
		if again := w.save(listRef); again.Err() != nil {
			t.Errorf("%q again: %v", list, again.Err())
		}
		if diff := cmp.Diff(before, fstest.Read(t, w.env.Project, ".atskills")); diff != "" {
			t.Errorf("%q again (-before +after):\n%s", list, diff)
		}
		w.commit(map[string]string{"skills/review/SKILL.md": skillText("review", "Reads.", "Changed.")})
		if third := w.save(listRef); third.Err() != nil {
			t.Errorf("%q after a change: %v", list, third.Err())
		}
	}
}
