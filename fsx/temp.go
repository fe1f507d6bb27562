package fsx

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"os"
	"path"
	"strings"

	"github.com/go-git/go-billy/v5"
)

// Temporary names are ".atskills-", three letters, "-" and 32 hex digits: legal on every system, never a prefix of one
// another (memfs.Rename takes along whatever begins with the name it moves), and unlike any name a person gives.
const (
	tempPrefix = ".atskills-"

	kindFile    = "tmp" // a file on its way to its name
	kindStage   = "new" // a staged directory
	kindOld     = "old" // a directory or lock that was moved out of the way
	kindJournal = "log" // what an unfinished Replace needs to be undone
	kindGuard   = "grd" // held while a stale lock is taken over
	kindNote    = "nte" // what a caller writes down about a staged directory
)

// IsTemp reports whether name, one path segment, is a temporary name of this package. Such names are left-overs or
// work in progress: a [View] never shows them (S9).
func IsTemp(name string) bool {
	rest, ok := strings.CutPrefix(name, tempPrefix)
	if !ok || len(rest) != 36 || rest[3] != '-' {
		return false
	}
	switch rest[:3] {
	case kindFile, kindStage, kindOld, kindJournal, kindGuard, kindNote:
	default:
		return false
	}
	for _, c := range []byte(rest[4:]) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// IsTempFile reports whether name, one path segment, is the temporary name of a file that is being written, as
// [WriteFile] does: it holds what its file is to hold, and whoever writes it still needs it.
func IsTempFile(name string) bool { return isKind(name, kindFile) }

func isKind(name, kind string) bool {
	return IsTemp(name) && name[len(tempPrefix):len(tempPrefix)+3] == kind
}

func tempName(kind string) string { return tempPrefix + kind + "-" + randomHex() }

func randomHex() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails, see its documentation
	return hex.EncodeToString(b[:])
}

// NoteName returns where a note about a staged directory stands, for callers that keep one: beside it, under a temporary
// name of its own. The path staged is one that [Stage] returned.
func NoteName(staged string) string {
	return join(parent(staged), tempPrefix+kindNote+strings.TrimPrefix(path.Base(staged), tempPrefix+kindStage))
}

// NoteOf returns the staged directory that a note is about; ok is false when the path is none that [NoteName] returns.
func NoteOf(note string) (staged string, ok bool) {
	name := path.Base(note)
	if !isKind(name, kindNote) {
		return "", false
	}
	return join(parent(note), tempPrefix+kindStage+strings.TrimPrefix(name, tempPrefix+kindNote)), true
}

// Stage creates an empty directory with a temporary name beside dest, and dest's parents, and returns its path: where
// a tree is put together before [Replace] makes it dest. The parents' links are resolved, so the path may not begin
// as dest does. The caller removes it with [RemoveAll] when it gives up.
func Stage(fsys billy.Filesystem, dest string) (string, error) {
	if err := CheckPath(dest); err != nil {
		return "", err
	}
	dir, err := makeDir(fsys, parent(dest))
	if err != nil {
		return "", err
	}
	staged := join(dir, tempName(kindStage))
	if err := fsys.MkdirAll(staged, 0o755); err != nil {
		return "", pathError("stage", staged, err)
	}
	return staged, nil
}

// Sweep cleans dir, but not the directories in it, of what interrupted writes left behind (S9). Interrupted calls of
// [Replace] are undone first, as [Recover] does; then everything with a temporary name is removed, unless keep, when
// it is not nil, says true for it. A writer at work in dir uses such names: call it under the lock that
// all writers of dir take. It goes on after an error and returns all of them joined.
func Sweep(fsys billy.Filesystem, dir string, keep func(os.FileInfo) bool) error {
	real, info, err := resolvePath(fsys, dir, true)
	if err != nil || info == nil && real != "" {
		return err
	}
	infos, err := readDir(fsys, real)
	if isNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	var errs []error
	inUse := map[string]bool{}
	for _, info := range infos {
		if isKind(info.Name(), kindJournal) {
			if err := recoverJournal(fsys, join(real, info.Name())); err != nil {
				errs = append(errs, err)
				inUse[info.Name()] = true
			}
		}
	}
	for _, info := range infos {
		if !IsTemp(info.Name()) || inUse[info.Name()] || keep != nil && keep(info) {
			continue
		}
		if len(inUse) > 0 && isKind(info.Name(), kindOld) {
			continue // a journal that could not be read may need it
		}
		errs = append(errs, RemoveAll(fsys, join(real, info.Name())))
	}
	return errors.Join(errs...)
}
