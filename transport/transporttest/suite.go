package transporttest

import (
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

// Setup says how the suite comes to transports.
type Setup struct {
	// New returns a transport that serves u as it is at each call: the suite changes u between calls. What it
	// starts must end with the test.
	New func(t *testing.T, u *Upstream) transport.Transport
	// Hub asks for hub: ids, whose upstream has neither history, nor modes, nor more than one id an origin. Without it
	// the ids are gh: ids.
	Hub bool
	// Conditional says that the transports are [transport.Conditional].
	Conditional bool
	// Playlists and Visibility say that hub entries of u may be playlists, and say who may read them.
	Playlists, Visibility bool
}

// Test checks that the transports setup makes keep the contract of [transport.Transport] and [transport.Snapshot].
// Run it with the race detector too.
func Test(t *testing.T, setup Setup) {
	shared := []suiteCase{
		{"Head", testHead},
		{"Tree", testTree},
		{"Fetch", testFetch},
		{"FetchSubset", testFetchSubset},
		{"PutError", testPutError},
		{"Unknown", testUnknown},
		{"Cancelled", testCancelled},
		{"CancelledFetch", testCancelledFetch},
		{"Concurrent", testConcurrent},
	}
	git := []suiteCase{
		{"NoPath", testNoPath},
		{"SeveralIDs", testSeveralIDs},
		{"Modes", testModes},
		{"Names", testNames},
		{"Pinned", testPinned},
		{"NoRevision", testNoRevision},
		{"Empty", testEmpty},
		{"Moved", testMoved},
		{"Denied", testDenied},
		{"Branches", testBranches},
		{"SameTree", testSameTree},
	}
	cases := shared
	if !setup.Hub {
		cases = append(cases, git...)
	}
	for _, c := range []struct {
		suiteCase
		has bool
	}{
		{suiteCase{"HeadSince", testHeadSince}, setup.Conditional},
		{suiteCase{"Playlist", testPlaylist}, setup.Hub && setup.Playlists},
		{suiteCase{"Visibility", testVisibility}, setup.Hub && setup.Visibility},
	} {
		if c.has {
			cases = append(cases, c.suiteCase)
		}
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			u, err := NewUpstream(suiteArchive)
			if err != nil {
				t.Fatal(err)
			}
			c.run(&suite{T: t, up: u, tr: setup.New(t, u), hub: setup.Hub})
		})
	}
}

type suiteCase struct {
	name string
	run  func(*suite)
}

// suite is one case's upstream, and the transport that serves it.
type suite struct {
	*testing.T
	up  *Upstream
	tr  transport.Transport
	hub bool
}

// suiteArchive has the same skill behind both schemes, and in git what only git has.
const suiteArchive = `
-- hub:acme/deploy/SKILL.md --
---
name: deploy
description: Ships a build.
---
-- hub:acme/deploy/a/note.txt --
same
-- hub:acme/deploy/a-b.txt --
same
-- hub:acme/deploy/a.txt --
dot
-- hub:acme/starter/.playlist --
name: Starter
description: What everybody needs.

# This comment is no row.
gh:acme/skills/team/test Runs what should run.
acme/deploy Ships: a build.
../escape Is no reference.
gh:acme/skills/team/ All of the team's.
gh:acme/skills/Team%20X/%C3%BCn%C3%AF%20(1)
-- acme/skills/deploy/SKILL.md --
---
name: deploy
description: Ships a build.
---
-- acme/skills/deploy/a/note.txt --
same
-- acme/skills/deploy/a-b.txt --
same
-- acme/skills/deploy/a.txt --
dot
-- acme/skills/README.md --
Skills of acme.
-- acme/skills/team/lint/SKILL.md --
lint
-- acme/skills/team/test/SKILL.md --
test
-- acme/skills/Team X/ünï (1)/SKILL.md --
spaces
-- acme/skills/modes/run.sh (executable) --
#!/bin/sh
-- acme/skills/modes/link (symlink) --
../deploy/SKILL.md
-- acme/skills/modes/sub (submodule) --
0123456789012345678901234567890123456789
-- acme/skills/modes/plain --
plain
-- == acme/skills 2026-02-01T12:00:00Z --
-- acme/skills/deploy/a.txt --
second
-- acme/skills/team/lint (deleted) --
-- == acme/empty --
`

// name is the repository of the deploy skill.
func (s *suite) name() string {
	if s.hub {
		return "hub:acme/deploy"
	}
	return "acme/skills"
}

// deploy is the id of the skill both schemes have.
func (s *suite) deploy() skill.ID {
	if s.hub {
		return s.id("hub:acme/deploy")
	}
	return s.id("gh:acme/skills/deploy")
}

func (s *suite) id(text string) skill.ID {
	s.Helper()
	id, err := skill.ParseID(text)
	if err != nil {
		s.Fatal(err)
	}
	return id
}

func (s *suite) head(id skill.ID) transport.Head {
	s.Helper()
	h, err := s.tr.Head(s.Context(), id)
	if err != nil {
		s.Fatalf("Head(%s): %v", id, err)
	}
	return h
}

// open lists ids at the newest revision.
func (s *suite) open(ids ...skill.ID) transport.Snapshot {
	s.Helper()
	return s.openAt(s.head(ids[0]).Revision, ids...)
}

func (s *suite) openAt(rev transport.Revision, ids ...skill.ID) transport.Snapshot {
	s.Helper()
	snap, err := s.tr.Open(s.Context(), rev, ids...)
	if err != nil {
		s.Fatalf("Open(%q, %s): %v", rev, ids, err)
	}
	s.Cleanup(func() {
		if err := snap.Close(); err != nil {
			s.Errorf("Close: %v", err)
		}
	})
	return snap
}

func (s *suite) tree(snap transport.Snapshot, id skill.ID) transport.Tree {
	s.Helper()
	tree, err := snap.Tree(id)
	if err != nil {
		s.Fatalf("Tree(%s): %v", id, err)
	}
	return tree
}

// equal compares what a transport did with what it should.
func (s *suite) equal(what string, want, got any) {
	s.Helper()
	if !reflect.DeepEqual(want, got) {
		s.Errorf("%s = %#v, want %#v", what, got, want)
	}
}

// want returns what the upstream holds below dir at rev, in the form of fetched.
func (s *suite) want(repo, rev, dir string) map[string]string {
	s.Helper()
	files, err := s.up.Files(repo, rev)
	if err != nil {
		s.Fatal(err)
	}
	want := map[string]string{}
	for p, f := range files {
		if rel, ok := strings.CutPrefix(p, dir); ok && f.Mode != transport.Submodule {
			want[rel] = f.Body
		}
	}
	return want
}

// fetched fetches entries and returns body by path, having checked that each matches its hash and size.
func (s *suite) fetched(snap transport.Snapshot, want []transport.Entry) map[string]string {
	s.Helper()
	got := map[string]string{}
	err := snap.Fetch(s.Context(), want, func(e transport.Entry, r io.Reader) error {
		body, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		if !slices.Contains(want, e) {
			s.Errorf("put was called with %+v, which was not asked for", e)
		}
		if e.Hash != "" && !e.Matches(body) {
			s.Errorf("body of %q does not match %s", e.Path, e.Hash)
		}
		if e.Size >= 0 && e.Size != int64(len(body)) {
			s.Errorf("body of %q has %d bytes, its entry said %d", e.Path, len(body), e.Size)
		}
		if _, twice := got[e.Path]; twice {
			s.Errorf("body of %q came twice", e.Path)
		}
		got[e.Path] = string(body)
		return nil
	})
	if err != nil {
		s.Fatalf("Fetch: %v", err)
	}
	return got
}

// bodies returns the entries that have a body.
func bodies(tree transport.Tree) []transport.Entry {
	return slices.DeleteFunc(slices.Clone(tree.Entries), func(e transport.Entry) bool {
		return e.Mode == transport.Submodule || e.Mode == transport.Directory
	})
}

func paths(tree transport.Tree) []string {
	var list []string
	for _, e := range tree.Entries {
		list = append(list, e.Path)
	}
	return list
}
