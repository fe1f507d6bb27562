package hub_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/hub"
	"github.com/atskills-go/atskills/transport/transporttest"
)

// habits are ways in which hubs differ.
type habits struct {
	noTags     bool // no ETag at all
	weakTags   bool
	noFiles    bool // "?files" is ignored
	refuse     bool // "?files" is 404
	ignoreRev  bool // "?rev=" is ignored
	history    bool // "?rev=" serves every revision there was
	compressed bool // answers are gzip, asked or not
	announce   bool // with a skill comes the number of its files
}

// playlistFile makes an entry of an upstream a playlist, when it holds nothing else.
const playlistFile = ".playlist"

// server is a hub that serves the hub entries of an upstream, and counts.
type server struct {
	*httptest.Server
	up     *transporttest.Upstream
	habits habits

	mu     sync.Mutex
	lists  map[string]string // JSON of playlists by "owner/name"
	header http.Header       // added to every answer
	token  string            // wanted for everything, "" for public
	fault  func(w http.ResponseWriter, r *http.Request) bool
	log    []string // "path?query status bytes"
}

func newServer(t *testing.T, u *transporttest.Upstream, h habits) *server {
	t.Helper()
	s := &server{up: u, habits: h, lists: map[string]string{}, header: http.Header{}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// archive returns an upstream.
func archive(t *testing.T, text string) *transporttest.Upstream {
	t.Helper()
	u, err := transporttest.NewUpstream(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// client returns a hub client of s, whose pauses take no time.
func (s *server) client(t *testing.T, change ...func(*hub.Options)) *hub.Hub {
	t.Helper()
	return newClient(t, s.URL, change...)
}

func newClient(t *testing.T, base string, change ...func(*hub.Options)) *hub.Hub {
	t.Helper()
	opts := hub.Options{Now: func() time.Time { return now }, Sleep: noSleep}
	for _, c := range change {
		c(&opts)
	}
	h, err := hub.New(base, opts)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// set changes the server between requests.
func (s *server) set(change func(*server)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s)
}

// requests returns what was asked since the last call.
func (s *server) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	log := s.log
	s.log = nil
	return log
}

// recorder counts the bytes of an answer.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int
}

func (r *recorder) WriteHeader(code int) {
	r.status = code
	r.ResponseWriter.WriteHeader(code)
}

func (r *recorder) Write(p []byte) (int, error) {
	n, err := r.ResponseWriter.Write(p)
	r.bytes += n
	return n, err
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rec := &recorder{w, http.StatusOK, 0}
	s.mu.Lock()
	fault, token, habits := s.fault, s.token, s.habits
	maps.Copy(w.Header(), s.header)
	s.mu.Unlock()
	asked := r.URL.RequestURI()
	switch {
	case fault != nil && fault(rec, r):
	case r.Header.Get("Authorization") != "" && r.Header.Get("Authorization") != "Bearer "+token,
		token != "" && r.Header.Get("Authorization") == "":
		http.NotFound(rec, r)
	default:
		s.serve(rec, r, habits)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, fmt.Sprintf("%s %d %d", asked, rec.status, rec.bytes))
}

func (s *server) serve(w http.ResponseWriter, r *http.Request, h habits) {
	q := r.URL.Query()
	if prefix := q.Get("prefix"); r.URL.Path == "/" && prefix != "" {
		s.mu.Lock()
		list, ok := s.lists[strings.TrimSuffix(prefix, "/")]
		s.mu.Unlock()
		if !ok {
			list, ok = s.upstreamList(w, r, "hub:"+strings.TrimSuffix(prefix, "/"))
		}
		if !ok {
			http.NotFound(w, r)
			return
		}
		s.answer(w, r, h, "application/json", []byte(list), digest([]byte(list)))
		return
	}
	segs := strings.SplitN(strings.TrimPrefix(r.URL.Path, "/"), "/", 3)
	if len(segs) < 2 {
		http.NotFound(w, r)
		return
	}
	repo := "hub:" + segs[0] + "/" + segs[1]
	files, rev := s.at(repo, q.Get("rev"), h)
	if _, list := files[playlistFile]; files == nil || list {
		http.NotFound(w, r)
		return
	}
	s.sayVisibility(w, r, repo)
	if len(segs) == 2 && h.announce {
		w.Header().Set("Atskills-Files", strconv.Itoa(len(files)))
	}
	switch {
	case len(segs) == 3:
		f, ok := files[segs[2]]
		if !ok {
			http.NotFound(w, r)
			return
		}
		s.answer(w, r, h, "application/octet-stream", []byte(f.Body), digest([]byte(f.Body)))
	case q.Has("files") && h.refuse:
		http.NotFound(w, r)
	case q.Has("files") && !h.noFiles:
		s.answer(w, r, h, "application/json", listingJSON(files), rev)
	default:
		s.answer(w, r, h, "text/markdown; charset=utf-8", []byte(files["SKILL.md"].Body), rev)
	}
}

// upstreamList returns the JSON of the playlist that an entry of the upstream is; ok is false when it is none. What is no
// reference there is a row that the client must skip.
func (s *server) upstreamList(w http.ResponseWriter, r *http.Request, entry string) (list string, ok bool) {
	tree, err := fakeTree(r.Context(), s.up, entry)
	if err != nil || len(tree.Rows)+len(tree.Skipped) == 0 {
		return "", false
	}
	s.sayVisibility(w, r, entry)
	type row struct {
		Path        string `json:"path"`
		Name        string `json:"name"`
		Description string `json:"description"`
	}
	rows := []row{}
	for _, line := range tree.Skipped {
		rows = append(rows, row{Path: line})
	}
	for _, at := range tree.Rows {
		rows = append(rows, row{strings.TrimPrefix(at.Ref.String(), "@skills:"), at.Name, at.Description})
	}
	b, err := json.Marshal(rows)
	return string(b), err == nil
}

// sayVisibility says who may read an entry of the upstream, if that says so.
func (s *server) sayVisibility(w http.ResponseWriter, r *http.Request, entry string) {
	if v := visibilityOf(r.Context(), s.up, entry); v != "" {
		w.Header().Set("Atskills-Visibility", string(v))
	}
}

// visibilityOf is what u says of an entry, "" when it does not or has none.
func visibilityOf(ctx context.Context, u *transporttest.Upstream, entry string) transport.Visibility {
	id, err := skill.ParseID(entry)
	if err != nil {
		return ""
	}
	head, _ := transporttest.NewFake(u).Head(ctx, id) // of what is not there nothing is said
	return head.Visibility
}

func fakeTree(ctx context.Context, u *transporttest.Upstream, entry string) (transport.Tree, error) {
	id, err := skill.ParseID(entry)
	if err != nil {
		return transport.Tree{}, err
	}
	fake := transporttest.NewFake(u)
	head, err := fake.Head(ctx, id)
	if err != nil {
		return transport.Tree{}, err
	}
	snap, err := fake.Open(ctx, head.Revision, id)
	if err != nil {
		return transport.Tree{}, err
	}
	return snap.Tree(id)
}

// at returns the files at a revision, nil when it is not served.
func (s *server) at(repo, rev string, h habits) (map[string]transporttest.File, string) {
	for i, commit := range s.up.Log(repo) {
		files, err := s.up.Files(repo, commit)
		if err != nil {
			return nil, ""
		}
		is := digest(listingJSON(files))
		if rev == "" || rev == is || h.ignoreRev {
			return files, is
		}
		if i == 0 && !h.history {
			break
		}
	}
	return nil, ""
}

func (s *server) answer(w http.ResponseWriter, r *http.Request, h habits, kind string, body []byte, rev string) {
	w.Header().Set("Content-Type", kind)
	switch {
	case h.noTags:
	case h.weakTags:
		w.Header().Set("ETag", `W/"`+rev+`"`)
	default:
		w.Header().Set("ETag", `"`+rev+`"`)
		if r.Header.Get("If-None-Match") == `"`+rev+`"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	if h.compressed {
		w.Header().Set("Content-Encoding", "gzip")
		body = gzipped(body)
	}
	_, _ = w.Write(body)
}

func gzipped(body []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(body) // into memory
	_ = z.Close()
	return b.Bytes()
}

func listingJSON(files map[string]transporttest.File) []byte {
	type row struct {
		Path   string `json:"path"`
		Size   int    `json:"size"`
		Mode   string `json:"mode"`
		SHA256 string `json:"sha256"`
	}
	rows := []row{}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		mode := "100644"
		if files[path].Mode == transport.Executable {
			mode = "100755"
		}
		rows = append(rows, row{path, len(files[path].Body), mode, digest([]byte(files[path].Body))})
	}
	b, _ := json.Marshal(rows) // of strings and numbers
	return b
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func id(t *testing.T, text string) skill.ID {
	t.Helper()
	id, err := skill.ParseID(text)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// read probes, lists and fetches everything, and returns the bodies by path.
func read(t *testing.T, h *hub.Hub, at string) (transport.Head, transport.Tree, map[string]string) {
	t.Helper()
	head, err := h.Head(t.Context(), id(t, at))
	if err != nil {
		t.Fatalf("Head(%s): %v", at, err)
	}
	snap, err := h.Open(t.Context(), head.Revision, id(t, at))
	if err != nil {
		t.Fatalf("Open(%s): %v", at, err)
	}
	defer snap.Close()
	tree, err := snap.Tree(id(t, at))
	if err != nil {
		t.Fatalf("Tree(%s): %v", at, err)
	}
	got := map[string]string{}
	err = snap.Fetch(t.Context(), tree.Entries, func(e transport.Entry, r io.Reader) error {
		b, err := io.ReadAll(r)
		got[e.Path] = string(b)
		return err
	})
	if err != nil {
		t.Fatalf("Fetch(%s): %v", at, err)
	}
	return head, tree, got
}
