package atskills

import (
	"context"
	"errors"

	"github.com/atskills-go/atskills/internal/trigger"
	"github.com/atskills-go/atskills/skill"
)

// known tells what cloud lines bring as far as the project and the cache know: nothing is asked of upstream, and no skill
// of the project is read. It is what the same lines bring into a block, once upstream said that nothing changed.
type known struct {
	*follower
	answer func(context.Context) // answers f.r.want from the cache
	at     map[string]int        // the indexes of the tree's skills, by where they really stand (W3)
}

// known knows all that the cache has.
func (s *survey) known(env Env) *known { return newKnown(newFollower(&blockBuilder{env: env, s: s})) }

// knownLists knows of the cache what playlists list, and nothing else: enough to tell which of the project's own skills a
// line brings.
func (s *survey) knownLists(env Env) *known {
	k := s.known(env)
	k.answer = func(ctx context.Context) {
		c := newCache(env)
		for _, id := range k.r.want {
			k.r.found[id] = answer{err: errUncached}
			if e, err := c.lookup(id); err == nil && e.meta.Playlist != "" {
				k.r.found[id] = c.asStored(ctx, id)
			}
		}
	}
	return k
}

func newKnown(f *follower) *known { return &known{follower: f, answer: f.stored} }

// stored answers f.r.want from the cache as it stands.
func (f *follower) stored(ctx context.Context) {
	c := newCache(f.env)
	for _, id := range f.r.want {
		f.r.found[id] = c.asStored(ctx, id)
	}
}

// look finds out about the cloud lines of file. What it was asked about before it does not look at again.
func (k *known) look(ctx context.Context, file trigger.File) error {
	k.learn(ctx, file, k.answer)
	return ctx.Err()
}

// brought is what a cloud line brings.
type brought struct {
	dirs   []string   // skills of the project, below Dir
	ids    []skill.ID // skills that are read through the cache
	unsure []skill.ID // what the cache does not hold: something at or below these
}

// brings returns what ref brings, by the rules of [follower.offers].
func (k *known) brings(ref skill.Ref) brought {
	if dirs := k.copies[ref.ID]; len(dirs) > 0 {
		if len(dirs) <= MaxSkills && (ref.Dir || dirs[0] == ref.ID.DiskPath()) {
			return brought{dirs: dirs}
		}
		return brought{}
	}
	if err := k.broken[ref.ID]; err != nil && !isRefusedLink(err) {
		return brought{}
	}
	a := k.r.found[ref.ID]
	switch {
	case errors.Is(a.err, errUncached):
		return brought{unsure: []skill.ID{ref.ID}}
	case a.err != nil || a.kind == Menu && !ref.Dir:
		return brought{}
	case a.playlist:
		return k.rows(a.entries)
	case a.kind == Skill:
		return brought{ids: []skill.ID{ref.ID}}
	}
	var b brought
	for _, e := range a.entries {
		b.ids = append(b.ids, e.ID)
	}
	return b
}

// rows returns what the rows of a playlist bring, each for itself; those that are playlists are not followed (H5).
func (k *known) rows(entries []Entry) (all brought) {
	for _, e := range entries {
		if k.r.found[e.ID].playlist {
			continue
		}
		b := k.brings(e.ref())
		all.dirs = append(all.dirs, b.dirs...)
		all.ids = append(all.ids, b.ids...)
		all.unsure = append(all.unsure, b.unsure...)
	}
	return all
}

// skills returns the skills of the tree that l makes resident, by their indexes: its copies, or those of a playlist's rows,
// also where a link leads to them.
func (k *known) skills(l trigger.Line) []int {
	if k.at == nil {
		k.at = make(map[string]int, len(k.s.skills))
		for i, dir := range k.s.skills {
			k.at[k.s.real(dir)] = i
		}
	}
	var out []int
	for _, dir := range k.brings(*l.Ref).dirs {
		if i, ok := k.at[k.s.real(dir)]; ok {
			out = append(out, i)
		}
	}
	return out
}
