package transporttest_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/transporttest"
)

func newUpstream(t *testing.T, text string) *transporttest.Upstream {
	t.Helper()
	u, err := transporttest.NewUpstream(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// The hashes are fixed here, so that a change of encoding, on any machine, shows.
func TestHashesAreTheSameEverywhere(t *testing.T) {
	t.Parallel()
	want := []string{
		"5e78e28589e8437c52a3818506807e9a52738659",
		"49821f4c76a634d49ef4a26f77011c521a8ae5ec",
		"f2b3ed7edcfcbbface809505373c7391af31721f",
	}
	if diff := cmp.Diff(want, newUpstream(t, archive).Log("acme/skills")); diff != "" {
		t.Errorf("commits (-want +got):\n%s", diff)
	}
}

func TestArchive(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, archive)
	if diff := cmp.Diff([]string{"acme/empty", "acme/skills"}, u.Repositories()); diff != "" {
		t.Errorf("repositories (-want +got):\n%s", diff)
	}
	if got := u.Tip("acme/empty"); got != "" {
		t.Errorf("tip of the empty repository = %q", got)
	}
	log := u.Log("gh:acme/skills")
	for i, want := range []map[string]transporttest.File{
		{
			"README.md":       {Body: "Skills of acme.\n"},
			"deploy/SKILL.md": {Body: "---\nname: deploy\ndescription: Ships a build.\n---\n"},
			"deploy/notes.md": {Body: "notes\n"},
			"deploy/run.sh":   {Body: "#!/bin/sh\necho two\n", Mode: transport.Executable},
			"latest":          {Body: "deploy", Mode: transport.Symlink},
			"vendored":        {Body: "0123456789012345678901234567890123456789", Mode: transport.Submodule},
		},
		{
			"README.md":           {Body: "Skills of acme.\n"},
			"deploy/SKILL.md":     {Body: "---\nname: deploy\ndescription: Ships a build.\n---\n"},
			"deploy/run.sh":       {Body: "#!/bin/sh\necho two\n", Mode: transport.Executable},
			"tools/lint/SKILL.md": {Body: "lint\n"},
			"latest":              {Body: "deploy", Mode: transport.Symlink},
			"vendored":            {Body: "0123456789012345678901234567890123456789", Mode: transport.Submodule},
		},
	} {
		got, err := u.Files("acme/skills", log[i])
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("files %d commits ago: %v (-want +got):\n%s", i, err, diff)
		}
	}
}

func TestArchiveDetails(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, "a comment\n-- a/b/name (1) --\nlast line without a break")
	got, err := u.Files("a/b", u.Tip("a/b"))
	want := map[string]transporttest.File{"name (1)": {Body: "last line without a break\n"}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("files: %v (-want +got):\n%s", err, diff)
	}
	u = newUpstream(t, "-- a/b/x --\n-- == a/b 2026-03-01T00:00:00Z --\n-- == a/b 2026-04-01T00:00:00Z --\n")
	if log := u.Log("a/b"); len(log) != 3 {
		t.Errorf("%d commits, want one for each dated header too", len(log))
	}
	if got := newUpstream(t, "").Repositories(); len(got) != 0 {
		t.Errorf("repositories of the empty archive = %q", got)
	}
}

func TestArchiveErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ archive, want string }{
		{"-- SKILL.md --\n", "want owner/repo/path"},
		{"-- a/b --\n", "want owner/repo/path"},
		{"-- a//x --\n", "want owner/repo/path"},
		{"-- a/b/x --\n-- a/b/x --\n", "twice in one commit"},
		{"-- a/b/../x --\n", "not a path"},
		{"-- a/b/x --\n-- a/b/x/y --\n", `"x" is a file and a folder`},
		{"-- a/b/x (deleted) --\n", `nothing to delete at "x"`},
		{"-- a/b/x (submodule) --\nnone\n", "not 40 hex digits"},
		{"-- == a --\n", "not a repository"},
		{"-- == a/b yesterday --\n", "parsing time"},
	} {
		_, err := transporttest.NewUpstream(c.archive)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("NewUpstream(%q) = %v, want an error with %q", c.archive, err, c.want)
		}
	}
}

func TestHistoryChanges(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, archive)
	const repo = "acme/skills"
	log := u.Log(repo)
	check := func(step string, err error, want ...string) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", step, err)
		}
		if diff := cmp.Diff(want, u.Log(repo), cmp.Transformer("none", func(s []string) []string { return append([]string{}, s...) })); diff != "" {
			t.Errorf("%s: log (-want +got):\n%s", step, diff)
		}
	}
	check("reset", u.Reset(repo, log[2]), log[2])
	check("branch", u.Branch(repo, "dev", log[1]), log[2])
	check("head", u.SetHead(repo, "dev"), log[1], log[2])
	rev, err := u.Commit(repo, time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC), map[string]transporttest.File{"new": {}})
	check("commit", err, rev, log[1], log[2])
	check("branch away", u.Branch(repo, "dev", ""))
	check("back", u.SetHead(repo, "main"), log[2])
	check("forget", u.Forget(repo, log[1]), log[2])
	check("rename", u.Rename(repo, "x/y"))
	if got := u.Tip("x/y"); got != log[2] {
		t.Errorf("tip of the new name = %s", got)
	}
	u.Remove("x/y")
	if got := u.Repositories(); len(got) != 1 {
		t.Errorf("repositories after all = %q", got)
	}
}

func TestChangeErrors(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, archive)
	tip := u.Tip("acme/skills")
	for name, err := range map[string]error{
		"reset":          u.Reset("acme/none", tip),
		"unknown commit": u.Reset("acme/skills", strings.Repeat("0", 40)),
		"no commit hash": u.Branch("acme/skills", "x", "main"),
		"forget":         u.Forget("acme/skills", strings.Repeat("0", 40)),
		"rename":         u.Rename("acme/none", "acme/x"),
		"rename onto":    u.Rename("acme/skills", "acme/empty"),
		"access":         u.SetAccess("acme/none", nil),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := u.Files("acme/skills", "HEAD"); err == nil {
		t.Error("files of a name: no error")
	}
	if _, err := u.Object("acme/skills", "file", nil); err == nil {
		t.Error("object of an unknown kind: no error")
	}
	if _, err := u.Commit("acme/skills", time.Time{}, map[string]transporttest.File{"d": {Mode: transport.Directory}}); err == nil {
		t.Error("commit of a directory: no error")
	}
	if got := u.Tip("acme/skills"); got != tip {
		t.Error("a failed change changed something")
	}
}

// Object is the way to what no honest repository holds (F6).
func TestHostileObjects(t *testing.T) {
	t.Parallel()
	s := newServer(t, archive)
	blob, err := s.Object("evil/repo", "blob", []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	var raw strings.Builder
	for i := range 20 {
		raw.WriteByte("\x00\x01"[i%2])
	}
	tree, err := s.Object("evil/repo", "tree", []byte("100644 ..\x00"+raw.String()))
	if err != nil {
		t.Fatal(err)
	}
	who := "A <a@example.com> 1767225600 +0000"
	commit, err := s.Object("evil/repo", "commit", []byte("tree "+tree+"\nauthor "+who+"\ncommitter "+who+"\n\nevil\n"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Reset("evil/repo", commit); err != nil {
		t.Fatal(err)
	}
	request := lines("command=fetch", "0001", "want "+commit, "want "+blob, "filter blob:none", "done", "0000")
	if _, got := post(t, s.URL()+"/evil/repo", request); !strings.Contains(got, "\x01PACK\x00\x00\x00\x02\x00\x00\x00\x03") {
		t.Errorf("fetch = %q, want a pack of three objects", got)
	}
	fake := transporttest.NewFake(s.Upstream)
	_, err = fake.Open(t.Context(), transport.Revision(commit), parseID(t, "gh:evil/repo"))
	if !strings.Contains(err.Error(), `hostile name ".."`) {
		t.Errorf("Open of the fake = %v", err)
	}
}

var fixedDate = time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
