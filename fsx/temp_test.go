package fsx_test

import (
	"os"
	"path"
	"slices"
	"testing"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/memfs"

	"github.com/atskills-go/atskills/fsx"
)

// S9: a note about a staged directory stands beside it, under a temporary name that leads back to it.
func TestNoteNames(t *testing.T) {
	t.Parallel()
	staged, err := fsx.Stage(memfs.New(), "a/b")
	if err != nil {
		t.Fatal(err)
	}
	note := fsx.NoteName(staged)
	if note == staged || path.Dir(note) != "a" || !fsx.IsTemp(path.Base(note)) {
		t.Errorf("NoteName(%q) = %q", staged, note)
	}
	if got, ok := fsx.NoteOf(note); !ok || got != staged {
		t.Errorf("NoteOf(%q) = %q, %v; want %q", note, got, ok, staged)
	}
	for _, name := range []string{staged, "a/b", "a/.atskills-grd-", path.Dir(note), "a/" + fsx.TempName("old"), "a/" + fsx.TempName("grd")} {
		if got, ok := fsx.NoteOf(name); ok {
			t.Errorf("NoteOf(%q) = %q", name, got)
		}
	}
}

// S9: the file of a write is told from all else that has a temporary name.
func TestIsTempFile(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		fsx.TempName("tmp"): true, fsx.TempName("new"): false, fsx.TempName("old"): false, fsx.TempName("log"): false,
		fsx.TempName("grd"): false, fsx.TempName("nte"): false, fsx.TempName("tmp") + "0": false, ".atskills-tmp-": false, "SKILL.md": false,
	} {
		if got := fsx.IsTempFile(name); got != want {
			t.Errorf("IsTempFile(%q) = %v", name, got)
		}
	}
	fsys := &seenNames{Filesystem: memfs.New()}
	if err := fsx.WriteFile(fsys, "a/b", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(fsys.names, fsx.IsTempFile) {
		t.Errorf("WriteFile opened %q", fsys.names)
	}
}

// seenNames keeps the names that were opened to be written.
type seenNames struct {
	billy.Filesystem
	names []string
}

func (s *seenNames) OpenFile(name string, flag int, perm os.FileMode) (billy.File, error) {
	s.names = append(s.names, path.Base(name))
	return s.Filesystem.OpenFile(name, flag, perm)
}
