package atskills

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"time"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

const (
	metaDir = ".meta"
	// maxMeta bounds one metadata file; a larger one is not ours and counts as absent.
	maxMeta = 4 << 20
	// metaTime is RFC 3339 in UTC with milliseconds, as other clients of the cache write it (C3).
	metaTime = "2006-01-02T15:04:05.000Z"
)

// meta is one entry's metadata file. ID, Revision and Fetched are shared with other clients (C3); extra is ours and may
// be empty. Fields of other clients survive a rewrite.
type meta struct {
	ID       skill.ID
	Revision transport.Revision
	Fetched  time.Time
	extra
	other map[string]json.RawMessage
}

// extra is what this library alone knows about an entry. It is believed only while For is the entry's revision: another
// client may rewrite the content and keep the field.
type extra struct {
	For     transport.Revision `json:"for"`
	Site    string             `json:"site,omitempty"`    // where it was read from; see [cache.claims]
	Tree    string             `json:"tree,omitempty"`    // the folder's tree hash, "" when unknown (C9)
	Branch  string             `json:"branch,omitempty"`  // the branch HEAD pointed at (G5)
	Skills  map[string]string  `json:"skills,omitempty"`  // what landed: each skill's folder and digest
	Skipped []skipped          `json:"skipped,omitempty"` // what did not land, said again whenever the entry is served (F2)

	Playlist   string               `json:"playlist,omitempty"`   // the digest of a playlist's rows (H5)
	Visibility transport.Visibility `json:"visibility,omitempty"` // what upstream said last (H4)
	Checked    time.Time            `json:"checked,omitzero"`     // when upstream said that nothing changed (H3)
}

// confirmedAt is when upstream last served the entry, or said that it is what upstream has.
func (m meta) confirmedAt() time.Time {
	if m.Checked.After(m.Fetched) {
		return m.Checked
	}
	return m.Fetched
}

// newMeta is the metadata of what stands at id now.
func (c *cache) newMeta(id skill.ID, head transport.Head, tree transport.Tree) meta {
	return meta{ID: id, Revision: head.Revision, Fetched: c.env.now(), extra: extra{
		Site: c.site(id), Tree: tree.Hash, Branch: head.Branch, Visibility: head.Visibility,
	}}
}

// skipped is an upstream entry that never lands.
type skipped struct {
	Path   string `json:"path"`             // relative to the entry
	Why    string `json:"why"`              // in words
	Target string `json:"target,omitempty"` // the id a link points to, when that lies in the same repository
}

// The fields of a metadata file.
const (
	fieldID       = "id"
	fieldRevision = "revision"
	fieldFetched  = "fetchedAt"
	fieldExtra    = "atskillsGo"
)

var errNoEntry = errors.New("no cache entry")

// metaPath is where id's metadata lives: the first 32 hex digits of SHA-256 of its canonical spelling (C3).
func metaPath(id skill.ID) string { return metaDir + "/" + metaHash(id) + ".json" }

// pendingPath marks a swap of id's content that has begun: until it is gone, content and metadata may disagree (C7).
func pendingPath(id skill.ID) string { return metaDir + "/" + metaHash(id) + ".swap" }

// lockPath serialises the writers of one repository (C7).
func lockPath(origin skill.ID) string { return metaDir + "/" + metaHash(origin) + ".lock" }

// stagePath is where the lock's holder puts new content together.
func stagePath(origin skill.ID) string { return metaDir + "/" + metaHash(origin) + ".stage" }

func metaHash(id skill.ID) string {
	sum := sha256.Sum256([]byte(id.String()))
	return hex.EncodeToString(sum[:])[:32]
}

// parseMeta reads id's metadata. Anything it cannot vouch for counts as absent (C8).
func parseMeta(id skill.ID, data []byte) (meta, error) {
	m := meta{ID: id}
	if json.Unmarshal(data, &m.other) != nil {
		return meta{}, errNoEntry
	}
	text := func(field string) (s string) {
		_ = json.Unmarshal(m.other[field], &s) // "" is refused below
		delete(m.other, field)
		return s
	}
	m.Revision = transport.Revision(text(fieldRevision))
	fetched, err := time.Parse(time.RFC3339, text(fieldFetched))
	if err != nil || text(fieldID) != id.String() || !plausible(m.Revision) {
		return meta{}, errNoEntry
	}
	m.Fetched = fetched
	if json.Unmarshal(m.other[fieldExtra], &m.extra) != nil || m.For != m.Revision {
		m.extra = extra{}
	}
	delete(m.other, fieldExtra)
	return m, nil
}

// plausible reports whether rev may be one: a word that cannot harm a line it is printed in.
func plausible(rev transport.Revision) bool {
	return rev != "" && len(rev) <= 256 && oneLine(string(rev)) == string(rev)
}

// marshal returns the metadata file. Keys come in byte order, so equal metadata has equal bytes.
func (m meta) marshal() ([]byte, error) {
	all := make(map[string]any, len(m.other)+4)
	for k, v := range m.other {
		all[k] = v
	}
	m.For = m.Revision
	all[fieldID] = m.ID
	all[fieldRevision] = m.Revision
	all[fieldFetched] = m.Fetched.UTC().Format(metaTime)
	all[fieldExtra] = m.extra
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(all)
	return out.Bytes(), err
}

// readMeta returns id's metadata and its bytes, with which a reader notices that the entry changed under it.
func (c *cache) readMeta(id skill.ID) (meta, []byte, error) {
	data, err := fsx.ReadFile(c.fs, metaPath(id), maxMeta)
	if err != nil {
		return meta{}, nil, errNoEntry
	}
	m, err := parseMeta(id, data)
	return m, data, err
}

func (c *cache) writeMeta(m meta) error {
	data, err := m.marshal()
	if err != nil {
		return err
	}
	return fsx.WriteFile(c.fs, metaPath(m.ID), data, 0o644)
}
