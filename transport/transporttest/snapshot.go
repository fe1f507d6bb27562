package transporttest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"

	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

// fakeSnapshot is a whole commit in memory, of which it shows what was opened. It does not change after Open.
type fakeSnapshot struct {
	fake    *Fake
	origin  skill.ID
	opened  []skill.ID
	partial bool
	entries []transport.Entry // paths from the origin, in byte order
	skipped []string          // paths from the origin that no id can address
	folders map[string]string // path from the origin to tree hash
	bodies  map[string][]byte // by Entry.Hash
	list    *transport.Tree   // set for a playlist
	closed  atomic.Bool
}

// read lists commit.
func (s *fakeSnapshot) read(r *repository, commit plumbing.Hash) error {
	s.folders, s.bodies = map[string]string{}, map[string][]byte{}
	c, err := r.readCommit(commit)
	if err != nil {
		return err
	}
	err = s.readTree(r, "", c.tree)
	slices.SortFunc(s.entries, func(a, b transport.Entry) int { return strings.Compare(a.Path, b.Path) })
	if s.origin.Scheme() == skill.Hub && len(s.entries) == 1 && s.entries[0].Path == playlistFile {
		list := readPlaylist(string(s.bodies[s.entries[0].Hash]))
		s.list = &list
	}
	return err
}

func (s *fakeSnapshot) readTree(r *repository, prefix string, tree plumbing.Hash) error {
	list, err := r.readTree(tree)
	if err != nil {
		return err
	}
	s.folders[strings.TrimSuffix(prefix, "/")] = s.treeHash(tree)
	for _, e := range list {
		usable, err := checkName(e.name)
		switch {
		case err != nil:
			return err
		case !usable:
			s.skipped = append(s.skipped, prefix+e.name)
		case e.mode == filemode.Dir:
			err = s.readTree(r, prefix+e.name+"/", e.hash)
		default:
			err = s.add(r, prefix+e.name, e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkName refuses names that were made to escape (F6). Those that git takes and no path segment may hold (G7) are
// not usable.
func checkName(name string) (usable bool, err error) {
	if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\x00") || strings.EqualFold(name, ".git") {
		return false, fmt.Errorf("hostile name %q in a tree", name)
	}
	return skill.CheckSegment(name) == nil, nil
}

// treeHash is git's for gh: ids; a hub has no such thing.
func (s *fakeSnapshot) treeHash(tree plumbing.Hash) string {
	if s.origin.Scheme() == skill.Hub {
		return ""
	}
	return "git:" + tree.String()
}

func (s *fakeSnapshot) add(r *repository, path string, e entry) error {
	entry := transport.Entry{Path: path, Mode: transportMode(e.mode), Size: -1}
	if entry.Mode == transport.Submodule {
		s.entries = append(s.entries, entry)
		return nil
	}
	body, err := r.getKind(plumbing.BlobObject, e.hash)
	if err != nil {
		return err
	}
	entry.Hash = "git:" + e.hash.String()
	if s.origin.Scheme() == skill.Hub {
		sum := sha256.Sum256(body)
		entry.Hash, entry.Size = "sha256:"+hex.EncodeToString(sum[:]), int64(len(body))
	}
	s.entries = append(s.entries, entry)
	s.bodies[entry.Hash] = body
	return nil
}

// Tree returns what stands at id.
func (s *fakeSnapshot) Tree(id skill.ID) (transport.Tree, error) {
	hash, ok := s.folders[id.Sub()]
	below := slices.ContainsFunc(s.opened, func(o skill.ID) bool { return o.Contains(id) })
	above := slices.ContainsFunc(s.opened, id.Contains)
	if !ok || id.Origin() != s.origin || !below && !above {
		return transport.Tree{}, fmt.Errorf("list %s: %w", id, transport.ErrNoPath)
	}
	if s.list != nil {
		return transport.Tree{Rows: slices.Clone(s.list.Rows), Skipped: slices.Clone(s.list.Skipped)}, nil
	}
	prefix := ""
	if sub := id.Sub(); sub != "" {
		prefix = sub + "/"
	}
	tree := transport.Tree{Hash: hash, Partial: s.partial && !below}
	for _, e := range s.entries {
		rel, ok := strings.CutPrefix(e.Path, prefix)
		if !ok {
			continue
		}
		e.Path = rel
		if name, _, nested := strings.Cut(rel, "/"); nested && tree.Partial {
			e = transport.Entry{Path: name, Mode: transport.Directory, Size: -1}
		}
		tree.Entries = append(tree.Entries, e)
	}
	for _, p := range s.skipped {
		if rel, ok := strings.CutPrefix(p, prefix); ok {
			tree.Skipped = append(tree.Skipped, rel)
		}
	}
	if tree.Partial {
		slices.SortFunc(tree.Entries, func(a, b transport.Entry) int { return strings.Compare(a.Path, b.Path) })
		tree.Entries = slices.Compact(tree.Entries)
	}
	return tree, nil
}

// Fetch delivers the bodies of want.
func (s *fakeSnapshot) Fetch(ctx context.Context, want []transport.Entry, put func(transport.Entry, io.Reader) error) error {
	if s.closed.Load() {
		return errors.New("fetch from a closed snapshot")
	}
	here := func(*repository, string) error { return nil }
	if err := s.fake.visit(ctx, "fetch", s.origin, here); err != nil {
		return err
	}
	for _, e := range want {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("fetch %s: %w", s.origin, err)
		}
		body, ok := s.bodies[e.Hash]
		if !ok {
			return fakeError("fetch", s.origin, transport.ErrProtocol, transport.CauseProtocol,
				fmt.Sprintf("no body for %s %q", e.Mode, e.Path))
		}
		if err := put(e, bytes.NewReader(body)); err != nil {
			return err
		}
	}
	return nil
}

// Close ends the snapshot: nothing can be fetched from it any more.
func (s *fakeSnapshot) Close() error {
	s.closed.Store(true)
	return nil
}
