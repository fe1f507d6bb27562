package fsx_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/go-git/go-billy/v5"
	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/internal/fstest"
)

// show is an entry as a line: kind, name, where it really stands, and why not.
func show(e fsx.Entry) string {
	kind := "?"
	switch {
	case e.IsDir():
		kind = "dir"
	case e.IsFile():
		kind = "file"
	}
	if e.Link {
		kind += " link"
	}
	line := fmt.Sprintf("%s %s = %s", kind, e.Name, e.Real)
	for _, reason := range []error{fsx.ErrLinkEscapes, fsx.ErrLinkDangles, fsx.ErrLinkLoop, fsx.ErrLink} {
		if errors.Is(e.Err, reason) {
			return line + ": " + reason.Error()
		}
	}
	if e.Err != nil {
		return line + ": other error"
	}
	return line
}

func list(t *testing.T, v fsx.View, dir string) []string {
	t.Helper()
	d, err := v.ReadDir(dir)
	must(t, err)
	var lines []string
	for _, e := range d.Entries {
		if e.Info == nil || e.Info.Name() != e.Name {
			t.Errorf("entry %q has info %v", e.Name, e.Info)
		}
		lines = append(lines, show(e))
	}
	return lines
}

// linkTree has every shape of link. p is the project; out lies beside it.
var linkTree = fstest.Tree{
	"out/secret":                    "s",
	"out/dir/x":                     "x",
	"p-2/x":                         "x", // shares a prefix with the project's name
	"p/.claude/skills/demo/a":       "1",
	"p/.claude/demo.md":             "2",
	"p/.atskills/own/SKILL.md":      "3",
	"p/.atskills/dir@":              "../.claude/skills/demo",
	"p/.atskills/file@":             "../.claude/demo.md",
	"p/.atskills/chain@":            "chain2",
	"p/.atskills/chain2@":           "dir/../demo",
	"p/.atskills/up@":               "../../out/secret",
	"p/.atskills/updir@":            "../../out/dir",
	"p/.atskills/around@":           "../../p/.claude/demo.md", // leaves and comes back
	"p/.atskills/sibling@":          "../../p-2/x",
	"p/.atskills/gone@":             "../none",
	"p/.atskills/below@":            "../.claude/demo.md/x",
	"p/.atskills/self@":             "self",
	"p/.atskills/loop1@":            "loop2",
	"p/.atskills/loop2@":            "loop1",
	"p/.atskills/parent@":           "..",
	"p/.atskills/here@":             ".",
	"p/.atskills/dots@":             "./../.claude/./skills//demo",
	"p/.atskills/viaout@":           "updir/../secret",
	"p/.atskills/hidden@":           ".atskills-new-0123456789abcdef0123456789abcdef/x",
	"p/.atskills/zz/deep/er@":       "../../../.claude/skills",
	"p/.atskills/.atskills-new-x/y": "not temporary",
	"p/.atskills/.atskills-new-0123456789abcdef0123456789abcdef/x": "temporary",
}

// W3: followed when every step and the end lie inside; refused with a reason otherwise; the same on every file system.
func TestViewFollowsLinksInside(t *testing.T) {
	t.Parallel()
	fstest.Each(t, func(t *testing.T, sys fstest.System) {
		outer := sys.New(t)
		fstest.Write(t, outer, "", linkTree)
		v := fsx.NewView(chroot(t, sys, outer, "p"), ".atskills", true)
		want := []string{
			"dir .atskills-new-x = .atskills/.atskills-new-x",
			"? link around = .atskills/around: leads outside",
			"? link below = .atskills/below: leads nowhere",
			"dir link chain = .claude/skills/demo",
			"dir link chain2 = .claude/skills/demo",
			"dir link dir = .claude/skills/demo",
			"dir link dots = .claude/skills/demo",
			"file link file = .claude/demo.md",
			"? link gone = .atskills/gone: leads nowhere",
			"dir link here = .atskills",
			"? link hidden = .atskills/hidden: leads nowhere",
			"? link loop1 = .atskills/loop1: leads through too many links",
			"? link loop2 = .atskills/loop2: leads through too many links",
			"dir own = .atskills/own",
			"dir link parent = ",
			"? link self = .atskills/self: leads through too many links",
			"? link sibling = .atskills/sibling: leads outside",
			"? link up = .atskills/up: leads outside",
			"? link updir = .atskills/updir: leads outside",
			"? link viaout = .atskills/viaout: leads outside",
			"dir zz = .atskills/zz",
		}
		if diff := cmp.Diff(want, list(t, v, "")); diff != "" {
			t.Errorf("ReadDir (-want +got):\n%s", diff)
		}
		if got := list(t, v, "zz/deep"); !slices.Equal(got, []string{"dir link er = .claude/skills"}) {
			t.Errorf("zz/deep: %q", got)
		}
		for name, want := range map[string]string{"dir/a": "1", "chain/a": "1", "file": "2", "zz/deep/er/demo/a": "1",
			"here/here/own/SKILL.md": "3", "parent/.atskills/file": "2"} {
			if got, err := v.ReadFile(name, 9); err != nil || string(got) != want {
				t.Errorf("ReadFile(%q) = %q, %v", name, got, err)
			}
			if e, err := v.Lookup(name); err != nil || !e.IsFile() {
				t.Errorf("Lookup(%q) = %v, %v", name, show(e), err)
			}
		}
		for name, want := range map[string]error{"up": fsx.ErrLinkEscapes, "updir/x": fsx.ErrLinkEscapes, "gone": fsx.ErrLinkDangles,
			"gone/x": fsx.ErrLinkDangles, "self": fsx.ErrLinkLoop, "self/x": fsx.ErrLinkLoop, "none": fs.ErrNotExist,
			"file/x": fs.ErrNotExist, "hidden": fsx.ErrLinkDangles,
			".atskills-new-0123456789abcdef0123456789abcdef":   fs.ErrNotExist,
			".atskills-new-0123456789abcdef0123456789abcdef/x": fs.ErrNotExist} {
			if _, err := v.ReadFile(name, 9); !errors.Is(err, want) && !(want == fs.ErrNotExist && errors.Is(err, fsx.ErrLinkDangles)) {
				t.Errorf("ReadFile(%q) = %v, want %v", name, err, want)
			}
			if _, err := v.Lookup(name); !errors.Is(err, want) {
				t.Errorf("Lookup(%q) = %v, want %v", name, err, want)
			}
			if _, err := v.ReadDir(name); err == nil {
				t.Errorf("ReadDir(%q) succeeded", name)
			}
		}
	})
}

// W3: from upstream no link is followed, neither at the end nor on the way.
func TestViewWithoutLinks(t *testing.T) {
	t.Parallel()
	fstest.Each(t, func(t *testing.T, sys fstest.System) {
		fsys := sys.New(t)
		fstest.Write(t, fsys, "", fstest.Tree{"c/d/f": "1", "c/l@": "d", "c/lf@": "d/f", "c/out@": "../..", "top@": "c"})
		v := fsx.NewView(fsys, "c", false)
		want := []string{"dir d = c/d", "? link l = c/l", "? link lf = c/lf", "? link out = c/out"}
		if diff := cmp.Diff(want, list(t, v, "")); diff != "" {
			t.Errorf("ReadDir (-want +got):\n%s", diff)
		}
		if e, err := v.Lookup("lf"); err != nil || !e.Link || e.IsFile() || e.Info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("Lookup(lf) = %s, %v", show(e), err)
		}
		for _, name := range []string{"lf", "l/f", "out/x"} {
			if _, err := v.ReadFile(name, 9); !errors.Is(err, fsx.ErrLink) {
				t.Errorf("ReadFile(%q) = %v, want ErrLink", name, err)
			}
		}
		if _, err := v.Lookup("l/f"); !errors.Is(err, fsx.ErrLink) {
			t.Errorf("Lookup(l/f) = %v, want ErrLink", err)
		}
		if _, err := v.ReadDir("l"); !errors.Is(err, fsx.ErrLink) {
			t.Errorf("ReadDir(l) = %v, want ErrLink", err)
		}
		if _, err := fsx.NewView(fsys, "top", false).ReadDir(""); !errors.Is(err, fsx.ErrLink) {
			t.Errorf("a root that is a link: %v, want ErrLink", err)
		}
		if d, err := fsx.NewView(fsys, "top", true).ReadDir(""); err != nil || d.Real != "c" {
			t.Errorf("a root that is a link, followed: %q, %v, want c", d.Real, err)
		}
	})
}

// An absolute target is inside when it is spelled with the root in front, by whole segments. The file systems spell
// absolute targets in two ways.
func TestViewAbsoluteLinks(t *testing.T) {
	t.Parallel()
	fstest.Each(t, func(t *testing.T, sys fstest.System) {
		outer := sys.New(t)
		fstest.Write(t, outer, "", fstest.Tree{"p/real/f": "1", "p-2/x": "2", "out": "3"})
		fsys := chroot(t, sys, outer, "p")
		root := filepath.ToSlash(fsys.Root())
		links := map[string]string{"in": root + "/real", "dots": root + "/real/../real", "root": root, "side": root + "-2/x",
			"out": strings.TrimSuffix(root, "/p") + "/out", "etc": "/etc/passwd"}
		// ChrootOS and memfs put their root in front of what they are told; these links are made by others.
		maker := outer
		if sys.Disk {
			maker = fsx.OS(outer.Root())
		}
		if !sys.Disk {
			for name, target := range links {
				must(t, maker.Symlink(target, "p/"+name))
			}
		} else {
			for name, target := range links {
				must(t, os.Symlink(target, filepath.Join(outer.Root(), "p", name)))
			}
		}
		got := list(t, fsx.NewView(fsys, "", true), "")
		want := []string{"dir link dots = real", "? link etc = etc: leads outside", "dir link in = real",
			"? link out = out: leads outside", "dir real = real", "dir link root = ", "? link side = side: leads outside"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("ReadDir (-want +got):\n%s", diff)
		}
	})
}

func TestCutRoot(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the table is of unix paths")
	}
	for _, c := range []struct {
		root, target, want string
		ok                 bool
	}{
		{"/p", "/p/a/b", "a/b", true},
		{"/p/", "/p/a", "a", true},
		{"/p", "/p", "", true},
		{"/p", "/p/../q", "../q", true}, // walked on, and found to leave
		{"/p", "/p2/a", "", false},
		{"/p", "/", "", false},
		{"/", "/a", "a", true},
		{"p", "/p/a", "", false},
		{"", "/a", "", false},
	} {
		if got, ok := fsx.CutRoot(c.root, c.target); got != c.want || ok != c.ok {
			t.Errorf("CutRoot(%q, %q) = %q, %v, want %q, %v", c.root, c.target, got, ok, c.want, c.ok)
		}
	}
}

// A chain of links is followed up to a bound that is the same everywhere, and a cycle of directories is no error: the
// walker cuts it by Real.
func TestViewLinkBounds(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, fsys billyFS) {
		tree := fstest.Tree{"f": "1", "l00@": "f", "d/loop@": "../d"}
		for i := 1; i <= 40; i++ {
			tree[fmt.Sprintf("l%02d@", i)] = fmt.Sprintf("l%02d", i-1)
		}
		fstest.Write(t, fsys, "", tree)
		v := fsx.NewView(fsys, "", true)
		if got, err := v.ReadFile("l39", 9); err != nil || string(got) != "1" {
			t.Errorf("40 links: %q, %v", got, err)
		}
		if _, err := v.ReadFile("l40", 9); !errors.Is(err, fsx.ErrLinkLoop) {
			t.Errorf("41 links: %v, want ErrLinkLoop", err)
		}
		d, err := v.ReadDir("d/loop/loop/loop")
		if err != nil || d.Real != "d" || len(d.Entries) != 1 || d.Entries[0].Real != "d" {
			t.Errorf("cycle: %+v, %v", d, err)
		}
	})
}

// W4: byte order, which is neither alphabetical order nor that of a disk.
func TestViewOrder(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, fsys billyFS) {
		want := []string{" x", "-", "B", "a", "a b", "a!", "a-b", "a.b", "aB", "ab", "z", "é", "漢"}
		for _, name := range want {
			fstest.Write(t, fsys, "d", fstest.Tree{name: ""})
		}
		d, err := fsx.NewView(fsys, "d", true).ReadDir("")
		must(t, err)
		var got []string
		for _, e := range d.Entries {
			got = append(got, e.Name)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("order (-want +got):\n%s", diff)
		}
	})
}

// folding answers every spelling of a name and stands for a disk that folds case.
type folding struct{ billy.Filesystem }

func (f folding) fold(name string) string {
	var real []string
	for seg := range strings.SplitSeq(name, "/") {
		infos, _ := f.Filesystem.ReadDir(strings.Join(real, "/"))
		for _, info := range infos {
			if strings.EqualFold(info.Name(), seg) {
				seg = info.Name()
			}
		}
		real = append(real, seg)
	}
	return strings.Join(real, "/")
}

func (f folding) Lstat(name string) (os.FileInfo, error) { return f.Filesystem.Lstat(f.fold(name)) }
func (f folding) Stat(name string) (os.FileInfo, error)  { return f.Filesystem.Stat(f.fold(name)) }
func (f folding) ReadDir(name string) ([]os.FileInfo, error) {
	return f.Filesystem.ReadDir(f.fold(name))
}
func (f folding) Open(name string) (billy.File, error) { return f.Filesystem.Open(f.fold(name)) }

// W1, G3: a name is found in its exact spelling only, at every segment, also where the disk folds case.
func TestLookupIsExact(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, fsys billyFS) {
		fstest.Write(t, fsys, "", fstest.Tree{"Deploy/skill.md": "1", "Deploy/Sub/SKILL.md": "2", "link@": "Deploy"})
		for name, fsys := range map[string]billyFS{"": fsys, "folding": folding{fsys}} {
			v := fsx.NewView(fsys, "", true)
			for _, name := range []string{"Deploy", "Deploy/skill.md", "Deploy/Sub/SKILL.md", "link/Sub/SKILL.md"} {
				if e, err := v.Lookup(name); err != nil || e.Name != name[strings.LastIndex(name, "/")+1:] {
					t.Errorf("Lookup(%q) = %s, %v", name, show(e), err)
				}
			}
			for _, wrong := range []string{"deploy", "DEPLOY/skill.md", "Deploy/SKILL.md", "Deploy/sub/SKILL.md", "Link",
				"Deploy/Sub/Skill.md", "link/sub/SKILL.md", "Deploy/none"} {
				if e, err := v.Lookup(wrong); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("%s: Lookup(%q) = %s, %v, want fs.ErrNotExist", name, wrong, show(e), err)
				}
			}
		}
	})
}

func TestLookupRoot(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, fsys billyFS) {
		fstest.Write(t, fsys, "", fstest.Tree{"a/b/f": "1", "l@": "a/b"})
		for root, real := range map[string]string{"": "", "a": "a", "a/b": "a/b", "l": "a/b"} {
			e, err := fsx.NewView(fsys, root, true).Lookup("")
			if err != nil || !e.IsDir() || e.Real != real {
				t.Errorf("root %q: %s, %v", root, show(e), err)
			}
		}
		if _, err := fsx.NewView(fsys, "none", true).Lookup(""); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("missing root: %v, want fs.ErrNotExist", err)
		}
		if _, err := fsx.NewView(fsys, "none", true).Lookup("x"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("below a missing root: %v, want fs.ErrNotExist", err)
		}
		if _, err := fsx.NewView(fsys, "a/b/f", true).ReadDir(""); err == nil {
			t.Error("a file was listed as a directory, as memfs does")
		}
	})
}

// A project that is itself reached through a link is a project like any other.
func TestViewRootBelowALink(t *testing.T) {
	t.Parallel()
	fstest.Each(t, func(t *testing.T, sys fstest.System) {
		if !sys.Disk {
			t.Skip("memfs has no outside")
		}
		outer := sys.New(t)
		fstest.Write(t, outer, "", fstest.Tree{"real/p/d/f": "1", "real/p/l@": "d", "way@": "real"})
		fsys := chroot(t, sys, outer, "way/p")
		v := fsx.NewView(fsys, "", true)
		for _, name := range []string{"", "d", "l"} {
			if e, err := v.Lookup(name); err != nil || !e.IsDir() {
				t.Errorf("Lookup(%q) = %s, %v", name, show(e), err)
			}
			if _, err := v.ReadDir(name); err != nil {
				t.Errorf("ReadDir(%q): %v", name, err)
			}
		}
		must(t, fsx.WriteFile(fsys, "l/g", []byte("2"), 0o644))
		must(t, fsx.RemoveAll(fsys, "d"))
	})
}

// W6: what cannot be read is an error of its own, and its siblings are there.
func TestViewUnreadable(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, fsys billyFS) {
		fstest.Write(t, fsys, "", fstest.Tree{"a/f": "1", "b/f": "2", "c@": "b/f", "d@": "a"})
		broken := fstest.Hook(fsys, func(c fstest.Call) error {
			if strings.TrimPrefix(c.Name, "/") == "b" || strings.TrimPrefix(c.Name, "/") == "b/f" {
				return fs.ErrPermission
			}
			return nil
		})
		v := fsx.NewView(broken, "", true)
		want := []string{"dir a = a", "dir b = b", "? link c = c: other error", "dir link d = a"}
		if diff := cmp.Diff(want, list(t, v, "")); diff != "" {
			t.Errorf("ReadDir (-want +got):\n%s", diff)
		}
		if _, err := v.ReadDir("b"); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("ReadDir(b) = %v, want fs.ErrPermission", err)
		}
		if _, err := v.Lookup("c"); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("Lookup(c) = %v, want fs.ErrPermission", err)
		}
	})
}

// The osfs package fails a listing when one entry vanishes under it; the directory is still there.
func TestReadDirOfAChangingDirectory(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, fsys billyFS) {
		fstest.Write(t, fsys, "", fstest.Tree{"d/f": "1"})
		fails := 2
		flaky := fstest.Hook(fsys, func(c fstest.Call) error {
			if c.Op == fstest.OpReadDir && fails > 0 {
				fails--
				return fs.ErrNotExist
			}
			return nil
		})
		if got := list(t, fsx.NewView(flaky, "", true), "d"); !slices.Equal(got, []string{"file f = d/f"}) {
			t.Errorf("got %q", got)
		}
	})
}

// racing replaces dest in the middle of one call, and answers that call as from the old directory while it is being
// removed: with nothing in it.
type racing struct {
	billy.Filesystem
	call string
	race func()
}

func (r racing) Unwrap() billy.Filesystem { return r.Filesystem }

func (r racing) ReadDir(name string) ([]os.FileInfo, error) {
	infos, err := r.Filesystem.ReadDir(name)
	if r.call == "ReadDir "+name {
		r.race()
		return nil, err
	}
	return infos, err
}

func (r racing) Lstat(name string) (os.FileInfo, error) {
	if r.call == "Lstat "+name {
		r.race()
		return nil, fs.ErrNotExist
	}
	return r.Filesystem.Lstat(name)
}

func (r racing) Open(name string) (billy.File, error) {
	if r.call == "Open "+name {
		r.race()
		return nil, fs.ErrNotExist
	}
	return r.Filesystem.Open(name)
}

// C7: what is seen of a directory in the course of its replacement is asked for again.
func TestViewDuringReplace(t *testing.T) {
	t.Parallel()
	for _, call := range []string{"ReadDir c/dest", "ReadDir c/dest/sub",
		"Lstat c/dest/sub", "Lstat c/dest/sub/f", "Open c/dest/sub/f"} {
		t.Run(call, func(t *testing.T) {
			t.Parallel()
			fsys := &racing{Filesystem: fsx.OS(t.TempDir())}
			tree := fstest.Tree{"c/dest/a": "1", "c/dest/sub/f": "2", "c/dest/sub/g": "3"}
			fstest.Write(t, fsys, "", tree)
			fsys.race = func() {
				fsys.call = ""
				staged, err := fsx.Stage(fsys, "c/dest")
				must(t, err)
				fstest.Write(t, fsys, staged, fstest.Tree{"a": "1", "sub/f": "2", "sub/g": "3"})
				must(t, fsx.Replace(fsys.Filesystem, staged, "c/dest", opt))
			}
			v := fsx.NewView(fsys, "c", true)
			fsys.call = call
			if data, err := v.ReadFile("dest/sub/f", 9); err != nil || string(data) != "2" {
				t.Errorf("ReadFile = %q, %v", data, err)
			}
			fsys.call = call
			if e, err := v.Lookup("dest/sub/f"); err != nil || !e.IsFile() {
				t.Errorf("Lookup = %s, %v", show(e), err)
			}
			for _, dir := range []string{"dest", "dest/sub"} {
				fsys.call = call
				if d, err := v.ReadDir(dir); err != nil || len(d.Entries) != 2 {
					t.Errorf("ReadDir(%q) = %v, %v", dir, d, err)
				}
			}
		})
	}
}

// S9: temporary names are work in progress, an interrupted replacement shows as such, and other names that look
// similar are the user's own.
func TestIsTemp(t *testing.T) {
	t.Parallel()
	hex := "0123456789abcdef0123456789abcdef"
	for _, kind := range []string{"tmp", "new", "old", "log", "grd"} {
		if name := ".atskills-" + kind + "-" + hex; !fsx.IsTemp(name) || !fsx.IsTemp(fsx.TempName(kind)) {
			t.Errorf("IsTemp(%q) = false", name)
		}
	}
	for _, name := range []string{"", ".atskills", ".atskills-", ".atskills-new-" + hex[1:], ".atskills-new-" + hex + "0",
		".atskills-xyz-" + hex, ".atskills-new-" + strings.ToUpper(hex), ".atskills-new" + hex + "-", "x.atskills-new-" + hex,
		".atskills-new-" + hex[:31] + "g"} {
		if fsx.IsTemp(name) {
			t.Errorf("IsTemp(%q) = true", name)
		}
	}
	if a, b := fsx.TempName("new"), fsx.TempName("new"); a == b || len(a) != len(b) {
		t.Errorf("names %q and %q", a, b)
	}
}

// A view reads: it makes no call that changes anything.
func TestViewNeverWrites(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, fsys billyFS) {
		fstest.Write(t, fsys, "", fstest.Tree{"a/f": "1", "l@": "a"})
		var count fstest.Counter
		v := fsx.NewView(count.Wrap(fsys), "", true)
		_, err := v.ReadDir("l")
		must(t, err)
		_, err = v.Lookup("l/f")
		must(t, err)
		_, err = v.ReadFile("l/f", 9)
		must(t, err)
		_, _, err = v.ReadHead("l/f", 9)
		must(t, err)
		if calls := count.Mutations(); len(calls) > 0 {
			t.Errorf("changed something: %v", calls)
		}
		if n := count.Count(fstest.OpOpen); n != 2 {
			t.Errorf("%d opens for two reads", n)
		}
	})
}

// Open reads as far as its caller does, once, under the link policy, and opens nothing but a regular file (W3).
func TestViewOpen(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, fsys billyFS) {
		fstest.Write(t, fsys, "", fstest.Tree{"in/a/f": "head and body", "in/l@": "a", "in/out@": "../../else", "in/gone@": "nothing"})
		var count fstest.Counter
		v := fsx.NewView(count.Wrap(fsys), "in", true)
		f, err := v.Open("l/f")
		must(t, err)
		head := make([]byte, 4)
		_, err = io.ReadFull(f, head)
		must(t, err)
		must(t, f.Close())
		if string(head) != "head" {
			t.Errorf("read %q", head)
		}
		if opens, reads := count.Count(fstest.OpOpen), count.Count(fstest.OpRead); opens != 1 || reads != 1 {
			t.Errorf("%d opens and %d reads for one small read", opens, reads)
		}
		for name, want := range map[string]error{
			"a": fsx.ErrNotRegular, "l": fsx.ErrNotRegular, "a/g": fs.ErrNotExist, "a/f/g": fs.ErrNotExist, "g": fs.ErrNotExist,
			"out": fsx.ErrLinkEscapes, "gone": fsx.ErrLinkDangles, "": fs.ErrInvalid, "../in/a/f": fs.ErrInvalid,
		} {
			if f, err := v.Open(name); !errors.Is(err, want) || f != nil {
				t.Errorf("Open(%q) = file %v, error %v; want %v", name, f != nil, err, want)
			}
		}
		if _, err := fsx.NewView(fsys, "in", false).Open("l/f"); !errors.Is(err, fsx.ErrLink) {
			t.Errorf("a view that follows no link: %v", err)
		}
	})
}

// ReadDirAt lists what ReadDir does, without the way from the root; what is no longer as the listing above showed it is
// looked up afresh (W3).
func TestViewReadDirAt(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, fsys billyFS) {
		fstest.Write(t, fsys, "", fstest.Tree{"in/a/b/f": "1", "in/a/b/g/": "", "in/a/l@": "b", "in/a/f": "2", "out/x": "3"})
		var count fstest.Counter
		v := fsx.NewView(count.Wrap(fsys), "in", true)
		above, err := v.ReadDir("a")
		must(t, err)
		entry := make(map[string]fsx.Entry)
		for _, e := range above.Entries {
			entry[e.Name] = e
			want, wantErr := v.ReadDir("a/" + e.Name)
			got, err := v.ReadDirAt("a/"+e.Name, e)
			if (err == nil) != (wantErr == nil) || got.Real != want.Real || len(got.Entries) != len(want.Entries) {
				t.Errorf("ReadDirAt(%s) = %+v, %v; ReadDir: %+v, %v", e.Name, got, err, want, wantErr)
			}
		}
		before := count.Count(fstest.OpStat)
		_, err = v.ReadDirAt("a/b", entry["b"])
		must(t, err)
		if n := count.Count(fstest.OpStat) - before; n > 1 && os.SameFile(entry["b"].Info, entry["b"].Info) {
			t.Errorf("%d looks at files for one listing", n)
		}
		must(t, fsx.RemoveAll(fsys, "in/a/b"))
		if d, err := v.ReadDirAt("a/b", entry["b"]); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a folder that is gone: %+v, %v", d, err)
		}
		must(t, fsys.Symlink("../../../out", "in/a/b"))
		if d, err := v.ReadDirAt("a/b", entry["b"]); !errors.Is(err, fsx.ErrLinkEscapes) {
			t.Errorf("a link put in its place: %+v, %v", d, err)
		}
	})
}
