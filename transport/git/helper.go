package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"strings"
	"time"
)

const (
	// helperTimeout bounds one run of the user's credential helpers: somebody waits for the answer.
	helperTimeout = 5 * time.Second
	// maxHelperOutput is more than any credential needs.
	maxHelperOutput = 64 << 10
)

// helperEnv names what a credential helper may need of the environment: to find itself, its configuration and its
// keyring. Nothing of git's own is passed on but the user's configuration, so that a call from inside a hook does not
// act on the hook's repository.
var helperEnv = [...]string{
	"PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TMPDIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR",
	"XDG_CACHE_HOME", "DBUS_SESSION_BUS_ADDRESS", "GNUPGHOME", "GPG_AGENT_INFO", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM",
	"GIT_CONFIG_NOSYSTEM", "GIT_EXEC_PATH", "GCM_CREDENTIAL_STORE", "GH_CONFIG_DIR", "HTTPS_PROXY", "https_proxy",
	"NO_PROXY", "no_proxy", "SystemRoot", "SYSTEMROOT", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "ProgramData",
	"ProgramFiles", "TEMP", "TMP", "COMSPEC", "PATHEXT", "HOMEDRIVE", "HOMEPATH", "USERNAME",
}

// helper yields what the credential helpers of the user's git configuration answer without asking anybody.
func (h Host) helper(ctx context.Context, address *url.URL, yield func(Credential, error) bool) bool {
	if h.Git == "" {
		return true
	}
	c, err := h.fill(ctx, address)
	if err != nil {
		return yield(Credential{}, err)
	}
	if c.Password == "" {
		return true
	}
	return yield(c, nil)
}

func (h Host) fill(ctx context.Context, address *url.URL) (Credential, error) {
	question := fmt.Sprintf("protocol=%s\nhost=%s\npath=%s\n\n",
		address.Scheme, address.Host, strings.TrimPrefix(address.Path, "/"))
	if strings.Count(question, "\n") != 4 || strings.ContainsAny(question, "\x00\r") {
		return Credential{}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, helperTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, h.Git, "-c", "credential.interactive=false", "-c", "core.askPass=", "credential", "fill")
	cmd.Env = h.helperEnvironment()
	if cmd.Dir = h.Home; cmd.Dir == "" {
		cmd.Dir = "/"
	}
	cmd.Stdin = strings.NewReader(question)
	out := &cappedBuffer{room: maxHelperOutput}
	cmd.Stdout = out
	killWithChildren(cmd)
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	if ctx.Err() != nil {
		return Credential{}, errors.New("git credential fill did not answer in time")
	}
	if err != nil {
		// Without a credential git wants to prompt and fails because it must not: not an error of the source.
		return Credential{}, nil
	}
	return parseFilled(out.Bytes()), nil
}

func (h Host) helperEnvironment() []string {
	env := []string{
		"GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "SSH_ASKPASS=", "SSH_ASKPASS_REQUIRE=never",
		"GCM_INTERACTIVE=never", "GIT_OPTIONAL_LOCKS=0",
	}
	for _, key := range helperEnv {
		if v := h.getenv(key); v != "" {
			env = append(env, key+"="+v)
		}
	}
	if h.Home != "" && h.getenv("HOME") == "" {
		env = append(env, "HOME="+h.Home)
	}
	return env
}

func parseFilled(b []byte) Credential {
	var c Credential
	for line := range bytes.SplitSeq(b, []byte("\n")) {
		key, value, _ := strings.Cut(strings.TrimSuffix(string(line), "\r"), "=")
		switch key {
		case "username":
			c.Username = value
		case "password":
			c.Password = value
		}
	}
	return c
}

// cappedBuffer keeps the first bytes written to it and drops the rest.
type cappedBuffer struct {
	bytes.Buffer
	room int
}

func (b *cappedBuffer) Write(p []byte) (int, error) {
	keep := p[:min(len(p), b.room)]
	b.room -= len(keep)
	_, _ = b.Buffer.Write(keep)
	return len(p), nil
}
