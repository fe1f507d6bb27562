package hub_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/hub"
	"github.com/atskills-go/atskills/transport/transporttest"
)

var now = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

func noSleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }

// deployText is the SKILL.md of deploy.
const deployText = "---\nname: deploy\ndescription: Ships a build.\n---\n"

// deploy is a skill with bundled files, notes one without.
const deploy = `
-- hub:acme/deploy/SKILL.md --
---
name: deploy
description: Ships a build.
---
-- hub:acme/deploy/run me.sh (executable) --
#!/bin/sh
-- hub:acme/deploy/docs/100%25 ünï#1?.md --
odd
-- hub:acme/notes/SKILL.md --
---
name: notes
description: Takes notes.
---
`

// The client keeps the contract with hubs of different habits.
func TestConformance(t *testing.T) {
	t.Parallel()
	for name, h := range map[string]habits{
		"mirror":        {},
		"history":       {history: true},
		"no validators": {noTags: true, ignoreRev: true},
		"weak":          {weakTags: true},
		"compressed":    {compressed: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			transporttest.Test(t, hubSetup(func(t *testing.T, u *transporttest.Upstream) transport.Transport {
				return newServer(t, u, h).client(t)
			}))
		})
	}
}

// H1: gh: and local ids never reach a hub, and nothing is asked when one is made.
func TestOtherSchemes(t *testing.T) {
	t.Parallel()
	s := newServer(t, archive(t, deploy), habits{})
	h := s.client(t)
	for _, text := range []string{"gh:acme/skills", "deploy"} {
		if _, err := h.Head(t.Context(), id(t, text)); !errors.Is(err, transport.ErrNotConfigured) {
			t.Errorf("Head(%s) = %v", text, err)
		}
		if _, err := h.Open(t.Context(), "x", id(t, text)); !errors.Is(err, transport.ErrNotConfigured) {
			t.Errorf("Open(%s) = %v", text, err)
		}
	}
	if _, err := h.Open(t.Context(), "x"); err == nil {
		t.Error("Open without ids succeeded")
	}
	if _, err := h.Open(t.Context(), "x", id(t, "hub:a/b"), id(t, "hub:a/c")); err == nil {
		t.Error("Open of two origins succeeded")
	}
	if got := s.requests(); len(got) != 0 {
		t.Errorf("requests: %q", got)
	}
}

// H2: a skill is plain GETs: its text, its list of files, the files; names are escaped, modes kept, order is that of
// bytes. The text is asked for once.
func TestSkill(t *testing.T) {
	t.Parallel()
	s := newServer(t, archive(t, deploy), habits{})
	var seen []hub.Progress
	h := s.client(t, func(o *hub.Options) { o.Progress = func(p hub.Progress) { seen = append(seen, p) } })
	head, tree, got := read(t, h, "hub:acme/deploy")
	want := map[string]string{
		"SKILL.md":  "---\nname: deploy\ndescription: Ships a build.\n---\n",
		"run me.sh": "#!/bin/sh\n", "docs/100%25 ünï#1?.md": "odd\n",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("bodies (-want +got):\n%s", diff)
	}
	modes := map[string]transport.Mode{}
	var paths []string
	for _, e := range tree.Entries {
		modes[e.Path] = e.Mode
		paths = append(paths, e.Path)
	}
	if modes["run me.sh"] != transport.Executable || modes["SKILL.md"] != transport.Regular || !slices.IsSorted(paths) {
		t.Errorf("entries %q, modes %v", paths, modes)
	}
	log := s.requests()
	slices.Sort(log[2:])
	rev := "?rev=" + string(head.Revision)
	wantLog := []string{
		"/acme/deploy 200 49", "/acme/deploy?files 200",
		"/acme/deploy/docs/100%2525%20%C3%BCn%C3%AF%231%3F.md" + rev + " 200 4", "/acme/deploy/run%20me.sh" + rev + " 200 10",
	}
	for i := range wantLog {
		if len(log) != len(wantLog) || !strings.HasPrefix(log[i], wantLog[i]) {
			t.Fatalf("requests %q, want %q", log, wantLog)
		}
	}
	if len(seen) != 3 || seen[2].Files != 3 || seen[2].Total != 3 || seen[2].Bytes != 63 {
		t.Errorf("progress %+v", seen)
	}
}

// H2: a hub without listings has skills of one file; reading one is two requests, no third.
func TestSingleFile(t *testing.T) {
	t.Parallel()
	for name, h := range map[string]habits{"ignored": {noFiles: true}, "refused": {refuse: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, archive(t, deploy), h)
			_, tree, got := read(t, s.client(t), "hub:acme/deploy")
			if len(tree.Entries) != 1 || !strings.Contains(got["SKILL.md"], "Ships") || tree.Entries[0].Size != 49 {
				t.Errorf("entries %+v, bodies %q", tree.Entries, got)
			}
			if log := s.requests(); len(log) != 2 {
				t.Errorf("requests %q", log)
			}
		})
	}
}

// C6, C7: a hub that says how many files a skill has, or listed another before, has listings. Where none comes, as from a
// replica that is still without the skill, a bundle is not cut down to its SKILL.md; nor where it is of other files.
func TestListingGone(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		before habits // while another skill is read
		then   habits
		length int   // of a listing that is cut short, 0 for one that is whole
		probe  error // of the skill in question
		open   error
	}{
		{"announced, 404", habits{noFiles: true}, habits{announce: true, refuse: true}, 0, nil, transport.ErrNoRevision},
		{"announced, ignored", habits{noFiles: true}, habits{announce: true, noFiles: true}, 0, nil, transport.ErrNoRevision},
		{"announced, of fewer files", habits{noFiles: true}, habits{announce: true}, 1, nil, transport.ErrNoRevision},
		{"announced, without validators", habits{noFiles: true}, habits{announce: true, refuse: true, noTags: true}, 0, transport.ErrUnreachable, nil},
		{"listed before, 404", habits{}, habits{refuse: true}, 0, nil, transport.ErrNoRevision},
		{"listed before, ignored", habits{}, habits{noFiles: true}, 0, nil, transport.ErrNoRevision},
		{"listed before, without validators", habits{}, habits{refuse: true, noTags: true}, 0, transport.ErrUnreachable, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, archive(t, deploy), tt.before)
			h := s.client(t)
			read(t, h, "hub:acme/notes")
			s.set(func(s *server) { s.habits = tt.then })
			s.fault = func(w http.ResponseWriter, r *http.Request) bool {
				if tt.length == 0 || !r.URL.Query().Has("files") {
					return false
				}
				reply(w, 200, "application/json", `[{"path":"SKILL.md","mode":"100644","sha256":"`+digest([]byte(deployText))+`"}]`)
				return true
			}
			head, err := h.Head(t.Context(), id(t, "hub:acme/deploy"))
			if !errors.Is(err, tt.probe) {
				t.Fatalf("Head = %+v, %v, want %v", head, err, tt.probe)
			}
			if tt.probe != nil {
				return
			}
			if snap, err := h.Open(t.Context(), head.Revision, id(t, "hub:acme/deploy")); !errors.Is(err, tt.open) || snap != nil {
				t.Errorf("Open = %v, want %v", err, tt.open)
			}
			s.set(func(s *server) { s.habits, s.fault = habits{announce: true}, nil })
			if _, tree, _ := read(t, h, "hub:acme/deploy"); len(tree.Entries) != 3 {
				t.Errorf("afterwards: %+v", tree.Entries)
			}
		})
	}
}

// H2: a skill that is announced as one file is one request, with and without validators.
func TestAnnouncedAlone(t *testing.T) {
	t.Parallel()
	for _, h := range []habits{{announce: true}, {announce: true, noTags: true}} {
		s := newServer(t, archive(t, deploy), h)
		_, tree, got := read(t, s.client(t), "hub:acme/notes")
		if log := s.requests(); len(tree.Entries) != 1 || !strings.Contains(got["SKILL.md"], "notes") || len(log) != 1 {
			t.Errorf("%+v after %q", tree.Entries, log)
		}
	}
	// A number that is none says nothing.
	for _, text := range []string{"", "0", "-1", "one", "1e0", "99999999999999999999"} {
		s := newServer(t, archive(t, deploy), habits{})
		s.header.Set("Atskills-Files", text)
		if _, tree, _ := read(t, s.client(t), "hub:acme/deploy"); len(tree.Entries) != 3 {
			t.Errorf("%q: %+v", text, tree.Entries)
		}
	}
}

// H3: the revision is a strong ETag. The probe is a conditional GET; 304 is unchanged and moves no body.
func TestConditional(t *testing.T) {
	t.Parallel()
	s := newServer(t, archive(t, deploy), habits{})
	h := s.client(t)
	head, _, _ := read(t, h, "hub:acme/deploy")
	s.requests()
	known := transport.Known{Revision: head.Revision, Fetched: now}
	s.set(func(s *server) { s.header.Set("Atskills-Visibility", "Public") })
	again, err := h.HeadSince(t.Context(), id(t, "hub:acme/deploy"), known)
	if want := (transport.Head{Revision: head.Revision, Visibility: transport.Public}); err != nil || again != want {
		t.Errorf("HeadSince = %+v, %v, want %+v", again, err, want)
	}
	if log := s.requests(); !slices.Equal(log, []string{"/acme/deploy 304 0"}) {
		t.Errorf("requests %q", log)
	}
	// Changed: the probe brings the text, the list and the changed file follow.
	if _, err := s.up.Commit("hub:acme/deploy", time.Time{}, map[string]transporttest.File{"run me.sh": {Body: "x"}}); err != nil {
		t.Fatal(err)
	}
	changed, err := h.HeadSince(t.Context(), id(t, "hub:acme/deploy"), known)
	if err != nil || changed.Revision == head.Revision {
		t.Fatalf("HeadSince = %+v, %v", changed, err)
	}
	snap, err := h.Open(t.Context(), changed.Revision, id(t, "hub:acme/deploy"))
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	if log := s.requests(); len(log) != 2 {
		t.Errorf("requests %q", log)
	}
}

// H3: without validators the revision is a digest of what was served, a copy counts as fresh for 15 minutes, and then is
// asked about. The list of files is part of what is served: a change beside SKILL.md shows. Where there is none the digest
// is that of SKILL.md.
func TestNoValidators(t *testing.T) {
	t.Parallel()
	for name, h := range map[string]habits{
		"none": {noTags: true, ignoreRev: true}, "weak": {weakTags: true}, "announced": {noTags: true, announce: true},
		"one file": {noTags: true, refuse: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, archive(t, deploy), h)
			c := s.client(t)
			head, tree, got := read(t, c, "hub:acme/deploy")
			if log := s.requests(); len(log) != 1+len(tree.Entries) {
				t.Errorf("requests of the first reading: %q", log)
			}
			alone := "sha256:" + digest([]byte(got["SKILL.md"]))
			if rev := string(head.Revision); !strings.HasPrefix(rev, "sha256:") || len(rev) != len(alone) || h.refuse != (rev == alone) {
				t.Errorf("revision %q, that of SKILL.md is %q", rev, alone)
			}
			for _, tt := range []struct {
				age      time.Duration
				requests int
			}{{0, 0}, {15*time.Minute - 1, 0}, {15 * time.Minute, 2}, {-time.Minute, 2}} {
				again, err := c.HeadSince(t.Context(), id(t, "hub:acme/deploy"),
					transport.Known{Revision: head.Revision, Fetched: now.Add(-tt.age)})
				if err != nil || again.Revision != head.Revision {
					t.Errorf("HeadSince at age %v = %+v, %v", tt.age, again, err)
				}
				if log := s.requests(); len(log) != tt.requests {
					t.Errorf("requests at age %v: %q", tt.age, log)
				}
			}
			_, err := s.up.Commit("hub:acme/deploy", time.Time{}, map[string]transporttest.File{"run me.sh": {Body: "x"}})
			if err != nil {
				t.Fatal(err)
			}
			changed, err := c.Head(t.Context(), id(t, "hub:acme/deploy"))
			if err != nil || (changed.Revision != head.Revision) != !h.refuse {
				t.Errorf("after a change: %+v, %v, before %+v", changed, err, head)
			}
		})
	}
}

// H3: an ETag that looks like a digest of ours is no digest: what it vouches for is asked about each time, and by its own
// words.
func TestDigestTags(t *testing.T) {
	t.Parallel()
	tag := `"sha256:` + digest(nil) + `"`
	var conditions, revs []string
	base := newFront(t, func(w http.ResponseWriter, r *http.Request) {
		conditions = append(conditions, r.Header.Values("If-None-Match")...)
		revs = append(revs, r.URL.Query()["rev"]...)
		w.Header().Set("ETag", tag)
		switch {
		case r.Header.Get("If-None-Match") == tag:
			w.WriteHeader(http.StatusNotModified)
		case r.URL.Query().Has("files"):
			http.NotFound(w, r)
		default:
			reply(w, 200, "text/markdown", skillText)
		}
	})
	h := newClient(t, base)
	head, err := h.Head(t.Context(), id(t, "hub:o/n"))
	if err != nil || string(head.Revision) != tag {
		t.Fatalf("Head = %+v, %v", head, err)
	}
	again, err := h.HeadSince(t.Context(), id(t, "hub:o/n"), transport.Known{Revision: head.Revision, Fetched: now})
	if err != nil || again != head || !slices.Equal(conditions, []string{tag}) {
		t.Errorf("HeadSince = %+v, %v, asked with %q", again, err, conditions)
	}
	snap, err := newClient(t, base).Open(t.Context(), head.Revision, id(t, "hub:o/n"))
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	if want := strings.Trim(tag, `"`); len(revs) != 2 || revs[0] != want || revs[1] != want {
		t.Errorf("asked for revisions %q, want %q", revs, want)
	}
}

// H3: what cannot be a revision, on one line of a stamp, is none.
func TestUnusableTags(t *testing.T) {
	t.Parallel()
	for _, tag := range []string{`"`, `""`, `"a b"`, `"a"b"`, `abc`, `"é"`, `"` + strings.Repeat("x", 300) + `"`} {
		s := newServer(t, archive(t, deploy), habits{noTags: true})
		s.header.Set("ETag", tag)
		head, err := s.client(t).Head(t.Context(), id(t, "hub:acme/notes"))
		if err != nil || !strings.HasPrefix(string(head.Revision), "sha256:") {
			t.Errorf("ETag %s: %+v, %v", tag, head, err)
		}
	}
}

// S4: a revision is asked for with ?rev=. A hub that ignores it is found out by what it answers.
func TestPinned(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		habits habits
		ok     bool
	}{
		{"history", habits{history: true}, true},
		{"present only", habits{}, false},
		{"ignored", habits{ignoreRev: true}, false},
		{"no validators", habits{noTags: true, ignoreRev: true}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, archive(t, deploy), tt.habits)
			head, err := s.client(t).Head(t.Context(), id(t, "hub:acme/deploy"))
			if err != nil {
				t.Fatal(err)
			}
			// The present revision can be opened by a client that never probed.
			snap, err := s.client(t).Open(t.Context(), head.Revision, id(t, "hub:acme/deploy"))
			if err != nil {
				t.Fatalf("Open at the present revision: %v", err)
			}
			if tree, err := snap.Tree(id(t, "hub:acme/deploy")); err != nil || len(tree.Entries) != 3 {
				t.Errorf("tree %+v, %v", tree, err)
			}
			if err := snap.Close(); err != nil {
				t.Error(err)
			}
			_, err = s.up.Commit("hub:acme/deploy", time.Time{}, map[string]transporttest.File{"SKILL.md": {Body: "new\n"}})
			if err != nil {
				t.Fatal(err)
			}
			snap, err = s.client(t).Open(t.Context(), head.Revision, id(t, "hub:acme/deploy"))
			if tt.ok != (err == nil) || err != nil && (!errors.Is(err, transport.ErrNoRevision) || snap != nil) {
				t.Errorf("Open at the old revision: %v", err)
			}
		})
	}
}

// S4: of a hub with history, what the probe brought opens after a change too.
func TestPinnedAfterProbe(t *testing.T) {
	t.Parallel()
	s := newServer(t, archive(t, deploy), habits{history: true})
	h := s.client(t)
	head, err := h.Head(t.Context(), id(t, "hub:acme/deploy"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.up.Commit("hub:acme/deploy", time.Time{}, map[string]transporttest.File{"run me.sh": {Body: "new\n"}})
	if err != nil {
		t.Fatal(err)
	}
	snap, err := h.Open(t.Context(), head.Revision, id(t, "hub:acme/deploy"))
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	tree, err := snap.Tree(id(t, "hub:acme/deploy"))
	if err != nil {
		t.Fatal(err)
	}
	err = snap.Fetch(t.Context(), tree.Entries, func(e transport.Entry, r io.Reader) error {
		b, err := io.ReadAll(r)
		if e.Path == "run me.sh" && string(b) != "#!/bin/sh\n" {
			t.Errorf("%s is %q", e.Path, b)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// H3: a 304 answers nobody who could not ask whether something changed.
func TestUnaskedUnchanged(t *testing.T) {
	t.Parallel()
	var asked []string
	base := newFront(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Header.Values("If-None-Match")...)
		w.WriteHeader(http.StatusNotModified)
	})
	for _, rev := range []transport.Revision{"", `W/"x"`, `"quoted"`, "a b", "ü", transport.Revision("sha256:" + digest(nil))} {
		head, err := newClient(t, base).HeadSince(t.Context(), id(t, "hub:o/n"), transport.Known{Revision: rev})
		if !errors.Is(err, transport.ErrProtocol) {
			t.Errorf("HeadSince(%q) = %+v, %v", rev, head, err)
		}
	}
	if len(asked) != 0 {
		t.Errorf("asked with If-None-Match %q", asked)
	}
}

// S4: text that is no revision of a hub is asked of nobody.
func TestNoSuchRevision(t *testing.T) {
	t.Parallel()
	s := newServer(t, archive(t, deploy), habits{})
	for _, rev := range []transport.Revision{"", "a b", "x\n", `"x"`, `"sha256:x`, "sha256:x"} {
		if _, err := s.client(t).Open(t.Context(), rev, id(t, "hub:acme/deploy")); !errors.Is(err, transport.ErrNoRevision) {
			t.Errorf("Open at %q = %v", rev, err)
		}
	}
	if log := s.requests(); len(log) != 0 {
		t.Errorf("requests %q", log)
	}
}

// A skill that changes between probe, listing and files is noticed at each step.
func TestChangesMeanwhile(t *testing.T) {
	t.Parallel()
	s := newServer(t, archive(t, deploy), habits{})
	h := s.client(t)
	deployID := id(t, "hub:acme/deploy")
	head, err := h.Head(t.Context(), deployID)
	if err != nil {
		t.Fatal(err)
	}
	change := func(body string) {
		_, err := s.up.Commit("hub:acme/deploy", time.Time{}, map[string]transporttest.File{"run me.sh": {Body: body}})
		if err != nil {
			t.Fatal(err)
		}
	}
	change("2")
	if _, err := h.Open(t.Context(), head.Revision, deployID); !errors.Is(err, transport.ErrNoRevision) {
		t.Errorf("Open after a change = %v", err)
	}
	if head, err = h.Head(t.Context(), deployID); err != nil {
		t.Fatal(err)
	}
	snap, err := h.Open(t.Context(), head.Revision, deployID)
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	tree, err := snap.Tree(deployID)
	if err != nil {
		t.Fatal(err)
	}
	change("3")
	if err := snap.Fetch(t.Context(), tree.Entries, discard); !errors.Is(err, transport.ErrNoRevision) {
		t.Errorf("Fetch after a change = %v", err)
	}
}

// H4: the visibility header is carried; what it does not say is unknown.
func TestVisibility(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]transport.Visibility{
		"": "", "public": transport.Public, " PRIVATE ": transport.Private, "secret": "", "public, private": "",
	} {
		s := newServer(t, archive(t, deploy), habits{})
		s.header.Set("Atskills-Visibility", header)
		head, err := s.client(t).Head(t.Context(), id(t, "hub:acme/notes"))
		if err != nil || head.Visibility != want {
			t.Errorf("visibility of %q = %q, %v, want %q", header, head.Visibility, err, want)
		}
	}
}

// The path of a base address is kept, and a slash at its end is none.
func TestBasePath(t *testing.T) {
	t.Parallel()
	s := newServer(t, archive(t, deploy), habits{})
	var asked []string
	front := newFront(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.RequestURI())
		r.URL.Path = strings.TrimPrefix(r.URL.Path, "/x/y/z")
		r.URL.RawPath = ""
		s.ServeHTTP(w, r)
	})
	for _, base := range []string{front + "/x/y%2Fz", front + "/x/y%2Fz//"} {
		if _, err := newClient(t, base).Head(t.Context(), id(t, "hub:acme/notes")); err != nil {
			t.Error(err)
		}
	}
	if want := []string{"/x/y%2Fz/acme/notes", "/x/y%2Fz/acme/notes"}; !slices.Equal(asked, want) {
		t.Errorf("asked %q, want %q", asked, want)
	}
}

// X5: an address that may hold a password, or is none, is refused and not repeated.
func TestBadBases(t *testing.T) {
	t.Parallel()
	for _, base := range []string{
		"", "hub.example", "/hunter2", "ftp://hunter2", "https://", "https:hunter2", "https://me:hunter2@hub.example",
		"https://hunter2@hub.example", "https://hub.example/?token=hunter2", "https://hub.example?", "https://hub.example/#hunter2",
		"https://hub.example/#", "https://me/hunter2@hub.example", "https://me:hun/ter2@hub.example", "https://hub.example/%zzhunter2",
		"https://hub.example:hunter2", "\x00hunter2",
	} {
		_, err := hub.New(base, hub.Options{})
		if err == nil || strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "ter2@") {
			t.Errorf("New(%q) = %v", base, err)
		}
	}
	for _, base := range []string{"https://hub.example", "HTTP://hub.example:8080/@team/skills/", "http://[::1]:80"} {
		if _, err := hub.New(base, hub.Options{}); err != nil {
			t.Errorf("New(%q) = %v", base, err)
		}
	}
}

// What a probe brought is kept for the Open that follows, within bounds: the oldest is asked for again.
func TestMemory(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 70 {
		fmt.Fprintf(&text, "-- hub:acme/s%d/SKILL.md --\nskill %d\n", i, i)
	}
	s := newServer(t, archive(t, text.String()), habits{noFiles: true})
	h := s.client(t)
	heads := make([]transport.Head, 70)
	for i := range heads {
		var err error
		if heads[i], err = h.Head(t.Context(), id(t, fmt.Sprintf("hub:acme/s%d", i))); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct{ i, requests int }{{69, 1}, {6, 1}, {5, 2}, {0, 2}} {
		i, requests := tt.i, tt.requests
		s.requests()
		snap, err := h.Open(t.Context(), heads[i].Revision, id(t, fmt.Sprintf("hub:acme/s%d", i)))
		if err != nil {
			t.Fatal(err)
		}
		if err := snap.Close(); err != nil {
			t.Error(err)
		}
		if log := s.requests(); len(log) != requests {
			t.Errorf("opening number %d took %q, want %d requests", i, log, requests)
		}
	}
	// One too large for the memory is read all the same.
	text17M, asked := strings.Repeat("x", 17<<20), 0
	big := newFront(t, func(w http.ResponseWriter, _ *http.Request) {
		asked++
		reply(w, 200, "text/plain", text17M)
	})
	_, _, got := read(t, newClient(t, big, func(o *hub.Options) { o.Limits.AnswerBytes = 20 << 20 }), "hub:acme/big")
	if got["SKILL.md"] != text17M || asked != 4 {
		t.Errorf("%d bytes in %d requests", len(got["SKILL.md"]), asked)
	}
}

// S4: a listing that is not of the revision asked for is noticed: a hub that has listings, and none of the revision, has
// changed meanwhile.
func TestPinnedListing(t *testing.T) {
	t.Parallel()
	s := newServer(t, archive(t, deploy), habits{})
	deployID := id(t, "hub:acme/deploy")
	head, err := s.client(t).Head(t.Context(), deployID)
	if err != nil {
		t.Fatal(err)
	}
	s.fault = func(_ http.ResponseWriter, r *http.Request) bool {
		if r.URL.Query().Has("files") && r.URL.Query().Has("rev") {
			_, err := s.up.Commit("hub:acme/deploy", time.Time{}, map[string]transporttest.File{"run me.sh": {Body: "x"}})
			if err != nil {
				t.Error(err)
			}
		}
		return false
	}
	if _, err := s.client(t).Open(t.Context(), head.Revision, deployID); !errors.Is(err, transport.ErrNoRevision) {
		t.Errorf("Open = %v", err)
	}
	if log := s.requests(); len(log) != 4 {
		t.Errorf("requests %q", log)
	}
}

// Of a hub that lists other skills, one without a listing that changed meanwhile is not taken for one file.
func TestUnlistedChanges(t *testing.T) {
	t.Parallel()
	s := newServer(t, archive(t, deploy), habits{})
	h := s.client(t)
	read(t, h, "hub:acme/notes")
	head, err := h.Head(t.Context(), id(t, "hub:acme/deploy"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.up.Commit("hub:acme/deploy", time.Time{}, map[string]transporttest.File{"SKILL.md": {Body: "x"}})
	if err != nil {
		t.Fatal(err)
	}
	s.set(func(s *server) { s.habits.refuse = true })
	if _, err := h.Open(t.Context(), head.Revision, id(t, "hub:acme/deploy")); !errors.Is(err, transport.ErrNoRevision) {
		t.Errorf("Open = %v", err)
	}
}
