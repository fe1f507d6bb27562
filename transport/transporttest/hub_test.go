package transporttest_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/transporttest"
)

// H3: what the caller has is fresh where the test says so, and upstream is not asked then.
func TestFakeFresh(t *testing.T) {
	t.Parallel()
	u, err := transporttest.NewUpstream(bothSchemes)
	if err != nil {
		t.Fatal(err)
	}
	fake := transporttest.NewFake(u)
	notes := parseID(t, "hub:acme/notes")
	fake.SetOffline(true)
	fake.SetFresh(func(id skill.ID, known transport.Known) bool { return id == notes && known.Revision == "mine" })
	if head, err := fake.HeadSince(t.Context(), notes, transport.Known{Revision: "mine"}); err != nil || head.Revision != "mine" {
		t.Errorf("HeadSince = %+v, %v", head, err)
	}
	for _, known := range []transport.Known{{}, {Revision: "another"}} {
		if _, err := fake.HeadSince(t.Context(), notes, known); !errors.Is(err, transport.ErrUnreachable) {
			t.Errorf("HeadSince(%+v) = %v, want upstream to be asked", known, err)
		}
	}
}

// H4: a hub entry has a visibility, a repository none.
func TestFakeVisibility(t *testing.T) {
	t.Parallel()
	u, err := transporttest.NewUpstream(bothSchemes)
	if err != nil {
		t.Fatal(err)
	}
	fake := transporttest.NewFake(u)
	for text, want := range map[string]transport.Visibility{"hub:acme/notes": transport.Private, "gh:acme/skills": ""} {
		id := parseID(t, text)
		if err := u.SetVisibility(text, transport.Private); err != nil {
			t.Fatal(err)
		}
		if head, err := fake.Head(t.Context(), id); err != nil || head.Visibility != want {
			t.Errorf("Head(%s) = %+v, %v; want visibility %q", id, head, err, want)
		}
	}
	if err := u.SetVisibility("hub:acme/nowhere", transport.Public); err == nil {
		t.Error("an entry that is not there has a visibility")
	}
}

// H5: an entry is a playlist while .playlist is all it holds.
func TestFakePlaylist(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, archive string
		rows          []string
		skipped       []string
		entries       int
	}{
		{"rows and lines", ".playlist --\n\ufeffname: x\r\n\r\n# no\r\ngh:a/b/c\tsays so\r\na/b:save\r\nname: late\r\nA/B\r\n",
			[]string{"gh:a/b/c says so", "hub:a/b "}, []string{"a/b:save", "name: late"}, 0},
		{"a skill too", ".playlist --\nacme/x\n-- hub:acme/list/SKILL.md --\nSkill.\n", nil, nil, 2},
		{"nothing in it", ".playlist --\n", nil, nil, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			u, err := transporttest.NewUpstream("-- hub:acme/list/" + tt.archive)
			if err != nil {
				t.Fatal(err)
			}
			fake, id := transporttest.NewFake(u), parseID(t, "hub:acme/list")
			head, err := fake.Head(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			snap, err := fake.Open(t.Context(), head.Revision, id)
			if err != nil {
				t.Fatal(err)
			}
			defer snap.Close()
			tree, err := snap.Tree(id)
			if err != nil {
				t.Fatal(err)
			}
			var rows []string
			for _, r := range tree.Rows {
				rows = append(rows, r.Ref.ID.String()+" "+r.Description)
			}
			if diff := cmp.Diff(tt.rows, rows); diff != "" || len(tree.Entries) != tt.entries {
				t.Errorf("%d entries, rows (-want +got):\n%s", len(tree.Entries), diff)
			}
			if diff := cmp.Diff(tt.skipped, tree.Skipped); diff != "" {
				t.Errorf("skipped (-want +got):\n%s", strings.TrimSpace(diff))
			}
		})
	}
}
