package fsx_test

import (
	"path"
	"testing"

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
	for _, name := range []string{staged, "a/b", "a/.atskills-grd-", path.Dir(note), "a/" + fsx.TempName("old")} {
		if got, ok := fsx.NoteOf(name); ok {
			t.Errorf("NoteOf(%q) = %q", name, got)
		}
	}
}
