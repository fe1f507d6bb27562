package transporttest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

// Fake is a transport over an [Upstream] in memory, without protocol, processes or network. It serves gh: ids as git
// does (revisions are commits, hashes are git's, sizes are unknown, any commit can be opened) and hub: ids as a
// hub does (revisions are digests of the content, hashes are SHA-256, sizes are known, trees have no hash, only the
// present revision can be opened, an entry may be a playlist). Changes upstream show in the next call; a snapshot keeps
// what it listed.
//
// Its upstream's [Upstream.Remove], [Upstream.SetAccess], [Upstream.Rename] and [Upstream.Forget] make the answers
// "gone", "denied", "moved" and "revision not available".
//
// Safe for concurrent use.
type Fake struct {
	*Upstream

	mu        sync.Mutex
	offline   bool
	partial   bool
	limits    transport.Limits
	site      string
	fresh     func(id skill.ID, known transport.Known) bool
	intercept func(ctx context.Context, op string, id skill.ID) error
}

var (
	_ transport.Transport    = (*Fake)(nil)
	_ transport.Conditional  = (*Fake)(nil)
	_ transport.BranchLister = (*Fake)(nil)
	_ transport.Searcher     = (*Fake)(nil)
	_ transport.Limited      = (*Fake)(nil)
	_ transport.Sited        = (*Fake)(nil)
)

// NewFake returns a transport that serves u.
func NewFake(u *Upstream) *Fake { return &Fake{Upstream: u} }

// SetOffline makes every call fail with [transport.ErrUnreachable], fetches of open snapshots too, or ends that.
func (f *Fake) SetOffline(offline bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.offline = offline
}

// SetPartial makes snapshots answer for the ancestors of what was opened with their immediate children only, as a
// transport does that walks a large repository tree by tree.
func (f *Fake) SetPartial(partial bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.partial = partial
}

// SetLimits sets the limits that the fake claims to keep, for what its callers count by themselves. It counts nothing.
func (f *Fake) SetLimits(l transport.Limits) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.limits = l
}

// Limits returns what [Fake.SetLimits] set, for every id.
func (f *Fake) Limits(skill.ID) transport.Limits {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.limits
}

// SetSite sets where the fake claims to read every id from. It begins as "": github.com, and a hub of which nothing is known.
func (f *Fake) SetSite(site string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.site = site
}

// Site returns what [Fake.SetSite] set.
func (f *Fake) Site(skill.ID) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.site
}

// SetFresh makes [Fake.HeadSince] answer from what the caller has, without asking upstream, wherever fn says that this
// counts as fresh (H3). A nil fn ends this.
func (f *Fake) SetFresh(fn func(id skill.ID, known transport.Known) bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fresh = fn
}

// Intercept calls fn before each operation, outside all locks: op is "probe", "list", "fetch", "branches" or "search", id
// the origin, zero for a search. It may wait, count, change the upstream, or fail the operation with its error. A nil
// fn ends this.
func (f *Fake) Intercept(fn func(ctx context.Context, op string, id skill.ID) error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.intercept = fn
}

// Slow makes every operation wait until the channel is closed or its context ends. It takes Intercept's place.
func (f *Fake) Slow(until <-chan struct{}) {
	f.Intercept(func(ctx context.Context, _ string, _ skill.ID) error {
		select {
		case <-until:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
}

// Head returns the newest revision of id's origin.
func (f *Fake) Head(ctx context.Context, id skill.ID) (head transport.Head, err error) {
	origin := id.Origin()
	err = f.visit(ctx, "probe", origin, func(r *repository, moved string) error {
		tip, ok := r.refs[r.head]
		if !ok {
			return fakeError("probe", origin, transport.ErrNotFound, transport.CauseEmpty, "the repository has no commit")
		}
		head.Revision, err = r.revision(origin, tip)
		if origin.Scheme() == skill.Hub {
			head.Visibility = r.visibility
		} else {
			head.Branch = strings.TrimPrefix(r.head, branchRef(""))
		}
		if moved != "" {
			head.Moved = fakeURL(moved)
		}
		return err
	})
	return head, err
}

// HeadSince is Head, but for what [Fake.SetFresh] makes it answer by itself.
func (f *Fake) HeadSince(ctx context.Context, id skill.ID, known transport.Known) (transport.Head, error) {
	f.mu.Lock()
	fresh := f.fresh
	f.mu.Unlock()
	if fresh != nil && known.Revision != "" && ctx.Err() == nil && fresh(id.Origin(), known) {
		return transport.Head{Revision: known.Revision}, nil
	}
	return f.Head(ctx, id)
}

// Open lists what stands at ids.
func (f *Fake) Open(ctx context.Context, rev transport.Revision, ids ...skill.ID) (transport.Snapshot, error) {
	if len(ids) == 0 {
		return nil, errors.New("open: no ids")
	}
	origin := ids[0].Origin()
	for _, id := range ids {
		if id.Origin() != origin {
			return nil, fmt.Errorf("open %q and %q: not of one origin", ids[0], id)
		}
	}
	f.mu.Lock()
	s := &fakeSnapshot{fake: f, origin: origin, opened: slices.Clone(ids), partial: f.partial}
	f.mu.Unlock()
	err := f.visit(ctx, "list", origin, func(r *repository, _ string) error {
		commit, err := r.resolve(origin, rev)
		if err != nil {
			return fakeError("list", origin, transport.ErrNoRevision, "", err.Error())
		}
		if err := s.read(r, commit); err != nil {
			return fakeError("list", origin, transport.ErrProtocol, transport.CauseProtocol, err.Error())
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Branches returns the origin's branches in byte order; a hub entry has none.
func (f *Fake) Branches(ctx context.Context, id skill.ID) (names []string, err error) {
	origin := id.Origin()
	err = f.visit(ctx, "branches", origin, func(r *repository, _ string) error {
		for ref := range r.refs {
			if name, ok := strings.CutPrefix(ref, branchRef("")); ok && origin.Scheme() == skill.GitHub {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		return nil
	})
	return names, err
}

// Search returns the ids of all public skills whose SKILL.md holds every word of query, whatever their case.
func (f *Fake) Search(ctx context.Context, query string) ([]skill.ID, error) {
	if err := f.begin(ctx, "search", skill.ID{}); err != nil {
		return nil, err
	}
	var ids []skill.ID
	words := strings.Fields(strings.ToLower(query))
	for _, name := range f.Repositories() {
		id, err := skill.ParseID(markedName(name))
		if err != nil {
			continue
		}
		f.view(func() {
			if r, ok := f.repos[name]; ok {
				ids = append(ids, r.search(id, words)...)
			}
		})
	}
	return ids, nil
}

// begin is what every operation does first.
func (f *Fake) begin(ctx context.Context, op string, origin skill.ID) error {
	f.mu.Lock()
	intercept := f.intercept
	f.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s %s: %w", op, origin, err)
	}
	if intercept != nil {
		if err := intercept(ctx, op, origin); err != nil {
			return fmt.Errorf("%s %s: %w", op, origin, err)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.offline {
		return fakeError(op, origin, transport.ErrUnreachable, transport.CauseNetwork, "the fake is offline")
	}
	return nil
}

// visit begins an operation and runs it on the origin's repository, while nothing changes there.
func (f *Fake) visit(ctx context.Context, op string, origin skill.ID, do func(r *repository, moved string) error) error {
	if origin.Scheme() == skill.Local {
		return fmt.Errorf("%s %q: a local id has no upstream", op, origin)
	}
	if err := f.begin(ctx, op, origin); err != nil {
		return err
	}
	var err error
	f.view(func() {
		r, moved, missing := f.find(repoName(origin.String()))
		switch {
		case missing != nil || r.access != nil && r.access.Hide:
			err = fakeError(op, origin, transport.ErrNotFound, transport.CauseNotFound, "")
		case r.access != nil:
			err = fakeError(op, origin, transport.ErrNoAccess, transport.CauseNoAccess, "")
		default:
			err = do(r, moved)
		}
	})
	return err
}

func fakeError(op string, origin skill.ID, kind error, cause transport.Cause, detail string) error {
	e := &transport.Error{Op: op, URL: fakeURL(repoName(origin.String())), Kind: kind, Cause: cause}
	if detail != "" {
		e.Err = errors.New(detail)
	}
	return e
}

// fakeURL is the made-up address of a repository.
func fakeURL(name string) string {
	scheme, path, _ := strings.Cut(markedName(name), ":")
	return "fake://" + scheme + "/" + path
}

// markedName returns a repository's name with its marker.
func markedName(name string) string {
	if strings.HasPrefix(name, "hub:") {
		return name
	}
	return "gh:" + name
}

// revision names a commit as the origin's kind of upstream does.
func (r *repository) revision(origin skill.ID, commit plumbing.Hash) (transport.Revision, error) {
	if origin.Scheme() == skill.GitHub {
		return transport.Revision(commit.String()), nil
	}
	c, err := r.readCommit(commit)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(c.tree[:])
	return transport.Revision("sha256:" + hex.EncodeToString(sum[:])), nil
}

// resolve finds the commit of a revision.
func (r *repository) resolve(origin skill.ID, rev transport.Revision) (plumbing.Hash, error) {
	if origin.Scheme() == skill.GitHub {
		return r.commitHash(string(rev))
	}
	tip := r.refs[r.head]
	now, err := r.revision(origin, tip)
	if err == nil && now != rev {
		err = fmt.Errorf("a hub serves its present revision only, not %q", rev)
	}
	return tip, err
}

func (r *repository) search(origin skill.ID, words []string) []skill.ID {
	tip, ok := r.refs[r.head]
	if !ok || r.access != nil {
		return nil
	}
	leaves, err := r.leaves(tip)
	if err != nil {
		return nil
	}
	var ids []skill.ID
	for _, l := range leaves {
		dir, isSkill := strings.CutSuffix("/"+l.path, "/SKILL.md")
		if !isSkill {
			continue
		}
		body := strings.ToLower(r.file(l).Body)
		missing := func(word string) bool { return !strings.Contains(body, word) }
		if id, err := origin.Join(strings.TrimPrefix(dir, "/")); err == nil && !slices.ContainsFunc(words, missing) {
			ids = append(ids, id)
		}
	}
	return ids
}
