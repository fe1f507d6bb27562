package transporttest

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage/memory"

	"github.com/atskills-go/atskills/transport"
)

// repository is one repository's objects and refs. Its owner locks.
type repository struct {
	objects *memory.Storage
	commits []plumbing.Hash // in the order they were made
	refs    map[string]plumbing.Hash
	head    string // the ref HEAD points at
	access  *Access

	visibility transport.Visibility
}

type commitHeader struct {
	tree    plumbing.Hash
	parents []plumbing.Hash
	when    time.Time
}

func (r *repository) put(kind plumbing.ObjectType, data []byte) plumbing.Hash {
	o := r.objects.NewEncodedObject()
	o.SetType(kind)
	w, _ := o.Writer()
	_, _ = w.Write(data) // memory takes everything
	h, _ := r.objects.SetEncodedObject(o)
	return h
}

// get returns an object's kind and content.
func (r *repository) get(h plumbing.Hash) (plumbing.ObjectType, []byte, error) {
	o, err := r.objects.EncodedObject(plumbing.AnyObject, h)
	if err != nil {
		return plumbing.InvalidObject, nil, fmt.Errorf("object %s: %w", h, err)
	}
	rd, err := o.Reader()
	if err != nil {
		return plumbing.InvalidObject, nil, err
	}
	data, err := io.ReadAll(rd)
	return o.Type(), data, err
}

// getKind returns the content of an object that must be of a kind.
func (r *repository) getKind(kind plumbing.ObjectType, h plumbing.Hash) ([]byte, error) {
	t, data, err := r.get(h)
	if err != nil {
		return nil, err
	}
	if t != kind {
		return nil, fmt.Errorf("object %s is a %s, not a %s", h, t, kind)
	}
	return data, nil
}

func (r *repository) commit(when time.Time, message string, changes map[string]File) (plumbing.Hash, error) {
	parent := r.refs[r.head]
	var parents []plumbing.Hash
	files := map[string]leaf{}
	last := time.Date(2025, 12, 31, 0, 0, 0, 0, time.UTC)
	if !parent.IsZero() {
		old, err := r.readCommit(parent)
		if err != nil {
			return plumbing.ZeroHash, err
		}
		leaves, err := r.leaves(parent)
		if err != nil {
			return plumbing.ZeroHash, err
		}
		for _, l := range leaves {
			files[l.path] = l
		}
		parents, last = []plumbing.Hash{parent}, old.when
	}
	if err := r.apply(files, changes); err != nil {
		return plumbing.ZeroHash, err
	}
	tree, err := r.writeFiles(files)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	if when.IsZero() {
		when = last.AddDate(0, 0, 1)
	}
	h := r.writeCommit(object.Commit{
		Author: signature(when), Committer: signature(when),
		Message: cmp.Or(message, "change") + "\n", TreeHash: tree, ParentHashes: parents,
	})
	r.refs[r.head] = h
	return h, nil
}

func signature(when time.Time) object.Signature {
	return object.Signature{Name: "Upstream", Email: "upstream@example.com", When: when.UTC()}
}

func (r *repository) writeCommit(c object.Commit) plumbing.Hash {
	o := &plumbing.MemoryObject{}
	_ = c.Encode(o) // memory takes everything
	h, _ := r.objects.SetEncodedObject(o)
	r.commits = append(r.commits, h)
	return h
}

func (r *repository) annotate(name, rev, message string) plumbing.Hash {
	o := &plumbing.MemoryObject{}
	t := object.Tag{
		Name: name, Message: message + "\n", Target: plumbing.NewHash(rev), TargetType: plumbing.CommitObject,
		Tagger: signature(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)),
	}
	_ = t.Encode(o)
	h, _ := r.objects.SetEncodedObject(o)
	return h
}

// apply changes the file list of a commit into that of the next.
func (r *repository) apply(files map[string]leaf, changes map[string]File) error {
	for p, f := range changes {
		if err := checkPath(p); err != nil {
			return err
		}
		if f.Deleted && !remove(files, p) {
			return fmt.Errorf("nothing to delete at %q", p)
		}
	}
	for p, f := range changes {
		if f.Deleted {
			continue
		}
		l, err := r.store(f)
		if err != nil {
			return fmt.Errorf("%q: %w", p, err)
		}
		l.path = p
		files[p] = l
	}
	return nil
}

// remove drops p and what is below it.
func remove(files map[string]leaf, p string) bool {
	found := false
	for q := range files {
		if q == p || strings.HasPrefix(q, p+"/") {
			delete(files, q)
			found = true
		}
	}
	return found
}

func (r *repository) store(f File) (leaf, error) {
	switch f.Mode {
	case transport.Regular:
		return leaf{mode: filemode.Regular, hash: r.put(plumbing.BlobObject, []byte(f.Body))}, nil
	case transport.Executable:
		return leaf{mode: filemode.Executable, hash: r.put(plumbing.BlobObject, []byte(f.Body))}, nil
	case transport.Symlink:
		return leaf{mode: filemode.Symlink, hash: r.put(plumbing.BlobObject, []byte(f.Body))}, nil
	case transport.Submodule:
		if !plumbing.IsHash(f.Body) {
			return leaf{}, fmt.Errorf("submodule commit %q is not 40 hex digits", f.Body)
		}
		return leaf{mode: filemode.Submodule, hash: plumbing.NewHash(f.Body)}, nil
	}
	return leaf{}, fmt.Errorf("mode %s cannot be committed", f.Mode)
}

func checkPath(p string) error {
	if p == "" || path.Clean(p) != p || strings.HasPrefix(p, "/") || strings.HasPrefix(p, "../") || p == "." || p == ".." {
		return fmt.Errorf("%q is not a path in a repository", p)
	}
	return nil
}

func (r *repository) readCommit(h plumbing.Hash) (commitHeader, error) {
	data, err := r.getKind(plumbing.CommitObject, h)
	if err != nil {
		return commitHeader{}, err
	}
	o := &plumbing.MemoryObject{}
	o.SetType(plumbing.CommitObject)
	_, _ = o.Write(data)
	c, err := object.DecodeCommit(r.objects, o)
	if err != nil {
		return commitHeader{}, fmt.Errorf("commit %s: %w", h, err)
	}
	return commitHeader{c.TreeHash, c.ParentHashes, c.Committer.When}, nil
}

func (r *repository) file(l leaf) File {
	mode := transportMode(l.mode)
	if mode == transport.Submodule {
		return File{Body: l.hash.String(), Mode: mode}
	}
	_, data, _ := r.get(l.hash) // content that is not there reads as empty
	return File{Body: string(data), Mode: mode}
}

func transportMode(m filemode.FileMode) transport.Mode {
	switch m {
	case filemode.Executable:
		return transport.Executable
	case filemode.Symlink:
		return transport.Symlink
	case filemode.Submodule:
		return transport.Submodule
	case filemode.Dir:
		return transport.Directory
	}
	return transport.Regular
}

func (r *repository) commitHash(rev string) (plumbing.Hash, error) {
	if !plumbing.IsHash(rev) {
		return plumbing.ZeroHash, fmt.Errorf("%q is not a commit hash", rev)
	}
	h := plumbing.NewHash(rev)
	_, err := r.getKind(plumbing.CommitObject, h)
	return h, err
}

func (r *repository) setRef(ref, rev string) error {
	if rev == "" {
		delete(r.refs, ref)
		return nil
	}
	h := plumbing.NewHash(rev)
	if !plumbing.IsHash(rev) || !r.has(h) {
		return errors.New("no object " + strconv.Quote(rev))
	}
	r.refs[ref] = h
	return nil
}

func (r *repository) has(h plumbing.Hash) bool { return r.objects.HasEncodedObject(h) == nil }
