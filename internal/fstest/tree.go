package fstest

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/go-git/go-billy/v5"
)

// Tree is the content of a directory: slash-separated paths and what stands there. "a/" is a directory (needed for
// empty ones only), "a*" an executable file, "a@" a link whose target is the value.
type Tree map[string]string

// Write creates tree below dir, "" for the root. It uses nothing of the package under test.
func Write(t testing.TB, fsys billy.Filesystem, dir string, tree Tree) {
	t.Helper()
	for name, content := range tree {
		full := strings.TrimPrefix(dir+"/"+name, "/")
		base := strings.TrimRight(full, "/*@")
		if i := strings.LastIndexByte(base, '/'); i >= 0 {
			must(t, fsys.MkdirAll(base[:i], 0o755))
		}
		switch full[len(full)-1] {
		case '/':
			must(t, fsys.MkdirAll(base, 0o755))
		case '@':
			must(t, fsys.Symlink(content, base))
		case '*':
			writeFile(t, fsys, base, content, 0o755)
		default:
			writeFile(t, fsys, base, content, 0o644)
		}
	}
}

func writeFile(t testing.TB, fsys billy.Filesystem, name, content string, perm os.FileMode) {
	t.Helper()
	f, err := fsys.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, perm)
	must(t, err)
	n, err := f.Write([]byte(content))
	must(t, err)
	if n != len(content) {
		t.Fatalf("write %q: %d of %d bytes", name, n, len(content))
	}
	must(t, f.Close())
}

// Read returns everything below dir, temporary names included, without following links; nil when nothing stands
// there. Directories that hold something are left out.
func Read(t testing.TB, fsys billy.Filesystem, dir string) Tree {
	t.Helper()
	if dir != "" {
		if _, err := fsys.Lstat(dir); os.IsNotExist(err) {
			return nil
		}
	}
	tree := Tree{}
	read(t, fsys, dir, "", tree)
	return tree
}

func read(t testing.TB, fsys billy.Filesystem, dir, prefix string, tree Tree) {
	t.Helper()
	infos, err := fsys.ReadDir(dir)
	must(t, err)
	for _, info := range infos {
		full := strings.TrimPrefix(dir+"/"+info.Name(), "/")
		name := prefix + info.Name()
		switch {
		case info.IsDir():
			before := len(tree)
			read(t, fsys, full, name+"/", tree)
			if len(tree) == before {
				tree[name+"/"] = ""
			}
		case info.Mode()&os.ModeSymlink != 0:
			target, err := fsys.Readlink(full)
			must(t, err)
			tree[name+"@"] = target
		default:
			f, err := fsys.Open(full)
			must(t, err)
			data, err := io.ReadAll(f)
			must(t, err)
			must(t, f.Close())
			if info.Mode()&0o100 != 0 {
				name += "*"
			}
			tree[name] = string(data)
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
