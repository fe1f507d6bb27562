package transporttest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

// A probe that says what the caller has learns what a plain one does: unchanged, changed, gone (H3, C4, C5). What was
// fetched at the zero time counts as fresh nowhere, so that each of these asks upstream.
func testHeadSince(s *suite) {
	since := func(rev transport.Revision) (transport.Head, error) {
		return s.tr.(transport.Conditional).HeadSince(s.Context(), s.deploy(), transport.Known{Revision: rev})
	}
	first := s.head(s.deploy())
	for _, rev := range []transport.Revision{first.Revision, "another", ""} {
		if got, err := since(rev); err != nil || got.Revision != first.Revision {
			s.Errorf("HeadSince(%q) = %+v, %v; want revision %s", rev, got, err, first.Revision)
		}
	}
	s.change("SKILL.md", "changed\n")
	second := s.head(s.deploy()).Revision
	if got, err := since(first.Revision); err != nil || got.Revision != second || second == first.Revision {
		s.Errorf("HeadSince(%q) after a change = %+v, %v; want revision %s", first.Revision, got, err, second)
	}
	ctx, cancel := context.WithCancel(s.Context())
	cancel()
	if _, err := transport.HeadSince(ctx, s.tr, s.deploy(), transport.Known{Revision: second}); !errors.Is(err, context.Canceled) {
		s.Errorf("HeadSince = %v, want %v", err, context.Canceled)
	}
	s.up.Remove(s.name())
	if _, err := since(second); !errors.Is(err, transport.ErrNotFound) || errors.Is(err, transport.ErrUnreachable) {
		s.Errorf("HeadSince of a removed origin = %v, want ErrNotFound", err)
	}
}

// A playlist has rows in the list's order and no entries; whatever is no reference is skipped (H5, G11).
func testPlaylist(s *suite) {
	id := s.id("hub:acme/starter")
	first := s.head(id).Revision
	snap := s.open(id)
	tree := s.tree(snap, id)
	want := []transport.Row{
		s.row("gh:acme/skills/team/test", "test", "Runs what should run."),
		s.row("hub:acme/deploy", "deploy", "Ships: a build."),
		s.row("gh:acme/skills/team/", "team", "All of the team's."),
		s.row("gh:acme/skills/Team%20X/%C3%BCn%C3%AF%20(1)", "ünï (1)", ""),
	}
	s.equal("rows", want, tree.Rows)
	other := func(name string) bool { return !strings.Contains(name, "../escape") } // upstream may leave it out by itself
	if len(tree.Entries) != 0 || tree.Partial || slices.ContainsFunc(tree.Skipped, other) {
		s.Errorf("a playlist has entries %q, partial %v, skipped %q; want at most the row that is no reference", paths(tree), tree.Partial, tree.Skipped)
	}
	if got := s.fetched(snap, nil); len(got) != 0 {
		s.Errorf("a playlist has bodies %q", got)
	}
	s.setPlaylist(id, "hub:acme/deploy Ships.\n")
	if second := s.head(id).Revision; second == first {
		s.Error("the revision is the same after the list changed")
	}
	s.equal("rows", []transport.Row{s.row("hub:acme/deploy", "deploy", "Ships.")}, s.tree(s.open(id), id).Rows)
}

// Who may read an entry is told as upstream says, and not at all when it does not (H4).
func testVisibility(s *suite) {
	if got := s.head(s.deploy()).Visibility; got != "" {
		s.Errorf("visibility = %q where upstream says nothing", got)
	}
	for _, want := range []transport.Visibility{transport.Private, transport.Public} {
		if err := s.up.SetVisibility(s.name(), want); err != nil {
			s.Fatal(err)
		}
		if got := s.head(s.deploy()).Visibility; got != want {
			s.Errorf("visibility = %q, want %q", got, want)
		}
	}
}

func (s *suite) setPlaylist(id skill.ID, text string) {
	s.Helper()
	if _, err := s.up.Commit(id.String(), time.Time{}, map[string]File{playlistFile: {Body: text}}); err != nil {
		s.Fatal(err)
	}
}

func (s *suite) row(ref, name, description string) transport.Row {
	s.Helper()
	parsed, err := skill.ParseRef(ref)
	if err != nil {
		s.Fatal(err)
	}
	return transport.Row{Ref: parsed, Name: name, Description: description}
}
