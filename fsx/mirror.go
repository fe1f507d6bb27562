package fsx

import (
	"io"
	"os"
	"path"

	"github.com/go-git/go-billy/v5"
)

// node is one thing in a tree, by its path below the tree's top.
type node struct {
	path string
	info os.FileInfo
}

func (n node) kind() os.FileMode { return n.info.Mode().Type() }

// mirror makes to hold exactly what from holds, with links as they are spelled, in the order that [Replace] promises:
// commit files away, other things in, commit files in. Both are paths without links; to may be missing. It may be
// repeated after a failure half way.
func mirror(fsys billy.Filesystem, from, to, commit string) error {
	want, err := listTree(fsys, from)
	if err != nil {
		return err
	}
	if err := removeUnwanted(fsys, to, commit, want); err != nil {
		return err
	}
	if err := fsys.MkdirAll(to, 0o755); err != nil {
		return pathError("mkdir", to, err)
	}
	for _, last := range []bool{false, true} {
		for _, n := range want {
			if isCommit(n, commit) != last || IsTemp(path.Base(n.path)) {
				continue
			}
			if err := copyNode(fsys, join(from, n.path), join(to, n.path), n); err != nil {
				return err
			}
		}
	}
	return nil
}

func isCommit(n node, commit string) bool { return commit != "" && path.Base(n.path) == commit }

// removeCommitFirst removes a tree so that nobody takes what is left for whole.
func removeCommitFirst(fsys billy.Filesystem, name, commit string) error {
	if err := removeUnwanted(fsys, name, commit, nil); err != nil {
		return err
	}
	return RemoveAll(fsys, name)
}

// removeUnwanted removes from the tree at name its commit files, and then what want does not hold or holds as
// another kind of thing.
func removeUnwanted(fsys billy.Filesystem, name, commit string, want []node) error {
	have, err := listTree(fsys, name)
	if isNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, n := range have {
		if isCommit(n, commit) {
			if err := RemoveAll(fsys, join(name, n.path)); err != nil {
				return err
			}
		}
	}
	kinds := make(map[string]os.FileMode, len(want))
	for _, n := range want {
		kinds[n.path] = n.kind()
	}
	for _, n := range have {
		if kind, ok := kinds[n.path]; ok && kind == n.kind() && !IsTemp(path.Base(n.path)) {
			continue
		}
		if err := RemoveAll(fsys, join(name, n.path)); err != nil {
			return err
		}
	}
	return nil
}

// listTree returns everything below name, directories before what they hold, without following links.
func listTree(fsys billy.Filesystem, name string) ([]node, error) {
	if _, err := fsys.Lstat(name); err != nil {
		return nil, pathError("stat", name, err)
	}
	var nodes []node
	var list func(dir string) error
	list = func(dir string) error {
		infos, err := readDir(fsys, join(name, dir))
		if err != nil {
			return pathError("readdir", join(name, dir), err)
		}
		for _, info := range infos {
			p := join(dir, info.Name())
			nodes = append(nodes, node{p, info})
			if info.IsDir() {
				if err := list(p); err != nil {
					return err
				}
			}
		}
		return nil
	}
	err := list("")
	return nodes, err
}

func copyNode(fsys billy.Filesystem, from, to string, n node) error {
	switch n.kind() {
	case os.ModeDir:
		return pathError("mkdir", to, fsys.MkdirAll(to, 0o755))
	case os.ModeSymlink:
		return copyLink(fsys, from, to)
	case 0:
		return copyFile(fsys, from, to, n.info.Mode().Perm())
	}
	return pathError("copy", from, ErrNotRegular)
}

func copyFile(fsys billy.Filesystem, from, to string, perm os.FileMode) error {
	return pathError("copy", from, putFile(fsys, to, perm, true, func(w io.Writer) error {
		r, err := fsys.Open(from)
		if err != nil {
			return err
		}
		_, err = io.Copy(w, r)
		if closeErr := r.Close(); err == nil {
			err = closeErr
		}
		return err
	}))
}

func copyLink(fsys billy.Filesystem, from, to string) error {
	target, err := fsys.Readlink(from)
	if err != nil {
		return pathError("readlink", from, err)
	}
	if _, err := fsys.Lstat(to); err == nil {
		if have, err := fsys.Readlink(to); err == nil && have == target {
			return nil
		}
		if err := RemoveAll(fsys, to); err != nil {
			return err
		}
	}
	return pathError("symlink", to, fsys.Symlink(target, to))
}
