package git_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills/internal/gittest"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/git"
)

func id(t testing.TB, s string) skill.ID {
	t.Helper()
	id, err := skill.ParseID(s)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// upstream is a server with the repository o/r.
func upstream(t testing.TB) (*gittest.Server, *gittest.Repo) {
	t.Helper()
	s := gittest.NewServer(t)
	return s, gittest.NewRepo(t, s.Root, "o/r")
}

func open(t testing.TB, tr *git.Transport, rev string, ids ...string) transport.Snapshot {
	t.Helper()
	var parsed []skill.ID
	for _, s := range ids {
		parsed = append(parsed, id(t, s))
	}
	snap, err := tr.Open(t.Context(), transport.Revision(rev), parsed...)
	if err != nil {
		t.Fatalf("Open(%q, %q) = %v", rev, ids, err)
	}
	t.Cleanup(func() {
		if err := snap.Close(); err != nil {
			t.Error(err)
		}
	})
	return snap
}

func tree(t testing.TB, snap transport.Snapshot, at string) transport.Tree {
	t.Helper()
	tree, err := snap.Tree(id(t, at))
	if err != nil {
		t.Fatalf("Tree(%q) = %v", at, err)
	}
	return tree
}

func fetch(t testing.TB, snap transport.Snapshot, want []transport.Entry) map[string]string {
	t.Helper()
	got := map[string]string{}
	err := snap.Fetch(t.Context(), want, func(e transport.Entry, r io.Reader) error {
		b, err := io.ReadAll(r)
		if !e.Matches(b) {
			t.Errorf("body of %q does not match %s", e.Path, e.Hash)
		}
		got[e.Path] = string(b)
		return err
	})
	if err != nil {
		t.Fatalf("Fetch = %v", err)
	}
	return got
}

func paths(tree transport.Tree) []string {
	var out []string
	for _, e := range tree.Entries {
		out = append(out, e.Path+" "+e.Mode.String())
	}
	return out
}

var twoSkills = map[string]gittest.File{
	"README.md":           {Body: "readme\n"},
	"skills/a/SKILL.md":   {Body: "---\nname: a\n---\n"},
	"skills/a/run.sh":     {Body: "#!/bin/sh\n", Mode: "100755"},
	"skills/a/link":       {Body: "SKILL.md", Mode: "120000"},
	"skills/a/sub":        {Body: "1111111111111111111111111111111111111111", Mode: "160000"},
	"skills/a/x/copy":     {Body: "#!/bin/sh\n"},
	"skills/b c/SKILL.md": {Body: "---\nname: b\n---\n"},
}

// F1: a cold resolve is a probe under 1 KB, one listing and one body request, on one connection.
func TestColdResolveBudget(t *testing.T) {
	t.Parallel()
	s, repo := upstream(t)
	commit := repo.Commit("main", twoSkills)
	tr := git.New(git.Options{BaseURL: s.URL})

	head, err := tr.Head(t.Context(), id(t, "gh:o/r/skills/a"))
	if err != nil {
		t.Fatal(err)
	}
	if want := (transport.Head{Revision: transport.Revision(commit), Branch: "main"}); head != want {
		t.Errorf("Head = %+v, want %+v", head, want)
	}
	snap := open(t, tr, commit, "gh:o/r/skills/a")
	a := tree(t, snap, "gh:o/r/skills/a")
	want := []string{"SKILL.md file", "link symlink", "run.sh executable file", "sub submodule", "x/copy file"}
	if diff := cmp.Diff(want, paths(a)); diff != "" {
		t.Errorf("tree (-want +got):\n%s", diff)
	}
	if want := "git:" + repo.Run("rev-parse", commit+":skills/a"); a.Hash != want || a.Partial {
		t.Errorf("tree hash %s partial %v, want %s", a.Hash, a.Partial, want)
	}
	var files []transport.Entry
	for _, e := range a.Entries {
		if e.Mode != transport.Submodule {
			files = append(files, e)
		}
	}
	got := fetch(t, snap, files)
	wantBodies := map[string]string{
		"SKILL.md": "---\nname: a\n---\n", "link": "SKILL.md", "run.sh": "#!/bin/sh\n", "x/copy": "#!/bin/sh\n",
	}
	if diff := cmp.Diff(wantBodies, got); diff != "" {
		t.Errorf("bodies (-want +got):\n%s", diff)
	}

	log := s.TakeLog()
	if len(log) != 3 || s.Connections() != 1 {
		t.Errorf("%d requests on %d connections, want 3 on 1: %+v", len(log), s.Connections(), log)
	}
	for _, r := range log {
		if r.Method != http.MethodPost || r.Authorization != "" {
			t.Errorf("request %s %s with authorization %q", r.Method, r.Path, r.Authorization)
		}
	}
	if log[0].Bytes >= 1024 {
		t.Errorf("the probe cost %d bytes", log[0].Bytes)
	}
	if n := strings.Count(log[2].Body, "want "); n != 3 {
		t.Errorf("%d wants in the body request, want one for each distinct blob", n)
	}
}

// Tree answers for ancestors and siblings from what the listing holds, and matches ErrNoPath for what is no folder.
func TestTreeOfOtherIDs(t *testing.T) {
	t.Parallel()
	s, repo := upstream(t)
	commit := repo.Commit("main", twoSkills)
	snap := open(t, git.New(git.Options{BaseURL: s.URL}), commit, "gh:o/r/skills/a", "gh:o/r/none", "gh:o/r/README.md")
	for at, want := range map[string]int{"gh:o/r": 7, "gh:o/r/skills": 6, "gh:o/r/skills/b c": 1, "gh:o/r/skills/a/x": 1} {
		if got := tree(t, snap, at); len(got.Entries) != want || got.Partial {
			t.Errorf("Tree(%q) has %d entries, partial %v, want %d", at, len(got.Entries), got.Partial, want)
		}
	}
	for _, at := range []string{"gh:o/r/none", "gh:o/r/README.md", "gh:o/r/skills/a/link", "gh:o/r/skills/a/sub", "gh:x/y"} {
		if _, err := snap.Tree(id(t, at)); !errors.Is(err, transport.ErrNoPath) {
			t.Errorf("Tree(%q) = %v, want ErrNoPath", at, err)
		}
	}
}

// F3: a pinned listing takes a commit by hash; one that upstream does not have matches ErrNoRevision.
func TestOpenByHash(t *testing.T) {
	t.Parallel()
	s, repo := upstream(t)
	first := repo.Commit("main", twoSkills)
	repo.Commit("main", gittest.Text(map[string]string{"other": "x"}))
	tr := git.New(git.Options{BaseURL: s.URL})
	if got := tree(t, open(t, tr, first, "gh:o/r"), "gh:o/r"); len(got.Entries) != 7 {
		t.Errorf("tree of the first commit has %d entries", len(got.Entries))
	}
	gone := strings.Repeat("1", 40)
	_, err := tr.Open(t.Context(), transport.Revision(gone), id(t, "gh:o/r"))
	if !errors.Is(err, transport.ErrNoRevision) || !strings.Contains(err.Error(), gone) || !strings.Contains(err.Error(), s.URL) {
		t.Errorf("Open of an unknown commit = %v, want ErrNoRevision that names it and the host", err)
	}
	if _, err := tr.Open(t.Context(), "main", id(t, "gh:o/r")); !errors.Is(err, transport.ErrNoRevision) {
		t.Errorf("Open of a branch name = %v, want ErrNoRevision", err)
	}
}

// F5: an empty repository has an error of its own words.
func TestEmptyRepository(t *testing.T) {
	t.Parallel()
	s, _ := upstream(t)
	_, err := git.New(git.Options{BaseURL: s.URL}).Head(t.Context(), id(t, "gh:o/r"))
	var e *transport.Error
	if !errors.As(err, &e) || e.Cause != transport.CauseEmpty || !errors.Is(err, transport.ErrNotFound) {
		t.Errorf("Head of an empty repository = %v, want CauseEmpty", err)
	}
}

// G5: the branches settle where a path begins.
func TestBranches(t *testing.T) {
	t.Parallel()
	s, repo := upstream(t)
	repo.Commit("main", twoSkills)
	repo.Commit("feature/x", twoSkills)
	got, err := git.New(git.Options{BaseURL: s.URL}).Branches(t.Context(), id(t, "gh:o/r"))
	if diff := cmp.Diff([]string{"feature/x", "main"}, got); diff != "" || err != nil {
		t.Errorf("Branches = %v, %v", got, err)
	}
	if n := len(s.TakeLog()); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
}

// F1: a large listing of which only deep ids are wanted is reached tree by tree, from what came already.
func TestWalkTreeByTree(t *testing.T) {
	t.Parallel()
	s, repo := upstream(t)
	files := map[string]string{}
	for i := range 400 {
		files["pad/"+strings.Repeat("x", i%50)+string(rune('a'+i%26))+"/"+time.Duration(i).String()+"/f"] = "f"
	}
	files["skills/deep/er/a/SKILL.md"] = "a"
	files["skills/deep/er/a/x/y/z"] = "z"
	files["skills/deep/er/b/SKILL.md"] = "b"
	commit := repo.Commit("main", gittest.Text(files))
	tr := git.New(git.Options{BaseURL: s.URL, WalkAfter: 2000})
	snap := open(t, tr, commit, "gh:o/r/skills/deep/er/a", "gh:o/r/none/at/all")
	if diff := cmp.Diff([]string{"SKILL.md file", "x/y/z file"}, paths(tree(t, snap, "gh:o/r/skills/deep/er/a"))); diff != "" {
		t.Errorf("tree (-want +got):\n%s", diff)
	}
	er := tree(t, snap, "gh:o/r/skills/deep/er")
	if diff := cmp.Diff([]string{"a directory", "b directory"}, paths(er)); diff != "" || !er.Partial {
		t.Errorf("ancestor (-want +got):\n%s partial %v", diff, er.Partial)
	}
	if _, err := snap.Tree(id(t, "gh:o/r/none/at/all")); !errors.Is(err, transport.ErrNoPath) {
		t.Errorf("Tree of what is not there = %v, want ErrNoPath", err)
	}
	log := s.TakeLog()
	if len(log) > 7 {
		t.Errorf("%d requests", len(log))
	}
	got := fetch(t, snap, tree(t, snap, "gh:o/r/skills/deep/er/a").Entries)
	if diff := cmp.Diff(map[string]string{"SKILL.md": "a", "x/y/z": "z"}, got); diff != "" {
		t.Errorf("bodies (-want +got):\n%s", diff)
	}
	// A repository with more entries than the limit is readable where the part that is wanted is not.
	small := git.New(git.Options{BaseURL: s.URL, Limits: transport.Limits{Entries: 100}})
	if got := tree(t, open(t, small, commit, "gh:o/r/skills"), "gh:o/r/skills"); len(got.Entries) != 3 {
		t.Errorf("a small part of a large repository has %d entries, want 3", len(got.Entries))
	}
	_, err := small.Open(t.Context(), transport.Revision(commit), id(t, "gh:o/r"))
	wantLimit(t, err, "Entries")
	whole := open(t, git.New(git.Options{BaseURL: s.URL, WalkAfter: -1}), commit, "gh:o/r/skills/deep/er/a")
	if got := tree(t, whole, "gh:o/r"); got.Partial || len(got.Entries) < 300 {
		t.Errorf("an unlimited listing has %d entries, partial %v", len(got.Entries), got.Partial)
	}
}
