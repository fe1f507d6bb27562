package hub_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/memfs"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/internal/fstest"
	"github.com/atskills-go/atskills/transport/hub"
)

// onOpen returns fsys that calls change once, before the nth opening of name.
func onOpen(fsys billy.Filesystem, name string, n int32, change func()) billy.Filesystem {
	var opened atomic.Int32
	return fstest.Hook(fsys, func(c fstest.Call) error {
		if c.Op == fstest.OpOpen && c.Name == name && opened.Add(1) == n {
			change()
		}
		return nil
	})
}

// H3: whenever a file changes while a skill is read, what is sent is the state under the digest it is sent with.
func TestMirrorChangesWhileRead(t *testing.T) {
	t.Parallel()
	before := fstest.Tree{"SKILL.md": mirrorSkill("s", "Before."), "a.md": "before", "z.md": "before"}
	changes := map[string]func(t testing.TB, fsys billy.Filesystem){
		"same size": func(t testing.TB, fsys billy.Filesystem) {
			fstest.Write(t, fsys, "o/s", fstest.Tree{"SKILL.md": mirrorSkill("s", "Behind."), "a.md": "behind", "z.md": "behind"})
		},
		"another size": func(t testing.TB, fsys billy.Filesystem) {
			fstest.Write(t, fsys, "o/s", fstest.Tree{"SKILL.md": mirrorSkill("s", "Afterwards."), "a.md": "afterwards", "z.md": "afterwards"})
		},
		"a file more": func(t testing.TB, fsys billy.Filesystem) {
			fstest.Write(t, fsys, "o/s", fstest.Tree{"b.md": "after", "a.md": "after"})
		},
		"a file less": func(t testing.TB, fsys billy.Filesystem) {
			if err := fsys.Remove("o/s/z.md"); err != nil {
				t.Error(err)
			}
		},
	}
	for name, change := range changes {
		for _, file := range []string{"SKILL.md", "a.md", "z.md"} {
			for n := range int32(4) {
				for _, target := range []string{"", "?files", "/a.md"} {
					t.Run(fmt.Sprintf("%s/%s %d%s", name, file, n, target), func(t *testing.T) {
						t.Parallel()
						base := fsx.Locked(memfs.New())
						fstest.Write(t, base, "o/s", before)
						m := newMirror(t, onOpen(base, "o/s/"+file, n, func() { change(t, base) }), hub.HandlerOptions{})
						a := m.get("/o/s" + target)
						if a.status != 200 {
							t.Fatalf("%d %q", a.status, a.body)
						}
						m.checkServed("/o/s", target, a)
					})
				}
			}
		}
	}
}

// checkServed checks that a, the answer to skill+target, fits the digest it came with. A listing under the ETag is to
// be had as long as the skill does not change again.
func (m *testMirror) checkServed(skill, target string, a answer) {
	m.Helper()
	switch target {
	case "/a.md":
		if a.etag() != sha(a.body) {
			m.Errorf("%q under ETag %s", a.body, a.etag())
		}
	case "":
		files := m.get(skill + "?files&rev=" + a.etag())
		if files.status == 200 && !strings.Contains(files.body, sha(a.body)) {
			m.Errorf("%q is not what revision %s has: %s", a.body, a.etag(), files.body)
		}
	default:
		var files []mirrorFile
		if err := json.Unmarshal([]byte(a.body), &files); err != nil {
			m.Fatal(err)
		}
		for _, f := range files {
			got := m.get(skill + "/" + f.Path + "?rev=" + a.etag())
			if got.status == 200 && (sha(got.body) != f.SHA256 || got.etag() != f.SHA256) {
				m.Errorf("%s is %q, not what revision %s has", f.Path, got.body, a.etag())
			}
		}
	}
}

// A reader that follows one revision gets all of it or is told that it is gone, while a writer replaces the skill, in one
// step or file by file.
func TestMirrorReplacedWhileRead(t *testing.T) {
	t.Parallel()
	for name, fsys := range map[string]billy.Filesystem{"memory": fsx.Locked(memfs.New()), "disk": fsx.OS(t.TempDir())} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			replaceSkill(t, fsys, 0)
			m := newMirror(t, fsys, hub.HandlerOptions{})
			next := make(chan int)
			var writer sync.WaitGroup
			writer.Go(func() {
				for i := range next {
					replaceSkill(t, fsys, i)
				}
			})
			const readings = 60
			whole := 0
			for i := range readings {
				next <- i + 1 // and read while it is put into place
				if followRevision(m) {
					whole++
				}
			}
			close(next)
			writer.Wait()
			if !followRevision(m) {
				t.Error("the skill does not answer when nothing changes any more")
			}
			t.Logf("%d of %d revisions were read whole while they were replaced", whole, readings)
		})
	}
}

// replaceSkill puts generation i of a skill into place: every file says which it is of.
func replaceSkill(t testing.TB, fsys billy.Filesystem, i int) {
	staged, err := fsx.Stage(fsys, "o/s")
	if err != nil {
		t.Error(err)
		return
	}
	fstest.Write(t, fsys, staged, fstest.Tree{
		"SKILL.md": mirrorSkill("s", fmt.Sprintf("gen %d.", i)), "a.md": fmt.Sprintf("gen %d.", i), "b/c.md": fmt.Sprintf("gen %d.", i),
	})
	if err := fsx.Replace(fsys, staged, "o/s", fsx.ReplaceOptions{Commit: "SKILL.md"}); err != nil {
		t.Error(err)
	}
}

// followRevision reads a listing and its files, and reports whether all of the revision was there. Bytes that are not
// those of the listing are an error, and so is any answer but "here", "gone" and "try again".
func followRevision(m *testMirror) bool {
	m.Helper()
	list := m.get("/o/s?files")
	if list.status == 503 {
		return false
	}
	var files []mirrorFile
	if err := json.Unmarshal([]byte(list.body), &files); err != nil {
		m.Errorf("listing: %d %q", list.status, list.body)
		return false
	}
	for _, f := range files {
		a := m.get("/o/s/" + f.Path + "?rev=" + list.etag())
		if a.status == 404 || a.status == 503 {
			return false
		}
		if a.status != 200 || sha(a.body) != f.SHA256 {
			m.Errorf("%s: %d %q, want %s", f.Path, a.status, a.body, f.SHA256)
		}
	}
	return true
}

// Digests are made once: while nothing changes, a request opens the file it sends and no other. Files too young for
// their time to tell are read again, though not by every request of one second.
func TestMirrorDigestsOnce(t *testing.T) {
	t.Parallel()
	fsys := fsx.OS(t.TempDir())
	fstest.Write(t, fsys, "", mirrorTree)
	past := time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)
	once := map[string]int{"/acme/deploy": 1, "/acme/deploy?files": 0, "/acme/deploy/ref/notes.md": 1}
	tests := []struct {
		name  string
		start time.Time
		step  time.Duration // of the clock, each time somebody looks at it
		opens map[string]int
	}{
		{"settled", mirrorDay, time.Minute, once},
		{"young at once", past, 0, once},
		{"young", past, time.Minute, map[string]int{"/acme/deploy": 5, "/acme/deploy?files": 4, "/acme/deploy/ref/notes.md": 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var calls fstest.Counter
			var looks atomic.Int64
			m := newMirror(t, calls.Wrap(fsys), hub.HandlerOptions{Now: func() time.Time {
				return tt.start.Add(time.Duration(looks.Add(1)) * tt.step)
			}})
			rev := m.get("/acme/deploy").etag()
			opens := maps.Clone(tt.opens)
			opens["/acme/deploy/ref/notes.md?rev="+rev] = 1
			for target, want := range opens {
				before := calls.Count(fstest.OpOpen)
				if m.get(target); calls.Count(fstest.OpOpen)-before != want {
					t.Errorf("%s opens %d files, want %d", target, calls.Count(fstest.OpOpen)-before, want)
				}
			}
			if len(calls.Mutations()) != 0 {
				t.Errorf("a mirror wrote: %v", calls.Mutations())
			}
		})
	}
}

// H3: a file whose time is set by convention, as packers do, is known by its content alone.
func TestMirrorConventionalTimes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fsys := fsx.OS(dir)
	for _, packed := range []time.Time{time.Unix(1, 0), time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)} {
		var looks atomic.Int64
		m := newMirror(t, fsys, hub.HandlerOptions{Now: func() time.Time { return mirrorDay.Add(time.Duration(looks.Add(1)) * time.Minute) }})
		var revs []string
		for _, text := range []string{"before", "behind"} {
			fstest.Write(t, fsys, "o/s", fstest.Tree{"SKILL.md": mirrorSkill("s", "Packed."), "a.md": text})
			for _, name := range []string{"SKILL.md", "a.md"} {
				if err := os.Chtimes(filepath.Join(dir, "o/s", name), packed, packed); err != nil {
					t.Fatal(err)
				}
			}
			revs = append(revs, m.get("/o/s").etag())
		}
		if revs[0] == revs[1] {
			t.Errorf("files of %s: a change shows no other revision", packed)
		}
	}
}

// A replacement that waits to be undone says nothing about what is missing beside it (C5).
func TestMirrorUnfinishedReplacement(t *testing.T) {
	t.Parallel()
	interrupted(t, func(base billy.Filesystem, away bool) {
		h, err := hub.Handler(base, hub.HandlerOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, target := range []string{"/o/s", "/o/s?files", "/o/s/SKILL.md"} {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, target, nil))
			if w.Code != http.StatusServiceUnavailable && (away || w.Code != http.StatusOK) {
				t.Errorf("%s is %d %q, away %v", target, w.Code, w.Body, away)
			}
		}
	})
}

// A caller that goes away while it waits is no harm to others.
func TestMirrorCallerLeaves(t *testing.T) {
	t.Parallel()
	base := fsx.Locked(memfs.New())
	fstest.Write(t, base, "", mirrorTree)
	entered, leave := make(chan struct{}), make(chan struct{})
	m := newMirror(t, onOpen(base, "acme/deploy/SKILL.md", 1, func() { close(entered); <-leave }), hub.HandlerOptions{})
	conn, err := http.NewRequestWithContext(t.Context(), "GET", m.url+"/acme/deploy", nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{}}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		if res, err := client.Do(conn); err == nil {
			_, _ = io.Copy(io.Discard, res.Body)
			_ = res.Body.Close()
		}
	}()
	<-entered
	if a := m.get("/acme/plan"); a.status != 200 {
		t.Errorf("beside a reader that stands still: %d", a.status)
	}
	close(leave)
	<-gone
	client.CloseIdleConnections()
	if a := m.get("/acme/deploy"); a.status != 200 {
		t.Errorf("afterwards: %d", a.status)
	}
}

// interrupted calls try with the tree that a crash leaves at each call of a replacement of the skill at o/s; away says that
// the skill does not stand there.
func interrupted(t *testing.T, try func(base billy.Filesystem, away bool)) {
	t.Helper()
	left := false
	for n := 1; ; n++ {
		base := fsx.Locked(memfs.New())
		replaceSkill(t, base, 0)
		staged, err := fsx.Stage(base, "o/s")
		if err != nil {
			t.Fatal(err)
		}
		fstest.Write(t, base, staged, fstest.Tree{"SKILL.md": mirrorSkill("s", "gen 1."), "a.md": "gen 1."})
		broken, reached := fstest.LosePower(base, n)
		if err := fsx.Replace(broken, staged, "o/s", fsx.ReplaceOptions{Commit: "SKILL.md"}); err == nil && !reached() {
			break
		}
		_, err = base.Lstat("o/s/SKILL.md")
		left = left || err != nil
		try(base, err != nil)
	}
	if !left {
		t.Error("no crash left the skill away; the test shows nothing")
	}
}

// A replacement that ends at any moment of a request never makes the skill missing (C5).
func TestMirrorReplacementEnds(t *testing.T) {
	t.Parallel()
	for _, target := range []string{"/o/s", "/o/s/SKILL.md"} {
		for call, more := 1, true; more; call++ {
			more = false
			interrupted(t, func(base billy.Filesystem, away bool) {
				if !away {
					return
				}
				calls := 0
				h, err := hub.Handler(fstest.Hook(base, func(fstest.Call) error {
					if calls++; calls == call {
						return fsx.Sweep(base, "o", nil)
					}
					return nil
				}), hub.HandlerOptions{})
				if err != nil {
					t.Fatal(err)
				}
				w := httptest.NewRecorder()
				h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, target, nil))
				if w.Code != http.StatusOK && w.Code != http.StatusServiceUnavailable {
					t.Errorf("%s, ended at call %d: %d %q", target, call, w.Code, w.Body)
				}
				more = more || calls >= call
			})
		}
	}
}
