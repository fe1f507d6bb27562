package atskills

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/memfs"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

// cache is the validating cache (C). Content stands at <root>/<disk path>, its metadata beside all content in .meta.
//
// One reading of an entry is consistent although nothing locks readers out: a writer announces a swap with a pending
// file, swaps the folder, writes the metadata and removes the pending file; a reader who finds the metadata changed or
// a swap pending after it has read starts again. Writers of one repository hold its lock (C7).
type cache struct {
	env  Env
	fs   billy.Filesystem
	view fsx.View
	// spare finds a body elsewhere on disk, by its hash, so that it need not move (C10); nil when there is nowhere.
	spare func(transport.Entry) ([]byte, bool)
}

func newCache(env Env) *cache {
	c := &cache{env: env, fs: env.Cache}
	if c.fs == nil {
		c.fs = memfs.New()
	}
	// Whatever stands here can be fetched again, so nothing waits for the disk. Within one call several origins are
	// fetched at once, and not every file system stands concurrent use.
	c.fs = fsx.Locked(fsx.Unsynced(c.fs))
	c.view = fsx.NewView(c.fs, "", false)
	return c
}

// entry is content in the cache with the metadata that vouches for it.
type entry struct {
	id      skill.ID // what was asked for
	meta    meta     // of id or, when an ancestor's copy covers it, of that ancestor (C10)
	raw     []byte   // the metadata file as read
	pending bool     // a swap has begun and not ended: being written, or left by a crash
}

func (e entry) own() bool { return e.meta.ID == e.id }

var (
	errChanged = errors.New("the cache entry changed while it was read")
	errDamaged = errors.New("the cached copy is not what was fetched")
)

// lookup finds the entry that covers id: its own, else the nearest ancestor's (C10). Corrupt metadata, a missing folder
// and an emptied one count as absent (C8), and so does the entry of another site, which hides those above it.
func (c *cache) lookup(id skill.ID) (entry, error) {
	d, err := c.view.ReadDir(id.DiskPath())
	if err != nil || len(d.Entries) == 0 {
		return entry{}, errNoEntry
	}
	for owner, ok := id, true; ok; owner, ok = owner.Parent() {
		m, raw, err := c.readMeta(owner)
		if err != nil {
			continue
		}
		if !c.claims(m) {
			break
		}
		return entry{id: id, meta: m, raw: raw, pending: c.exists(pendingPath(owner))}, nil
	}
	return entry{}, errNoEntry
}

// read describes e's content, and makes sure that what it read is what the metadata speaks of: errChanged says that
// somebody wrote meanwhile, errDamaged comes with what could be read.
func (c *cache) read(ctx context.Context, e entry) (content, error) {
	f, err := readFolder(ctx, c.view, e.id.DiskPath())
	if err != nil {
		return content{}, err
	}
	got, list, err := c.describe(e, f)
	if again, errAgain := c.lookup(e.id); errAgain != nil || again.pending != e.pending || !bytes.Equal(again.raw, e.raw) {
		return content{}, errors.Join(errChanged, ctx.Err())
	}
	if e.pending || c.mixed(e, f) || e.meta.Playlist != list || !e.intact(f) {
		return got, errDamaged
	}
	return got, err
}

// describe reads f, what stands at e: the skills there, or else a playlist's rows, whose digest is list.
func (c *cache) describe(e entry, f folder) (got content, list string, err error) {
	if len(f.skills) == 0 && e.own() {
		if rows, digest, err := c.readList(e.id); err == nil {
			got.list(rows)
			return got, digest, nil
		}
	}
	got, err = describe(e.id, f)
	return got, "", err
}

// intact reports whether f, what stands at e, is what landed there. Entries of other clients are believed, and so is a
// folder inside a skill, which has no digest of its own.
func (e entry) intact(f folder) bool {
	if len(e.meta.Skills) == 0 {
		return true
	}
	below := e.meta.Skills
	if rel := strings.TrimPrefix(strings.TrimPrefix(e.id.String(), e.meta.ID.String()), "/"); rel != "" {
		below = make(map[string]string)
		for dir, digest := range e.meta.Skills {
			if dir == "" || strings.HasPrefix(rel, dir+"/") {
				return true
			}
			if dir == rel {
				below[""] = digest
			} else if sub, ok := strings.CutPrefix(dir, rel+"/"); ok {
				below[sub] = digest
			}
		}
	}
	return len(f.skills) <= MaxSkills && maps.Equal(below, f.digests())
}

// mixed reports whether a folder below e was written at another revision than e, or from another site, by this library or another client of
// the cache: e's metadata then no longer speaks for the whole.
func (c *cache) mixed(e entry, f folder) bool {
	infos, err := c.fs.ReadDir(metaDir)
	if err != nil {
		return false
	}
	names := make(map[string]bool, len(infos))
	for _, fi := range infos {
		names[metaDir+"/"+fi.Name()] = true
	}
	for _, dir := range f.folders() {
		id, err := e.id.Join(dir)
		if err != nil || dir == "" {
			continue
		}
		if names[pendingPath(id)] {
			return true
		}
		if names[metaPath(id)] {
			if m, _, err := c.readMeta(id); err == nil && (m.Revision != e.meta.Revision || m.Site != e.meta.Site) {
				return true
			}
		}
	}
	return false
}

// answer is what the cache has for one id: content, or the error that stands in its place. An answer of serve that is
// unread has that for its error.
type answer struct {
	content
	meta     meta
	served   Served
	inMemory bool // nothing was kept: there is no path to name
	warnings []Warning
	cause    error // why a stale answer is one
	err      error
}

// failure is why a is not what upstream has now, nil when it is.
func (a answer) failure() error {
	if a.err != nil {
		return a.err
	}
	return a.cause
}

// serve answers ids, all of one origin, asking upstream once whether the origin moved (C4, C11).
func (c *cache) serve(ctx context.Context, ids []skill.ID) map[skill.ID]answer {
	out := make(map[skill.ID]answer, len(ids))
	took := c.env.timer()
	c.ask(ctx, ids, out)
	for id, a := range out {
		if a.err == nil {
			a.err = a.unread
			out[id] = a
		}
	}
	c.answered(ctx, ids, out, took)
	return out
}

// ask puts the answers for ids into out.
func (c *cache) ask(ctx context.Context, ids []skill.ID, out map[skill.ID]answer) {
	head, err := c.probe(ctx, ids[0])
	if err != nil {
		for _, id := range ids {
			out[id] = c.fallback(ctx, id, err)
		}
		return
	}
	var need, refused []skill.ID
	for _, id := range ids {
		if a, ok := c.confirmed(ctx, id, head.Revision); ok {
			out[id] = c.seen(ctx, a, head)
		} else if c.refusal(skill.Ref{ID: id}) != nil {
			refused = append(refused, id)
		} else {
			need = append(need, id)
		}
	}
	c.bring(ctx, head, need, out)
	for _, id := range refused { // after what landed, as in refresh
		out[id] = c.fallback(ctx, id, c.refusal(skill.Ref{ID: id}))
	}
	if gone := func(id skill.ID) bool { return out[id].noRevision() }; slices.ContainsFunc(need, gone) {
		now, err := c.env.head(ctx, ids[0].Origin(), transport.Known{}) // it moved between probe and listing
		if err == nil && now.Revision != head.Revision {
			head = now
			c.bring(ctx, head, ids, out) // all of them: what lands may replace what another was answered from
		}
	}
	c.withoutDisk(ctx, head, out)
	for id, a := range out {
		if head.Moved != "" && a.err == nil {
			a.warn(WarnMoved, "the repository answers at %s now", head.Moved)
			out[id] = a
		}
	}
}

// bring answers ids from head, as often as others write meanwhile. What did not land is answered anew with the rest: the
// copy that stood in for it may be replaced this time.
func (c *cache) bring(ctx context.Context, head transport.Head, ids []skill.ID, out map[skill.ID]answer) {
	need := slices.Clone(ids)
	for try := 0; len(need) > 0 && try < maxReadTries; try++ {
		c.refresh(ctx, head, need, out)
		if !slices.ContainsFunc(need, func(id skill.ID) bool { return errors.Is(out[id].err, errChanged) }) {
			return
		}
		need = slices.DeleteFunc(need, func(id skill.ID) bool { return out[id].failure() == nil })
	}
}

// noRevision reports whether upstream no longer serves the revision that was asked for.
func (a answer) noRevision() bool {
	return errors.Is(a.err, transport.ErrNoRevision) || errors.Is(a.cause, transport.ErrNoRevision)
}

// unusableError says that the cache's file system failed, and nothing else did.
type unusableError struct {
	root string
	err  error
}

func (e *unusableError) Error() string {
	return fmt.Sprintf("the cache at %s cannot be used: %v", e.root, e.err)
}

func (e *unusableError) Unwrap() error { return e.err }

func (c *cache) unusable(err error) error { return &unusableError{c.fs.Root(), err} }

// withoutDisk answers again, from memory, what only the cache's file system kept from being answered: a full or
// read-only disk is no reason not to read a skill.
func (c *cache) withoutDisk(ctx context.Context, head transport.Head, out map[skill.ID]answer) {
	var ids []skill.ID
	var broken *unusableError
	for id, a := range out {
		if errors.As(a.err, &broken) {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 || ctx.Err() != nil {
		return
	}
	again := make(map[skill.ID]answer)
	inMemory := c.env
	inMemory.Cache = nil
	newCache(inMemory).refresh(ctx, head, ids, again)
	for id, a := range again {
		if a.err != nil {
			out[id] = c.fallback(ctx, id, a.err)
			continue
		}
		a.inMemory = true
		a.warn(WarnCache, "%v", broken)
		out[id] = a
	}
}

// confirmed answers id from an entry that stands at rev, untouched (C4, C10).
func (c *cache) confirmed(ctx context.Context, id skill.ID, rev transport.Revision) (answer, bool) {
	e, err := c.lookup(id)
	if err != nil || e.pending || e.meta.Revision != rev {
		return answer{}, false
	}
	got, err := c.read(ctx, e)
	if errors.Is(err, ErrTooLarge) {
		return answer{err: err}, true
	}
	return answer{content: got, meta: e.meta, served: ServedCached}, err == nil
}

// fallback answers id from whatever copy there is, when upstream did not answer or said no; without a copy the cause
// is the error (C4, C5, C6).
func (c *cache) fallback(ctx context.Context, id skill.ID, cause error) answer {
	var many *transport.TooManyError
	switch {
	case ctx.Err() != nil || errors.Is(cause, ErrTooLarge):
		return answer{err: cause}
	case errors.As(cause, &many):
		return answer{err: &TooLargeError{ID: id, Count: many.Count}}
	}
	a := answer{served: ServedStale, cause: cause}
	for range maxReadTries {
		e, err := c.lookup(id)
		if err != nil {
			return answer{err: cause}
		}
		a.meta = e.meta
		a.content, err = c.read(ctx, e)
		if errors.Is(err, errChanged) {
			continue
		}
		if errors.Is(err, errDamaged) {
			a.warn(WarnDamaged, "the cached copy of %s was damaged or changed since it was fetched", id.Reference())
		} else if errors.Is(err, ErrTooLarge) {
			return answer{err: err}
		} else if err != nil {
			return answer{err: cause}
		}
		break
	}
	if a.kind == "" {
		return answer{err: cause}
	}
	date := a.meta.Fetched.UTC().Format(time.DateOnly)
	switch {
	case errors.Is(cause, ErrNotFound), errors.Is(cause, ErrNoAccess):
		a.warn(WarnGone, "gone upstream, cached %s, or no longer shown to you: %v", date, cause)
	case errors.Is(cause, ErrUnreachable), errors.Is(cause, ErrNotConfigured):
		a.warn(WarnStale, "served from cache, upstream unreachable, may be stale, cached %s: %v", date, cause)
	default:
		a.warn(WarnRefresh, "the refresh failed, cached %s: %v", date, cause)
	}
	return a
}

// maxReadTries bounds how often a reader starts again because a writer was quicker.
const maxReadTries = 3

func (a *answer) warn(code, format string, args ...any) {
	a.warnings = append(a.warnings, Warning{code, fmt.Sprintf(format, args...)})
}

// folders lists every folder that holds or leads to a file of f, relative to its base.
func (f folder) folders() []string {
	seen := make(map[string]bool)
	var out []string
	add := func(dir string) {
		for dir != "." && !seen[dir] {
			seen[dir] = true
			out = append(out, dir)
			dir = path.Dir(dir)
		}
	}
	for _, dir := range f.visited {
		add(path.Clean(dir))
	}
	for dir, files := range f.bundles {
		for _, fl := range files {
			add(path.Dir(path.Join(dir, fl.path)))
		}
	}
	return out
}

// hostPath spells a slash-separated path of fs as the host's own file system would.
func hostPath(fs billy.Filesystem, name string) string {
	return fs.Join(append([]string{fs.Root()}, strings.Split(name, "/")...)...)
}
