package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// starter is a hub with a playlist.
var starter = map[string]string{
	"acme/starter.playlist": "hub:acme/notes Takes notes.\nhub:acme/missing Is not there.\nhub:acme/plan/ Plans.\n",
	"acme/notes/SKILL.md":   "---\nname: notes\ndescription: Takes notes.\n---\n",
	"acme/plan/SKILL.md":    "---\nname: plan\ndescription: Plans.\n---\n",
}

// newHubHost is newHost with a hub of files, of which this host may read all. What acme has is private.
func newHubHost(t *testing.T, files map[string]string) host {
	t.Helper()
	dir := t.TempDir()
	for name, body := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	team, err := newTeamHub(dir, map[string][]string{"acme": {"hunter2"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = team.setOffline(true) })
	h := newHost(t)
	h.getenv = func(key string) string {
		return map[string]string{"ATSKILLS_HUB": team.url(), "ATSKILLS_HUB_TOKEN": "hunter2"}[key]
	}
	return h
}

func (h host) try(t *testing.T, args string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = h.run(t.Context(), strings.Fields(args), strings.NewReader(""), &out, &err)
	return code, out.String(), err.String()
}

// H5, H4: a playlist prints as a menu; what it is goes to standard error.
func TestGetPlaylist(t *testing.T) {
	t.Parallel()
	h := newHubHost(t, starter)
	code, stdout, stderr := h.try(t, "get hub:acme/starter")
	if code != 0 || stdout != "hub:acme/notes: Takes notes.\nhub:acme/missing: Is not there.\nhub:acme/plan/: Plans.\n" {
		t.Errorf("get = %d, %q", code, stdout)
	}
	for _, part := range []string{"playlist hub:acme/starter: 3 rows\n", "from the hub, fetched now", "the hub says that it is private"} {
		if !strings.Contains(stderr, part) {
			t.Errorf("stderr %q, want %q in it", stderr, part)
		}
	}
	_, stdout, _ = h.try(t, "get --json hub:acme/starter")
	var got struct {
		Kind       string `json:"kind"`
		Playlist   bool   `json:"playlist"`
		Visibility string `json:"visibility"`
		Entries    []row  `json:"entries"`
	}
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	if got.Kind != "menu" || !got.Playlist || got.Visibility != "private" {
		t.Errorf("object %+v", got)
	}
	if diff := cmp.Diff(row{"hub:acme/plan", "plan", "Plans.", "", []string{}, true}, got.Entries[2]); diff != "" {
		t.Errorf("row (-want +got):\n%s", diff)
	}
}

// S12: one report of what landed and what did not; the exit code says that something did not.
func TestSavePlaylist(t *testing.T) {
	t.Parallel()
	h := newHubHost(t, starter)
	code, stdout, stderr := h.try(t, "save hub:acme/starter")
	if code != 1 || stdout != "" {
		t.Errorf("save = %d, %q", code, stdout)
	}
	for _, part := range []string{
		"skill hub:acme/notes: saved, 1 file in ", "atskills: save hub:acme/missing: ", "skill hub:acme/plan: saved",
		"playlist hub:acme/starter: 2 of 3 rows saved\n",
	} {
		if strings.Count(stderr, part) != 1 {
			t.Errorf("stderr %q, want %q in it once", stderr, part)
		}
	}
	for name, want := range map[string]bool{"notes": true, "plan": true, "missing": false, "starter": false} {
		_, err := os.Stat(filepath.Join(h.dir, ".atskills", "hub", "acme", name))
		if (err == nil) != want {
			t.Errorf("%s: %v, want it there: %v", name, err, want)
		}
	}

	code, stdout, _ = h.try(t, "save --json hub:acme/starter hub:acme/notes")
	type object struct {
		State string `json:"state"`
		Set   []struct {
			ID    string `json:"id"`
			Whole bool   `json:"whole"`
			Saved *struct {
				State string `json:"state"`
			} `json:"saved"`
			Error *struct {
				Code string `json:"code"`
				Ref  string `json:"ref"`
			} `json:"error"`
		} `json:"set"`
	}
	var set, one object
	dec := json.NewDecoder(strings.NewReader(stdout))
	if err := dec.Decode(&set); err != nil {
		t.Fatal(err)
	}
	if err := dec.Decode(&one); err != nil || dec.More() || code != 1 {
		t.Errorf("save --json = %d, %v, %q; want two objects", code, err, stdout)
	}
	if set.State != "set" || len(set.Set) != 3 || one.Set == nil || len(one.Set) != 0 {
		t.Fatalf("objects %+v, %+v", set, one)
	}
	if s := set.Set[0]; s.Saved == nil || s.Saved.State != "unchanged" || s.Error != nil || s.ID != "hub:acme/notes" {
		t.Errorf("first row %+v", s)
	}
	if s := set.Set[1]; s.Saved != nil || s.Error == nil || s.Error.Code != "not_found" || s.Error.Ref != "hub:acme/missing" {
		t.Errorf("second row %+v", s)
	}
	if !set.Set[2].Whole || set.Set[1].Whole {
		t.Errorf("rows %+v", set.Set)
	}
}

// S12: a set whose rows all land is a success.
func TestSaveWholePlaylist(t *testing.T) {
	t.Parallel()
	h := newHubHost(t, map[string]string{
		"acme/starter.playlist": "hub:acme/plan\n", "acme/plan/SKILL.md": starter["acme/plan/SKILL.md"],
	})
	if code, _, stderr := h.try(t, "save hub:acme/starter"); code != 0 || !strings.Contains(stderr, "1 of 1 row saved") {
		t.Errorf("save = %d, %q", code, stderr)
	}
	if code, _, stderr := h.try(t, "remove hub:acme/starter"); code != 1 || !strings.Contains(stderr, "it is a playlist, which has no folder of its own") {
		t.Errorf("remove = %d, %q", code, stderr)
	}
}
