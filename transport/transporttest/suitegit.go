package transporttest

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/atskills-go/atskills/transport"
)

// Where nothing stands, the listing is no error, its Tree matches ErrNoPath, and the ancestors say what is there (R4).
func testNoPath(s *suite) {
	for _, text := range []string{
		"gh:acme/skills/team/nothing/here", // an ancestor is a folder
		"gh:acme/skills/deploy/SKILL.md",   // a file is no folder
		"gh:acme/skills/modes/sub",         // nor is a submodule
		"gh:acme/skills/Deploy",            // gh: ids keep their case (G3)
	} {
		id := s.id(text)
		snap := s.open(id)
		if _, err := snap.Tree(id); !errors.Is(err, transport.ErrNoPath) {
			s.Errorf("Tree(%s) = %v, want ErrNoPath", id, err)
		}
		root := s.tree(snap, id.Origin())
		children := map[string]bool{}
		for _, e := range root.Entries {
			name, rest, nested := strings.Cut(e.Path, "/")
			if root.Partial && (nested || rest != "") {
				s.Errorf("a partial tree has %q", e.Path)
			}
			children[name] = true
		}
		for _, name := range []string{"README.md", "Team X", "deploy", "modes", "team"} {
			if !children[name] {
				s.Errorf("the root of %s does not show %q", id, name)
			}
		}
	}
}

// Several ids of one origin share a listing, overlapping ones too, and one fetch takes entries of all of them (C11).
func testSeveralIDs(s *suite) {
	deploy, test, team := s.deploy(), s.id("gh:acme/skills/team/test"), s.id("gh:acme/skills/team")
	nothing := s.id("gh:acme/skills/nothing")
	snap := s.open(deploy, test, nothing, team, deploy)
	var want []transport.Entry
	for _, c := range []struct{ got, want []string }{
		{paths(s.tree(snap, deploy)), []string{"SKILL.md", "a-b.txt", "a.txt", "a/note.txt"}},
		{paths(s.tree(snap, test)), []string{"SKILL.md"}},
		{paths(s.tree(snap, team)), []string{"test/SKILL.md"}},
	} {
		s.equal("paths", c.want, c.got)
	}
	if _, err := snap.Tree(nothing); !errors.Is(err, transport.ErrNoPath) {
		s.Errorf("Tree(%s) = %v, want ErrNoPath", nothing, err)
	}
	want = append(want, s.tree(snap, deploy).Entries[2:]...)
	want = append(want, s.tree(snap, team).Entries...)
	got := s.fetched(snap, want)
	s.equal("bodies", map[string]string{"a.txt": "second\n", "a/note.txt": "same\n", "test/SKILL.md": "test\n"}, got)
	root := deploy.Origin()
	whole := s.tree(s.open(root), root)
	s.equal("bodies in the whole repository", len(s.want(s.name(), s.up.Tip(s.name()), "")), len(bodies(whole)))
}

// Modes arrive as they are upstream; a link's body is its target (F2, W3).
func testModes(s *suite) {
	id := s.id("gh:acme/skills/modes")
	snap := s.open(id)
	tree := s.tree(snap, id)
	got := map[string]transport.Mode{}
	for _, e := range tree.Entries {
		got[e.Path] = e.Mode
	}
	want := map[string]transport.Mode{
		"link": transport.Symlink, "plain": transport.Regular, "run.sh": transport.Executable, "sub": transport.Submodule,
	}
	s.equal("modes", want, got)
	if got := s.fetched(snap, bodies(tree))["link"]; got != "../deploy/SKILL.md" {
		s.Errorf("body of the link = %q, want its target", got)
	}
}

// Spaces, brackets and other scripts are names like any other; a name no id can hold is told apart (G7, G12).
func testNames(s *suite) {
	id := s.id("gh:acme/skills/Team X/ünï (1)")
	if got := paths(s.tree(s.open(id), id)); !slices.Equal(got, []string{"SKILL.md"}) {
		s.Errorf("paths = %q", got)
	}
	s.change("back\\slash/SKILL.md", "unusable\n")
	tree := s.tree(s.open(s.deploy()), s.deploy())
	if len(tree.Entries) != 4 || len(tree.Skipped) == 0 || !strings.HasPrefix(tree.Skipped[0], `back\slash`) {
		s.Errorf("entries %q, skipped %q; want the name with a backslash skipped, unquoted", paths(tree), tree.Skipped)
	}
}

// A revision before the newest can be listed and fetched by its hash (F3, S4).
func testPinned(s *suite) {
	old := s.up.Log(s.name())[1]
	team := s.id("gh:acme/skills/team")
	snap := s.openAt(transport.Revision(old), team, s.deploy())
	if got := paths(s.tree(snap, team)); !slices.Equal(got, []string{"lint/SKILL.md", "test/SKILL.md"}) {
		s.Errorf("paths at the old revision = %q", got)
	}
	got := s.fetched(snap, bodies(s.tree(snap, s.deploy())))
	s.equal("bodies at the old revision", s.want(s.name(), old, "deploy/"), got)
	// After a force push the commit that lost its branch is still there.
	tip := s.up.Tip(s.name())
	if err := s.up.Reset(s.name(), old); err != nil {
		s.Fatal(err)
	}
	if got := s.head(s.deploy()).Revision; string(got) != old {
		s.Errorf("Head after a force push = %s, want %s", got, old)
	}
	tree := s.tree(s.openAt(transport.Revision(tip), s.deploy()), s.deploy())
	if len(tree.Entries) != 4 {
		s.Errorf("paths at the commit no branch reaches = %q", paths(tree))
	}
}

// A revision upstream does not have is neither "not found" nor "unreachable" (S4).
func testNoRevision(s *suite) {
	dropped := s.up.Tip(s.name())
	if err := s.up.Reset(s.name(), s.up.Log(s.name())[1]); err != nil {
		s.Fatal(err)
	}
	if err := s.up.Forget(s.name(), dropped); err != nil {
		s.Fatal(err)
	}
	for _, rev := range []string{dropped, strings.Repeat("0123", 10)} {
		snap, err := s.tr.Open(s.Context(), transport.Revision(rev), s.deploy())
		if !errors.Is(err, transport.ErrNoRevision) || errors.Is(err, transport.ErrUnreachable) {
			s.Errorf("Open at %s = %v, want ErrNoRevision", rev, err)
		}
		if err == nil {
			snap.Close()
		}
	}
}

// A repository without commits has words of its own (F5).
func testEmpty(s *suite) {
	_, err := s.tr.Head(s.Context(), s.id("gh:acme/empty"))
	var e *transport.Error
	if !errors.Is(err, transport.ErrNotFound) || !errors.As(err, &e) || e.Cause != transport.CauseEmpty {
		s.Errorf("Head of an empty repository = %v, want ErrNotFound and CauseEmpty", err)
	}
}

// A renamed repository is followed, and the new address told (F5).
func testMoved(s *suite) {
	if err := s.up.Rename(s.name(), "acme/renamed"); err != nil {
		s.Fatal(err)
	}
	if head := s.head(s.deploy()); !strings.Contains(head.Moved, "acme/renamed") {
		s.Errorf("Head = %+v, want the new address", head)
	}
	snap := s.open(s.deploy())
	if got := s.fetched(snap, bodies(s.tree(snap, s.deploy()))); len(got) != 4 {
		s.Errorf("bodies of the renamed repository: %q", got)
	}
}

// "No access" and a hidden repository are answers, not outages (C5).
func testDenied(s *suite) {
	for _, c := range []struct {
		hide bool
		want []error
	}{
		{false, []error{transport.ErrNoAccess}},
		{true, []error{transport.ErrNotFound, transport.ErrNoAccess}},
	} {
		if err := s.up.SetAccess(s.name(), &Access{Password: "secret", Hide: c.hide}); err != nil {
			s.Fatal(err)
		}
		_, err := s.tr.Head(s.Context(), s.deploy())
		matches := func(want error) bool { return errors.Is(err, want) }
		if !slices.ContainsFunc(c.want, matches) || errors.Is(err, transport.ErrUnreachable) {
			s.Errorf("Head of a private repository = %v, want one of %v", err, c.want)
		}
	}
}

// Branch names hold slashes (G5).
func testBranches(s *suite) {
	lister, ok := s.tr.(transport.BranchLister)
	if !ok {
		s.Skip("the transport does not list branches")
	}
	for _, name := range []string{"release/1.0/fix", "dev"} {
		if err := s.up.Branch(s.name(), name, s.up.Tip(s.name())); err != nil {
			s.Fatal(err)
		}
	}
	got, err := lister.Branches(s.Context(), s.deploy())
	slices.Sort(got)
	if err != nil {
		s.Fatalf("Branches: %v", err)
	}
	s.equal("branches", []string{"dev", "main", "release/1.0/fix"}, got)
}

// A folder's hash is the same exactly as long as its content is (C9).
func testSameTree(s *suite) {
	first := s.tree(s.open(s.deploy()), s.deploy())
	if _, err := s.up.Commit(s.name(), time.Time{}, map[string]File{"README.md": {Body: "elsewhere\n"}}); err != nil {
		s.Fatal(err)
	}
	second := s.tree(s.open(s.deploy()), s.deploy())
	s.change("a.txt", "third\n")
	third := s.tree(s.open(s.deploy()), s.deploy())
	if first.Hash != second.Hash || first.Hash != "" && first.Hash == third.Hash {
		s.Errorf("hashes %q, %q after a change elsewhere, %q after a change here", first.Hash, second.Hash, third.Hash)
	}
	s.equal("entries after a change elsewhere", first.Entries, second.Entries)
}
