package atskills

import (
	"context"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/go-git/go-billy/v5"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

// version is one state of a file and where its bytes are.
type version struct {
	exists, regular, executable bool
	git, sha256                 string // its digests, as far as they are known

	fs   billy.Filesystem // where it stands on disk, nil when it does not
	name string
	size int64

	snap  transport.Snapshot // where it can be fetched, nil when it need not
	entry transport.Entry
}

func (v version) shown() Version { return Version{Exists: v.exists, Executable: v.executable} }

func (v version) sameBytes(w version) bool {
	return v.regular && w.regular && (v.git != "" && v.git == w.git || v.sha256 != "" && v.sha256 == w.sha256)
}

// change says what became of a file between two versions.
func change(from, to version, modes bool) ChangeKind {
	switch {
	case !from.exists && !to.exists:
		return ""
	case !from.exists:
		return Extra
	case !to.exists:
		return Missing
	case !from.sameBytes(to):
		return Edited
	case modes && from.executable != to.executable:
		return Mode
	}
	return ""
}

func (d *differ) copied(f copied) version { return onDisk(d.fs, d.at.real, f) }

func onDisk(fsys billy.Filesystem, root string, f copied) version {
	return version{
		exists: true, regular: f.regular, executable: f.executable, git: f.git, sha256: f.sha256,
		fs: fsys, name: path.Join(root, f.path), size: f.size,
	}
}

// placed returns the versions of list that u speaks for, by where they lie in the place.
func (d *differ) placed(u copyUnit, list map[string]version) map[string]version {
	out := make(map[string]version, len(list))
	for name, v := range list {
		at, ok := u.place(name)
		if !ok {
			continue
		}
		if dir, owned := d.at.owner(at); owned && dir == u.at {
			out[at] = v
		}
	}
	return out
}

// listing lists what a save of id at rev lands, by path below id: from the cache if it has that revision, else from
// upstream.
func (d *differ) listing(ctx context.Context, id skill.ID, rev transport.Revision) (map[string]version, error) {
	if out, ok := d.cached(ctx, id, rev); ok {
		return out, nil
	}
	snap, err := d.open(ctx, rev, []skill.ID{id})
	if err != nil {
		return nil, err
	}
	d.snaps = append(d.snaps, snap)
	entries, err := saved(ctx, snap, id)
	if err != nil {
		return nil, err
	}
	out := make(map[string]version, len(entries))
	for _, e := range entries {
		v := version{exists: true, regular: true, executable: e.Mode == transport.Executable, snap: snap, entry: e}
		if strings.HasPrefix(e.Hash, "git:") {
			v.git = e.Hash
		} else {
			v.sha256 = e.Hash
		}
		out[e.Path] = v
	}
	return out, nil
}

func (d *differ) cached(ctx context.Context, id skill.ID, rev transport.Revision) (map[string]version, bool) {
	if a, ok := d.cache.confirmed(ctx, id, rev); !ok || a.playlist {
		return nil, false
	}
	files, _, err := scan(ctx, d.cache.fs, id.DiskPath())
	if err != nil {
		return nil, false
	}
	out := make(map[string]version, len(files))
	for _, f := range files {
		if path.Base(f.path) != SourceFile {
			out[f.path] = onDisk(d.cache.fs, id.DiskPath(), f)
		}
	}
	return out, true
}

// load fills in the texts of all rows. What is equal to a version on disk is read from there.
func (d *differ) load(ctx context.Context) error {
	want := make(map[transport.Snapshot][]transport.Entry)
	waiting := make(map[transport.Snapshot]map[string]*Version)
	for i := range d.rows {
		r := &d.rows[i]
		onDisk := []version{r.copy, r.base, r.upstream}
		for _, t := range []struct {
			v  version
			to *Version
		}{{r.base, &r.Base}, {r.copy, &r.Copy}, {r.upstream, &r.Upstream}} {
			if !t.v.regular {
				continue
			}
			from := slices.IndexFunc(onDisk, func(v version) bool { return v.fs != nil && v.sameBytes(t.v) })
			if from < 0 {
				if waiting[t.v.snap] == nil {
					waiting[t.v.snap] = make(map[string]*Version)
				}
				want[t.v.snap] = append(want[t.v.snap], t.v.entry)
				waiting[t.v.snap][t.v.entry.Path] = t.to
				continue
			}
			body, err := fsx.ReadFile(onDisk[from].fs, onDisk[from].name, maxBody)
			if err != nil {
				return err
			}
			t.to.Text = body
		}
	}
	for _, snap := range d.snaps {
		if len(want[snap]) == 0 {
			continue
		}
		err := snap.Fetch(ctx, want[snap], func(e transport.Entry, r io.Reader) (err error) {
			waiting[snap][e.Path].Text, err = io.ReadAll(r)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
