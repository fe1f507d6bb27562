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
	if what, ref := h.readable(word); ref != "" {
		out.say("  to read the %s: atskills get %s", what, shellWord(ref))
	}
	out.usage("")
	return exitUsage
}

// readable is word as a reference that get would take, "" when it is none: something of the project, or whatever has the
// marker of another place. No network is asked.
func (h host) readable(word string) (what, ref string) {
	r, err := skill.ParseRef(word)
	if err != nil {
		return "", ""
	}
	for _, id := range r.IDs() {
		if id.Scheme() != skill.Local {
			return "reference", id.Reference()
		}
		dir := filepath.Join(h.project(), atskills.Dir, filepath.FromSlash(id.DiskPath()))
		if info, err := os.Stat(filepath.Join(dir, skill.SkillFile)); err == nil && info.Mode().IsRegular() {
			return "skill", id.Reference()
		}
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return "menu", id.Reference()
		}
	}
	return "", ""
}
