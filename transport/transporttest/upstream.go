package transporttest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/storage/memory"

	"github.com/atskills-go/atskills/transport"
)

// Upstream is a set of repositories with history, served by a [Fake] or a [Server], or by both. Repositories are named
// "owner/repo" ("gh:owner/repo" is the same), hub entries "hub:owner/name". Safe for concurrent use: a request sees the
// state before or after a change, never one between.
type Upstream struct {
	mu    sync.RWMutex
	repos map[string]*repository
	moved map[string]string // old name to new name
}

// File is one path of a commit.
type File struct {
	Body    string         // of a symlink its target, of a submodule its 40-hex commit
	Mode    transport.Mode // Regular, Executable, Symlink or Submodule
	Deleted bool           // removes the path, and everything below it
}

// Access says who may read a repository.
type Access struct {
	User     string // "" accepts any user name, as hosts do where the password is a token
	Password string
	// Hide answers others as if the repository did not exist, as GitHub's API does; without it they are asked for
	// credentials. Git's own client shows credentials only when asked for them.
	Hide bool
}

// Create makes an empty repository, without any commit, unless it is there already.
func (u *Upstream) Create(name string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.create(name)
}

func (u *Upstream) create(name string) *repository {
	name = repoName(name)
	r, ok := u.repos[name]
	if !ok {
		r = &repository{objects: memory.NewStorage(), refs: map[string]plumbing.Hash{}, head: branchRef("main")}
		u.repos[name] = r
		delete(u.moved, name)
	}
	return r
}

// Commit adds a commit to the branch HEAD points at, creating the repository when needed, and returns its hash. Files
// not named stay as they are. A zero when is a day after the commit before.
func (u *Upstream) Commit(repo string, when time.Time, files map[string]File) (rev string, err error) {
	return u.commit(repo, when, "", files)
}

func (u *Upstream) commit(name string, when time.Time, message string, files map[string]File) (string, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	h, err := u.create(name).commit(when, message, files)
	if err != nil {
		return "", fmt.Errorf("commit to %q: %w", name, err)
	}
	return h.String(), nil
}

// Object stores a raw git object of a kind ("blob", "tree", "commit", "tag") and returns its hash. Nothing of body is
// checked: it is the way to content no honest repository holds.
func (u *Upstream) Object(repo, kind string, body []byte) (hash string, err error) {
	t, err := plumbing.ParseObjectType(kind)
	if err != nil {
		return "", fmt.Errorf("object kind %q: %w", kind, err)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	r := u.create(repo)
	h := r.put(t, body)
	if t == plumbing.CommitObject {
		r.commits = append(r.commits, h)
	}
	return h.String(), nil
}

// Reset points HEAD's branch at rev, as a force push does.
func (u *Upstream) Reset(repo, rev string) error {
	return u.change(repo, func(r *repository) error { return r.setRef(r.head, rev) })
}

// Branch points branch name at rev, creating it when needed; an empty rev deletes it.
func (u *Upstream) Branch(repo, name, rev string) error {
	return u.change(repo, func(r *repository) error { return r.setRef(branchRef(name), rev) })
}

// Tag points tag name at rev. A message makes an annotated tag.
func (u *Upstream) Tag(repo, name, rev, message string) error {
	return u.change(repo, func(r *repository) error {
		target := rev
		if message != "" && rev != "" {
			target = r.annotate(name, rev, message).String()
		}
		return r.setRef("refs/tags/"+name, target)
	})
}

// SetHead makes HEAD point at branch, which need not exist yet.
func (u *Upstream) SetHead(repo, branch string) error {
	return u.change(repo, func(r *repository) error {
		r.head = branchRef(branch)
		return nil
	})
}

// Forget drops the commit rev from storage, as a host does with what no branch reaches any more: asking for it
// is an error from then on.
func (u *Upstream) Forget(repo, rev string) error {
	return u.change(repo, func(r *repository) error {
		h, err := r.commitHash(rev)
		if err != nil {
			return err
		}
		delete(r.objects.Objects, h)
		delete(r.objects.Commits, h)
		r.commits = slices.DeleteFunc(r.commits, func(c plumbing.Hash) bool { return c == h })
		return nil
	})
}

// SetAccess lets only those with a's credentials read the repository; nil makes it public again. A Fake, which is
// shown no credentials, then refuses everybody.
func (u *Upstream) SetAccess(repo string, a *Access) error {
	return u.change(repo, func(r *repository) error {
		r.access = a
		return nil
	})
}

// SetVisibility makes v what a hub entry says of who may read it; "" takes that back, and so it begins (H4). It changes
// nothing about who may: see [Upstream.SetAccess]. A gh: repository says nothing.
func (u *Upstream) SetVisibility(entry string, v transport.Visibility) error {
	return u.change(entry, func(r *repository) error {
		r.visibility = v
		return nil
	})
}

// Remove deletes the repository.
func (u *Upstream) Remove(repo string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.repos, repoName(repo))
}

// Rename moves a repository. The old name redirects to the new one until a repository is created there.
func (u *Upstream) Rename(from, to string) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	from, to = repoName(from), repoName(to)
	r, ok := u.repos[from]
	if !ok {
		return fmt.Errorf("no repository %q", from)
	}
	if _, ok := u.repos[to]; ok {
		return fmt.Errorf("repository %q exists", to)
	}
	delete(u.repos, from)
	delete(u.moved, to)
	u.repos[to], u.moved[from] = r, to
	return nil
}

// Repositories returns the names of all repositories, sorted.
func (u *Upstream) Repositories() []string {
	u.mu.RLock()
	defer u.mu.RUnlock()
	return slices.Sorted(maps.Keys(u.repos))
}

// Log returns the commits HEAD reaches by first parents, newest first; none for an unknown or empty repository.
func (u *Upstream) Log(repo string) []string {
	u.mu.RLock()
	defer u.mu.RUnlock()
	r, ok := u.repos[repoName(repo)]
	if !ok {
		return nil
	}
	var log []string
	for h := r.refs[r.head]; !h.IsZero(); {
		c, err := r.readCommit(h)
		if err != nil {
			break
		}
		log = append(log, h.String())
		h = plumbing.ZeroHash
		if len(c.parents) > 0 {
			h = c.parents[0]
		}
	}
	return log
}

// Tip returns the commit HEAD points at, "" when there is none.
func (u *Upstream) Tip(repo string) string {
	if log := u.Log(repo); len(log) > 0 {
		return log[0]
	}
	return ""
}

// Files returns every path of a commit with its content.
func (u *Upstream) Files(repo, rev string) (map[string]File, error) {
	files := map[string]File{}
	err := u.change(repo, func(r *repository) error {
		h, err := r.commitHash(rev)
		if err != nil {
			return err
		}
		leaves, err := r.leaves(h)
		for _, l := range leaves {
			files[l.path] = r.file(l)
		}
		return err
	})
	return files, err
}

// change runs f on a repository, alone.
func (u *Upstream) change(name string, f func(*repository) error) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	r, ok := u.repos[repoName(name)]
	if !ok {
		return fmt.Errorf("no repository %q", name)
	}
	if err := f(r); err != nil {
		return fmt.Errorf("repository %q: %w", name, err)
	}
	return nil
}

// view runs f while nothing changes.
func (u *Upstream) view(f func()) {
	u.mu.RLock()
	defer u.mu.RUnlock()
	f()
}

// find returns the repository called name and, when it was renamed, its present name. The caller holds the lock.
func (u *Upstream) find(name string) (r *repository, moved string, err error) {
	for range 1 + len(u.moved) {
		if r, ok := u.repos[name]; ok {
			return r, moved, nil
		}
		next, ok := u.moved[name]
		if !ok {
			break
		}
		name, moved = next, next
	}
	return nil, "", errUnknownRepo
}

var errUnknownRepo = errors.New("no such repository")

func repoName(name string) string { return strings.TrimPrefix(name, "gh:") }

func branchRef(name string) string { return "refs/heads/" + name }
