package fsx

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/go-git/go-billy/v5"
)

// The environment variables that place the cache (C1).
const (
	envCache = "ATSKILLS_CACHE"
	envXDG   = "XDG_CACHE_HOME"
)

// UserCache returns the file system of the machine-wide cache that other clients share (C1), as [UserCacheDir] places
// it in this process's environment. Nothing is created before the first write; the directories then made are for
// the user alone, as the XDG specification asks, since private skills are cached too. When there is no such place, every
// call on the file system fails with the error of UserCacheDir, which says what to set.
func UserCache() billy.Filesystem {
	dir, err := UserCacheDir(os.Getenv)
	if err != nil {
		return brokenFS{err}
	}
	return &osFS{dir: dir, perm: 0o700}
}

// UserCacheDir returns where the cache stands: $ATSKILLS_CACHE, else $XDG_CACHE_HOME/atskills, else ~/.cache/atskills,
// on every system (C1). A relative XDG_CACHE_HOME is ignored, as the XDG specification demands. A relative
// ATSKILLS_CACHE is an error: it would name another cache in every directory, possibly one inside a project (C2), and was
// set by someone who should know. The error for a missing home says to set ATSKILLS_CACHE.
func UserCacheDir(getenv func(string) string) (string, error) {
	if dir := getenv(envCache); dir != "" {
		if !filepath.IsAbs(dir) {
			return "", fmt.Errorf("%s %q is not an absolute path", envCache, dir)
		}
		return filepath.Clean(dir), nil
	}
	if dir := getenv(envXDG); filepath.IsAbs(dir) {
		return filepath.Join(dir, "atskills"), nil
	}
	if home := getenv(homeVariable()); filepath.IsAbs(home) {
		return filepath.Join(home, ".cache", "atskills"), nil
	}
	return "", fmt.Errorf("no home directory for the cache: set %s to an absolute path", envCache)
}

func homeVariable() string {
	switch runtime.GOOS {
	case "windows":
		return "USERPROFILE"
	case "plan9":
		return "home"
	}
	return "HOME"
}

// brokenFS fails every call with one error.
type brokenFS struct{ err error }

func (b brokenFS) Create(string) (billy.File, error)                     { return nil, b.err }
func (b brokenFS) Open(string) (billy.File, error)                       { return nil, b.err }
func (b brokenFS) OpenFile(string, int, os.FileMode) (billy.File, error) { return nil, b.err }
func (b brokenFS) Stat(string) (os.FileInfo, error)                      { return nil, b.err }
func (b brokenFS) Rename(string, string) error                           { return b.err }
func (b brokenFS) Remove(string) error                                   { return b.err }
func (b brokenFS) Join(elem ...string) string                            { return filepath.Join(elem...) }
func (b brokenFS) TempFile(string, string) (billy.File, error)           { return nil, b.err }
func (b brokenFS) ReadDir(string) ([]os.FileInfo, error)                 { return nil, b.err }
func (b brokenFS) MkdirAll(string, os.FileMode) error                    { return b.err }
func (b brokenFS) Lstat(string) (os.FileInfo, error)                     { return nil, b.err }
func (b brokenFS) Symlink(string, string) error                          { return b.err }
func (b brokenFS) Readlink(string) (string, error)                       { return "", b.err }
func (b brokenFS) Chroot(string) (billy.Filesystem, error)               { return nil, b.err }
func (b brokenFS) Root() string                                          { return "" }
