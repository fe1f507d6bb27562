package hub_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/go-git/go-billy/v5/memfs"
	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/internal/fstest"
	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/hub"
)

// assets serves a skill with the files a, big and z, of which answer serves big. Sizes are listed unless unsized.
func assets(t *testing.T, big string, unsized bool, answer http.HandlerFunc) string {
	t.Helper()
	files := map[string]string{"SKILL.md": skillText, "a": "a\n", "big": big, "z": "z\n"}
	var rows []string
	for _, path := range []string{"SKILL.md", "a", "big", "z"} {
		size := `"size":` + strconv.Itoa(len(files[path])) + `,`
		if unsized {
			size = ""
		}
		rows = append(rows, fmt.Sprintf(`{"path":%q,%s"mode":"100644","sha256":%q}`, path, size, digest([]byte(files[path]))))
	}
	return newFront(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"e"`)
		path := strings.TrimPrefix(r.URL.Path, "/o/n")
		switch {
		case r.URL.Query().Has("files"):
			reply(w, 200, "application/json", "["+strings.Join(rows, ",")+"]")
		case path == "":
			reply(w, 200, "text/markdown", skillText)
		case path == "/big" && answer != nil:
			answer(w, r)
		default:
			reply(w, 200, "application/octet-stream", files[path[1:]])
		}
	})
}

// fetchAll fetches the skill at base and returns what was put of each file, and the error.
func fetchAll(ctx context.Context, t *testing.T, base string, limits transport.Limits, put func(transport.Entry, io.Reader) error) error {
	t.Helper()
	h := newClient(t, base, func(o *hub.Options) { o.Limits = limits })
	head, err := h.Head(t.Context(), id(t, "hub:o/n"))
	if err != nil {
		t.Fatal(err)
	}
	snap, err := h.Open(t.Context(), head.Revision, id(t, "hub:o/n"))
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	tree, err := snap.Tree(id(t, "hub:o/n"))
	if err != nil {
		t.Fatal(err)
	}
	return snap.Fetch(ctx, tree.Entries, put)
}

const bigText = "0123456789abcdef"

// small are limits under which the file big of assets is not held.
var small = transport.Limits{AnswerBytes: 1 << 10}

// F6: a file that is not held in memory ends well only when it is the one that was listed: its last bytes come after that
// was seen. It is asked for again only before any of it was put.
func TestStreamedFile(t *testing.T) {
	t.Parallel()
	big := strings.Repeat(bigText, 10<<10)
	body := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { reply(w, 200, "", text) }
	}
	asked := 0
	tests := map[string]struct {
		answer  http.HandlerFunc
		unsized bool
		limits  transport.Limits
		kind    error // nil for a *transport.LimitError when there is a text
		text    string
	}{
		"good":    {nil, false, small, nil, ""},
		"unsized": {nil, true, small, nil, ""},
		"compressed": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			reply(w, 200, "", string(gzipped([]byte(big))))
		}, false, small, nil, ""},
		"other bytes":   {body(strings.Repeat("x", len(big))), false, small, transport.ErrProtocol, "digest is not"},
		"other at last": {body(big[1:] + "x"), true, small, transport.ErrProtocol, "digest is not"},
		"fewer":         {body(big[:len(big)-1]), false, small, transport.ErrProtocol, "where the hub's listing says"},
		"more":          {body(big + "x"), false, small, transport.ErrProtocol, "where the hub's listing says"},
		"none":          {body(""), false, small, transport.ErrProtocol, "has 0 bytes"},
		"cut off": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", strconv.Itoa(len(big)))
			_, _ = io.WriteString(w, big[:len(big)/2])
		}, false, small, transport.ErrProtocol, "ended early"},
		"gone": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) }, false, small, transport.ErrNoRevision, "does not serve it any more"},
		"no gzip": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "br")
			w.WriteHeader(200)
		}, false, small, transport.ErrProtocol, "encoded"},
		"too long": {nil, true, transport.Limits{AnswerBytes: 1 << 10, BlobBytes: 100 << 10}, nil, "Limits.BlobBytes"},
		"too much": {nil, true, transport.Limits{AnswerBytes: 1 << 10, FetchBytes: 100 << 10}, nil, "Limits.FetchBytes"},
		"endless": {func(w http.ResponseWriter, _ *http.Request) {
			for {
				if _, err := io.WriteString(w, big); err != nil {
					return
				}
			}
		}, true, transport.Limits{AnswerBytes: 1 << 10, BlobBytes: 1 << 20}, nil, "Limits.BlobBytes"},
		"busy at first": {func(w http.ResponseWriter, _ *http.Request) {
			if asked++; asked == 1 {
				w.WriteHeader(503)
				return
			}
			reply(w, 200, "", big)
		}, false, small, nil, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := map[string]int{}
			err := fetchAll(t.Context(), t, assets(t, big, tt.unsized, tt.answer), tt.limits, func(e transport.Entry, r io.Reader) error {
				if _, again := got[e.Path]; again {
					t.Errorf("%s is put twice", e.Path)
				}
				b, err := io.ReadAll(r)
				got[e.Path] = len(b)
				if err == nil && e.Path == "big" && string(b) != big {
					t.Errorf("%d bytes of big end well", len(b))
				}
				return err
			})
			if tt.text == "" {
				want := map[string]int{"SKILL.md": len(skillText), "a": 2, "big": len(big), "z": 2}
				if diff := cmp.Diff(want, got); diff != "" || err != nil {
					t.Errorf("%v %s", err, diff)
				}
				return
			}
			var limit *transport.LimitError
			if tt.kind == nil && !errors.As(err, &limit) || tt.kind != nil && !errors.Is(err, tt.kind) || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("Fetch = %v, want %q", err, tt.text)
			}
			if got["z"] != 0 {
				t.Error("the fetch went on")
			}
		})
	}
}

// What put returns stops a fetch and is returned; what it leaves unread is checked all the same; and the end of the context
// ends a file in the middle.
func TestStreamedPut(t *testing.T) {
	t.Parallel()
	big := strings.Repeat(bigText, 10<<10)
	full := errors.New("the disk is full")
	err := fetchAll(t.Context(), t, assets(t, big, false, nil), small, func(e transport.Entry, r io.Reader) error {
		if e.Path != "big" {
			return discard(e, r)
		}
		_, _ = io.ReadFull(r, make([]byte, 10))
		return full
	})
	if err != full { //nolint:errorlint // it is returned as it is
		t.Errorf("a put that fails: %v", err)
	}
	unread := func(e transport.Entry, r io.Reader) error {
		if e.Path != "big" {
			return discard(e, r)
		}
		return nil
	}
	if err := fetchAll(t.Context(), t, assets(t, big, false, nil), small, unread); err != nil {
		t.Errorf("a put that does not read: %v", err)
	}
	wrong := assets(t, big, false, func(w http.ResponseWriter, _ *http.Request) { reply(w, 200, "", big[1:]+"x") })
	if err := fetchAll(t.Context(), t, wrong, small, unread); !errors.Is(err, transport.ErrProtocol) {
		t.Errorf("a put that does not read the wrong file: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err = fetchAll(ctx, t, assets(t, big, false, nil), small, func(e transport.Entry, r io.Reader) error {
		if e.Path == "big" {
			cancel()
		}
		return discard(e, r)
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a fetch whose context ends: %v", err)
	}
}

// A mirror and its client agree on how large a file may be: one beyond what is held in memory comes, with the limits that
// both have when none is set.
func TestMirrorClientAsset(t *testing.T) {
	t.Parallel()
	fsys := fsx.Locked(memfs.New())
	asset := strings.Repeat(bigText, 9<<16)
	fstest.Write(t, fsys, "acme/video", fstest.Tree{"SKILL.md": mirrorSkill("video", "Shows it."), "intro.mp4": asset, "z.md": "z\n"})
	m := newWatched(t, fsys, hub.HandlerOptions{})
	_, tree, got := read(t, m.client(""), "hub:acme/video")
	if len(tree.Entries) != 3 || got["intro.mp4"] != asset || got["z.md"] != "z\n" {
		t.Errorf("%+v, %d bytes", tree.Entries, len(got["intro.mp4"]))
	}
}
