package atskills

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

// Drift is one way in which the skills under a followed line differ from those that this machine saw there when it last
// built a block, for any project (B9). A copy in the project does not drift.
type Drift struct {
	Line     int      // the first line that follows it
	Followed skill.ID // what the line follows
	ID       skill.ID // the skill, below Followed
	Name     string
	Change   DriftChange
	// Before and After are the skill's descriptions as rows show them, "" where there was or is no such skill.
	Before, After string
}

// DriftChange says what happened to a followed skill.
type DriftChange string

// The changes.
const (
	DriftAppeared DriftChange = "appeared"
	DriftVanished DriftChange = "vanished" // or it lost its name or description, and is left out for that
	DriftChanged  DriftChange = "changed"  // its description
)

// seenPath is where this machine keeps which skills it last saw below a followed id. It is a file of its own: id may have
// no metadata, when an ancestor's copy answers it (C10), another client may rewrite that without our fields, and what it
// says must outlive the very refresh that brings the drift.
func seenPath(id skill.ID) string { return metaDir + "/" + metaHash(id) + ".seen" }

// seen is the content of such a file. Equal records have equal bytes.
type seen struct {
	ID     skill.ID               `json:"id"`
	Site   string                 `json:"site,omitempty"`
	Skills map[skill.ID]seenSkill `json:"skills"`
}

// seenSkill is how a row showed a skill.
type seenSkill struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// drift compares what the cloud lines bring with what they brought last.
type drift struct {
	cache *cache      // nil when nothing is remembered
	order []following // each followed id once, with its first line
	now   map[skill.ID]map[skill.ID]seenSkill
}

// following is an id and a line that follows it.
type following struct {
	line int
	id   skill.ID
}

func newDrift(env Env) *drift {
	d := &drift{now: make(map[skill.ID]map[skill.ID]seenSkill)}
	if env.Cache != nil {
		d.cache = newCache(env)
	}
	return d
}

// saw takes down which of the offers that line has for id are rows of b.
func (d *drift) saw(line int, id skill.ID, offers []offer, b *blockBuilder) {
	if d.now[id] == nil {
		d.now[id] = make(map[skill.ID]seenSkill, len(offers))
		d.order = append(d.order, following{line, id})
	}
	for _, o := range offers {
		if row := b.rows[o.key]; row != refused && !o.id.IsZero() {
			d.now[id][o.id] = seenSkill{b.block.Rows[row].Name, b.block.Rows[row].Description}
		}
	}
}

// settle tells the differences, and records what there is now where it differs. The first time there is nothing to tell.
func (d *drift) settle(b *blockBuilder) {
	if d.cache == nil {
		return
	}
	var failed error
	for _, f := range d.order {
		if d.cache.site(f.id) == transport.NoSite {
			continue // upstream has no say in what the cache has
		}
		before, known := d.cache.readSeen(f.id)
		now := d.now[f.id]
		if known {
			b.block.Drift = append(b.block.Drift, differences(f, before, now)...)
		}
		if !known || !maps.Equal(before, now) {
			failed = cmp.Or(failed, d.cache.writeSeen(f.id, now))
		}
	}
	if failed != nil {
		b.note(Note{Code: NoteRecord, Message: fmt.Sprintf("what the followed lines bring cannot be recorded: %v", failed)})
	}
}

// differences lists what changed under f, in byte order of the skills' ids.
func differences(f following, before, now map[skill.ID]seenSkill) []Drift {
	var out []Drift
	add := func(id skill.ID, change DriftChange, name string) {
		out = append(out, Drift{Line: f.line, Followed: f.id, ID: id, Name: name, Change: change,
			Before: before[id].Description, After: now[id].Description})
	}
	for id, s := range now {
		if was, ok := before[id]; !ok {
			add(id, DriftAppeared, s.Name)
		} else if was.Description != s.Description {
			add(id, DriftChanged, s.Name)
		}
	}
	for id, s := range before {
		if _, ok := now[id]; !ok {
			add(id, DriftVanished, s.Name)
		}
	}
	slices.SortFunc(out, func(a, b Drift) int { return cmp.Compare(a.ID.String(), b.ID.String()) })
	return out
}

// readSeen returns what was last seen below id. A record that is missing, broken or another's counts as none (C8).
func (c *cache) readSeen(id skill.ID) (map[skill.ID]seenSkill, bool) {
	data, err := fsx.ReadFile(c.fs, seenPath(id), maxMeta)
	if err != nil {
		return nil, false
	}
	var s seen
	if json.Unmarshal(data, &s) != nil || s.ID != id || s.Site != c.site(id) {
		return nil, false
	}
	for at, was := range s.Skills {
		if oneLine(was.Name) != was.Name || oneLine(was.Description) != was.Description || at.Scheme() == skill.Local {
			return nil, false
		}
	}
	return s.Skills, true
}

func (c *cache) writeSeen(id skill.ID, skills map[skill.ID]seenSkill) error {
	data, err := json.Marshal(seen{id, c.site(id), skills})
	if err != nil {
		return err
	}
	return fsx.WriteFile(c.fs, seenPath(id), append(data, '\n'), 0o644)
}
