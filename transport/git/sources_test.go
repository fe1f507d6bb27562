package git_test

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atskills-go/atskills/internal/gittest"
	"github.com/atskills-go/atskills/transport/git"
)

// env returns an environment of name-value pairs.
func env(pairs ...string) func(string) string {
	return func(key string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == key {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func collect(t testing.TB, h git.Host, address string) []git.Credential {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	var got []git.Credential
	for c, err := range git.DefaultCredentials(h)(t.Context(), u) {
		if err != nil {
			t.Error(err)
			continue
		}
		got = append(got, c)
	}
	return got
}

// The order of the user's own credentials, and which host each is for.
func TestDefaultCredentials(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	write(t, filepath.Join(home, ".netrc"), `
# machine github.com login no password comment
machine other.example login x password y
macdef init
machine github.com login no password macro

machine github.com
  login alice
  account whatever
  password "pass word"
machine GHE.example login bob password hunter2 machine last.example login z password w
default login any password body
`)
	h := git.Host{Home: home, Getenv: env("GH_TOKEN", "one", "GITHUB_TOKEN", "two")}
	tests := map[string][]git.Credential{
		"https://github.com/o/r":          creds("x-access-token", "one", "x-access-token", "two", "alice", "pass word"),
		"https://ghe.example/o/r":         creds("bob", "hunter2"),
		"https://last.example/o/r":        creds("z", "w"),
		"https://evil-github.com/o/r":     nil,
		"https://github.com.evil.net/o/r": nil,
		"http://github.com/o/r":           creds("alice", "pass word"),
	}
	for address, want := range tests {
		if got := collect(t, h, address); !slices.Equal(got, want) {
			t.Errorf("%s: %d credentials, want %d", address, len(got), len(want))
		}
	}
	if got := collect(t, git.Host{}, "https://github.com/o/r"); got != nil {
		t.Errorf("the zero Host has %d credentials", len(got))
	}
	elsewhere := filepath.Join(t.TempDir(), "n")
	write(t, elsewhere, "machine github.com login carol password pw")
	h = git.Host{Home: home, Getenv: env("NETRC", elsewhere)}
	if got := collect(t, h, "https://github.com/o/r"); !slices.Equal(got, creds("carol", "pw")) {
		t.Errorf("$NETRC gave %d credentials", len(got))
	}
}

// helperHost returns a host whose git configuration has a credential helper made of a shell script.
func helperHost(t testing.TB, script string) git.Host {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("skipped: the helper is a shell script")
	}
	home := t.TempDir()
	helper := filepath.Join(home, "helper.sh")
	write(t, helper, "#!/bin/sh\n"+script)
	write(t, filepath.Join(home, ".gitconfig"), "[credential]\n\thelper = "+helper+"\n")
	return git.Host{Home: home, Git: gittest.Git(t), Getenv: env("PATH", os.Getenv("PATH"), "GIT_DIR", "/nonexistent",
		"GIT_CONFIG_COUNT", "1", "DISPLAY", ":0", "GIT_ASKPASS", "/bin/false", "UNRELATED_SECRET", "x")}
}

// The user's helper is used, with prompts disabled, an environment that is an allow-list, and nothing
// stored.
func TestCredentialHelper(t *testing.T) {
	t.Parallel()
	h := helperHost(t, `
echo "call $1" >>"$HOME/log"
env >>"$HOME/log"
cat >>"$HOME/log"
[ "$1" = get ] && printf 'username=u\npassword=`+secret+`\n'
exit 0
`)
	got := collect(t, h, "https://git.example:8443/o/r")
	if !slices.Equal(got, creds("u", secret)) {
		t.Fatalf("%d credentials, want the helper's", len(got))
	}
	b, err := os.ReadFile(filepath.Join(h.Home, "log"))
	if err != nil {
		t.Fatal(err)
	}
	log := string(b)
	for _, want := range []string{"call get\n", "GIT_TERMINAL_PROMPT=0\n", "GCM_INTERACTIVE=never\n", "protocol=https\n", "host=git.example:8443\n"} {
		if !strings.Contains(log, want) {
			t.Errorf("the helper did not see %q", want)
		}
	}
	for _, not := range []string{"call store", "call erase", "UNRELATED_SECRET", "GIT_DIR=", "DISPLAY=", "/bin/false"} {
		if strings.Contains(log, not) {
			t.Errorf("the helper saw %q", not)
		}
	}
}

// Without a credential nothing is asked for; git fails because it may not prompt.
func TestHelperWithoutAnswer(t *testing.T) {
	t.Parallel()
	h := helperHost(t, "exit 0\n")
	if got := collect(t, h, "https://git.example/o/r"); got != nil {
		t.Errorf("%d credentials", len(got))
	}
}

// A helper that waits for a person ends with the context, and so does what it started.
func TestHelperIsKilled(t *testing.T) {
	t.Parallel()
	h := helperHost(t, `
mkfifo "$HOME/fifo"
(exec 3<>"$HOME/fifo"; touch "$HOME/started"; read x <&3; touch "$HOME/survived") &
wait
`)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(filepath.Join(h.Home, "started")); err == nil {
				cancel()
			}
			runtime.Gosched()
		}
	}()
	u := &url.URL{Scheme: "https", Host: "git.example", Path: "/o/r"}
	var failed error
	for _, err := range git.DefaultCredentials(h)(ctx, u) {
		failed = err
	}
	if failed == nil || !strings.Contains(failed.Error(), "in time") {
		t.Errorf("got %v, want the helper's failure", failed)
	}
	// What survived would be woken by this and leave a trace before it lets go of its end.
	for {
		f, err := os.OpenFile(filepath.Join(h.Home, "fifo"), os.O_WRONLY|nonblocking, 0)
		if err != nil {
			break
		}
		_, _ = f.WriteString("x\n")
		_ = f.Close()
	}
	if _, err := os.Stat(filepath.Join(h.Home, "survived")); err == nil {
		t.Error("the helper's child survived it")
	}
}
