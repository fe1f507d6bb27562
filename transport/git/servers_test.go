package git_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills/internal/gittest"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/git"
	"github.com/atskills-go/atskills/transport/transporttest"
)

// resolve runs probe, listing and bodies, and returns the bodies below at.
func resolve(t testing.TB, tr *git.Transport, at string) map[string]string {
	t.Helper()
	head, err := tr.Head(t.Context(), id(t, at))
	if err != nil {
		t.Fatalf("Head = %v", err)
	}
	snap := open(t, tr, string(head.Revision), at)
	return fetch(t, snap, tree(t, snap, at).Entries)
}

var oneSkill = map[string]gittest.File{
	"skills/a/SKILL.md": {Body: "---\nname: a\n---\n"},
	"skills/a/run.sh":   {Body: "#!/bin/sh\n", Mode: "100755"},
	"big":               {Body: strings.Repeat("0123456789", 1000)},
}

var oneSkillBodies = map[string]string{"SKILL.md": "---\nname: a\n---\n", "run.sh": "#!/bin/sh\n"}

// F5: servers without filter, with protocol v0 only, and with neither that nor wants by hash, give the same result.
func TestRealServersWithoutAbilities(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		config   [][2]string
		v0       bool
		requests int // of a first resolve
	}{
		{name: "defaults of git", config: [][2]string{{"uploadpack.allowFilter", "false"}, {"uploadpack.allowAnySHA1InWant", "false"}}, requests: 5},
		{name: "v0", v0: true, requests: 8},
		{name: "v0 with defaults of git", v0: true, config: [][2]string{{"uploadpack.allowFilter", "false"}, {"uploadpack.allowAnySHA1InWant", "false"}}, requests: 10},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, repo := upstream(t)
			repo.Commit("main", oneSkill)
			for _, kv := range tt.config {
				repo.Run("config", kv[0], kv[1])
			}
			if tt.v0 {
				s.OnlyV0()
			}
			tr := git.New(git.Options{BaseURL: s.URL})
			if diff := cmp.Diff(oneSkillBodies, resolve(t, tr, "gh:o/r/skills/a")); diff != "" {
				t.Errorf("bodies (-want +got):\n%s", diff)
			}
			if n := len(s.TakeLog()); n > tt.requests {
				t.Errorf("%d requests, want at most %d", n, tt.requests)
			}
		})
	}
}

// A server that refuses wants by hash serves a tip through its whole commit, and says no to the rest.
func TestRefusedHashes(t *testing.T) {
	t.Parallel()
	u, err := transporttest.NewUpstream("-- gh:o/r/skills/a/SKILL.md --\none\n-- gh:o/r/other --\nx\n")
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, u)
	s.SetFaults(transporttest.Faults{TipsOnly: true})
	tr := git.New(git.Options{BaseURL: s.URL()})
	if diff := cmp.Diff(map[string]string{"SKILL.md": "one\n"}, resolve(t, tr, "gh:o/r/skills/a")); diff != "" {
		t.Errorf("bodies (-want +got):\n%s", diff)
	}
	head, err := tr.Head(t.Context(), id(t, "gh:o/r"))
	if err != nil {
		t.Fatal(err)
	}
	snap := open(t, tr, string(head.Revision), "gh:o/r")
	if _, err := u.Commit("o/r", head0, map[string]transporttest.File{"new": {Body: "n"}}); err != nil {
		t.Fatal(err)
	}
	err = snap.Fetch(t.Context(), tree(t, snap, "gh:o/r").Entries, nil)
	if !errors.Is(err, transport.ErrNoRevision) {
		t.Errorf("Fetch of a commit that is no tip any more = %v, want ErrNoRevision", err)
	}
	if _, err := tr.Open(t.Context(), head.Revision, id(t, "gh:o/r")); !errors.Is(err, transport.ErrNoRevision) {
		t.Errorf("Open of a commit that is no tip any more = %v, want ErrNoRevision", err)
	}
}

// F5: a server that refuses trees by hash lists them with the commit, when a walk tree by tree was begun in vain.
func TestRefusedTrees(t *testing.T) {
	t.Parallel()
	u, err := transporttest.NewUpstream("-- gh:o/r/skills/a/SKILL.md --\none\n")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]transporttest.File{}
	for i := range 300 {
		files["pad/"+itoa(i)+"/f"] = transporttest.File{Body: itoa(i)}
	}
	if _, err := u.Commit("o/r", head0, files); err != nil {
		t.Fatal(err)
	}
	s := serve(t, u)
	s.SetFaults(transporttest.Faults{TipsOnly: true})
	tr := git.New(git.Options{BaseURL: s.URL(), WalkAfter: 2000})
	if diff := cmp.Diff(map[string]string{"SKILL.md": "one\n"}, resolve(t, tr, "gh:o/r/skills/a")); diff != "" {
		t.Errorf("bodies (-want +got):\n%s", diff)
	}
	small := git.New(git.Options{BaseURL: s.URL(), WalkAfter: 2000, Limits: transport.Limits{Entries: 100}})
	_, err = small.Open(t.Context(), transport.Revision(u.Tip("o/r")), id(t, "gh:o/r/skills/a"))
	wantLimit(t, err, "Entries")
}

// F5: a server that ignores the filter sends bodies with the listing, which the limits bound in words that say so.
func TestIgnoredFilter(t *testing.T) {
	t.Parallel()
	s, repo := upstream(t)
	repo.Commit("main", oneSkill)
	repo.Run("config", "uploadpack.allowFilter", "false")
	commit := repo.Run("rev-parse", "main")
	tr := git.New(git.Options{BaseURL: s.URL, Limits: transport.Limits{FetchBytes: 2000}})
	_, err := tr.Open(t.Context(), transport.Revision(commit), id(t, "gh:o/r"))
	var limit *transport.LimitError
	if !errors.As(err, &limit) || limit.Field != "FetchBytes" || !strings.Contains(err.Error(), "leaves no bodies out") {
		t.Errorf("Open = %v, want a LimitError that says why", err)
	}
}

// F5: a repository with SHA-256 names is refused in words that say so, whichever request comes first.
func TestSHA256Repository(t *testing.T) {
	t.Parallel()
	for _, v0 := range []bool{false, true} {
		s := gittest.NewServer(t)
		repo := gittest.NewRepo(t, s.Root, "o/r", "--object-format=sha256")
		repo.Commit("main", oneSkill)
		if v0 {
			s.OnlyV0()
		}
		_, err := git.New(git.Options{BaseURL: s.URL}).Head(t.Context(), id(t, "gh:o/r"))
		if err == nil || !strings.Contains(err.Error(), "SHA-256") {
			t.Errorf("v0 %v: Head = %v, want an error that names SHA-256", v0, err)
		}
	}
}

// F5: a renamed repository is followed by a GET, never by a POST that turns into one, and said; the new
// address is remembered.
func TestRenamedRepository(t *testing.T) {
	t.Parallel()
	for _, code := range []int{301, 307} {
		s := gittest.NewServer(t)
		gittest.NewRepo(t, s.Root, "new/name").Commit("main", oneSkill)
		s.Front(func(w http.ResponseWriter, r *http.Request) bool {
			to := strings.Replace(r.URL.RequestURI(), "/o/r/", "/new/name/", 1)
			if to == r.URL.RequestURI() {
				return false
			}
			http.Redirect(w, r, to, code)
			return true
		})
		tr := git.New(git.Options{BaseURL: s.URL})
		head, err := tr.Head(t.Context(), id(t, "gh:o/r/skills/a"))
		if err != nil || head.Moved != s.URL+"/new/name" {
			t.Fatalf("%d: Head = %+v, %v", code, head, err)
		}
		var got []string
		for _, r := range s.TakeLog() {
			got = append(got, r.Method+" "+r.Path)
		}
		want := []string{
			"POST /o/r/git-upload-pack", "GET /o/r/info/refs?service=git-upload-pack",
			"GET /new/name/info/refs?service=git-upload-pack", "POST /new/name/git-upload-pack",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d: requests (-want +got):\n%s", code, diff)
		}
		if diff := cmp.Diff(oneSkillBodies, resolve(t, tr, "gh:o/r/skills/a")); diff != "" {
			t.Errorf("%d: bodies (-want +got):\n%s", code, diff)
		}
		if n := len(s.TakeLog()); n != 3 {
			t.Errorf("%d: %d requests afterwards, want 3", code, n)
		}
	}
}

// F5, F6: redirects that must not be followed are errors of their own cause.
func TestRefusedRedirects(t *testing.T) {
	t.Parallel()
	tests := map[string]func(self string) string{
		"loop":         func(self string) string { return self },
		"no address":   func(string) string { return "" },
		"other scheme": func(string) string { return "file:///etc/passwd" },
		"userinfo":     func(string) string { return "http://a:b@127.0.0.1/o/r/info/refs" },
		"downgrade":    func(string) string { return "http://127.0.0.1:1/o/r/info/refs?service=git-upload-pack" },
	}
	for name, target := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requests := 0
			s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				requests++
				if to := target("https://" + r.Host + r.URL.RequestURI()); to != "" {
					w.Header().Set("Location", to)
				}
				w.WriteHeader(http.StatusFound)
			}))
			defer s.Close()
			tr := git.New(git.Options{BaseURL: s.URL, Client: s.Client()})
			_, err := tr.Head(t.Context(), id(t, "gh:o/r"))
			var e *transport.Error
			if !errors.As(err, &e) || e.Cause != transport.CauseRedirect || !errors.Is(err, transport.ErrUnreachable) {
				t.Errorf("Head = %v, want CauseRedirect", err)
			}
			if requests > 8 {
				t.Errorf("%d requests", requests)
			}
		})
	}
}

// F1: the same budgets against the in-process server, by kind of request.
func TestBudgetsInProcess(t *testing.T) {
	t.Parallel()
	u, err := transporttest.NewUpstream("-- gh:o/r/skills/a/SKILL.md --\none\n-- gh:o/r/skills/b/SKILL.md --\ntwo\n")
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, u)
	tr := git.New(git.Options{BaseURL: s.URL()})
	resolve(t, tr, "gh:o/r/skills/a")
	stats := s.Stats()
	for kind, want := range map[transporttest.Kind]int{
		transporttest.KindAdvertisement: 0, transporttest.KindRefs: 1, transporttest.KindListing: 1, transporttest.KindBodies: 1,
	} {
		if got := stats.ByKind[kind].Requests; got != want {
			t.Errorf("%d requests of kind %s, want %d", got, kind, want)
		}
	}
	if stats.Connections != 1 || stats.ByKind[transporttest.KindRefs].Sent >= 1024 {
		t.Errorf("%d connections, a probe of %d bytes", stats.Connections, stats.ByKind[transporttest.KindRefs].Sent)
	}
}

// C11: several ids cost one listing and one body request, and each body moves once.
func TestSeveralIDsInOneListing(t *testing.T) {
	t.Parallel()
	s, repo := upstream(t)
	commit := repo.Commit("main", twoSkills)
	snap := open(t, git.New(git.Options{BaseURL: s.URL}), commit, "gh:o/r/skills/a/x", "gh:o/r/skills/b c")
	var want []transport.Entry
	for _, at := range []string{"gh:o/r/skills/a/x", "gh:o/r/skills/b c"} {
		want = append(want, tree(t, snap, at).Entries...)
	}
	if diff := cmp.Diff(map[string]string{"copy": "#!/bin/sh\n", "SKILL.md": "---\nname: b\n---\n"}, fetch(t, snap, want)); diff != "" {
		t.Errorf("bodies (-want +got):\n%s", diff)
	}
	if n := len(s.TakeLog()); n != 2 {
		t.Errorf("%d requests, want 2", n)
	}
}

// F4: bodies too large for memory go through a temporary file, and thousands of wants fit one request.
func TestManyAndLargeBodies(t *testing.T) {
	t.Parallel()
	s, repo := upstream(t)
	files := map[string]string{}
	for i := range 3000 {
		files["f/"+strings.Repeat("n", i%7)+itoa(i)] = "body " + itoa(i)
	}
	noise := lcg(1)
	for i := range 5 {
		files["big/"+itoa(i)] = noise(3 << 20)
	}
	commit := repo.Commit("main", gittest.Text(files))
	snap := open(t, git.New(git.Options{BaseURL: s.URL}), commit, "gh:o/r")
	got := fetch(t, snap, tree(t, snap, "gh:o/r").Entries)
	if !cmp.Equal(files, got) {
		t.Errorf("%d bodies differ from the %d committed", len(got), len(files))
	}
	if n := len(s.TakeLog()); n != 2 {
		t.Errorf("%d requests, want 2", n)
	}
}

// F5: a server to which a request is too large gets it in halves.
func TestRequestTooLarge(t *testing.T) {
	t.Parallel()
	s, repo := upstream(t)
	files := map[string]string{}
	for i := range 100 {
		files[itoa(i)] = "body " + itoa(i)
	}
	commit := repo.Commit("main", gittest.Text(files))
	s.Front(func(w http.ResponseWriter, r *http.Request) bool {
		if r.ContentLength < 2000 {
			return false
		}
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		return true
	})
	snap := open(t, git.New(git.Options{BaseURL: s.URL}), commit, "gh:o/r")
	if got := fetch(t, snap, tree(t, snap, "gh:o/r").Entries); !cmp.Equal(files, got) {
		t.Errorf("%d bodies differ from the %d committed", len(got), len(files))
	}
}

// G7: a name that no segment may hold is left out and reported as it stands; the rest of an honest repository is readable.
func TestSkippedNames(t *testing.T) {
	t.Parallel()
	s, repo := upstream(t)
	blob := repo.Input("x", "hash-object", "-w", "--stdin")
	sub := repo.Input("100644 blob "+blob+"\tok\000"+"100644 blob "+blob+"\tback\\slash\000"+"100644 blob "+blob+"\tbell\a\000",
		"mktree", "-z")
	root := repo.Input("040000 tree "+sub+"\tskills\000"+"040000 tree "+sub+"\todd\xff\000"+"100644 blob "+blob+"\ta:b\000", "mktree", "-z")
	commit := repo.Input("", "commit-tree", "-m", "m", root)
	snap := open(t, git.New(git.Options{BaseURL: s.URL}), commit, "gh:o/r/skills", "gh:o/r")
	for at, want := range map[string][2][]string{
		"gh:o/r/skills": {{"ok file"}, {`back\slash`, "bell\a"}},
		"gh:o/r":        {{"a:b file", "skills/ok file"}, {"odd\xff", `skills/back\slash`, "skills/bell\a"}},
	} {
		got := tree(t, snap, at)
		if diff := cmp.Diff(want, [2][]string{paths(got), got.Skipped}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", at, diff)
		}
	}
}

// The address of a repository is built from segments that are escaped, and nothing in an id can change the server.
func TestAddressesAreEscaped(t *testing.T) {
	t.Parallel()
	var got string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r.URL.RequestURI()
		w.WriteHeader(http.StatusNotFound)
	}))
	defer s.Close()
	tr := git.New(git.Options{BaseURL: s.URL + "/git/"})
	for in, want := range map[string]string{
		"gh:-u/--upload-pack=touch x/y": "/git/-u/--upload-pack=touch%20x/git-upload-pack",
		"gh:a?b/c#d%2Fe":                "/git/a%3Fb/c%23d%252Fe/git-upload-pack",
		"gh:@evil.net/r":                "/git/@evil.net/r/git-upload-pack",
	} {
		if _, err := tr.Head(t.Context(), id(t, in)); !errors.Is(err, transport.ErrNotFound) {
			t.Errorf("Head(%q) = %v", in, err)
		}
		if got != want {
			t.Errorf("Head(%q) asked for %q, want %q", in, got, want)
		}
	}
	if _, err := tr.Head(t.Context(), skill.ID{}); !errors.Is(err, transport.ErrNotConfigured) {
		t.Errorf("Head of a local id = %v, want ErrNotConfigured", err)
	}
}

// The progress callback sees the objects and bytes of listing and fetch.
func TestProgress(t *testing.T) {
	t.Parallel()
	s, repo := upstream(t)
	commit := repo.Commit("main", twoSkills)
	last := map[string]git.Progress{}
	tr := git.New(git.Options{BaseURL: s.URL, Progress: func(p git.Progress) { last[p.Op] = p }})
	snap := open(t, tr, commit, "gh:o/r/skills/b c")
	fetch(t, snap, tree(t, snap, "gh:o/r/skills/b c").Entries)
	for op, total := range map[string]int{"list": 6, "fetch": 1} {
		if p := last[op]; p.Total != total || p.Objects != total || p.Bytes == 0 {
			t.Errorf("last progress of %s is %+v, want %d objects", op, p, total)
		}
	}
}
