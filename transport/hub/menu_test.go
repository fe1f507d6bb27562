package hub_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/hub"
)

// rowsOf returns a playlist's tree.
func rowsOf(t *testing.T, h *hub.Hub, at string) (transport.Head, transport.Tree) {
	t.Helper()
	head, tree, _ := read(t, h, at)
	if len(tree.Entries) != 0 {
		t.Errorf("%s has entries: %+v", at, tree.Entries)
	}
	return head, tree
}

// H5, G11: a playlist's rows keep their own ids, its order and its words. It is two requests, and none to list.
func TestPlaylist(t *testing.T) {
	t.Parallel()
	s := newServer(t, archive(t, deploy), habits{})
	s.lists["acme/starter"] = `[
		{"path":"gh:acme/skills/Deploy App","name":"deploy","description":"Ships\n a build."},
		{"path":"hub:Acme/Notes","name":"notes","description":"","extra":[1]},
		{"path":"acme/deploy"},
		{"path":"gh:acme/tools/","name":"all"},
		{"path":"hub:acme/notes","name":"again"}
	]`
	h := s.client(t)
	head, tree := rowsOf(t, h, "hub:acme/starter")
	if want := digest([]byte(s.lists["acme/starter"])); string(head.Revision) != want {
		t.Errorf("revision %q, want %q", head.Revision, want)
	}
	var got []string
	for _, r := range tree.Rows {
		got = append(got, fmt.Sprintf("%s|%s|%s", r.Ref, r.Name, r.Description))
	}
	want := []string{
		"@skills:gh:acme/skills/Deploy%20App|deploy|Ships\n a build.", "@skills:hub:acme/notes|notes|",
		"@skills:hub:acme/deploy||", "@skills:gh:acme/tools/|all|",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	log := s.requests()
	if len(log) != 2 || !strings.HasPrefix(log[0], "/acme/starter 404") || !strings.HasPrefix(log[1], "/?prefix=acme%2Fstarter%2F 200") {
		t.Errorf("requests %q", log)
	}
	if _, err := h.HeadSince(t.Context(), id(t, "hub:acme/starter"), transport.Known{Revision: head.Revision}); err != nil {
		t.Error(err)
	}
	if log := s.requests(); len(log) != 2 || log[1] != "/?prefix=acme%2Fstarter%2F 304 0" {
		t.Errorf("requests when nothing changed: %q", log)
	}
	// A client that never probed can open it at its revision, and no other.
	if snap, err := s.client(t).Open(t.Context(), head.Revision, id(t, "hub:acme/starter")); err != nil {
		t.Error(err)
	} else if tree, err := snap.Tree(id(t, "hub:acme/starter")); err != nil || len(tree.Rows) != 4 {
		t.Errorf("tree %+v, %v", tree, err)
	}
	if _, err := s.client(t).Open(t.Context(), "other", id(t, "hub:acme/starter")); !errors.Is(err, transport.ErrNoRevision) {
		t.Errorf("Open at another revision = %v", err)
	}
}

// H5: what is no reference to something with an upstream is skipped, as it stands, and harms no other row.
func TestForgedRows(t *testing.T) {
	t.Parallel()
	forged := []string{
		"../x", "../../x/y", "gh:", "gh:o", "gh:o/../x", "hub:", "hub:o", "hub:o/n/x", "o", "o/n/x", "./o/n", "/o/n", "",
		"gh:o/r/x\nhub:a/b", "gh:o/r/\x1b[31m", "gh:o/r/\u0085x", "gh:o/r/x\\y", "hub:o/n\x00", "gh:o/r/\ufffd",
		"gh:o/r/x:save", "hub:o/n:install", "o/n:index", "@skills:gh:o/r/x", "@skills:o/n", "@workflow:o/n",
		".atskills/x", "C:/x", "file:///etc/passwd", "https://evil.example/o/r", "https://github.com/o/r", "gh:https://evil.example/o/r",
		"gh:https://me:pw@github.com/o/r", "gh:o/r/tree/main/x", " gh:o/r/x", "gh:o/r/x ", "git:o/r", "hub:https://x/y", "acme/starter", "HUB:acme/starter/",
		"gh:o/r/" + strings.Repeat("x", 5000),
	}
	var rows []map[string]string
	for _, p := range forged {
		rows = append(rows, map[string]string{"path": p, "name": "n"})
	}
	rows = append(rows, map[string]string{"path": "gh:o/r/good", "name": "good"})
	list, err := json.Marshal(rows)
	if err != nil {
		t.Fatal(err)
	}
	s := newServer(t, archive(t, deploy), habits{})
	s.lists["acme/starter"] = string(list)
	_, tree := rowsOf(t, s.client(t), "hub:acme/starter")
	if diff := cmp.Diff(forged, tree.Skipped); diff != "" {
		t.Errorf("skipped (-want +got):\n%s", diff)
	}
	if len(tree.Rows) != 1 || tree.Rows[0].Ref.ID != id(t, "gh:o/r/good") {
		t.Errorf("rows %+v", tree.Rows)
	}
}

// H2: where neither a skill nor a row stands, nothing is found, whatever else the hub answers about menus.
func TestNoPlaylist(t *testing.T) {
	t.Parallel()
	answers := map[string]http.HandlerFunc{
		"empty array": func(w http.ResponseWriter, _ *http.Request) { reply(w, 200, "application/json", "[]") },
		"404":         http.NotFound,
		"403":         func(w http.ResponseWriter, _ *http.Request) { reply(w, 403, "text/xml", "<Error/>") },
		"405":         func(w http.ResponseWriter, _ *http.Request) { reply(w, 405, "", "") },
		"front page":  func(w http.ResponseWriter, _ *http.Request) { reply(w, 200, "text/html", "<html>") },
	}
	for name, menu := range answers {
		base := newFront(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/" {
				menu(w, r)
				return
			}
			http.NotFound(w, r)
		})
		_, err := newClient(t, base).Head(t.Context(), id(t, "hub:acme/nope"))
		var e *transport.Error
		if !errors.As(err, &e) || !errors.Is(err, transport.ErrNotFound) || e.URL != base+"/acme/nope" {
			t.Errorf("%s: Head = %v", name, err)
		}
	}
}

// Menus that are malformed, out of bounds or refused by the hub have words of their own.
func TestBadMenus(t *testing.T) {
	t.Parallel()
	long := strings.Repeat(`{"path":"gh:o/r/x"},`, 200)
	tests := []struct {
		name   string
		status int
		body   string
		kind   error
		text   string
	}{
		{"object", 200, `{"path":"gh:o/r"}`, transport.ErrProtocol, "no JSON array"},
		{"not JSON", 200, `hello`, transport.ErrProtocol, "the menu: "},
		{"truncated", 200, `[{"path":"gh:o/r"}`, transport.ErrProtocol, "ended early"},
		{"truncated in a row", 200, `[{"path":"gh:`, transport.ErrProtocol, "ended early"},
		{"rows of strings", 200, `["gh:o/r"]`, transport.ErrProtocol, "the menu: "},
		{"trailing", 200, `[] []`, transport.ErrProtocol, "something follows"},
		{"empty", 200, ``, transport.ErrProtocol, "empty"},
		{"too many", 200, "[" + long[:len(long)-1] + "]", nil, "Limits.Entries"},
		{"too long", 200, `[{"path":"gh:o/r","name":"` + strings.Repeat("n", 5000) + `"}]`, nil, "Limits.AnswerBytes"},
		{"refused without a count", 413, `{"error":"too many"}`, transport.ErrProtocol, "status 413"},
		{"out of order", 500, ``, transport.ErrUnreachable, "status 500"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			base := newFront(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/" {
					reply(w, tt.status, "application/json", tt.body)
					return
				}
				http.NotFound(w, r)
			})
			h := newClient(t, base, func(o *hub.Options) { o.Limits.Entries, o.Limits.AnswerBytes = 150, 4<<10 })
			_, err := h.Head(t.Context(), id(t, "hub:acme/list"))
			if err == nil || !strings.Contains(err.Error(), tt.text) || !strings.Contains(err.Error(), base+"/acme/list") {
				t.Fatalf("Head = %v, want %q", err, tt.text)
			}
			var limit *transport.LimitError
			if tt.kind == nil && !errors.As(err, &limit) || tt.kind != nil && !errors.Is(err, tt.kind) {
				t.Errorf("Head = %v, want %v", err, tt.kind)
			}
		})
	}
}

// R5: a hub that refuses to list so many rows has answered how many there are, to a probe and to a listing.
func TestMenuRefusedByCount(t *testing.T) {
	t.Parallel()
	base := newFront(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			reply(w, http.StatusRequestEntityTooLarge, "application/json", `{"error":"too many","count":129}`)
			return
		}
		http.NotFound(w, r)
	})
	h := newClient(t, base)
	_, probed := h.Head(t.Context(), id(t, "hub:acme/list"))
	_, listed := h.Open(t.Context(), "pinned", id(t, "hub:acme/list"))
	for op, err := range map[string]error{"probe": probed, "list": listed} {
		var many *transport.TooManyError
		if !errors.As(err, &many) || many.Count != 129 || !strings.Contains(err.Error(), op+" "+base+"/acme/list") {
			t.Errorf("%s: %v, want the count of 129 at the hub's address", op, err)
		}
		if errors.Is(err, transport.ErrUnreachable) || errors.Is(err, transport.ErrNotFound) || errors.Is(err, transport.ErrProtocol) {
			t.Errorf("%s: %v is no outage and no miss", op, err)
		}
	}
}

// A list of more than 128 rows reaches the caller, who counts and refuses with words of its own (R5).
func TestRowsPastTheCap(t *testing.T) {
	t.Parallel()
	var rows []string
	for i := range 129 {
		rows = append(rows, fmt.Sprintf(`{"path":"gh:o/r/s%d"}`, i))
	}
	s := newServer(t, archive(t, deploy), habits{})
	s.lists["acme/big"] = "[" + strings.Join(rows, ",") + "]"
	if _, tree := rowsOf(t, s.client(t), "hub:acme/big"); len(tree.Rows) != 129 || !slices.Equal(tree.Skipped, nil) {
		t.Errorf("%d rows, skipped %q", len(tree.Rows), tree.Skipped)
	}
}
