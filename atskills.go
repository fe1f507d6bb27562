package atskills

import (
	"context"
	"fmt"
	"log/slog"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-git/go-billy/v5"

	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

// The protocol's fixed names and numbers.
const (
	// MaxSkills is how many skills one reference may cover, inclusive, counted in skills and never in files (R5).
	MaxSkills = 128
	// Dir is the project's skill tree, below the root of [Env.Project].
	Dir = ".atskills"
	// TriggerFile is the file below Dir whose lines say what fires on its own (T).
	TriggerFile = ".autotrigger"
	// SourceFile is the stamp that a save leaves at the top of what it saved.
	SourceFile = ".source"
	// SkillFile is the file that makes a folder a skill, compared exactly (W1).
	SkillFile = skill.SkillFile
)

// Transport reaches upstream; see package [transport].
type Transport = transport.Transport

// Env is everything a call may touch. The core reads no environment variable, no home directory and no clock but
// these fields. An Env is a value: copy it freely. A single call may be given any file system; calls from several
// goroutines need ones that stand that (memfs does not; wrap it with fsx.Locked).
type Env struct {
	// Project is the file system whose root holds .atskills/. Nil means a project without skills of its own.
	Project billy.Filesystem
	// Cache is the root of the validating cache, shared by every project and client on a machine (C1); fsx.UserCache
	// is the usual one. Nil keeps what upstream serves in memory for the length of one call, and so does a cache that
	// cannot be written (with a warning): content then has no path.
	Cache billy.Filesystem
	// Transport answers for marked ids, those that begin with gh: or hub:. Nil makes each of them an error that matches
	// [ErrNotConfigured].
	Transport transport.Transport
	// Now is the clock for dates in metadata. Nil is time.Now.
	Now func() time.Time
	// Tokens counts the tokens of a text as the host's model does. Nil is the estimate ceil(characters/4) (B8).
	Tokens func(string) int
	// Logger gets one record for each [Event], at debug level, or as a warning when something failed. Nil discards.
	Logger *slog.Logger
	// Events is called with what happens on the way, in the order in which it does. Nil means that nobody listens. Several
	// repositories are read at once, so it may be called from several goroutines; it should return soon, and it must not
	// call this package, whose locks may be held.
	Events func(Event)
}

// tokens is what text costs in a prompt.
func (e Env) tokens(text string) int {
	if e.Tokens == nil {
		return (utf8.RuneCountInString(text) + 3) / 4
	}
	return e.Tokens(text)
}

func (e Env) now() time.Time {
	if e.Now == nil {
		return time.Now()
	}
	return e.Now()
}

// head probes id's origin, if there is a transport, and says what the caller has of it.
func (e Env) head(ctx context.Context, id skill.ID, known transport.Known) (head transport.Head, err error) {
	took := e.timer()
	defer func() { e.emit(ctx, Event{Kind: EventProbe, ID: id, Revision: head.Revision, Took: took(), Err: err}) }()
	if e.Transport == nil {
		return transport.Mux{}.Head(ctx, id)
	}
	return transport.HeadSince(ctx, e.Transport, id, known)
}

// open lists what stands at ids. There is a transport: it was probed.
func (e Env) open(ctx context.Context, rev transport.Revision, ids ...skill.ID) (transport.Snapshot, error) {
	took := e.timer()
	snap, err := e.Transport.Open(ctx, rev, ids...)
	e.emit(ctx, Event{Kind: EventListing, ID: ids[0].Origin(), Revision: rev, Took: took(), Err: err})
	return snap, err
}

// check refuses a cache that lies inside a skill tree (C2): its content would be walked as the project's own.
func (e Env) check() error {
	if e.Cache == nil {
		return nil
	}
	root := strings.ReplaceAll(e.Cache.Root(), `\`, "/")
	for seg := range strings.SplitSeq(path.Clean(root), "/") {
		if seg == Dir {
			return fmt.Errorf("%w: %s", ErrCacheInTree, e.Cache.Root())
		}
	}
	return nil
}

// Kind says what a reference turned out to be (R4).
type Kind string

// The two kinds.
const (
	Skill Kind = "skill" // a folder with SKILL.md
	Menu  Kind = "menu"  // a folder without one that has skills below it, or a playlist
)

// Source says who provided the content (R9).
type Source string

// The sources.
const (
	FromProject Source = "local"
	FromGitHub  Source = "github"
	FromHub     Source = "hub"
)

// Served says how the content was reached (R9).
type Served string

// The ways content is served.
const (
	ServedLocal  Served = "local"  // the project's own copy; no request was made
	ServedFresh  Served = "fresh"  // fetched by this call
	ServedCached Served = "cached" // the cache, confirmed by a probe, or too young to need one (H3)
	ServedStale  Served = "stale"  // the cache, which upstream did not confirm; a warning says why
)

// Resolution is what a reference resolved to. It is the caller's to keep; nothing in it is shared with the library.
type Resolution struct {
	Ref      skill.Ref // the reference as parsed, suffixes included; Resolve does not act on them
	ID       skill.ID  // the id that answered
	Kind     Kind
	Source   Source
	Served   Served
	Revision transport.Revision // upstream's revision, "" for local content and where it is unknown
	Fetched  time.Time          // when the cached content was fetched, zero for local content

	// Dir is the folder and Path the SKILL.md (for a menu: the folder), as the file system that holds them spells
	// them: real paths only where that is a real one. Both are "" when the content was kept in memory (see Env.Cache).
	Dir, Path string

	Name, Description string // from the frontmatter, on one line each (B7); "" for a menu
	// Content is a skill's body; for a menu one row a skill, "id: description", each id a valid reference. With :index a
	// skill's content is its frontmatter.
	Content string
	// Files are a skill's bundled files, slash-separated paths relative to Dir in byte order, without SKILL.md and the
	// dot-files at the top (R7).
	Files []string
	// Entries are a menu's rows in byte order of their paths; a playlist's come in the list's own order.
	Entries []Entry
	// Playlist says that the menu lists what stands elsewhere: each row keeps its own id, whoever lists it (H5, G11).
	Playlist bool
	// Visibility is who may read a hub's entry, as the hub says; "" when that is unknown (H4).
	Visibility transport.Visibility

	// ReviewURL is the page where a person reviews a gh: id, "" otherwise: at Revision, for a saved copy at the one its stamp
	// records, and at HEAD where neither is known.
	ReviewURL string
	Warnings  []Warning
}

// Entry is one row of a menu.
type Entry struct {
	// ID addresses the skill. It is zero when the grammar cannot address the folder's name; Path still shows it (G12).
	ID skill.ID
	// Name is from the frontmatter, else the folder's name (R8); in a playlist as the list has it. Description is "" when
	// the skill has none, or the list says nothing. Both are cut where a row of a block is (B7).
	Name, Description string
	Path              string   // its SKILL.md as the host's file system spells it, "" in a playlist
	Bundle            []string // its bundled files, as in Resolution.Files
	Whole             bool     // a playlist's row means a whole directory, and its reference ends in a slash (G9)
}

// ref is the reference that a playlist's row stands for.
func (e Entry) ref() skill.Ref { return skill.Ref{ID: e.ID, Dir: e.Whole} }

// Warning is something a host should show beside a result that is good all the same.
type Warning struct {
	Code    string // one of the Warn constants
	Message string
}

// String returns the message on one line.
func (w Warning) String() string { return oneLine(w.Message) }

// The codes of warnings.
const (
	WarnStale       = "stale"       // upstream unreachable; the cached copy answered (C4)
	WarnGone        = "gone"        // upstream no longer has it, or no longer shows it; the cached copy answered (C5)
	WarnRefresh     = "refresh"     // a refresh failed; the cached copy answered (C6)
	WarnChanged     = "changed"     // upstream has something else there than when this machine last read it (X4)
	WarnDamaged     = "damaged"     // the cached copy is not what was fetched, and upstream could not heal it
	WarnCache       = "cache"       // the cache cannot be used; the content was kept in memory
	WarnMoved       = "moved"       // the repository answers at another address (F5)
	WarnBranch      = "branch"      // a pasted address names another branch than the one read (G5)
	WarnPartial     = "partial"     // the project's copies alone answered a menu (R11)
	WarnSkipped     = "skipped"     // a link or submodule did not land (F2), or a row of a playlist is left out (H5)
	WarnUnreadable  = "unreadable"  // a folder, link or name in the walk could not be used (W1, W3, W6)
	WarnSuffix      = "suffix"      // a :save or :install was read and not acted on (see [ExpandOptions])
	WarnShortened   = "shortened"   // names or descriptions of a menu's rows were cut (B7)
	WarnFrontmatter = "frontmatter" // SKILL.md was read with a repair, or lacks a name or description (R8)
)

// ResolveOption changes one call of [Resolve] or [ResolveAll].
type ResolveOption func(*resolveOptions)

type resolveOptions struct{ upstream bool }

// FromUpstream skips the project's own copies of marked ids for one call, to look at what the provider has now (R11).
func FromUpstream() ResolveOption { return func(o *resolveOptions) { o.upstream = true } }
