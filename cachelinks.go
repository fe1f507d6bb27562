package atskills

import (
	"fmt"
	"path"
	"slices"
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
	index := indexSkills(snap, p.id.Origin())
	for _, l := range p.links {
		to, ok := l.target(p.id)
		if !l.inSkill && path.Base(l.Path) != SkillFile && !(ok && index.count(snap, to) > 0) {
			continue
		}
		target := ""
		if ok {
			target = to.String()
		}
		p.skip(l.Path, "it is a link upstream", target)
	}
}

// skillIndex counts skills below ids of one origin; each listing is walked once.
type skillIndex struct {
	whole []string // every skill of the origin, in byte order
	known bool     // whole is what the listing holds
	asked map[skill.ID]int
}

func indexSkills(snap transport.Snapshot, origin skill.ID) *skillIndex {
	x := &skillIndex{asked: make(map[skill.ID]int)}
	if tree, err := snap.Tree(origin); err == nil && !tree.Partial {
		x.whole = leaves(tree)
		x.known = true
	}
	return x
}

// unknown is the count of a folder that the listing does not hold.
const unknown = -1

// count returns how many skills stand at and below id, or unknown.
func (x *skillIndex) count(snap transport.Snapshot, id skill.ID) int {
	if n, ok := x.asked[id]; ok {
		return n
	}
	n := unknown
	if tree, err := snap.Tree(id); err == nil && !tree.Partial {
		n = len(leaves(tree))
	} else if x.known {
		from, _ := slices.BinarySearch(x.whole, id.Sub()+"/")
		n = sharePrefix(x.whole[from:], id.Sub()+"/")
		if _, own := slices.BinarySearch(x.whole, id.Sub()); own {
			n = 1
		}
	}
	x.asked[id] = n
	return n
}

// skippedWarnings says what of id's folder did not land, from the metadata of the entry that covers it.
func (m meta) skippedWarnings(id skill.ID) []Warning {
	var out []Warning
	for _, s := range m.Skipped {
		at := m.ID.String() + "/" + s.Path
		if s.Path == "" {
			at = m.ID.String()
		} else if !strings.HasPrefix(at, id.String()+"/") {
			continue
		}
		at, _ = shorten(oneLine(at), maxRowName)
		w := Warning{WarnSkipped, fmt.Sprintf("%s did not land: %s", at, s.Why)}
		switch {
		case m.Playlist != "" && s.Path == "":
			w.Message = fmt.Sprintf("rows of %s were left out: %s", id.Reference(), s.Why)
		case m.Playlist != "":
			w.Message = fmt.Sprintf("a row of %s was left out: %s: %q", id.Reference(), s.Why, oneLine(s.Path))
		}
		if to, err := skill.ParseID(s.Target); err == nil {
			w.Message = fmt.Sprintf("%s did not land: it is a link upstream and points to %s", at, to.Reference())
		}
		out = append(out, w)
	}
	return out
}
