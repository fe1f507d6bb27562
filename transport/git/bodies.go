package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/atskills-go/atskills/internal/gitwire"
	"github.com/atskills-go/atskills/internal/remote"
	"github.com/atskills-go/atskills/transport"
)

// memoryForBodies is how much of a fetch is held in memory before it goes to a temporary file.
const memoryForBodies = 8 << 20

// bodies fetches the distinct blobs of want in one request and puts each entry, in the order of want. Nothing is put
// before everything has arrived and been hashed.
func (t *Transport) bodies(ctx context.Context, ep *endpoint, commit plumbing.Hash, want []transport.Entry,
	put func(transport.Entry, io.Reader) error) error {
	const op = "fetch"
	if len(want) == 0 {
		return nil
	}
	hashes, err := blobHashes(want)
	if err != nil {
		return fmt.Errorf("%s %s: %w", op, ep, err)
	}
	f := &bodyFetch{t: t, ep: ep, left: t.opts.Limits.FetchBytes}
	defer f.close()
	if err := f.load(ctx, commit, hashes); err != nil {
		return t.failure(ctx, op, ep, err)
	}
	for _, e := range want {
		if ctx.Err() != nil {
			return t.failure(ctx, op, ep, context.Cause(ctx))
		}
		r, ok := f.open(blobHash(e))
		if !ok {
			return ep.error(op, transport.ErrProtocol, transport.CauseProtocol,
				fmt.Errorf("the answer lacks %q (%s)", e.Path, e.Hash), "")
		}
		if err := put(e, remote.EndingReader(ctx, r)); err != nil {
			return err
		}
	}
	return nil
}

// blobHashes returns the distinct hashes of want in their order.
func blobHashes(want []transport.Entry) ([]plumbing.Hash, error) {
	seen := make(map[plumbing.Hash]bool, len(want))
	var hashes []plumbing.Hash
	for _, e := range want {
		name, ok := strings.CutPrefix(e.Hash, "git:")
		if !ok || e.Mode == transport.Submodule || e.Mode == transport.Directory {
			return nil, fmt.Errorf("%q is a %s without a body to fetch", e.Path, e.Mode)
		}
		h, err := gitwire.ParseHash(name)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", e.Path, err)
		}
		if !seen[h] {
			seen[h] = true
			hashes = append(hashes, h)
		}
	}
	return hashes, nil
}

func blobHash(e transport.Entry) plumbing.Hash {
	return plumbing.NewHash(strings.TrimPrefix(e.Hash, "git:"))
}

// bodyFetch gathers blobs, in as many packs as it takes.
type bodyFetch struct {
	t     *Transport
	ep    *endpoint
	left  int64 // bytes of bodies that may still come
	packs []*gitwire.Objects
}

// load fetches hashes. A server that refuses blobs by hash is asked for the whole commit instead.
func (f *bodyFetch) load(ctx context.Context, commit plumbing.Hash, hashes []plumbing.Hash) error {
	err := f.split(ctx, hashes)
	if isNotOurRef(err) {
		err = f.fetch(ctx, gitwire.FetchRequest{Wants: []plumbing.Hash{commit}, Depth: 1})
	}
	return err
}

// split fetches hashes in one request, or in halves for a server to which the request is too large.
func (f *bodyFetch) split(ctx context.Context, hashes []plumbing.Hash) error {
	err := f.fetch(ctx, gitwire.FetchRequest{Wants: hashes})
	var status *statusError
	if !errors.As(err, &status) || status.code != http.StatusRequestEntityTooLarge || len(hashes) == 1 {
		return err
	}
	half := len(hashes) / 2
	if err := f.split(ctx, hashes[:half]); err != nil {
		return err
	}
	return f.split(ctx, hashes[half:])
}

func (f *bodyFetch) fetch(ctx context.Context, req gitwire.FetchRequest) error {
	limits := f.t.opts.Limits
	total := gitwire.Bound{Max: f.left, What: "bytes of files in one fetch", Field: "FetchBytes"}
	wire := total
	wire.Max += 16 << 20 // bodies that do not compress, and what frames them
	return f.t.pack(ctx, "fetch", f.ep, req, wire, func(r io.Reader, m *gitwire.Meter, _ bool) error {
		objects, err := gitwire.ReadPack(r, gitwire.PackOptions{
			Keep:    func(typ plumbing.ObjectType) bool { return typ == plumbing.BlobObject },
			Objects: gitwire.Bound{Max: int64(max(len(req.Wants), 2*limits.Entries+2)), What: "objects in one fetch", Field: "Entries"},
			Object:  gitwire.Bound{Max: limits.BlobBytes, What: "bytes in one file", Field: "BlobBytes"},
			Total:   total,
			Skipped: gitwire.Bound{Max: 2 * limits.ListingBytes, What: "bytes of folders in one fetch", Field: "ListingBytes"},
			Memory:  memoryForBodies,
			Each: func(done, total int) error {
				f.t.progress("fetch", done, total, m.N)
				return nil
			},
		})
		f.packs = append(f.packs, objects)
		f.left -= objects.Size()
		return err
	})
}

func (f *bodyFetch) open(h plumbing.Hash) (io.Reader, bool) {
	for _, p := range f.packs {
		if r, ok := p.Open(plumbing.BlobObject, h); ok {
			return r, true
		}
	}
	return nil, false
}

func (f *bodyFetch) close() {
	for _, p := range f.packs {
		_ = p.Close() // of a temporary file nobody needs any more
	}
}
