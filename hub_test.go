package atskills_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/internal/fstest"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/transporttest"
)

// H1: without a hub its ids fail with both alternatives named, for reading and saving alike; nothing else asks for one.
func TestNoHub(t *testing.T) {
	t.Parallel()
	w := newWorld(t, starter)
	none := w.env
	none.Transport = nil
	for name, env := range map[string]atskills.Env{
		"no hub":       {Project: w.env.Project, Cache: w.env.Cache, Transport: transport.Mux{GitHub: w.counter}},
		"no transport": none,
	} {
		_, errResolve := atskills.Resolve(t.Context(), env, notesRef)
		_, errSave := atskills.Save(t.Context(), env, notesRef)
		for verb, err := range map[string]error{"Resolve": errResolve, "Save": errSave} {
			if !errors.Is(err, atskills.ErrNotConfigured) {
				t.Errorf("%s: %s error %v", name, verb, err)
				continue
			}
			for _, part := range []string{"configure a hub", "gh: id", ".atskills/" + "hub/acme/notes"} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%s: %s error %q does not name %q", name, verb, err, part)
				}
			}
		}
	}
	w.asked("hub ids without a hub", transporttest.Counts{})

	// A copy in the project, and one in the cache, need no hub.
	write(t, w.env.Project, map[string]string{".atskills/hub/acme/own/SKILL.md": skillText("own", "Saved.", "Saved.")})
	w.resolve(notesRef)
	w.env.Transport = transport.Mux{GitHub: w.counter}
	if res := w.resolve("hub:acme/own"); res.Content != "Saved." || res.Served != atskills.ServedLocal {
		t.Errorf("a saved copy: %q, served %s", res.Content, res.Served)
	}
	if res := w.resolve(notesRef); res.Served != atskills.ServedStale || !hasWarning(res.Warnings, atskills.WarnStale, "configure a hub") {
		t.Errorf("a cached copy: served %s, warnings %v", res.Served, res.Warnings)
	}
	// The others never touch one.
	w.env.Transport = transport.Mux{GitHub: w.counter, Hub: untouchable{t}}
	w.resolve(skillsRef)
	w.save(deployRef)
	w.resolve("hub:acme/own")
}

// untouchable is a hub that nobody may ask.
type untouchable struct{ *testing.T }

func (u untouchable) Head(_ context.Context, id skill.ID) (transport.Head, error) {
	u.Errorf("the hub was asked for %s", id)
	return transport.Head{}, transport.ErrUnreachable
}

func (u untouchable) Open(_ context.Context, _ transport.Revision, ids ...skill.ID) (transport.Snapshot, error) {
	u.Errorf("the hub was asked for %s", ids)
	return nil, transport.ErrUnreachable
}

// listener notes what each probe said of what the caller has.
type listener struct {
	*transporttest.Counter

	mu   sync.Mutex
	said map[string]transport.Known
}

func (l *listener) HeadSince(ctx context.Context, id skill.ID, known transport.Known) (transport.Head, error) {
	l.mu.Lock()
	l.said[id.String()] = known
	l.mu.Unlock()
	return l.Counter.HeadSince(ctx, id, known)
}

// H3, C4: a probe says what the cache has of a hub's entry, for every verb; of an entry that is not whole it says nothing,
// and neither of a repository, of which the cache has parts.
func TestProbeSaysWhatIsCached(t *testing.T) {
	t.Parallel()
	w := newWorld(t, starter)
	l := &listener{Counter: w.counter, said: make(map[string]transport.Known)}
	w.env.Transport = l
	refs := []string{notesRef, listRef, deployRef}
	say := func(what string, want bool, op func(ref string)) {
		t.Helper()
		for _, ref := range refs {
			clear(l.said)
			op(ref)
			id := ids(w, ref)[0]
			got, asked := l.said[id.Origin().String()]
			known := transport.Known{}
			if want && id.Scheme() == skill.Hub {
				known = transport.Known{Revision: w.revision(id), Fetched: time.Date(2026, 3, 4, 5, 6, 7, 8e6, time.UTC)}
			}
			if want && !asked && id.Scheme() == skill.Hub || got != known {
				t.Errorf("%s of %s: the probe said %+v (asked %v), want %+v", what, ref, got, asked, known)
			}
		}
	}
	read := func(ref string) { w.resolve(ref, atskills.FromUpstream()) }
	say("the first read", false, read)
	say("the second read", true, read)
	for _, ref := range refs {
		write(t, w.env.Cache, map[string]string{strings.TrimSuffix(metaName(ids(w, ref)[0].String()), ".json") + ".swap": ""})
	}
	say("a read after a crash", false, read)
	refs = []string{notesRef}
	say("a save", true, func(ref string) { w.save(ref) })
	say("a diff", true, func(ref string) {
		if _, err := atskills.Diff(t.Context(), w.env, ref); err != nil {
			t.Error(err)
		}
	})
}

func (w *world) revision(id skill.ID) transport.Revision {
	w.Helper()
	head, err := w.fake.Head(w.Context(), id)
	if err != nil {
		w.Fatal(err)
	}
	return head.Revision
}

// H3: while what is cached counts as fresh it is served as cached and upstream hears nothing, even when it is away.
func TestFreshWithoutRequest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, starter)
	for _, ref := range []string{notesRef, listRef} {
		w.resolve(ref)
	}
	requests := 0
	w.fake.Intercept(func(context.Context, string, skill.ID) error {
		requests++
		return nil
	})
	w.fake.SetFresh(func(skill.ID, transport.Known) bool { return true })
	w.fake.SetOffline(true)
	for _, ref := range []string{notesRef, listRef} {
		if res := w.resolve(ref); res.Served != atskills.ServedCached || hasWarning(res.Warnings, atskills.WarnStale) {
			t.Errorf("%s: served %s, warnings %v", ref, res.Served, res.Warnings)
		}
	}
	if requests != 0 {
		t.Errorf("%d requests", requests)
	}
}

// H3: what upstream confirmed counts as fresh again for 15 minutes, by whoever reads it next; when it was fetched stays as
// it is, and of a repository nothing is kept.
func TestFreshAgainWhenConfirmed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, starter)
	start := w.env.Now()
	now := start
	w.env.Now = func() time.Time { return now }
	w.fake.SetFresh(func(_ skill.ID, known transport.Known) bool { return now.Sub(known.Fetched) < 15*time.Minute })
	requests := 0
	w.fake.Intercept(func(context.Context, string, skill.ID) error {
		requests++
		return nil
	})
	for _, ref := range []string{notesRef, listRef} {
		w.resolve(ref)
		for _, step := range []struct {
			minutes  time.Duration
			requests int
		}{{10, 0}, {16, 1}, {17, 0}, {30, 0}, {32, 1}, {33, 0}, {300, 1}} {
			now, requests = start.Add(step.minutes*time.Minute), 0
			res := w.resolve(ref)
			if requests != step.requests || res.Served != atskills.ServedCached || !res.Fetched.Equal(start) {
				t.Errorf("%s after %d minutes: %d requests, served %s, fetched %v; want %d", ref, step.minutes, requests, res.Served, res.Fetched, step.requests)
			}
		}
		now = start
	}
	const whole = "gh:acme/kit"
	w.resolve(whole)
	before := w.meta(whole)
	now = start.Add(time.Hour)
	w.resolve(whole)
	if diff := cmp.Diff(before, w.meta(whole)); diff != "" {
		t.Errorf("metadata of a repository (-before +after):\n%s", diff)
	}
}

// R5, C6: a hub that refuses to list so many rows has given an answer, which no cached copy hides.
func TestHubRefusesTheCount(t *testing.T) {
	t.Parallel()
	w := newWorld(t, starter)
	w.resolve(listRef)
	for _, op := range []string{"probe", "list"} {
		w.relist("gh:acme/kit/skills/review " + op + "\n")
		w.fake.Intercept(func(_ context.Context, at string, _ skill.ID) error {
			if at == op {
				return &transport.TooManyError{Count: 129}
			}
			return nil
		})
		err := w.refuse(listRef, atskills.ErrTooLarge)
		if want := "hub:acme/starter holds 129 skills, more than the 128 one reference may cover"; err.Error() != want {
			t.Errorf("%s: error %q, want %q", op, err, want)
		}
	}
}

// H3, C8: an entry that counts as fresh, is damaged and has moved upstream is fetched as it is there now.
func TestFreshButDamaged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, starter)
	w.resolve(notesRef)
	w.resolve(listRef)
	w.fake.SetFresh(func(skill.ID, transport.Known) bool { return true })
	w.entry(notesRef, map[string]string{"SKILL.md": skillText("notes", "New.", "New notes.")})
	w.relist("hub:acme/notes New row.\n")
	write(t, w.env.Cache, map[string]string{"hub/acme/notes/SKILL.md": "damaged", listPath: "[]"})
	for ref, want := range map[string]string{notesRef: "New notes.", listRef: "hub:acme/notes: New row."} {
		w.counter.Reset()
		if res := w.resolve(ref); res.Content != want || res.Served != atskills.ServedFresh || hasWarning(res.Warnings, atskills.WarnDamaged) {
			t.Errorf("%s: %q, served %s, warnings %v", ref, res.Content, res.Served, res.Warnings)
		}
		if got := w.counter.Counts(); got.Probes != 2 || got.Opens != 2 {
			t.Errorf("%s: asked %+v, want a second probe and listing", ref, got)
		}
	}
}

// C4, S4: what a hub no longer serves between probe and listing is asked for once more.
func TestMovedBetweenProbeAndListing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, starter)
	moves := 1
	w.fake.Intercept(func(_ context.Context, op string, _ skill.ID) error {
		if op == "list" && moves > 0 {
			moves--
			w.entry(notesRef, map[string]string{"SKILL.md": skillText("notes", "New.", "New notes.")})
		}
		return nil
	})
	if res := w.resolve(notesRef); res.Content != "New notes." || res.Revision != w.revision(ids(w, notesRef)[0]) {
		t.Errorf("%q at %s", res.Content, res.Revision)
	}
	w.asked("an entry that moved", transporttest.Counts{Probes: 2, Opens: 2, Fetches: 1, Bodies: 1})
}

// H4: who may read an entry is in the result and kept with the entry; a probe that says something else is believed, also
// when nothing changed otherwise. A repository says nothing.
func TestVisibility(t *testing.T) {
	t.Parallel()
	fstest.Each(t, func(t *testing.T, sys fstest.System) {
		w := newWorld(t, starter)
		w.env.Cache = sys.New(t)
		expect := func(what string, want transport.Visibility) {
			t.Helper()
			for _, ref := range []string{notesRef, listRef} {
				if res := w.resolve(ref); res.Visibility != want {
					t.Errorf("%s: visibility of %s is %q, want %q", what, ref, res.Visibility, want)
				}
			}
		}
		say := func(v transport.Visibility) {
			for _, ref := range []string{notesRef, listRef} {
				if err := w.fake.SetVisibility(ref, v); err != nil {
					t.Fatal(err)
				}
			}
		}
		expect("nothing said", "")
		say(transport.Private)
		expect("told by a probe", transport.Private)
		w.fake.SetOffline(true)
		expect("kept", transport.Private)
		w.fake.SetOffline(false)
		say(transport.Public)
		w.counter.Reset()
		expect("told otherwise", transport.Public)
		w.asked("entries whose visibility changed", transporttest.Counts{Probes: 2})
		say("")
		expect("nothing said any more", transport.Public)
		if res := w.resolve(deployRef); res.Visibility != "" {
			t.Errorf("visibility of a repository is %q", res.Visibility)
		}
		if m := w.meta(notesRef); m["revision"] != string(w.revision(ids(w, notesRef)[0])) {
			t.Errorf("metadata = %v", m)
		}
	})
}

// H4: a cache that cannot be written keeps nobody from being told.
func TestVisibilityOnReadOnlyCache(t *testing.T) {
	t.Parallel()
	w := newWorld(t, starter)
	w.resolve(notesRef)
	if err := w.fake.SetVisibility(notesRef, transport.Private); err != nil {
		t.Fatal(err)
	}
	w.env.Cache = fstest.ReadOnly(w.env.Cache)
	if res := w.resolve(notesRef); res.Visibility != transport.Private || len(res.Warnings) > 0 || res.Served != atskills.ServedCached {
		t.Errorf("visibility %q, served %s, warnings %v", res.Visibility, res.Served, res.Warnings)
	}
}

// C3: who may read an entry that another client wrote is kept beside that client's fields.
func TestVisibilityOfAnotherClientsEntry(t *testing.T) {
	t.Parallel()
	w := newWorld(t, starter)
	if err := w.fake.SetVisibility(notesRef, transport.Private); err != nil {
		t.Fatal(err)
	}
	rev := string(w.revision(ids(w, notesRef)[0]))
	write(t, w.env.Cache, map[string]string{"hub/acme/notes/SKILL.md": skillText("notes", "Theirs.", "theirs")})
	w.setMeta(notesRef, map[string]any{"id": notesRef, "revision": rev, "fetchedAt": "2026-01-01T00:00:00.000Z", "pinned": true})
	for range 2 {
		if res := w.resolve(notesRef); res.Content != "theirs" || res.Served != atskills.ServedCached || res.Visibility != transport.Private {
			t.Errorf("Resolve = %q served %s, visibility %q", res.Content, res.Served, res.Visibility)
		}
	}
	m := w.meta(notesRef)
	delete(m, "atskillsGo")
	if diff := cmp.Diff(map[string]any{"id": notesRef, "revision": rev, "fetchedAt": "2026-01-01T00:00:00.000Z", "pinned": true}, m); diff != "" {
		t.Errorf("metadata (-want +got):\n%s", diff)
	}
}

// C11: several hub entries and a repository in one call are probed once each.
func TestHubAndRepositoryInOneCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t, starter)
	refs := []string{notesRef, deployRef, listRef, notesRef, skillsRef}
	out := atskills.ResolveAll(t.Context(), w.env, refs)
	if bad := slices.IndexFunc(out, func(o atskills.Outcome) bool { return o.Err != nil }); bad >= 0 {
		t.Fatalf("%s: %v", refs[bad], out[bad].Err)
	}
	if got := w.counter.Counts(); got.Probes != 3 || got.Opens != 3 {
		t.Errorf("asked %+v", got)
	}
}
