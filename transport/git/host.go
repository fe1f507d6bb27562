package git

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	format "github.com/go-git/go-git/v5/plumbing/format/config"
)

// Host is what a transport may read of the machine it runs on. The zero Host reads nothing: no environment, no home
// directory, no helper. Programs take [UserHost]; tests build their own.
type Host struct {
	Getenv func(string) string // the environment; nil is an empty one
	Home   string              // the home directory: .netrc, .gitconfig, .ssh; "" is none
	Git    string              // path of the git binary that runs credential helpers; "" is none
}

// UserHost returns the host of the user who runs this process: its environment and home directory, and the git binary
// of its PATH, if there is one.
func UserHost() Host {
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	git, err := exec.LookPath("git")
	if err != nil {
		git = ""
	}
	return Host{Getenv: os.Getenv, Home: home, Git: git}
}

func (h Host) getenv(key string) string {
	if h.Getenv == nil {
		return ""
	}
	return h.Getenv(key)
}

// inHome returns the path of a file in the home directory, "" when there is none.
func (h Host) inHome(elem ...string) string {
	if h.Home == "" {
		return ""
	}
	return filepath.Join(append([]string{h.Home}, elem...)...)
}

// maxSettings bounds a file of the user's settings.
const maxSettings = 4 << 20

// readSettings returns the content of a file of the user's settings, nil when there is none.
func readSettings(name string) ([]byte, error) {
	if name == "" {
		return nil, nil
	}
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxSettings+1))
	if err == nil && len(b) > maxSettings {
		err = fmt.Errorf("%s is larger than %d bytes", name, maxSettings)
	}
	return b, err
}

// configFiles returns the user's git configuration files in the order git reads them.
func (h Host) configFiles() []string {
	if global := h.getenv("GIT_CONFIG_GLOBAL"); global != "" {
		return []string{global}
	}
	xdg := h.inHome(".config", "git", "config")
	if dir := h.getenv("XDG_CONFIG_HOME"); dir != "" {
		xdg = filepath.Join(dir, "git", "config")
	}
	return []string{xdg, h.inHome(".gitconfig")}
}

// rewrites returns the url.<base>.insteadOf rules of the user's git configuration. A file that cannot be read is an
// error: without its rules another address would be reached than the user chose.
func (h Host) rewrites() ([]rewrite, error) {
	var rules []rewrite
	for _, name := range h.configFiles() {
		b, err := readSettings(name)
		if err != nil {
			return nil, fmt.Errorf("git configuration: %w", err)
		}
		cfg := format.New()
		if err := format.NewDecoder(bytes.NewReader(b)).Decode(cfg); err != nil {
			return nil, fmt.Errorf("git configuration %s: %w", name, err)
		}
		for _, sub := range cfg.Section("url").Subsections {
			for _, v := range sub.OptionAll("insteadOf") {
				rules = append(rules, rewrite{base: sub.Name, insteadOf: v})
			}
		}
	}
	return rules, nil
}
