package atskills

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/internal/trigger"
	"github.com/atskills-go/atskills/skill"
)

// Completion is something a person may have meant to write (Z1, Z2).
type Completion struct {
	ID skill.ID
	// Kind is Skill, or Menu for a followed collection; "" for a followed id that the cache does not hold.
	Kind        Kind
	Text        string // what to insert: the reference with its prefix
	Name        string // from the frontmatter, else the folder's name
	Description string // on one line, "" when there is none
	Where       string // for a person: the project's folder, or the line that follows the id
}

// Index is what a project can complete to: its own skills, and the cloud ids its trigger file follows with what the
// cache holds of them (Z1). It never changes, so that any number of goroutines may ask it, and asking reads no file. The
// nil Index is empty.
type Index struct {
	entries []indexed
	heads   map[string]knownHead
}

// indexed is a completion with what it is found by, in lower case.
type indexed struct {
	Completion
	id   string // canonical
	ref  string // in reference spelling when that is another, else ""
	name string // when it is not the last segment of id, else ""
}

// knownHead is what one SKILL.md says, kept for [Index.Refresh].
type knownHead struct{ name, description string }

// NewIndex reads the project's tree and trigger file, and the cache for what the file's lines follow; each SKILL.md is
// opened once, and its frontmatter read. It makes no request. Of the project's folders those that no reference can
// address are left out (G12), and so are broken lines; what cannot be read is left out or has no description.
//
// Errors: a trigger file that cannot be read, [ErrCacheInTree], and the context's error.
func NewIndex(ctx context.Context, env Env) (*Index, error) {
	return (*Index)(nil).Refresh(ctx, env)
}

// Refresh returns an index of the project as it is now. It lists folders, and opens the SKILL.md of those skills alone
// that x does not know, that the cache has at another revision, or that are one of changed or below one: pass the ids that
// a save, an edit or a removal touched. x stays as it is. Errors are those of [NewIndex].
func (x *Index) Refresh(ctx context.Context, env Env, changed ...skill.ID) (*Index, error) {
	if err := env.check(); err != nil {
		return nil, err
	}
	s, err := env.survey(ctx)
	if err != nil {
		return nil, err
	}
	b := indexBuilder{Index: &Index{heads: make(map[string]knownHead)}, changed: changed, seen: make(map[skill.ID]bool)}
	if x != nil {
		b.old = x.heads
	}
	for _, dir := range s.skills {
		b.local(s, dir)
	}
	b.own = len(b.entries)
	if env.Cache != nil {
		b.cache = newCache(env)
	}
	for _, line := range s.file.Lines {
		if line.Ref != nil {
			b.followed(ctx, line)
		}
	}
	return b.Index, ctx.Err()
}

type indexBuilder struct {
	*Index
	old     map[string]knownHead
	changed []skill.ID
	seen    map[skill.ID]bool
	own     int    // how many entries are the project's
	cache   *cache // nil without one
}

// local adds the project's skill at dir, a path below Dir.
func (b *indexBuilder) local(s *survey, dir string) {
	id, err := skill.ParseDiskPath(dir)
	if err != nil {
		return
	}
	b.skill(id, Dir+"/"+oneLine(dir), "project "+dir, func() (*skill.Document, error) { return s.head(dir) })
}

// followed adds what a cloud line follows and the project has no copy of: the skills that the cache holds, before them
// the collection itself.
func (b *indexBuilder) followed(ctx context.Context, line trigger.Line) {
	id := line.Ref.ID
	where := fmt.Sprintf("followed, %s line %d", TriggerFile, line.Number)
	if n := b.copies(id); n > 0 { // the project's own answer (B1)
		b.add(Completion{ID: id, Kind: Menu, Name: id.Base(), Description: fmt.Sprintf("%d skills", n), Where: Dir + "/" + oneLine(id.DiskPath())})
		return
	}
	e, dirs := b.cached(ctx, id)
	if b.playlist(id, e, where) {
		return
	}
	if len(dirs) == 0 {
		b.add(Completion{ID: id, Name: id.Base(), Where: where + ", not cached"})
		return
	}
	if dirs[0] != "" {
		b.add(Completion{ID: id, Kind: Menu, Name: id.Base(), Description: fmt.Sprintf("%d skills", len(dirs)), Where: where})
	}
	for _, dir := range dirs {
		sub, err := id.Join(dir)
		if err != nil {
			continue
		}
		key := fmt.Sprintf("cache %s %s", e.meta.Revision, sub)
		b.skill(sub, where, key, func() (*skill.Document, error) { return readHead(b.cache.view, sub.DiskPath()) })
	}
}

// copies counts the project's skills at id and below. They were added before all others.
func (b *indexBuilder) copies(id skill.ID) (n int) {
	for _, e := range b.entries[:b.own] {
		if id.Contains(e.ID) {
			n++
		}
	}
	return n
}

// playlist adds a cached playlist and its rows (H5), and reports whether id is one.
func (b *indexBuilder) playlist(id skill.ID, e entry, where string) bool {
	if e.meta.Playlist == "" || !e.own() {
		return false
	}
	rows, _, err := b.cache.readList(id)
	if err != nil {
		return false
	}
	b.add(Completion{ID: id, Kind: Menu, Name: id.Base(), Description: fmt.Sprintf("a playlist of %d", len(rows)), Where: where})
	var c content
	c.list(rows)
	for _, row := range c.entries {
		kind := Skill
		if row.Whole {
			kind = Menu
		}
		b.add(Completion{ID: row.ID, Kind: kind, Name: row.Name, Description: row.Description, Where: where})
	}
	return true
}

// cached lists the skills that the cache holds at id.
func (b *indexBuilder) cached(ctx context.Context, id skill.ID) (entry, []string) {
	if b.cache == nil {
		return entry{}, nil
	}
	e, err := b.cache.lookup(id)
	if err != nil {
		return e, nil
	}
	dirs := leafFolders(ctx, b.cache.view, id.DiskPath())
	return e, dirs[:min(len(dirs), MaxSkills)]
}

// leafFolders lists the skills below base by the leaf rule (W1).
func leafFolders(ctx context.Context, view fsx.View, base string) []string {
	dirs, _ := skill.Walk(func(dir string) (skill.Listing, error) {
		if err := ctx.Err(); err != nil {
			return skill.Listing{}, err
		}
		d, err := view.ReadDir(path.Join(base, dir))
		return skill.Listing{Real: d.Real, Nodes: nodes(d.Entries)}, err
	})
	return dirs
}

// skill adds a skill whose head is kept under key.
func (b *indexBuilder) skill(id skill.ID, where, key string, read func() (*skill.Document, error)) {
	touched := slices.ContainsFunc(b.changed, func(c skill.ID) bool { return c.Contains(id) })
	h, ok := b.old[key]
	if !ok || touched {
		if doc, err := read(); err == nil {
			h, ok = knownHead{oneLine(doc.Name), oneLine(doc.Description)}, true
		} else {
			h, ok = knownHead{}, false // read again by the next Refresh
		}
	}
	if ok {
		b.heads[key] = h
	}
	b.add(Completion{ID: id, Kind: Skill, Name: cmp.Or(h.name, oneLine(id.Base())), Description: h.description, Where: where})
}

func (b *indexBuilder) add(c Completion) {
	if b.seen[c.ID] {
		return
	}
	b.seen[c.ID] = true
	ref := c.ID.Reference()
	c.Text = "@skills:" + ref
	e := indexed{Completion: c, id: strings.ToLower(c.ID.String())}
	if low := strings.ToLower(ref); low != e.id {
		e.ref = low
	}
	if low := strings.ToLower(c.Name); !strings.HasSuffix(e.id, "/"+low) && low != e.id {
		e.name = low
	}
	b.entries = append(b.entries, e)
}

// Len returns how many completions there are.
func (x *Index) Len() int {
	if x == nil {
		return 0
	}
	return len(x.entries)
}
