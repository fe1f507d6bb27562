package hub

import (
	"container/list"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/atskills-go/atskills/fsx"
)

const (
	// settling is how old a modification time has to be before it vouches for content: the coarsest clock of a disk in
	// use, FAT's, ticks every two seconds.
	settling = 3 * time.Second
	// lag is how long a time that says nothing vouches for it all the same. A change that shows no other size and time may go
	// unseen for as long, and a skill that was just changed is not digested by every request.
	lag = time.Second
)

// index is the digest of a skill: each file's, and the revision over all of them. It is not changed once made.
type index struct {
	files    []bundled
	sums     []string // of files, in hex
	revision string
	listing  []byte    // the answer to ?files, which all who ask share
	made     time.Time // when the first file was read, or before
}

// listedFile is a row of the answer to ?files.
type listedFile struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"`
	Mode   string `json:"mode"`
	SHA256 string `json:"sha256"`
}

func gitMode(executable bool) string {
	if executable {
		return "100755"
	}
	return "100644"
}

func (x *index) rows() []listedFile {
	rows := make([]listedFile, len(x.files))
	for i, f := range x.files {
		rows[i] = listedFile{f.path, f.size, gitMode(f.executable), x.sums[i]}
	}
	return rows
}

// file returns the place of name in the index.
func (x *index) file(name string) (int, bool) {
	return slices.BinarySearchFunc(x.files, name, func(f bundled, name string) int { return strings.Compare(f.path, name) })
}

// holds reports whether the index has a file with the digest sum at name.
func (x *index) holds(name, sum string) bool {
	i, ok := x.file(name)
	return ok && x.sums[i] == sum
}

// fits reports whether files, as a walk at now found them, can be taken for those that were digested.
func (x *index) fits(files []bundled, now time.Time) bool {
	fresh := now.Sub(x.made) < lag
	return slices.EqualFunc(x.files, files, func(a, b bundled) bool {
		settled := !a.unsure && !b.unsure
		a.unsure, b.unsure = false, false
		return a == b && (settled || fresh)
	})
}

// index returns the digest of the skill at dir as it stands. Bodies are read only when a file's size, mode or time is
// not that of the digest in memory, or its time says nothing. A skill that changes while it is digested is
// digested again.
func (m *mirror) index(ctx context.Context, dir fsx.Dir) (*index, error) {
	for range tries {
		files, err := m.tree.walk(ctx, dir, m.now().Add(-settling))
		if err != nil && !isAbsent(err) {
			return nil, err
		}
		if err == nil {
			x, err := m.digested(ctx, dir.Real, files)
			if x != nil || err != nil {
				return x, err
			}
		}
		if dir, err = m.tree.view.ReadDir(dir.Real); err != nil && !isAbsent(err) {
			return nil, err
		}
		if err != nil || !holdsSkill(dir) {
			return nil, errBusy // whether it is gone the next request will see
		}
	}
	return nil, errBusy
}

// digested returns the digest of files, which stand at dir, or nil when they changed meanwhile. A caller that waited
// for its turn finds what the one before it made.
func (m *mirror) digested(ctx context.Context, dir string, files []bundled) (*index, error) {
	if x := m.indexes.get(dir); x != nil && x.fits(files, m.now()) {
		return x, nil
	}
	leave, err := m.reading.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	if x := m.indexes.get(dir); x != nil && x.fits(files, m.now()) {
		return x, nil
	}
	x := &index{files: files, sums: make([]string, len(files)), made: m.now()}
	whole := sha256.New()
	for i, f := range files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		body, err := m.tree.view.ReadFile(path.Join(dir, f.path), m.tree.limits.BlobBytes)
		if isAbsent(err) || err == nil && int64(len(body)) != f.size {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		x.sums[i] = digest(body)
		fmt.Fprintf(whole, "%s\x00%s\x00%d\x00%s\n", f.path, gitMode(f.executable), f.size, x.sums[i])
	}
	x.revision = hex.EncodeToString(whole.Sum(nil))
	if x.listing, err = jsonLine(x.rows()); err != nil {
		return nil, err
	}
	if !m.unchanged(ctx, dir, files) {
		return nil, nil
	}
	m.indexes.put(dir, x)
	return x, nil
}

// unchanged reports whether a second look at dir finds files again. Times that say nothing do not count: memory
// file systems have none but the present.
func (m *mirror) unchanged(ctx context.Context, dir string, files []bundled) bool {
	top, err := m.tree.view.ReadDir(dir)
	if err != nil {
		return false // the next reading says why
	}
	again, err := m.tree.walk(ctx, top, m.now().Add(-settling))
	return err == nil && slices.EqualFunc(files, again, func(a, b bundled) bool {
		if a.unsure {
			a.modified, a.unsure = b.modified, b.unsure
		}
		return a == b
	})
}

// indexes keeps digests, those of the folders that were asked for last. Its size is counted in files.
type indexes struct {
	mu    sync.Mutex
	max   int
	held  int
	byDir map[string]*list.Element
	order *list.List // of keptIndex, the latest first
}

type keptIndex struct {
	dir string
	*index
}

func newIndexes(max int) *indexes {
	return &indexes{max: max, byDir: make(map[string]*list.Element), order: list.New()}
}

func (c *indexes) get(dir string) *index {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.byDir[dir]
	if e == nil {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(keptIndex).index
}

func (c *indexes) put(dir string, x *index) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove(c.byDir[dir])
	c.byDir[dir] = c.order.PushFront(keptIndex{dir, x})
	c.held += len(x.files)
	for c.held > c.max && c.order.Len() > 1 {
		c.remove(c.order.Back())
	}
}

func (c *indexes) drop(dir string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove(c.byDir[dir])
}

func (c *indexes) remove(e *list.Element) {
	if e == nil {
		return
	}
	old := c.order.Remove(e).(keptIndex)
	delete(c.byDir, old.dir)
	c.held -= len(old.files)
}
