package git_test

import (
	"testing"

	"github.com/atskills-go/atskills/internal/gittest"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport/git"
)

// R9: the review page is on the host that is read from, without what the base URL keeps secret (X5).
func TestWebURL(t *testing.T) {
	t.Parallel()
	id, err := skill.ParseID("gh:o/r/a b")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ base, want string }{
		{"", "https://github.com/o/r/tree/abc/a%20b"},
		{"https://git.example/base/", "https://git.example/base/o/r/tree/abc/a%20b"},
		{"https://user:secret@git.example", "https://git.example/o/r/tree/abc/a%20b"},
		{"http://127.0.0.1:80", "https://github.com/o/r/tree/abc/a%20b"}, // stands for GitHub
		{"http://localhost", "https://github.com/o/r/tree/abc/a%20b"},
		{"ssh://git@git.example", ""},
		{"file:///srv/git", ""},
		{"http://[bad", ""},
	}
	for _, tt := range tests {
		if got := git.New(git.Options{BaseURL: tt.base}).WebURL(id, "abc"); got != tt.want {
			t.Errorf("WebURL with base %q = %q, want %q", tt.base, got, tt.want)
		}
	}
}

// A server may close a connection that was kept for the next request: the request goes to a new one.
func TestKeptConnectionClosed(t *testing.T) {
	t.Parallel()
	s := gittest.NewServer(t)
	gittest.NewRepo(t, s.Root, "o/r").Commit("main", gittest.Text(map[string]string{"SKILL.md": "x"}))
	id, err := skill.ParseID("gh:o/r")
	if err != nil {
		t.Fatal(err)
	}
	tr := git.New(git.Options{BaseURL: s.URL})
	for range 30 {
		if _, err := tr.Head(t.Context(), id); err != nil {
			t.Fatalf("Head error: %v", err)
		}
		s.CloseClientConnections()
	}
}
