// Package transport is the contract between the protocol and its upstreams.
//
// A [Transport] answers two questions about an origin (a repository, a hub entry): which revision stands there
// now, and what that revision holds. It never writes: bodies are handed to the caller as readers, and containment,
// caps, modes and the link policy are the caller's, in one place for every transport. [Mux] picks a transport by
// scheme, [Memo] answers repeated probes from memory (C12). The implementation for gh: ids is in transport/git; a fake
// and a conformance suite for any other are in transport/transporttest.
package transport

import (
	"context"
	"io"
	"time"

	"github.com/atskills-go/atskills/skill"
)

// Revision names an immutable state of an origin: a 40-hex commit for git (F3), a digest or strong ETag for a hub (H3).
type Revision string

// Head is what a probe learns.
type Head struct {
	Revision Revision
	// Branch is the branch the revision stands for ("main"), "" when the origin has none (G5).
	Branch string
	// Moved is the origin's present address when upstream redirected there (a renamed repository), "" otherwise (F5).
	// It carries no credentials.
	Moved string
	// Visibility is who may read the origin, as upstream says; "" when it does not (H4).
	Visibility Visibility
}

// Visibility says who may read an origin (H4).
type Visibility string

// The visibilities.
const (
	Public  Visibility = "public"
	Private Visibility = "private"
)

// Transport reaches upstream. Implementations are safe for concurrent use and honour the context's end promptly.
//
// Errors match [ErrNotFound] and [ErrNoAccess] when upstream answered no, [ErrUnreachable] when it did not answer
// (stale content may be served), [ErrProtocol] when its answer made no sense, [*LimitError] when it was too large, and
// [*TooManyError] when upstream itself refused to list so much.
type Transport interface {
	// Head asks for the current revision of id's origin: one cheap probe, never content (C4).
	Head(ctx context.Context, id skill.ID) (Head, error)
	// Open lists what stands at ids, all of one origin, at rev: names, modes, hashes, sizes where known; no bodies (F1).
	// An id where nothing stands is no error here; its Tree call reports it.
	Open(ctx context.Context, rev Revision, ids ...skill.ID) (Snapshot, error)
}

// Snapshot is one listing of one origin at one revision. Its methods are safe for concurrent use until Close.
type Snapshot interface {
	// Tree returns what stands at id. It answers for every id handed to Open and, from what the listing already
	// holds, for their ancestors: there Partial may be set. It matches [ErrNoPath] when no folder stands at id or the
	// listing never reached it, and makes no request.
	Tree(id skill.ID) (Tree, error)
	// Fetch moves the bodies of want, entries of any of this snapshot's trees, in one exchange, and calls put once
	// for each, in no particular order, never concurrently. The reader is valid during the call only. Bodies are
	// verified against Entry.Hash before put returns its last byte; a missing or mismatching one is an error. An
	// error of put stops the fetch and is returned; the end of the context stops it with an error that matches ctx.Err().
	Fetch(ctx context.Context, want []Entry, put func(Entry, io.Reader) error) error
	// Close releases what the listing holds.
	Close() error
}

// Tree is the listing of one folder and everything below it.
type Tree struct {
	// Hash identifies the folder's whole content in self-describing form, "" when upstream has no such thing (C9).
	Hash string
	// Entries are files, links and submodules at any depth (no directories), in byte order of Path (W4). When Partial
	// is set they are the immediate children, directories included.
	Entries []Entry
	// Partial says that only the immediate children are known.
	Partial bool
	// Skipped are paths that upstream holds and that cannot be addressed: names no path segment may have (G7). They are
	// reported and never land. They stand as upstream has them, with control characters and invalid UTF-8: show one
	// through [skill.OneLine].
	Skipped []string
	// Rows make the folder a playlist: what it lists instead of holding it (H5). A tree that has rows has no entries.
	Rows []Row
}

// Row is one line of a playlist (H5): a skill or a collection that stands elsewhere and keeps its own id (G11).
type Row struct {
	// Ref is the parsed reference, without suffixes: a gh: or hub: id, with Dir set for a row that means a directory.
	// A row that is no such reference stands in [Tree.Skipped] instead.
	Ref skill.Ref
	// Name and Description are what the list says of it, as upstream has them: show them through [skill.OneLine].
	Name, Description string
}

// Mode is the kind of an entry.
type Mode uint8

// The kinds of entry. Only Regular and Executable ever land on disk (F2).
const (
	Regular Mode = iota
	Executable
	Symlink   // its body is the link's target
	Submodule // has no body
	Directory // only in partial trees
)

// String returns the mode's name in lower case.
func (m Mode) String() string {
	return [...]string{"file", "executable file", "symlink", "submodule", "directory"}[m]
}

// Entry is one thing upstream holds.
type Entry struct {
	// Path is slash-separated and relative to the id its tree was asked for. Transports refuse upstream names that
	// cannot be a path segment (F6).
	Path string
	Mode Mode
	// Hash is the digest of the body in self-describing form ("git:<40 hex>", "sha256:<64 hex>"), "" when unknown;
	// see [NewDigest].
	Hash string
	// Size is the body's length in bytes, -1 when unknown: a blobless listing has no sizes.
	Size int64
}

// Known is what a caller has of an origin already: its copy's revision, and when upstream last confirmed that, by serving
// it or by saying that nothing changed. The zero value is nothing.
type Known struct {
	Revision Revision
	Fetched  time.Time
}

// Conditional is the ability to ask whether anything changed since: a probe that moves no content when nothing did, and
// that may answer without a request while what the caller has counts as fresh (H3). Unchanged is a [Head] with the
// revision of known. Its errors are those of Head. [HeadSince] asks a transport that may lack the ability.
type Conditional interface {
	HeadSince(ctx context.Context, id skill.ID, known Known) (Head, error)
}

// HeadSince probes id's origin through t, by [Conditional] where t has that ability, else by Head.
func HeadSince(ctx context.Context, t Transport, id skill.ID, known Known) (Head, error) {
	if c, ok := t.(Conditional); ok && known.Revision != "" {
		return c.HeadSince(ctx, id, known)
	}
	return t.Head(ctx, id)
}

// Rememberer is the ability to keep refusals for a session (C12): what a caller concluded from a listing at the revision
// that Head answers, such as that nothing stands at a path, or that it covers too much. They hold as long as that answer
// does, and a listing is the dearer question. [Memo] has the ability for as long as it lives, and wrappers hand it on.
type Rememberer interface {
	// Refusal returns the error that was kept for ref, nil when there is none.
	Refusal(ref skill.Ref) error
	// Refuse keeps err for ref, or not, when there is too much.
	Refuse(ref skill.Ref, err error)
}

// BranchLister is the ability to name an origin's branches, for pasted addresses whose branch holds slashes (G5). A
// wrapper answers with an error that matches [errors.ErrUnsupported] when the transport behind it lacks the ability.
type BranchLister interface {
	Branches(ctx context.Context, id skill.ID) ([]string, error)
}

// WebPager is the ability to name the page where a person reviews what stands at id (R9); rev may be empty for HEAD.
// "" means that there is none. The pages of a transport that lacks the ability are those of [skill.ID.WebURL]; wrappers
// answer so for one behind them.
type WebPager interface {
	WebURL(id skill.ID, rev Revision) string
}

// Searcher is the ability to find skills by words; see [BranchLister] for wrappers.
type Searcher interface {
	Search(ctx context.Context, query string) ([]skill.ID, error)
}
