package main

import (
	"os"
	"path/filepath"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/skill"
)

// unknown says what may have been meant by a word that is no command.
func (h host) unknown(word string, out *output) int {
	out.say("atskills: unknown command %q", word)
	for _, name := range skill.Nearest(word, commands, 1) {
		out.say("  did you mean: atskills %s", name)
	}
	if r, ok := h.referred(word); ok {
		out.say("  to read the %s: atskills get %s", r.what, shellWord(r.id.Reference()))
	}
	out.usage("")
	return exitUsage
}

// referred is what a word means where it is taken for a reference.
type referred struct {
	id   skill.ID
	what string // "skill", "menu", or "reference" when that is not known
	dir  string // the project's folder for it, "" when the project has none
}

// referred looks for what word addresses in the project. What has the marker of another place is a reference without
// that, and no network is asked.
func (h host) referred(word string) (referred, bool) {
	ref, err := skill.ParseRef(word)
	if err != nil {
		return referred{}, false
	}
	for _, id := range ref.IDs() {
		dir := filepath.Join(h.project(), atskills.Dir, filepath.FromSlash(id.DiskPath()))
		if info, err := os.Stat(filepath.Join(dir, skill.SkillFile)); err == nil && info.Mode().IsRegular() {
			return referred{id, "skill", dir}, true
		}
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return referred{id, "menu", dir}, true
		}
	}
	return referred{ref.ID, "reference", ""}, ref.ID.Scheme() != skill.Local
}
