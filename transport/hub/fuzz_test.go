package hub_test

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/hub"
)

// FuzzAnswers hands the same bytes to the client as a menu and as a listing. Whatever it accepts can be addressed, stays
// inside its folder and is in order.
func FuzzAnswers(f *testing.F) {
	sum := digest([]byte(skillText))
	for _, seed := range []string{
		`[]`, `[{"path":"gh:o/r/x","name":"x","description":"y"},{"path":"o/n"},{"path":"../x"}]`, `{"path":1}`, `[null]`, `[[`,
		`[{"path":"SKILL.md","size":32,"mode":"100644","sha256":"` + sum + `"},{"path":"a/b","mode":"100755","sha256":"` + sum + `"}]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		h := newClient(t, "http://hub.example", func(o *hub.Options) {
			o.Limits = transport.Limits{Entries: 1000, ListingBytes: 64 << 10, AnswerBytes: 64 << 10}
			o.Client = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
				resp := &http.Response{StatusCode: 200, Header: http.Header{}, Request: r, Body: http.NoBody, ContentLength: -1}
				switch {
				case r.URL.Path == "/o/list":
					resp.StatusCode = 404
				case r.URL.RawQuery == "":
					resp.Body = io.NopCloser(strings.NewReader(skillText))
				default:
					resp.Header.Set("Content-Type", "application/json")
					resp.Body = io.NopCloser(bytes.NewReader(body))
				}
				return resp, nil
			})}
		})
		for _, at := range []string{"hub:o/list", "hub:o/skill"} {
			head, err := h.Head(t.Context(), id(t, at))
			if err != nil {
				continue
			}
			snap, err := h.Open(t.Context(), head.Revision, id(t, at))
			if err != nil {
				continue
			}
			tree, err := snap.Tree(id(t, at))
			if err != nil {
				t.Fatal(err)
			}
			checkTree(t, tree)
			if at == "hub:o/skill" && len(tree.Entries) == 0 {
				t.Error("a skill without entries")
			}
		}
	})
}

func checkTree(t *testing.T, tree transport.Tree) {
	t.Helper()
	for _, r := range tree.Rows {
		again, err := skill.ParseRef(r.Ref.String())
		if err != nil || again != r.Ref || r.Ref.ID.Scheme() == skill.Local || r.Ref.Save || r.Ref.Install || r.Ref.Index {
			t.Errorf("row %+v: %v", r, err)
		}
	}
	for i, e := range tree.Entries {
		if i > 0 && e.Path <= tree.Entries[i-1].Path {
			t.Errorf("%q after %q", e.Path, tree.Entries[i-1].Path)
		}
		for seg := range strings.SplitSeq(e.Path, "/") {
			if skill.CheckSegment(seg) != nil || strings.EqualFold(seg, ".git") {
				t.Errorf("path %q", e.Path)
			}
		}
	}
	if !slices.IsSorted(tree.Skipped) && len(tree.Entries) > 0 {
		t.Errorf("skipped %q", tree.Skipped)
	}
}
