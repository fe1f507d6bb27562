package atskills

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

const (
	maxLinkTargets = 256     // links whose target is looked up in one entry
	maxLinkText    = 4096    // bytes of one link's target
	maxBody        = 1 << 30 // bytes of one file; the transport's own limit is lower
)

// fetch stages every plan's files, moving each body that is nowhere on disk once, all in one exchange.
func (c *cache) fetch(ctx context.Context, snap transport.Snapshot, plans []*plan) error {
	if len(plans) == 0 {
		return ctx.Err()
	}
	x := exchange{c: c, waiting: make(map[string][]target)}
	x.room.max = transport.LimitsOf(c.env.Transport, plans[0].id).FetchBytes
	x.room.left = x.room.max
	if err := x.fits(plans); err != nil {
		return err
	}
	for _, p := range plans {
		if err := x.add(p); err != nil {
			return err
		}
	}
	if len(x.want) > 0 {
		err := snap.Fetch(ctx, x.want, x.watched(ctx, plans[0]))
		if x.ended(ctx, err); err != nil {
			return err
		}
	}
	for _, p := range plans {
		p.nameLinks(snap)
	}
	return ctx.Err()
}

// exchange is one body request for several plans.
type exchange struct {
	c       *cache
	want    []transport.Entry
	waiting map[string][]target // by body
	room    room
	seen    Event // how far it is
	took    func() time.Duration
}

// target is where a body goes: a file to stage, or a link that wants its text.
type target struct {
	name string
	perm os.FileMode
	max  int64
	size *int64
	room *room // nil for what is not upstream's
	link *link
}

// room is how many bytes an exchange may land. A body moves once and lands wherever its hash stands, so that what moves
// says nothing of what the disk is to hold (F6).
type room struct{ max, left int64 }

func (r *room) take(n int64) error {
	if n > r.left {
		return &transport.LimitError{What: "bytes of files to land", Max: r.max, Field: "FetchBytes"}
	}
	r.left -= n
	return nil
}

// fits refuses plans whose files are known to need more room than there is, before any body moves.
func (x *exchange) fits(plans []*plan) error {
	room := x.room
	for _, p := range plans {
		for _, l := range p.lands {
			if p.reuse || p.under != nil || l.Size <= 0 {
				continue
			}
			if err := room.take(l.Size); err != nil {
				return err
			}
		}
	}
	return nil
}

// bodyKey tells bodies apart: by hash, else by path. A link's text is never a file's body.
func bodyKey(e transport.Entry) string {
	return strconv.FormatBool(e.Mode == transport.Symlink) + cmp.Or(e.Hash, e.Path)
}

func (x *exchange) add(p *plan) error {
	for i := range p.links {
		if l := &p.links[i]; i < maxLinkTargets {
			x.ask(l.Entry, target{link: l})
		}
	}
	if p.reuse || p.under != nil {
		return nil
	}
	stage, err := fsx.Stage(x.c.fs, stagePath(p.id.Origin())+"/"+metaHash(p.id))
	if err != nil {
		return x.c.unusable(fmt.Errorf("stage: %w", err))
	}
	p.stage = stage
	if err := x.c.stageList(p); err != nil {
		return err
	}
	for i := range p.lands {
		l := &p.lands[i]
		t := target{name: path.Join(stage, l.Path), perm: perm(l.Mode), max: maxBody, size: &l.Size, room: &x.room}
		if l.kept {
			err = x.c.copy(path.Join(p.id.DiskPath(), l.Path), t)
		} else if body, ok := x.c.spareBody(l.Entry); ok {
			err = x.c.stage(bytes.NewReader(body), t)
		} else {
			x.ask(l.Entry, t)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *cache) spareBody(e transport.Entry) ([]byte, bool) {
	if c.spare == nil {
		return nil, false
	}
	return c.spare(e)
}

func perm(m transport.Mode) os.FileMode {
	if m == transport.Executable {
		return 0o755
	}
	return 0o644
}

func (x *exchange) ask(e transport.Entry, t target) {
	key := bodyKey(e)
	if len(x.waiting[key]) == 0 {
		x.want = append(x.want, e)
	}
	x.waiting[key] = append(x.waiting[key], t)
}

// put lands one body wherever it is wanted.
func (x *exchange) put(e transport.Entry, r io.Reader) error {
	first := ""
	for _, t := range x.waiting[bodyKey(e)] {
		if t.link != nil {
			text, err := io.ReadAll(io.LimitReader(r, maxLinkText))
			if err != nil {
				return err
			}
			t.link.text = string(text)
			r = strings.NewReader(t.link.text)
			continue
		}
		if first != "" {
			if err := x.c.copy(first, t); err != nil {
				return err
			}
			continue
		}
		if err := x.c.stage(r, t); err != nil {
			return err
		}
		first = t.name
	}
	return nil
}

func (c *cache) stage(r io.Reader, t target) (err error) {
	body := &faultReader{r: r}
	max := t.max
	if t.room != nil {
		max = min(max, t.room.left)
	}
	*t.size, err = fsx.CopyFrom(c.fs, t.name, body, t.perm, max)
	switch {
	case errors.As(err, new(*fsx.SizeError)) && max < t.max:
		return t.room.take(max + 1)
	case errors.As(err, new(*fsx.SizeError)):
		return fmt.Errorf("%s is larger than %d bytes", path.Base(t.name), t.max)
	case err != nil && body.err == nil:
		return c.unusable(err)
	case err == nil && t.room != nil:
		return t.room.take(*t.size)
	}
	return err
}

// faultReader remembers whether reading failed, to tell a broken transfer from a broken disk.
type faultReader struct {
	r   io.Reader
	err error
}

func (f *faultReader) Read(p []byte) (int, error) {
	n, err := f.r.Read(p)
	if err != nil && err != io.EOF {
		f.err = err
	}
	return n, err
}

func (c *cache) copy(from string, t target) error {
	f, err := c.fs.Open(from)
	if err != nil {
		return c.unusable(err)
	}
	defer func() { _ = f.Close() }() // only read
	return c.stage(f, t)
}

// land makes p's entry and reads it back.
func (c *cache) land(ctx context.Context, p *plan) answer {
	if err := p.unreadable(); err != nil {
		return c.fallback(ctx, p.id, err)
	}
	if p.under == nil {
		if err := c.write(ctx, p); errors.Is(err, errChanged) {
			return answer{err: err}
		} else if err != nil {
			return answer{err: c.unusable(fmt.Errorf("write: %w", err))}
		}
	}
	e, err := c.lookup(p.id)
	if err != nil {
		return answer{err: errChanged} // somebody deleted it already (C8)
	}
	a := answer{meta: e.meta, served: ServedFresh}
	if p.reuse {
		a.served = ServedCached
	}
	switch a.content, err = c.read(ctx, e); {
	case errors.Is(err, errDamaged) && a.kind == "":
		return answer{err: c.unusable(err)}
	case errors.Is(err, errDamaged):
		a.warn(WarnDamaged, "the cache does not hold %s as it was written", p.id.Reference())
	case err != nil:
		return answer{err: err}
	}
	if p.changed() {
		a.warn(WarnChanged, "it changed upstream since it was last read here: then revision %.12s of %s, now revision %.12s",
			p.was.Revision, p.was.Fetched.UTC().Format(time.DateOnly), p.meta.Revision)
	}
	return a
}

// unreadable is why p's SKILL.md, which nobody could read, is not to take the place of one that can be read (C6).
func (p *plan) unreadable() error {
	too := func(l landing) bool { return l.Path == SkillFile && l.Size > skill.MaxFile }
	if !slices.ContainsFunc(p.lands, too) || !slices.Equal(p.old.skills, []string{""}) {
		return nil
	}
	if _, err := p.old.read(""); err != nil {
		return nil
	}
	return fmt.Errorf("%s/%s is larger than %d bytes", p.id.Reference(), SkillFile, skill.MaxFile)
}

// write swaps p's content and metadata in. A failure before the swap leaves the old entry; one after it leaves the
// pending file, so that nobody takes the new content for the old revision (C7).
func (c *cache) write(ctx context.Context, p *plan) error {
	if p.reuse {
		c.disown(p)
		return c.settled(p)
	}
	if err := c.whole(ctx, p); err != nil {
		return err
	}
	if err := c.clear(p.id.DiskPath()); err != nil {
		return err
	}
	crashed := c.exists(pendingPath(p.id))
	if err := fsx.WriteFile(c.fs, pendingPath(p.id), nil, 0o644); err != nil {
		return err
	}
	c.disown(p)
	if err := fsx.Replace(c.fs, p.stage, p.id.DiskPath(), fsx.ReplaceOptions{Commit: SkillFile}); err != nil {
		if !crashed {
			_ = c.fs.Remove(pendingPath(p.id)) // the old copy stands; at worst it is fetched again
		}
		return err
	}
	return c.settled(p)
}

// whole makes sure that the staged folder holds everything that is to land, and nothing else: somebody may have deleted
// parts of it, or swept it away while this process stood still and lost its lock.
func (c *cache) whole(ctx context.Context, p *plan) error {
	staged, err := readFolder(ctx, fsx.NewView(c.fs, p.stage, false), "")
	if err != nil {
		return errors.Join(errChanged, ctx.Err())
	}
	landed := make(map[string]int64)
	for dir, files := range staged.bundles {
		for _, f := range files {
			landed[path.Join(dir, f.path)] = f.size
		}
	}
	for _, l := range p.lands {
		if size, ok := landed[l.Path]; !ok || size != l.Size {
			return errChanged
		}
	}
	if len(landed) != len(p.lands) || !c.stagedList(p) {
		return errChanged
	}
	p.meta.Skills = staged.digests()
	return nil
}

// clear removes what is no folder, a file or a link, at name or on the way to it: upstream may have made a folder of what
// was a file, and nothing is written through a link.
func (c *cache) clear(name string) error {
	for i := range len(name) + 1 {
		if i < len(name) && name[i] != '/' {
			continue
		}
		info, err := c.fs.Lstat(name[:i])
		if err != nil {
			return nil // nothing there, or nothing to be done about it: the writer will say
		}
		if !info.IsDir() {
			return fsx.RemoveAll(c.fs, name[:i])
		}
	}
	return nil
}

// settled writes p's metadata and ends its swap, or one that a crash left pending.
func (c *cache) settled(p *plan) error {
	if info, err := c.fs.Lstat(metaPath(p.id)); err == nil && !info.Mode().IsRegular() {
		_ = fsx.RemoveAll(c.fs, metaPath(p.id)) // the write says what is wrong when this does not help
	}
	if err := c.writeMeta(p.meta); err != nil {
		return err
	}
	if err := c.fs.Remove(pendingPath(p.id)); err != nil && !errors.Is(err, errNotExist) {
		return err
	}
	return nil
}

// disown drops the metadata of every id below p: from here on p's own speaks for their content.
func (c *cache) disown(p *plan) {
	for _, dir := range p.old.folders() {
		id, err := p.id.Join(dir)
		if err != nil {
			continue
		}
		for _, name := range []string{metaPath(id), pendingPath(id)} {
			if c.exists(name) {
				_ = c.fs.Remove(name) // one left behind shows as mixed, and the entry is refreshed
			}
		}
	}
}
