package hub

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"path"
	"time"

	"github.com/go-git/go-billy/v5"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

const (
	defaultEntries = 10_000
	defaultMaxAge  = time.Minute

	maxIndexed = 100_000          // files whose digests are kept in memory, some 40 MB with their listings
	readers    = 2                // skills that are digested at once
	largeSlots = 4                // large files that are digested at once before they are sent
	maxWait    = 30 * time.Second // for an answer to be ready, one's turn included
	tries      = 5                // readings of a skill that changes meanwhile
)

// HandlerOptions say what a mirror serves, and to whom. The zero value serves the whole tree to everybody.
type HandlerOptions struct {
	// Private maps an owner to the bearer tokens that may read what it owns. For every other caller an owner named here
	// does not exist, and with no token it exists for nobody. Owners that are not named are public.
	Private map[string][]string
	// Limits bounds a skill: Entries, Depth, PathBytes, BlobBytes for a file and FetchBytes for all of them. A larger
	// skill is not served. Zero fields stand for [transport.DefaultLimits], but 10,000 entries.
	Limits transport.Limits
	// MaxAge is how long a cache in front may answer without asking whether something changed. Zero stands for one
	// minute, a negative value for asking each time. What was asked for by revision never changes and is kept for good.
	MaxAge time.Duration
	// Log gets a record for each request, without credentials, and one for each thing in the tree that cannot be
	// served. Nil is none.
	Log *slog.Logger
	// Now is the clock; nil stands for time.Now.
	Now func() time.Time
}

// Handler returns a mirror: a hub that serves the skill folders <owner>/<name>/ and the playlists
// <owner>/<name>.playlist of fsys by the plain GETs of H2, and keeps no state but digests. Any number of replicas may
// serve copies of one tree, and any cache may stand in front of them. It never writes.
//
//	GET /<owner>/<name>               SKILL.md, and in the header Atskills-Files how many files the skill holds
//	GET /<owner>/<name>?files         what the skill holds: [{"path", "size", "mode", "sha256"}]
//	GET /<owner>/<name>/<path>        one of its files
//	GET /?prefix=<owner>/             a menu of the owner's skills and playlists: [{"path", "name", "description"}]
//	GET /?prefix=<owner>/<name>/      a menu of the skill, or of what the playlist names
//	GET /healthz                      "ok" while the tree can be read
//
// The revision of a skill is the SHA-256 over all of its files, executable bits included. It is the strong ETag of the
// first two, and with ?rev=<revision> each of them, or a file, is answered by that revision or not at all: there is
// none but the present one. A file's own ETag is the SHA-256 of its bytes, a menu's that of the answer. Every body is
// read whole and compared with the digest that was told before its first byte is sent, so that a tree that changes
// while it is served gives the old content, the new, or 503 with Retry-After, and never a mixture under one digest. A file
// beyond 64 KiB is read again while it is sent, and one that changed then is cut off short of its end: what a client that
// does not read takes is its connection and an open file. Such a file comes whole, also when a range of it is asked for.
// A skill is digested again when the size, mode or time of a file is another than before; a change that keeps all three
// is noticed when the file is next sent. Caches in front have to tell addresses apart by the whole query.
//
// Names in an address pass the grammar of references. The two of an id fold case (G3), as the folders they lead to may
// have capitals; below that case counts. Links are not followed (W3), and what stands behind a dot at the top of the
// tree, of an owner or of a skill does not exist (R7), nor does .git anywhere or a temporary name (S9).
//
// A token that is wrong is as good as none, and what a caller may not see is answered exactly as what is not there
// (H4). A menu of more than 128 rows is answered by 413 and their number (R5). When the tree cannot be read the
// answer is 503, never 404, which clients would take for the last word.
//
// The handler is to stand at the root of its paths; wrap it in [http.StripPrefix] elsewhere. It is safe for concurrent
// use when fsys is: see [fsx.OS] and [fsx.Locked]. An error is about the options. It holds no token.
func Handler(fsys billy.Filesystem, opts HandlerOptions) (http.Handler, error) {
	if fsys == nil {
		return nil, errors.New("a mirror needs a file system to serve")
	}
	if opts.Limits.Entries == 0 {
		opts.Limits.Entries = defaultEntries
	}
	if opts.MaxAge == 0 {
		opts.MaxAge = defaultMaxAge
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	private, err := newAccess(opts.Private)
	if err != nil {
		return nil, err
	}
	m := &mirror{
		access:  private,
		maxAge:  opts.MaxAge,
		log:     opts.Log,
		now:     opts.Now,
		notes:   notes{log: opts.Log},
		indexes: newIndexes(maxIndexed),
		reading: make(gate, readers),
		large:   make(gate, largeSlots),
	}
	m.tree = tree{view: fsx.NewView(fsys, "", false), limits: opts.Limits.WithDefaults(), note: m.notes.add}
	return m, nil
}

// NewServer returns a server for a mirror on addr with bounds on what a connection may take: 5 s for the headers, 10 s
// for a request, 16 KiB of headers, a minute idle, and two minutes for an answer, which is 64 MiB at 5 Mbit/s. The
// caller starts it, and stops it by Shutdown.
func NewServer(addr string, handler http.Handler) *http.Server {
	return &http.Server{
		Addr:              addr,
		Handler:           handler,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      2 * time.Minute,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    maxHeader,
	}
}

// mirror is the handler. What it keeps are digests, which can be made again at any time.
type mirror struct {
	tree    tree
	access  access
	maxAge  time.Duration
	log     *slog.Logger
	now     func() time.Time
	notes   notes
	indexes *indexes
	reading gate // held while a skill is digested
	large   gate // held while a large file is digested
}

func (m *mirror) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := m.now()
	rec := &recorder{ResponseWriter: w}
	defer func() {
		m.log.LogAttrs(r.Context(), slog.LevelInfo, "request", slog.String("method", clip(r.Method)),
			slog.String("path", clip(shownTarget(r.URL))), slog.Int("status", rec.status),
			slog.Int64("bytes", rec.bytes), slog.Duration("duration", m.now().Sub(start)))
	}()
	p, err := m.answer(r)
	if err != nil {
		m.refuse(rec, r, err)
		return
	}
	if err := m.send(rec, r, p); err != nil {
		m.log.LogAttrs(r.Context(), slog.LevelError, "cut off", slog.String("path", clip(shownTarget(r.URL))), slog.Any("error", err))
		panic(http.ErrAbortHandler) // the client must not take what it got for the whole
	}
}

// answer finds what r asks for.
func (m *mirror) answer(r *http.Request) (page, error) {
	if err := checkRequest(r, m.tree.limits); err != nil {
		return page{}, err
	}
	a, err := parseAsk(r.URL)
	if err != nil {
		return page{}, err
	}
	if a.kind == askHealth {
		return m.health()
	}
	visibility, ok := m.access.check(a.owner, r.Header)
	if !ok {
		return page{}, m.hidden()
	}
	ctx, cancel := context.WithTimeout(r.Context(), maxWait)
	defer cancel()
	var p page
	switch a.kind {
	case askMenu:
		p, err = m.menu(ctx, a)
	case askFile:
		p, err = m.file(ctx, a)
	default:
		p, err = m.skill(ctx, a)
	}
	p.visibility, p.pinned = visibility, a.pinned
	return p, err
}

// hidden answers for an owner that this caller may not see. It looks around as for one that is not there, so that the
// time tells little about the owner, and it never comes near a skill, so that it tells nothing about those.
func (m *mirror) hidden() error {
	root, err := m.tree.view.ReadDir("")
	if err != nil {
		return unavailable(err)
	}
	return absent(root)
}

func (m *mirror) health() (page, error) {
	if _, err := m.tree.view.ReadDir(""); err != nil {
		return page{}, unavailable(err)
	}
	return page{body: []byte("ok\n"), contentType: textPlain}, nil
}

// skill answers with SKILL.md or the listing, under the revision of the whole.
func (m *mirror) skill(ctx context.Context, a ask) (page, error) {
	for range tries {
		dir, err := m.tree.skill(a.owner, a.name)
		if err != nil {
			return page{}, err
		}
		x, err := m.index(ctx, dir)
		if err != nil {
			return page{}, err
		}
		if a.pinned && a.rev != x.revision {
			return page{}, errRevision
		}
		if a.kind == askFiles {
			return page{body: x.listing, etag: x.revision, contentType: jsonType}, nil
		}
		p, err := m.body(ctx, dir.Real, skill.SkillFile)
		if err != nil && !isAbsent(err) {
			return page{}, err
		}
		if err == nil && x.holds(skill.SkillFile, p.etag) {
			p.etag, p.files = x.revision, len(x.files)
			return p, nil
		}
		m.indexes.drop(dir.Real)
	}
	return page{}, errBusy
}

// file answers with one file, under its own digest.
func (m *mirror) file(ctx context.Context, a ask) (page, error) {
	dir, err := m.tree.skill(a.owner, a.name)
	if err != nil {
		return page{}, err
	}
	if a.pinned {
		return m.pinnedFile(ctx, dir, a)
	}
	var p page
	if err = m.tree.find(dir, a.path); err == nil {
		p, err = m.body(ctx, dir.Real, a.path)
	}
	if refusalFor(err) != errMissing {
		return p, err
	}
	// It may be missing because the skill is being replaced.
	if _, gone := m.tree.skill(a.owner, a.name); gone != nil {
		err = gone
	}
	return page{}, err
}

// pinnedFile answers with a file of one revision. Digests that were made earlier are taken without a look at the rest
// of the skill: bytes with the digest that the revision has for them are those of the revision, whatever else changed.
func (m *mirror) pinnedFile(ctx context.Context, dir fsx.Dir, a ask) (page, error) {
	for range tries {
		x := m.indexes.get(dir.Real)
		if x == nil || x.revision != a.rev {
			var err error
			if dir, err = m.tree.skill(a.owner, a.name); err != nil {
				return page{}, err
			}
			if x, err = m.index(ctx, dir); err != nil {
				return page{}, err
			}
		}
		if x.revision != a.rev {
			return page{}, errRevision
		}
		if _, ok := x.file(a.path); !ok {
			return page{}, errMissing
		}
		p, err := m.body(ctx, dir.Real, a.path)
		if err != nil && !isAbsent(err) {
			return page{}, err
		}
		if err == nil && x.holds(a.path, p.etag) {
			return p, nil
		}
		m.indexes.drop(dir.Real)
	}
	return page{}, errBusy
}

// body reads the file name of the skill at dir. Small files are held until they are sent, under the digest of what is held.
func (m *mirror) body(ctx context.Context, dir, name string) (page, error) {
	full, max := path.Join(dir, name), m.tree.limits.BlobBytes
	data, more, err := m.tree.view.ReadHead(full, min(heldBody, max))
	switch {
	case err != nil:
		return page{}, err
	case !more:
		return page{body: data, etag: digest(data), contentType: contentType(name)}, nil
	case max <= heldBody:
		return page{}, &fsx.SizeError{Name: full, Max: max}
	}
	large, err := m.largeFile(ctx, full)
	if err != nil {
		return page{}, err
	}
	return page{large: large, etag: large.sum, contentType: contentType(name)}, nil
}

// gate lets a number of goroutines in at once.
type gate chan struct{}

// enter waits for a place, and returns the function that leaves it.
func (g gate) enter(ctx context.Context) (leave func(), err error) {
	select {
	case g <- struct{}{}:
		return func() { <-g }, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("%w: %w", errBusy, ctx.Err())
	}
}
