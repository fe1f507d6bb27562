package git_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills/internal/gittest"
	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/git"
)

// hostWithConfig returns a host whose ~/.gitconfig is config.
func hostWithConfig(t testing.TB, config string) git.Host {
	t.Helper()
	home := t.TempDir()
	write(t, filepath.Join(home, ".gitconfig"), config)
	return git.Host{Home: home}
}

// fileURL returns the file URL of a directory.
func fileURL(dir string) string { return "file:///" + strings.TrimPrefix(filepath.ToSlash(dir), "/") }

// F4: file:// base URLs work through go-git, with and without wants by hash, and tell a missing or empty repository.
func TestFileURL(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	repo := gittest.NewRepo(t, root, "o/r")
	repo.Commit("main", oneSkill)
	gittest.NewRepo(t, root, "o/empty")
	for _, any := range []string{"true", "false"} {
		repo.Run("config", "uploadpack.allowAnySHA1InWant", any)
		repo.Run("config", "uploadpack.allowFilter", any)
		tr := git.New(git.Options{BaseURL: fileURL(root)})
		if diff := cmp.Diff(oneSkillBodies, resolve(t, tr, "gh:o/r/skills/a")); diff != "" {
			t.Errorf("allow %s: bodies (-want +got):\n%s", any, diff)
		}
		_, err := tr.Head(t.Context(), id(t, "gh:o/none"))
		if !errors.Is(err, transport.ErrNotFound) {
			t.Errorf("Head of a missing repository = %v, want ErrNotFound", err)
		}
		_, err = tr.Head(t.Context(), id(t, "gh:o/empty"))
		var e *transport.Error
		if !errors.As(err, &e) || e.Cause != transport.CauseEmpty {
			t.Errorf("Head of an empty repository = %v, want CauseEmpty", err)
		}
		_, err = tr.Open(t.Context(), transport.Revision(strings.Repeat("1", 40)), id(t, "gh:o/r"))
		if !errors.Is(err, transport.ErrNoRevision) {
			t.Errorf("Open of an unknown commit = %v, want ErrNoRevision", err)
		}
	}
}

// After a force push to an older commit go-git's fetch reports success without the commit: its presence is checked.
func TestForcedBack(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	repo := gittest.NewRepo(t, root, "o/r")
	first := repo.Commit("main", oneSkill)
	second := repo.Commit("main", twoSkills)
	tr := git.New(git.Options{BaseURL: fileURL(root)})
	repo.Run("config", "uploadpack.allowAnySHA1InWant", "false")
	repo.Run("update-ref", "refs/heads/main", first)
	if _, err := tr.Open(t.Context(), transport.Revision(second), id(t, "gh:o/r")); !errors.Is(err, transport.ErrNoRevision) {
		t.Errorf("Open of a commit that is gone = %v, want ErrNoRevision", err)
	}
	open(t, tr, first, "gh:o/r")
}

// Url.<base>.insteadOf of the user's git configuration is honoured, the longest match first.
func TestInsteadOf(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	gittest.NewRepo(t, root, "o/r").Commit("main", oneSkill)
	gittest.NewRepo(t, root, "mirror").Commit("main", oneSkill)
	other := filepath.Join(t.TempDir(), "other.cfg")
	write(t, other, "[url \""+fileURL(root)+"/\"]\n\tinsteadOf = https://github.com/\n")
	xdg := t.TempDir()
	if err := os.Mkdir(filepath.Join(xdg, "git"), 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(xdg, "git", "config"), "[url \""+fileURL(root)+"/\"]\n\tinsteadOf = https://github.com/\n")
	hosts := map[string]git.Host{
		"home": hostWithConfig(t, "[url \""+fileURL(root)+"/\"]\n\tinsteadOf = gh:\n\tinsteadOf = https://github.com/\n"),
		"whole repository": hostWithConfig(t, "[url \"file:///nowhere/\"]\n\tinsteadOf = https://github.com/\n"+
			"[url \""+fileURL(root)+"/mirror\"]\n\tinsteadOf = https://github.com/o/r\n"),
		"absolute path":     hostWithConfig(t, "[url \""+filepath.ToSlash(root)+"/\"]\n\tinsteadOf = https://github.com/\n"),
		"GIT_CONFIG_GLOBAL": {Home: t.TempDir(), Getenv: env("GIT_CONFIG_GLOBAL", other)},
		"XDG_CONFIG_HOME":   {Home: t.TempDir(), Getenv: env("XDG_CONFIG_HOME", xdg)},
	}
	for name, h := range hosts {
		if diff := cmp.Diff(oneSkillBodies, resolve(t, git.New(git.Options{Host: h}), "gh:o/r/skills/a")); diff != "" {
			t.Errorf("%s: bodies (-want +got):\n%s", name, diff)
		}
	}
}

// The scp form, which most insteadOf rules lead to, is ssh. An address shows no userinfo (X5).
func TestSCPForm(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"git@git.invalid:":                        "ssh://git.invalid/o/r",
		"git.invalid:":                            "ssh://git.invalid/o/r",
		"git@git.invalid:/srv/":                   "ssh://git.invalid/srv/o/r",
		"ssh://git:" + secret + "@git.invalid:2/": "ssh://git.invalid:2/o/r",
	} {
		h := hostWithConfig(t, "[url \""+base+"\"]\n\tinsteadOf = https://github.com/\n")
		_, err := git.New(git.Options{Host: h}).Head(t.Context(), id(t, "gh:o/r"))
		var e *transport.Error
		if !errors.As(err, &e) || e.URL != want || strings.Contains(err.Error(), secret) {
			t.Errorf("%q: Head = %v, want an error of %q", base, err, want)
		}
	}
}

// No rewriting leads to a transport helper, another scheme or an option of a command.
func TestRefusedAddresses(t *testing.T) {
	t.Parallel()
	for _, base := range []string{
		"ext::sh -c 'touch PWNED' ", "git://host/", "ftp://host/", "--upload-pack=touch PWNED;", "-oProxyCommand=x:",
		"ssh://-oProxyCommand=touch/", "ssh://-u@host/", "file://host/share/", "relative/path", "fd::0/", "https:///",
		"https://user:" + secret + "@ho st/",
	} {
		h := hostWithConfig(t, "[url \""+base+"\"]\n\tinsteadOf = https://github.com/\n")
		_, err := git.New(git.Options{Host: h}).Head(t.Context(), id(t, "gh:o/r"))
		if err == nil || strings.Contains(err.Error(), secret) || !strings.Contains(err.Error(), "address") {
			t.Errorf("%q: Head = %v, want an error about the address", base, err)
		}
	}
	if _, err := os.Stat("PWNED"); err == nil {
		t.Error("a command ran")
	}
}

// X5: an address that was typed wrong is not repeated, since a secret may stand anywhere in it.
func TestMistypedAddresses(t *testing.T) {
	t.Parallel()
	for _, base := range []string{
		secret + "@git.invalid/x", "git+https://" + secret + "@git.invalid", "u:" + secret + "@git.invalid",
		"u:" + secret + "@git.invalid/x", "https:/u:" + secret + "@git.invalid", "https:u:" + secret + "@git.invalid",
		"https:///u:" + secret + "@git.invalid", "https//u:" + secret + "@git.invalid", "https://u/" + secret + "@git.invalid",
		"https://u:a/" + secret + "@git.invalid", "ssh:/u:" + secret + "@git.invalid", "ssh:u:" + secret + "@git.invalid",
		"ssh:///u:" + secret + "@git.invalid", "ssh://u:a/" + secret + "@git.invalid", "ftp://u:" + secret + "@git.invalid",
		"file://u:" + secret + "@git.invalid/x", "-u:" + secret + "@git.invalid", "git@" + secret + "@git.invalid:",
	} {
		_, direct := git.New(git.Options{BaseURL: base}).Head(t.Context(), id(t, "gh:o/r"))
		h := hostWithConfig(t, "[url \""+base+"\"]\n\tinsteadOf = https://github.com\n")
		_, rewritten := git.New(git.Options{Host: h}).Head(t.Context(), id(t, "gh:o/r"))
		for _, err := range []error{direct, rewritten} {
			if err == nil || strings.Contains(err.Error(), secret) || !strings.Contains(err.Error(), "the repository's address") {
				t.Errorf("%q: Head = %v, want an error about the address that does not repeat it", base, err)
			}
		}
	}
	_, err := git.New(git.Options{BaseURL: "ssh://u:" + secret + "@git.invalid"}).Head(t.Context(), id(t, "gh:o/r"))
	if err == nil || strings.Contains(err.Error(), secret) {
		t.Errorf("Head = %v, want an error without the password", err)
	}
}

// A configuration that cannot be read is an error: its rules decide which server is reached.
func TestBrokenConfiguration(t *testing.T) {
	t.Parallel()
	h := hostWithConfig(t, "[url \"x\ninsteadOf")
	if _, err := git.New(git.Options{Host: h}).Head(t.Context(), id(t, "gh:o/r")); err == nil || !strings.Contains(err.Error(), ".gitconfig") {
		t.Errorf("Head = %v, want an error that names the file", err)
	}
}
