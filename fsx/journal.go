package fsx

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/go-git/go-billy/v5"
)

// The two ways of Replace that take more than one step.
const (
	wayRename = "rename"
	wayFiles  = "files"
)

// journal is the record of a Replace at work: what to do when it never comes to its end. It stands beside dest under a
// name made from dest's, so that one look finds it.
type journal struct {
	Way    string
	Dest   string
	Old    string // the old tree, "" when there was none
	Commit string
	Staged string // the new tree, while it is not at dest; "" when files are copied
}

const journalHead = "atskills replace 2"

// journalName returns where the journal of dest stands.
func journalName(dest string) string {
	sum := sha256.Sum256([]byte(path.Base(dest)))
	return join(parent(dest), tempPrefix+kindJournal+"-"+hex.EncodeToString(sum[:16]))
}

// write puts the journal down. Names are kept without their directory, which may be moved in the meantime.
func (j journal) write(fsys billy.Filesystem) error {
	old := ""
	if j.Old != "" {
		old = path.Base(j.Old)
	}
	staged := ""
	if j.Staged != "" {
		staged = path.Base(j.Staged)
	}
	text := fmt.Sprintf("%s\n%q\n%q\n%q\n%q\n%q\n", journalHead, j.Way, path.Base(j.Dest), old, j.Commit, staged)
	return WriteFile(fsys, journalName(j.Dest), []byte(text), 0o644)
}

func readJournal(fsys billy.Filesystem, name string) (journal, error) {
	data, err := ReadFile(fsys, name, 16<<10)
	if err != nil {
		return journal{}, err
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	if len(lines) != 6 || lines[0] != journalHead {
		return journal{}, errJournal
	}
	var field [5]string
	for i := range field {
		if field[i], err = strconv.Unquote(lines[i+1]); err != nil {
			return journal{}, errJournal
		}
	}
	j := journal{Way: field[0], Dest: join(parent(name), field[1]), Commit: field[3]}
	if field[2] != "" {
		j.Old = join(parent(name), field[2])
	}
	// The names come from a file that anything may have written: they must be what write would have put there.
	if field[4] != "" {
		j.Staged = join(parent(name), field[4])
	}
	if journalName(j.Dest) != name || j.Staged != "" && !isKind(field[4], kindStage) || j.Old != "" && !isKind(field[2], kindOld) || CheckPath(j.Dest) != nil ||
		strings.Contains(field[1], "/") {
		return journal{}, errJournal
	}
	return j, nil
}

var errJournal = errors.New("not the record of an interrupted replacement; look at the folders beside it, then delete it")

func (j journal) remove(fsys billy.Filesystem) error {
	name := journalName(j.Dest)
	if err := fsys.Remove(name); err != nil && !isNotExist(err) {
		return pathError("remove", name, err)
	}
	return nil
}

// undo puts the old tree back and forgets the journal. It may be repeated, also after a failure half way.
func (j journal) undo(fsys billy.Filesystem) error {
	var err error
	switch j.Way {
	case wayRename:
		err = j.undoRename(fsys)
	case wayFiles:
		err = j.undoFiles(fsys)
	default:
		err = errJournal
	}
	if err != nil {
		return fmt.Errorf("put the old %q back: %w", j.Dest, err)
	}
	if err := j.remove(fsys); err != nil {
		return err
	}
	if j.Old != "" {
		_ = RemoveAll(fsys, j.Old)
	}
	return nil
}

func (j journal) undoRename(fsys billy.Filesystem) error {
	dest, err := exists(fsys, j.Dest)
	if err != nil {
		return err
	}
	staged := false
	if dest && j.Staged != "" {
		if staged, err = exists(fsys, j.Staged); err != nil {
			return err
		}
	}
	if dest && !staged {
		return nil // the second rename was done: the new tree stands
	}
	old, err := exists(fsys, j.Old)
	if err != nil || !old {
		return err
	}
	to := j.Dest
	if dest { // somebody made it anew while the old one was away: both are theirs
		to = KeptName(j.Dest)
	}
	return fsys.Rename(j.Old, to)
}

// KeptName returns a name beside dest, visible and free of meaning, for a tree that may hold somebody's work and
// cannot stand at dest.
func KeptName(dest string) string { return dest + ".kept-" + randomHex()[:8] }

func (j journal) undoFiles(fsys billy.Filesystem) error {
	if j.Old == "" {
		return removeCommitFirst(fsys, j.Dest, j.Commit)
	}
	old, err := exists(fsys, j.Old)
	if err != nil {
		return err
	}
	if !old {
		return fmt.Errorf("%q is gone", j.Old)
	}
	return mirror(fsys, j.Old, j.Dest, j.Commit)
}

func exists(fsys billy.Filesystem, name string) (bool, error) {
	switch _, err := fsys.Lstat(name); {
	case err == nil:
		return true, nil
	case isNotExist(err):
		return false, nil
	default:
		return false, pathError("stat", name, err)
	}
}

// recoverJournal undoes what the journal at name, a path without links, tells of.
func recoverJournal(fsys billy.Filesystem, name string) error {
	j, err := readJournal(fsys, name)
	if isNotExist(err) {
		return nil
	}
	if err == nil {
		err = j.undo(fsys)
	}
	if err != nil {
		return fmt.Errorf("recover %q: %w", name, err)
	}
	return nil
}
