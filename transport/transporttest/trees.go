package transporttest

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
)

// leaf is a path of a commit that is no folder.
type leaf struct {
	path string
	mode filemode.FileMode
	hash plumbing.Hash
}

// entry is one line of a tree object.
type entry struct {
	name string
	mode filemode.FileMode
	hash plumbing.Hash
}

// leaves returns the files, links and submodules of a commit in byte order of their paths.
func (r *repository) leaves(commit plumbing.Hash) ([]leaf, error) {
	c, err := r.readCommit(commit)
	if err != nil {
		return nil, err
	}
	list, err := r.appendLeaves(nil, "", c.tree)
	slices.SortFunc(list, func(a, b leaf) int { return strings.Compare(a.path, b.path) })
	return list, err
}

func (r *repository) appendLeaves(list []leaf, prefix string, tree plumbing.Hash) ([]leaf, error) {
	entries, err := r.readTree(tree)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.mode != filemode.Dir {
			list = append(list, leaf{prefix + e.name, e.mode, e.hash})
			continue
		}
		if list, err = r.appendLeaves(list, prefix+e.name+"/", e.hash); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// writeFiles stores the trees of a whole file list and returns the root.
func (r *repository) writeFiles(files map[string]leaf) (plumbing.Hash, error) {
	list := make([]leaf, 0, len(files))
	for _, l := range files {
		list = append(list, l)
	}
	slices.SortFunc(list, func(a, b leaf) int { return strings.Compare(a.path, b.path) })
	return r.writeTree("", list)
}

// writeTree stores the tree of the folder called prefix, whose files list holds in byte order of their paths.
func (r *repository) writeTree(prefix string, list []leaf) (plumbing.Hash, error) {
	byName := map[string][]leaf{}
	for _, l := range list {
		name, _, _ := strings.Cut(l.path[len(prefix):], "/")
		byName[name] = append(byName[name], l)
	}
	var entries []entry
	for name, group := range byName {
		if group[0].path == prefix+name && len(group) == 1 {
			entries = append(entries, entry{name, group[0].mode, group[0].hash})
			continue
		}
		if group[0].path == prefix+name {
			return plumbing.ZeroHash, fmt.Errorf("%q is a file and a folder", prefix+name)
		}
		h, err := r.writeTree(prefix+name+"/", group)
		if err != nil {
			return plumbing.ZeroHash, err
		}
		entries = append(entries, entry{name, filemode.Dir, h})
	}
	return r.put(plumbing.TreeObject, encodeTree(entries)), nil
}

func encodeTree(entries []entry) []byte {
	// Git orders a folder as if its name ended with a slash.
	key := func(e entry) string {
		if e.mode == filemode.Dir {
			return e.name + "/"
		}
		return e.name
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(key(a), key(b)) })
	var b bytes.Buffer
	for _, e := range entries {
		fmt.Fprintf(&b, "%o %s\x00%s", uint32(e.mode), e.name, e.hash[:])
	}
	return b.Bytes()
}

// readTree reads a tree object without judging its names, so that hostile ones can be served.
func (r *repository) readTree(h plumbing.Hash) ([]entry, error) {
	data, err := r.getKind(plumbing.TreeObject, h)
	if err != nil {
		return nil, err
	}
	var entries []entry
	for len(data) > 0 {
		head, rest, ok := bytes.Cut(data, []byte{0})
		mode, name, ok2 := strings.Cut(string(head), " ")
		m, err := strconv.ParseUint(mode, 8, 32)
		if !ok || !ok2 || err != nil || len(rest) < len(plumbing.Hash{}) {
			return nil, fmt.Errorf("tree %s is malformed", h)
		}
		e := entry{name: name, mode: filemode.FileMode(m)}
		data = rest[copy(e.hash[:], rest):]
		entries = append(entries, e)
	}
	return entries, nil
}
