package atskills

import (
	"strings"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/skill"
)

const (
	triggerFile = ".autotrigger"
	maxTrigger  = 1 << 20
)

// triggerLines returns the lines of .autotrigger without the blanks around them. A file that cannot be read has none
// here; whoever loads it reports that.
func (p project) triggerLines() []string {
	data, err := fsx.NewView(p.fs, "", true).ReadFile(Dir+"/"+triggerFile, maxTrigger)
	if err != nil {
		return nil
	}
	lines := strings.Split(strings.TrimPrefix(string(data), "\ufeff"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return lines
}

// followed returns the lines of .autotrigger, counted from 1, that follow id itself or its whole directory (S10, T2).
func (p project) followed(id skill.ID) []int {
	var found []int
	for i, line := range p.triggerLines() {
		at, ok := strings.CutPrefix(line, "@")
		if !ok {
			continue
		}
		if ref, err := skill.ParseRef(at); err == nil && ref.ID == id {
			found = append(found, i+1)
		}
	}
	return found
}
