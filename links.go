package atskills

import (
	"fmt"
	"path"
	"strings"

	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

// link is an upstream symbolic link. It never lands; where it points to an address of the same repository, that address
// is named, so that the reader has a reference that works (F2).
type link struct {
	transport.Entry
	inSkill bool
	text    string // its target as stored, "" when it was not read
}

// target returns the id that the link at e in the folder of id points to, when that lies in the same repository. A link
// to a SKILL.md stands for the folder around it.
func (l link) target(id skill.ID) (skill.ID, bool) {
	if l.text == "" || strings.HasPrefix(l.text, "/") {
		return skill.ID{}, false
	}
	at := path.Join(id.Sub(), path.Dir(l.Path), l.text)
	if path.Base(at) == SkillFile {
		at = path.Dir(at)
	}
	if at == ".." || strings.HasPrefix(at, "../") {
		return skill.ID{}, false
	}
	if at == "." {
		return id.Origin(), true
	}
	to, err := id.Origin().Join(at)
	return to, err == nil
}

// nameLinks records p's links as skipped: all of those inside a skill, and elsewhere those that stand for a skill.
func (p *plan) nameLinks(snap transport.Snapshot) {
	for _, l := range p.links {
		to, ok := l.target(p.id)
		if !l.inSkill && path.Base(l.Path) != SkillFile && !(ok && holdsSkills(snap, to)) {
			continue
		}
		s := skipped{Path: l.Path, Why: l.Mode.String()}
		if ok {
			s.Target = to.String()
		}
		p.meta.Skipped = append(p.meta.Skipped, s)
	}
}

// holdsSkills reports whether the listing shows a skill at or below id.
func holdsSkills(snap transport.Snapshot, id skill.ID) bool {
	n, known := countSkills(snap, id)
	return known && n > 0
}

// skippedWarnings says what of id's folder did not land, from the metadata of the entry that covers it.
func (m meta) skippedWarnings(id skill.ID) []Warning {
	var out []Warning
	for _, s := range m.Skipped {
		at, err := m.ID.Join(s.Path)
		if err == nil && !id.Contains(at) {
			continue
		}
		shown := oneLine(m.ID.String() + "/" + s.Path)
		w := Warning{WarnSkipped, fmt.Sprintf("%s did not land: %s", shown, s.Why)}
		if to, err := skill.ParseID(s.Target); err == nil {
			w.Message = fmt.Sprintf("%s is a link upstream and did not land; it points to %s", shown, to.Reference())
		}
		out = append(out, w)
	}
	return out
}
