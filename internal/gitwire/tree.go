package gitwire

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/atskills-go/atskills/internal/remote"
	"github.com/atskills-go/atskills/transport"
)

// EmptyTree is the name of the tree without entries, which servers may leave out.
var EmptyTree = plumbing.NewHash("4b825dc642cb6eb9a060e54bf8d69288fbee4904")

// CommitTree returns the root tree of a commit.
func CommitTree(commit []byte) (plumbing.Hash, error) {
	first, _, _ := bytes.Cut(commit, []byte("\n"))
	name, ok := strings.CutPrefix(string(first), "tree ")
	if !ok {
		return plumbing.ZeroHash, errors.New("malformed commit")
	}
	return ParseHash(name)
}

// TreeEntry is one line of a tree. Name is a part of the tree's bytes.
type TreeEntry struct {
	Name []byte
	Mode transport.Mode
	Hash plumbing.Hash
}

// TreeEntries yields the entries of a tree as they stand. Names are not judged; see [remote.CheckName]. An error is the last
// thing it yields.
func TreeEntries(tree []byte) iter.Seq2[TreeEntry, error] {
	return func(yield func(TreeEntry, error) bool) {
		for len(tree) > 0 {
			e, rest, err := treeEntry(tree)
			if !yield(e, err) || err != nil {
				return
			}
			tree = rest
		}
	}
}

func treeEntry(b []byte) (e TreeEntry, rest []byte, err error) {
	mode, b, ok := bytes.Cut(b, []byte(" "))
	if !ok {
		return e, nil, errMalformedTree
	}
	name, b, ok := bytes.Cut(b, []byte{0})
	if !ok || len(b) < len(e.Hash) {
		return e, nil, errMalformedTree
	}
	e.Name = name
	copy(e.Hash[:], b)
	e.Mode, err = entryMode(mode)
	return e, b[len(e.Hash):], err
}

var errMalformedTree = errors.New("malformed tree")

// entryMode reads an octal mode. Of a file's permissions only the owner's executable bit means anything.
func entryMode(s []byte) (transport.Mode, error) {
	n := 0
	for _, c := range s {
		if c < '0' || c > '7' || n > 0o777777 {
			return 0, errMalformedTree
		}
		n = n<<3 | int(c-'0')
	}
	switch n & 0o170000 {
	case 0o040000:
		return transport.Directory, nil
	case 0o120000:
		return transport.Symlink, nil
	case 0o160000:
		return transport.Submodule, nil
	case 0o100000:
		if n&0o100 != 0 {
			return transport.Executable, nil
		}
		return transport.Regular, nil
	}
	return 0, fmt.Errorf("tree entry of unknown mode %s", remote.Quote(string(s)))
}
