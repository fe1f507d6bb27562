package git_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/git"
	"github.com/atskills-go/atskills/transport/transporttest"
)

// forge makes a repository o/r out of raw objects.
type forge struct {
	t testing.TB
	u *transporttest.Upstream
}

func newForge(t testing.TB) *forge {
	t.Helper()
	u, err := transporttest.NewUpstream("-- gh:o/r/SKILL.md --\nx\n")
	if err != nil {
		t.Fatal(err)
	}
	return &forge{t, u}
}

func (f *forge) object(kind, body string) string {
	f.t.Helper()
	h, err := f.u.Object("o/r", kind, []byte(body))
	if err != nil {
		f.t.Fatal(err)
	}
	return h
}

// treeLine is a tree's line for an object of a 40-hex name.
func treeLine(mode, name, hash string) string {
	raw, err := hex.DecodeString(hash)
	if err != nil {
		panic(err) // of a test's own literal
	}
	return mode + " " + name + "\x00" + string(raw)
}

// commit returns a commit of a root tree.
func (f *forge) commit(root string) string {
	f.t.Helper()
	return f.object("commit", "tree "+root+"\nauthor a <a@b> 0 +0000\ncommitter a <a@b> 0 +0000\n\nm\n")
}

func (f *forge) open(commit string, limits transport.Limits) error {
	f.t.Helper()
	s, err := transporttest.NewServer(f.u)
	if err != nil {
		f.t.Fatal(err)
	}
	defer s.Close()
	return openErr(f.t, s.URL(), commit, limits)
}

func openErr(t testing.TB, base, commit string, limits transport.Limits) error {
	t.Helper()
	snap, err := git.New(git.Options{BaseURL: base, Limits: limits}).Open(t.Context(), transport.Revision(commit), id(t, "gh:o/r"))
	if err != nil {
		return err
	}
	return snap.Close()
}

// F6: names that escape their folder, stand for .git, or stand twice refuse the listing, and the error has the name.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	names := []string{
		"..", ".", "", "a/b", ".git", ".GIT", ".Git.", ".git ", "git~1", "GIT~1", ".git::$INDEX_ALLOCATION",
		".g\u200cit", "\ufeff.git", ".gi\u206at",
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newForge(t)
			blob := f.object("blob", "evil")
			bad := f.object("tree", treeLine("100644", name, blob))
			root := f.object("tree", treeLine("40000", "skills", bad))
			err := f.open(f.commit(root), transport.Limits{})
			if !errors.Is(err, transport.ErrProtocol) || !strings.Contains(err.Error(), fmt.Sprintf("%q", name)) ||
				!strings.Contains(err.Error(), `"skills"`) {
				t.Errorf("Open = %v, want an error that names %q and its folder", err, name)
			}
		})
	}
	t.Run("twice", func(t *testing.T) {
		t.Parallel()
		f := newForge(t)
		line := treeLine("100644", "same", f.object("blob", "x"))
		err := f.open(f.commit(f.object("tree", line+line)), transport.Limits{})
		if !errors.Is(err, transport.ErrProtocol) || !strings.Contains(err.Error(), `"same"`) {
			t.Errorf("Open = %v, want an error that names the entry", err)
		}
	})
}

// F6: look-alikes that are none, and odd legal names, are read.
func TestHarmlessNames(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	blob := f.object("blob", "x")
	body := ""
	for _, name := range []string{".gitattributes", ".github", ".gitignore", "...", "git", "git~2", "~", "CON"} {
		body += treeLine("100644", name, blob)
	}
	if err := f.open(f.commit(f.object("tree", body)), transport.Limits{}); err != nil {
		t.Errorf("Open = %v", err)
	}
}

// F6: malformed trees and commits are errors, not shorter lists.
func TestMalformedObjects(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	blob := f.object("blob", "x")
	good := treeLine("100644", "a", blob)
	for name, commit := range map[string]string{
		"cut hash":     f.commit(f.object("tree", good[:len(good)-1])),
		"no mode":      f.commit(f.object("tree", good+"nonsense")),
		"bad mode":     f.commit(f.object("tree", treeLine("10x644", "a", blob))),
		"odd kind":     f.commit(f.object("tree", treeLine("20644", "a", blob))),
		"blob as tree": f.commit(f.object("tree", treeLine("40000", "a", blob))),
	} {
		if err := f.open(commit, transport.Limits{}); !errors.Is(err, transport.ErrProtocol) {
			t.Errorf("%s: Open = %v, want ErrProtocol", name, err)
		}
	}
}

// allocated returns the bytes f allocates. It is not for parallel tests.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func wantLimit(t testing.TB, err error, field string) {
	t.Helper()
	var limit *transport.LimitError
	if !errors.As(err, &limit) || limit.Field != field || !strings.Contains(err.Error(), "Limits."+field) {
		t.Errorf("got %v, want a LimitError of %s", err, field)
	}
}

// F6: a tree of repeated sub-trees that stands for 10^12 entries ends at the limit, in memory the limit bounds.
func TestTreeBomb(t *testing.T) {
	f := newForge(t)
	blob := f.object("blob", "x")
	level := f.object("tree", treeLine("100644", "f", blob))
	for range 12 {
		body := ""
		for i := range 10 {
			body += treeLine("40000", fmt.Sprint("d", i), level)
		}
		level = f.object("tree", body)
	}
	commit := f.commit(level)
	var err error
	bytes := allocated(func() { err = f.open(commit, transport.Limits{}) })
	wantLimit(t, err, "Entries")
	if bytes > 256<<20 {
		t.Errorf("%d bytes allocated", bytes)
	}
	// Empty folders multiply as well, without a single file.
	empty := f.object("tree", "")
	level = empty
	for range 12 {
		body := ""
		for i := range 10 {
			body += treeLine("40000", fmt.Sprint("d", i), level)
		}
		level = f.object("tree", body)
	}
	wantLimit(t, f.open(f.commit(level), transport.Limits{Entries: 1000}), "Entries")
}

// F6: a listing of a million entries in one folder ends at the limit.
func TestMillionEntries(t *testing.T) {
	var body []byte
	raw := bytes.Repeat([]byte{'h'}, 20)
	for i := range 1_000_000 {
		body = append(strconv.AppendInt(append(body, "100644 "...), int64(1_000_000+i), 10), 0)
		body = append(body, raw...)
	}
	commit := "tree " + hashOf("tree", string(body)) + "\n\n"
	answer := bands(pack(2, packObject(1, len(commit), []byte(commit)), packObject(2, len(body), body)))
	base := answering(t, func(w io.Writer, _ func()) { _, _ = w.Write(answer) })
	var err error
	n := allocated(func() { err = openErr(t, base, hashOf("commit", commit), transport.Limits{}) })
	wantLimit(t, err, "Entries")
	if n > 512<<20 {
		t.Errorf("%d bytes allocated", n)
	}
}

// F6: depth and path length are limits too.
func TestDeepAndLong(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	level := f.object("tree", treeLine("100644", "f", f.object("blob", "x")))
	for range 70 {
		level = f.object("tree", treeLine("40000", "d", level))
	}
	wantLimit(t, f.open(f.commit(level), transport.Limits{}), "Depth")
	long := f.object("tree", treeLine("100644", strings.Repeat("n", 5000), f.object("blob", "x")))
	wantLimit(t, f.open(f.commit(long), transport.Limits{}), "PathBytes")
}

// F6: the name of a folder that is long, and repeated in the path of each file below it, ends at the limit.
func TestPathBomb(t *testing.T) {
	f := newForge(t)
	blob := f.object("blob", "x")
	body := ""
	for i := range 3000 {
		body += treeLine("100644", fmt.Sprintf("f%06d", i), blob)
	}
	root := f.object("tree", treeLine("40000", strings.Repeat("d", 3900), f.object("tree", body)))
	commit := f.commit(root)
	var err error
	n := allocated(func() { err = f.open(commit, transport.Limits{ListingBytes: 1 << 20}) })
	wantLimit(t, err, "ListingBytes")
	if n > 8<<20 {
		t.Errorf("%d bytes allocated", n)
	}
	if err := f.open(commit, transport.Limits{}); err != nil {
		t.Errorf("Open = %v", err)
	}
}

// F6: what a walk tree by tree keeps has one limit for all levels.
func TestWalkBomb(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	blob := f.object("blob", "x")
	junk := strings.Repeat(treeLine("100644", "b", blob), 30_000)
	level := f.object("tree", treeLine("100644", "SKILL.md", blob))
	for range 4 {
		level = f.object("tree", treeLine("40000", "a", level)+junk)
	}
	s := serve(t, f.u)
	tr := git.New(git.Options{BaseURL: s.URL(), WalkAfter: 1, Limits: transport.Limits{ListingBytes: 1 << 20}})
	_, err := tr.Open(t.Context(), transport.Revision(f.commit(level)), id(t, "gh:o/r/a/a/a/a"))
	wantLimit(t, err, "ListingBytes")
}

// F6: what a hostile name or folder adds to an error is short.
func TestHostileNamesAreCut(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	blob := f.object("blob", "x")
	long := strings.Repeat("n", 1<<20)
	for name, body := range map[string]string{
		"dot git": treeLine("100644", ".git:"+strings.Repeat("n", 4000), blob),
		"slash":   treeLine("40000", strings.Repeat("d", 2000), f.object("tree", treeLine("100644", "/"+strings.Repeat("n", 2000), blob))),
		"twice":   strings.Repeat(treeLine("100644", strings.Repeat("n", 4000), blob), 2),
		"walked":  treeLine("100644", ".git:"+long, blob),
		"mode":    treeLine(strings.Repeat("0", 1<<20)+"170000", "x", blob),
	} {
		s := serve(t, f.u)
		for _, at := range []string{"gh:o/r", "gh:o/r/a"} {
			_, err := git.New(git.Options{BaseURL: s.URL()}).Open(t.Context(), transport.Revision(f.commit(f.object("tree", body))), id(t, at))
			if at == "gh:o/r" && err == nil {
				t.Errorf("%s: Open succeeded", name)
			}
			if err != nil && len(err.Error()) > 2000 {
				t.Errorf("%s at %s: an error of %d bytes", name, at, len(err.Error()))
			}
		}
	}
}

// F6: the limits of bodies hold before a body is held.
func TestBodyLimits(t *testing.T) {
	t.Parallel()
	s, repo := upstream(t)
	commit := repo.Commit("main", oneSkill)
	for field, limits := range map[string]transport.Limits{
		"BlobBytes": {BlobBytes: 9999}, "FetchBytes": {FetchBytes: 9999},
	} {
		snap := open(t, git.New(git.Options{BaseURL: s.URL, Limits: limits}), commit, "gh:o/r")
		called := false
		err := snap.Fetch(t.Context(), tree(t, snap, "gh:o/r").Entries, func(transport.Entry, io.Reader) error {
			called = true
			return nil
		})
		wantLimit(t, err, field)
		if called {
			t.Errorf("%s: a body was put", field)
		}
	}
}
