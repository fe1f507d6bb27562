package transporttest_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills/transport/transporttest"
)

const archive = `
-- acme/skills/README.md --
Skills of acme.
-- acme/skills/deploy/SKILL.md --
---
name: deploy
description: Ships a build.
---
-- acme/skills/deploy/run.sh (executable) --
#!/bin/sh
echo one
-- acme/skills/tools/lint/SKILL.md --
lint
-- acme/skills/latest (symlink) --
deploy
-- acme/skills/vendored (submodule) --
0123456789012345678901234567890123456789
-- == acme/skills 2026-02-01T12:00:00Z --
second
-- acme/skills/deploy/run.sh (executable) --
#!/bin/sh
echo two
-- == acme/skills --
third
-- acme/skills/tools (deleted) --
-- acme/skills/deploy/notes.md --
notes
-- == acme/empty --
`

func newServer(t *testing.T, text string) *transporttest.Server {
	t.Helper()
	u, err := transporttest.NewUpstream(text)
	if err != nil {
		t.Fatal(err)
	}
	s, err := transporttest.NewServer(u)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// git runs the git binary where there is one, without any configuration of the machine.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := tryGit(t, dir, args...)
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func tryGit(t *testing.T, dir string, args ...string) (string, error) {
	t.Helper()
	bin, err := exec.LookPath("git")
	if err != nil {
		t.Skip("needs the git binary")
	}
	cmd := exec.CommandContext(t.Context(), bin, args...)
	cmd.Dir = dir
	home := t.TempDir()
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "LC_ALL=C")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	if err != nil {
		return out.String() + errs.String(), err
	}
	return out.String(), nil
}

func TestGitListsRefs(t *testing.T) {
	t.Parallel()
	s := newServer(t, archive)
	log := s.Log("acme/skills")
	if err := s.Branch("acme/skills", "feature/slash", log[2]); err != nil {
		t.Fatal(err)
	}
	if err := s.Tag("acme/skills", "v1", log[1], "first release"); err != nil {
		t.Fatal(err)
	}
	for _, version := range []string{"0", "2"} {
		got := git(t, t.TempDir(), "-c", "protocol.version="+version, "ls-remote", "--symref", s.RepositoryURL("acme/skills"))
		lines := strings.Split(strings.TrimSpace(got), "\n")
		if len(lines) != 6 || lines[0] != "ref: refs/heads/main\tHEAD" || lines[1] != log[0]+"\tHEAD" ||
			lines[2] != log[2]+"\trefs/heads/feature/slash" || lines[5] != log[1]+"\trefs/tags/v1^{}" {
			t.Errorf("protocol %s: ls-remote:\n%s", version, got)
		}
	}
}

func TestGitClones(t *testing.T) {
	t.Parallel()
	s := newServer(t, archive)
	for _, version := range []string{"0", "2"} {
		for _, deltas := range []bool{false, true} {
			s.SetFaults(transporttest.Faults{Deltas: deltas})
			dir := t.TempDir()
			git(t, dir, "-c", "protocol.version="+version, "clone", "-q", s.RepositoryURL("acme/skills"), "c")
			clone := filepath.Join(dir, "c")
			git(t, clone, "fsck", "--strict")
			log := strings.Fields(git(t, clone, "log", "--format=%H"))
			if diff := cmp.Diff(s.Log("acme/skills"), log); diff != "" {
				t.Errorf("log (-server +clone):\n%s", diff)
			}
			tree := git(t, clone, "ls-tree", "-r", "--format=%(objectmode) %(path)", "HEAD")
			want := "100644 README.md\n100644 deploy/SKILL.md\n100644 deploy/notes.md\n100755 deploy/run.sh\n" +
				"120000 latest\n160000 vendored\n"
			if tree != want {
				t.Errorf("ls-tree:\n%swant:\n%s", tree, want)
			}
			date := git(t, clone, "log", "-1", "--format=%cI", "HEAD~1")
			if date != "2026-02-01T12:00:00+00:00\n" && date != "2026-02-01T12:00:00Z\n" {
				t.Errorf("date of the second commit = %s", date)
			}
		}
	}
}

func TestGitFetchesWhatIsNew(t *testing.T) {
	t.Parallel()
	s := newServer(t, archive)
	for _, version := range []string{"0", "2"} {
		dir := t.TempDir()
		clone := filepath.Join(dir, "c")
		git(t, dir, "-c", "protocol.version="+version, "clone", "-q", s.URL()+"/acme/skills", "c")
		rev, err := s.Commit("acme/skills", time.Time{}, map[string]transporttest.File{"v" + version: {Body: "new\n"}})
		if err != nil {
			t.Fatal(err)
		}
		s.ResetStats()
		git(t, clone, "-c", "protocol.version="+version, "fetch", "-q", "origin")
		if got := strings.TrimSpace(git(t, clone, "rev-parse", "origin/HEAD")); got != rev {
			t.Errorf("protocol %s: fetched %s, want %s", version, got, rev)
		}
		git(t, clone, "fsck", "--strict")
		if n := s.Stats().ByKind[transporttest.KindListing].Sent; n > 700 {
			t.Errorf("protocol %s: a fetch of one new file sent %d bytes", version, n)
		}
	}
}

func TestGitShallow(t *testing.T) {
	t.Parallel()
	s := newServer(t, archive)
	for _, version := range []string{"0", "2"} {
		dir := t.TempDir()
		clone := filepath.Join(dir, "c")
		v := "protocol.version=" + version
		git(t, dir, "-c", v, "clone", "-q", "--depth", "1", s.URL()+"/acme/skills", "c")
		for _, step := range []struct {
			args []string
			want string
		}{
			{nil, "1\n"},
			{[]string{"fetch", "-q", "--depth", "2"}, "2\n"},
			{[]string{"fetch", "-q", "--unshallow"}, "3\n"},
		} {
			if step.args != nil {
				git(t, clone, append([]string{"-c", v}, step.args...)...)
			}
			if got := git(t, clone, "rev-list", "--count", "HEAD"); got != step.want {
				t.Errorf("protocol %s: after %q %s commits, want %s", version, step.args, got, step.want)
			}
			git(t, clone, "fsck", "--strict")
		}
	}
}

func TestGitPartialCloneFetchesLazily(t *testing.T) {
	t.Parallel()
	s := newServer(t, archive)
	for _, filter := range []string{"blob:none", "tree:0", "tree:1", "blob:limit=4", "combine:blob:none+tree:2"} {
		dir := t.TempDir()
		clone := filepath.Join(dir, "c")
		s.ResetStats()
		git(t, dir, "clone", "-q", "--no-checkout", "--filter="+filter, s.URL()+"/acme/skills", "c")
		if got := s.Stats().ByKind[transporttest.KindBodies].Requests; got != 0 {
			t.Errorf("%s: %d requests for bodies before any was needed", filter, got)
		}
		missing := git(t, clone, "rev-list", "--objects", "--all", "--missing=print")
		if !strings.Contains(missing, "\n?") {
			t.Errorf("%s: nothing was left out:\n%s", filter, missing)
		}
		if got := git(t, clone, "show", "HEAD:deploy/notes.md"); got != "notes\n" {
			t.Errorf("%s: lazily fetched body %q", filter, got)
		}
	}
}

func TestGitSparseCheckout(t *testing.T) {
	t.Parallel()
	s := newServer(t, archive)
	dir := t.TempDir()
	clone := filepath.Join(dir, "c")
	git(t, dir, "clone", "-q", "--no-checkout", "--depth=1", "--filter=blob:none", s.URL()+"/acme/skills", "c")
	git(t, clone, "sparse-checkout", "set", "--no-cone", "/deploy/")
	git(t, clone, "checkout", "-q")
	if _, err := os.Stat(filepath.Join(clone, "README.md")); err == nil {
		t.Error("README.md was checked out")
	}
	if _, err := os.Stat(filepath.Join(clone, "deploy", "SKILL.md")); err != nil {
		t.Error(err)
	}
}

func TestGitFetchesByHash(t *testing.T) {
	t.Parallel()
	s := newServer(t, archive)
	old := s.Log("acme/skills")[2]
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	git(t, dir, "fetch", "-q", "--depth=1", s.URL()+"/acme/skills", old)
	if got := strings.TrimSpace(git(t, dir, "rev-parse", "FETCH_HEAD")); got != old {
		t.Errorf("fetched %s, want %s", got, old)
	}
	s.SetFaults(transporttest.Faults{TipsOnly: true})
	out, err := tryGit(t, dir, "fetch", "-q", "--depth=1", s.URL()+"/acme/skills", s.Log("acme/skills")[1])
	if err == nil || !strings.Contains(out, "not our ref") {
		t.Errorf("fetch of a commit that is no tip = %v, %s", err, out)
	}
}
