package atskills

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/go-git/go-billy/v5"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

// copied is one thing in the project's tree.
type copied struct {
	path       string // relative to the folder; a folder that is not looked into ends in "/"
	regular    bool
	size       int64
	executable bool
	git        string // the digests of a regular file, as transports spell them
	sha256     string
}

// matches reports whether f holds the body of e, bytes alone.
func (f copied) matches(e transport.Entry) bool {
	return f.regular && e.Hash != "" && (e.Hash == f.git || e.Hash == f.sha256)
}

// scan lists every file below root, a path without links, with its digests. Links are listed and not followed; so are
// folders called .git, which are not looked into. unfinished are the folders in which an interrupted replacement waits.
func scan(ctx context.Context, fsys billy.Filesystem, root string) (files []copied, unfinished []string, err error) {
	view := fsx.NewView(fsys, root, false)
	dirs := []string{""}
	for len(dirs) > 0 {
		dir := dirs[len(dirs)-1]
		dirs = dirs[:len(dirs)-1]
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		d, err := view.ReadDir(dir)
		if err != nil {
			return nil, nil, err
		}
		if d.Unfinished {
			unfinished = append(unfinished, path.Join(root, dir))
		}
		for _, e := range d.Entries {
			f := copied{path: path.Join(dir, e.Name), size: e.Info.Size()}
			switch {
			case e.IsDir() && !skill.Reserved(e.Name):
				dirs = append(dirs, f.path)
				continue
			case e.IsDir():
				f.path, f.size = f.path+"/", 0
			case e.IsFile():
				f.regular, f.executable = true, e.Info.Mode()&0o111 != 0
				if err := f.hash(fsys, root); err != nil {
					return nil, nil, err
				}
			}
			files = append(files, f)
		}
		if len(files) > maxBundle {
			return nil, nil, fmt.Errorf("%s holds more than %d files", root, maxBundle)
		}
	}
	slices.SortFunc(files, func(a, b copied) int { return strings.Compare(a.path, b.path) })
	return files, unfinished, nil
}

// hash reads the file once for both kinds of digest.
func (f *copied) hash(fsys billy.Filesystem, root string) error {
	git, err := transport.NewDigest("git:", f.size)
	if err != nil {
		return err
	}
	sha, err := transport.NewDigest("sha256:", f.size)
	if err != nil {
		return err
	}
	r, err := fsys.Open(path.Join(root, f.path))
	if err != nil {
		return fmt.Errorf("read %q: %w", path.Join(root, f.path), err)
	}
	n, err := io.Copy(io.MultiWriter(git, sha), r)
	if err = errors.Join(err, r.Close()); err != nil {
		return fmt.Errorf("read %q: %w", path.Join(root, f.path), err)
	}
	f.git, f.sha256 = git.String(), sha.String()
	if n != f.size {
		f.git = "" // it is being written: git's digest counts the size, and matches nothing
	}
	f.size = n
	return nil
}

// place is the project's folder for an id, at one moment.
type place struct {
	id     skill.ID
	dir    string // as addressed, from the project's root
	real   string // the same behind the links on the way
	exists bool
	other  string // what stands there instead of a folder: "link", "file", "" for neither
	files  []copied
	stamps map[string]Stamp // by the folder they stand in, "" for the place itself
	above  *Stamp           // the nearest above it, nil for none or when the place has its own

	unfinished []string
}

// look reads the project's folder for id as it stands. What an interrupted call left half done below it is undone
// first.
func (p project) look(ctx context.Context, id skill.ID) (*place, error) {
	at := &place{id: id, dir: Dir + "/" + id.DiskPath(), stamps: make(map[string]Stamp)}
	parent, err := fsx.Resolve(p.fs, path.Dir(at.dir))
	if err != nil {
		return nil, err
	}
	at.real = path.Join(parent, path.Base(at.dir))
	for try := 1; ; try++ {
		err := at.read(ctx, p.fs)
		if errors.Is(err, errNotExist) && try < maxReadTries {
			continue // something vanished while it was listed
		}
		if err != nil {
			return nil, err
		}
		if len(at.unfinished) == 0 {
			break
		}
		if try > maxSaveTries {
			return nil, fmt.Errorf("%s: an interrupted call is not undone: %w", at.dir, errChanged)
		}
		if err := p.sweep(ctx, at.unfinished); err != nil {
			return nil, err
		}
	}
	if _, own := at.stamps[""]; !own {
		at.above, err = nearestStamp(fsx.NewView(p.fs, "", true), path.Dir(at.dir))
	}
	return at, err
}

// find looks at the folder that answers ref, in the spelling that exists (G3).
func (p project) find(ctx context.Context, ref skill.Ref) (*place, error) {
	var looked []string
	view := fsx.NewView(p.fs, "", true)
	for _, id := range ref.IDs() {
		dir := Dir + "/" + id.DiskPath()
		_, err := view.Lookup(dir)
		if err == nil || isRefusedLink(err) {
			return p.look(ctx, id)
		}
		if !errors.Is(err, errNotExist) {
			return nil, err
		}
		looked = append(looked, oneLine(dir))
	}
	miss := p.env.noFolder(ref.ID)
	miss.Looked = looked
	return nil, miss
}

// read lists what stands at the place.
func (at *place) read(ctx context.Context, fsys billy.Filesystem) (err error) {
	at.files, at.unfinished = nil, nil
	clear(at.stamps)
	switch info, err := fsys.Lstat(at.real); {
	case errors.Is(err, errNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode()&os.ModeSymlink != 0:
		at.other = "link"
		return nil
	case !info.IsDir():
		at.other = "file"
		return nil
	}
	at.exists = true
	if at.files, at.unfinished, err = scan(ctx, fsys, at.real); err != nil {
		return err
	}
	view := fsx.NewView(fsys, at.real, false)
	for _, f := range at.files {
		if path.Base(f.path) == SourceFile {
			dir := inner(path.Dir(f.path))
			s := readStamp(view, dir)
			if errors.Is(s.err, errNotExist) && f.regular {
				return s.err
			}
			s.Dir = path.Join(at.dir, dir)
			at.stamps[dir] = s.Stamp
		}
	}
	return nil
}

// inner is a folder relative to another, "" for that one itself.
func inner(dir string) string {
	if dir == "." {
		return ""
	}
	return dir
}

// empty reports whether nothing stands at the place that anyone could lose: a stamp alone counts as nothing (R3).
func (at *place) empty() bool {
	return at.other == "" && !slices.ContainsFunc(at.files, func(f copied) bool { return f.path != SourceFile })
}

// same reports whether b shows the place as at does.
func (at *place) same(b *place) bool {
	return at.exists == b.exists && at.other == b.other && slices.Equal(at.files, b.files)
}

// copyUnit is the part of a place that one stamp speaks for: all below the stamp's folder, other stamped folders aside.
type copyUnit struct {
	stamp Stamp
	at    string // its folder below the place
	sub   string // where that lies below the stamp's folder, "" for the stamp's folder itself (S7)
	own   bool   // the stamp names the id that its folder stands for
	files []copied
}

// units splits the place by its stamps, in byte order of their folders, and returns what none of them speaks for.
func (at *place) units() (units []copyUnit, unowned []copied) {
	byDir := make(map[string]*copyUnit)
	for dir, s := range at.stamps {
		id, err := at.id.Join(dir)
		byDir[dir] = &copyUnit{stamp: s, at: dir, own: err == nil && id == s.ID}
	}
	if at.above != nil {
		u := &copyUnit{stamp: *at.above, sub: strings.TrimPrefix(at.dir, at.above.Dir+"/")}
		id, err := u.stamp.ID.Join(u.sub)
		u.own = err == nil && id == at.id
		byDir[""] = u
	}
	for _, f := range at.files {
		if path.Base(f.path) == SourceFile {
			continue
		}
		if dir, ok := at.owner(f.path); ok {
			byDir[dir].files = append(byDir[dir].files, f)
		} else {
			unowned = append(unowned, f)
		}
	}
	for _, u := range byDir {
		if u.at != "" || u.sub == "" || len(u.files) > 0 { // a stamp above that has no file here speaks for nothing
			units = append(units, *u)
		}
	}
	slices.SortFunc(units, func(a, b copyUnit) int { return strings.Compare(a.at, b.at) })
	return units, unowned
}

// owner returns the folder of the unit that name belongs to.
func (at *place) owner(name string) (dir string, ok bool) {
	for d := path.Dir(name); d != "."; d = path.Dir(d) {
		if _, ok := at.stamps[d]; ok {
			return d, true
		}
	}
	_, top := at.stamps[""]
	return "", top || at.above != nil
}
