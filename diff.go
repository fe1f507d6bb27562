package atskills

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

// Difference says how a saved copy, the revision it was saved at and upstream's present revision differ (S13). It is
// the caller's to keep.
type Difference struct {
	ID  skill.ID
	Dir string // the folder, as the host's file system spells it
	// Stamps are what the copy was compared by: its own stamp or the nearest above it, and those of copies below it.
	Stamps []Stamp
	// Head is upstream's present revision. It is "" when upstream did not answer, and what changed there is unknown then; a
	// warning says so.
	Head transport.Revision
	// Files are those that changed on either side, in byte order. None means that all three are the same.
	Files    []FileDiff
	Warnings []Warning
}

// FileDiff is one file that changed since it was saved.
type FileDiff struct {
	Path   string     // slash-separated, relative to the folder
	Yours  ChangeKind // the copy against the recorded revision, "" for no change
	Theirs ChangeKind // upstream's present revision against the recorded one, "" for no change
	// Clash says that both changed, and not to the same.
	Clash bool

	Base, Copy, Upstream Version // at the recorded revision, in the project, upstream now
}

// Version is one state of a file.
type Version struct {
	Exists     bool
	Executable bool
	Text       []byte // the content when it was asked for, nil otherwise and for what is no regular file
}

// DiffOption changes one call of [Diff].
type DiffOption func(*diffOptions)

type diffOptions struct{ text bool }

// WithText makes [Diff] fill in the content of every version of the files that changed. Bodies that are not on disk
// move, in one exchange for each revision.
func WithText() DiffOption { return func(o *diffOptions) { o.text = true } }

// Diff compares the project's folder for ref three ways: what you changed since it was saved, what they changed upstream
// since, and where both did (S13). It works for whatever a stamp covers, a copy that was moved to another folder too.
//
// It writes nothing, not even to the cache: looking at a difference must not move what other calls go by. (What an
// interrupted save left half done is undone first, as everywhere.) An unedited copy of the present revision costs one
// probe when the cache has that revision, else a listing more; a copy of an older one costs a listing for each revision
// that is not cached. When upstream does not answer, or has lost the recorded revision, the cache stands in where it can.
//
// Errors: [*skill.SyntaxError], [*NotFoundError] when there is no such folder, [ErrOwnWork] when no stamp covers it,
// [transport.ErrNoRevision] and what else keeps the recorded revision from being read.
func Diff(ctx context.Context, env Env, ref string, opts ...DiffOption) (*Difference, error) {
	var o diffOptions
	for _, opt := range opts {
		opt(&o)
	}
	parsed, err := skill.ParseRef(ref)
	if err != nil {
		return nil, err
	}
	d, err := newDiffer(ctx, env, parsed)
	if err == nil {
		defer d.close()
		err = d.compare(ctx, o)
	}
	var miss *NotFoundError
	if err != nil && !errors.As(err, &miss) {
		err = fmt.Errorf("diff %s: %w", parsed.ID.Reference(), err)
	}
	if err != nil {
		return nil, err
	}
	return d.out, nil
}

// differ is one call.
type differ struct {
	project
	cache *cache
	at    *place
	out   *Difference
	heads map[skill.ID]headAnswer // by origin

	snaps []transport.Snapshot
	rows  []diffRow
}

type headAnswer struct {
	transport.Head
	err error
}

// diffRow is a FileDiff with where its versions come from.
type diffRow struct {
	FileDiff
	base, copy, upstream version
}

func newDiffer(ctx context.Context, env Env, ref skill.Ref) (*differ, error) {
	if err := env.check(); err != nil {
		return nil, err
	}
	p, err := newProject(env)
	if err != nil {
		return nil, err
	}
	at, err := p.find(ctx, ref)
	if err != nil {
		return nil, err
	}
	return &differ{
		project: p, cache: newCache(env), at: at, heads: make(map[skill.ID]headAnswer),
		out: &Difference{ID: at.id, Dir: hostPath(p.fs, at.dir)},
	}, nil
}

func (d *differ) close() {
	for _, s := range d.snaps {
		_ = s.Close() // only read
	}
}

func (d *differ) compare(ctx context.Context, o diffOptions) error {
	units, unowned := d.at.units()
	if len(units) == 0 {
		return fmt.Errorf("no stamp covers %s, it is %w", oneLine(d.at.dir), ErrOwnWork)
	}
	for _, u := range units {
		if u.stamp.Problem != "" {
			return fmt.Errorf("%s: %s", oneLine(u.stamp.Dir), u.stamp.Problem)
		}
		d.out.Stamps = append(d.out.Stamps, u.stamp)
		if err := d.unit(ctx, u); err != nil {
			return err
		}
	}
	for _, f := range unowned {
		d.rows = append(d.rows, diffRow{FileDiff: FileDiff{Path: f.path, Yours: Extra}, copy: d.copied(f)})
	}
	if o.text {
		if err := d.load(ctx); err != nil {
			return err
		}
	}
	for _, r := range d.rows {
		d.out.Files = append(d.out.Files, r.FileDiff)
	}
	slices.SortFunc(d.out.Files, func(a, b FileDiff) int { return cmp.Compare(a.Path, b.Path) })
	return nil
}

// unit compares what one stamp speaks for.
func (d *differ) unit(ctx context.Context, u copyUnit) error {
	base, err := d.listing(ctx, u.stamp.ID, u.stamp.Revision)
	if err != nil {
		return err
	}
	theirs := base
	head := d.head(ctx, u.stamp.ID)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if head.err == nil {
		d.out.Head = head.Revision
	}
	if head.err == nil && head.Revision != u.stamp.Revision {
		theirs, err = d.listing(ctx, u.stamp.ID, head.Revision)
		if errors.Is(err, transport.ErrNoPath) {
			d.warn(WarnGone, "%s is gone upstream", u.stamp.ID.Reference())
		} else if err != nil {
			return err
		}
	}
	yours := make(map[string]version, len(u.files))
	for _, f := range u.files {
		yours[f.path] = d.copied(f)
	}
	names := make(map[string]bool)
	for _, list := range []map[string]version{d.placed(u, base), yours, d.placed(u, theirs)} {
		for name := range list {
			names[name] = true
		}
	}
	d.rowsOf(names, d.placed(u, base), yours, d.placed(u, theirs))
	return nil
}

func (d *differ) rowsOf(names map[string]bool, base, yours, theirs map[string]version) {
	modes := keepsModes(d.at.files)
	for name := range names {
		r := diffRow{base: base[name], copy: yours[name], upstream: theirs[name]}
		r.FileDiff = FileDiff{Path: name, Yours: change(r.base, r.copy, modes), Theirs: change(r.base, r.upstream, true)}
		if r.Yours == "" && r.Theirs == "" {
			continue
		}
		r.Clash = r.Yours != "" && r.Theirs != "" && change(r.upstream, r.copy, modes) != ""
		r.Base, r.Copy, r.Upstream = r.base.shown(), r.copy.shown(), r.upstream.shown()
		d.rows = append(d.rows, r)
	}
}

// head probes an origin once in a call.
func (d *differ) head(ctx context.Context, id skill.ID) headAnswer {
	h, ok := d.heads[id.Origin()]
	if !ok {
		h.Head, h.err = d.cache.probe(ctx, id.Origin())
		d.heads[id.Origin()] = h
		switch {
		case errors.Is(h.err, ErrNotFound), errors.Is(h.err, ErrNoAccess):
			d.warn(WarnGone, "gone upstream: %v", h.err)
		case h.err != nil:
			d.warn(WarnStale, "what changed upstream is not known: %v", h.err)
		case h.Moved != "":
			d.warn(WarnMoved, "the repository answers at %s now", h.Moved)
		}
	}
	return h
}

func (d *differ) warn(code, format string, args ...any) {
	d.out.Warnings = append(d.out.Warnings, Warning{code, fmt.Sprintf(format, args...)})
}
