package atskills

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"path"

	"github.com/atskills-go/atskills/fsx"
)

// GitKeeps says what a git repository still holds of files that were removed from its work tree: each is in one of the
// three lists. A path is slash-separated, relative to the folder that was removed.
type GitKeeps struct {
	Same  []string // the very bytes are stored
	Other []string // another version of the file is
	None  []string // git never saw it
}

const maxIndex = 64 << 20 // bytes of a git index that is read

// gitKeeps asks the project's git index, read as it is on disk, what it has of the files at the place. Nil means that
// there is none to ask.
func (p project) gitKeeps(at *place) *GitKeeps {
	data, err := fsx.ReadFile(p.fs, ".git/index", maxIndex)
	if err != nil {
		return nil
	}
	index, err := parseIndex(data)
	if err != nil {
		return nil
	}
	keeps := &GitKeeps{}
	for _, f := range at.files {
		if path.Base(f.path) == SourceFile {
			continue
		}
		hash, ok := index[at.real+"/"+f.path]
		switch {
		case !ok:
			keeps.None = append(keeps.None, f.path)
		case hash == f.git:
			keeps.Same = append(keeps.Same, f.path)
		default:
			keeps.Other = append(keeps.Other, f.path)
		}
	}
	return keeps
}

var errIndex = errors.New("not a git index of a known version")

// The parts of an index entry of fixed size: stat data, the hash, the flags.
const (
	indexHead  = 12
	indexStat  = 40
	indexFixed = indexStat + sha1.Size + 2
)

// parseIndex returns the hash of each path in a git index, versions 2 to 4, as transports spell it.
func parseIndex(data []byte) (map[string]string, error) {
	if len(data) < indexHead+sha1.Size || string(data[:4]) != "DIRC" {
		return nil, errIndex
	}
	body, sum := data[:len(data)-sha1.Size], data[len(data)-sha1.Size:]
	if want := sha1.Sum(body); !bytes.Equal(sum, want[:]) && !bytes.Equal(sum, make([]byte, sha1.Size)) {
		return nil, errIndex // or one of a repository with longer hashes
	}
	version, count := binary.BigEndian.Uint32(data[4:]), binary.BigEndian.Uint32(data[8:])
	if version < 2 || version > 4 {
		return nil, errIndex
	}
	out := make(map[string]string)
	rest, last := body[indexHead:], ""
	for range count {
		name, hash, size, err := indexEntry(rest, version, last)
		if err != nil {
			return nil, err
		}
		out[name], last, rest = "git:"+hex.EncodeToString(hash), name, rest[size:]
	}
	return out, nil
}

// indexEntry reads the first entry of data; last is the path before it.
func indexEntry(data []byte, version uint32, last string) (name string, hash []byte, size int, err error) {
	if len(data) < indexFixed {
		return "", nil, 0, errIndex
	}
	hash = data[indexStat : indexStat+sha1.Size]
	size = indexFixed
	if extended := data[indexFixed-2]&0x40 != 0; extended && version >= 3 {
		size += 2
	}
	if size > len(data) {
		return "", nil, 0, errIndex
	}
	kept := 0
	if version == 4 { // the path is what is cut off the last one, and what follows
		cut, n := indexVarint(data[size:])
		if n == 0 || cut > len(last) {
			return "", nil, 0, errIndex
		}
		size, kept = size+n, len(last)-cut
	}
	end := bytes.IndexByte(data[size:], 0)
	if end < 0 {
		return "", nil, 0, errIndex
	}
	name = last[:kept] + string(data[size:size+end])
	size += end + 1
	if version < 4 {
		size = (size + 7) &^ 7 // one to eight NULs
	}
	if size > len(data) {
		return "", nil, 0, errIndex
	}
	return name, hash, size, nil
}

// indexVarint reads a number in git's offset encoding and returns how many bytes it took, 0 for none.
func indexVarint(data []byte) (value, n int) {
	for i, b := range data {
		value |= int(b & 0x7f)
		if b&0x80 == 0 {
			return value, i + 1
		}
		if i == 4 {
			break
		}
		value = (value + 1) << 7
	}
	return 0, 0
}
