package transport

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"strings"
)

// Digest computes an [Entry.Hash] over a body of known size. Write the whole body, then ask for String.
type Digest struct {
	algorithm string
	h         hash.Hash
}

// NewDigest returns a digest of the same algorithm as like, an Entry.Hash, for a body of size bytes: "git:" is
// SHA-1 over git's blob header and the body, "sha256:" the plain SHA-256. An unknown algorithm is an error.
func NewDigest(like string, size int64) (*Digest, error) {
	algorithm, _, _ := strings.Cut(like, ":")
	switch algorithm {
	case "git":
		h := sha1.New()
		fmt.Fprintf(h, "blob %d\x00", size)
		return &Digest{algorithm, h}, nil
	case "sha256":
		return &Digest{algorithm, sha256.New()}, nil
	}
	return nil, fmt.Errorf("unknown digest %q", like)
}

var _ io.Writer = (*Digest)(nil)

// Write adds p to the body.
func (d *Digest) Write(p []byte) (int, error) { return d.h.Write(p) }

// String returns the self-describing hash of what was written.
func (d *Digest) String() string { return d.algorithm + ":" + hex.EncodeToString(d.h.Sum(nil)) }

// Matches reports whether body has e's hash. An entry without hash matches nothing.
func (e Entry) Matches(body []byte) bool {
	d, err := NewDigest(e.Hash, int64(len(body)))
	if err != nil {
		return false
	}
	_, _ = d.Write(body) // a hash never fails
	return d.String() == e.Hash
}
