package hub

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/atskills-go/atskills/skill"
)

const (
	listSuffix = ".playlist"
	maxList    = 1 << 20 // bytes in a playlist file
	maxLines   = 4096    // in it, comments included
)

// playlist is a list of skills that stand elsewhere (H5).
type playlist struct {
	name, description string // "" when the file does not say
	rows              []playlistRow
	faults            []lineFault // lines that are no reference
}

// lineFault is why a line was left out.
type lineFault struct {
	line int // from 1
	err  error
}

type playlistRow struct {
	ref         skill.Ref // a gh: or hub: id, without suffixes
	description string
}

// parsePlaylist reads a playlist file: an optional name and description, then one reference a line, each with an
// optional description behind white space. Comments begin with '#'. A line that is no reference is a fault and left
// out, and so is an id that stood there before.
func parsePlaylist(data []byte) (playlist, error) {
	var l playlist
	if bytes.Count(data, []byte("\n")) > maxLines {
		return l, tooLarge("this playlist has more than %d lines, and is not served", maxLines)
	}
	seen := make(map[skill.Ref]bool)
	n := 0
	for line := range strings.Lines(string(bytes.TrimPrefix(data, []byte("\ufeff")))) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || len(l.rows) == 0 && l.header(line) {
			continue
		}
		word, rest := cutWord(line)
		row, err := parseLine(word)
		if err == nil && seen[row] {
			err = errors.New("the list has it already")
		}
		if err != nil {
			l.faults = append(l.faults, lineFault{n, err})
			continue
		}
		seen[row] = true
		text, _ := skill.OneLine(rest)
		l.rows = append(l.rows, playlistRow{row, text})
	}
	return l, nil
}

// header reads a line that says something of the list itself.
func (l *playlist) header(line string) bool {
	key, value, _ := strings.Cut(line, ":")
	value, _ = skill.OneLine(value)
	switch key {
	case "name":
		l.name = value
	case "description":
		l.description = value
	default:
		return false
	}
	return true
}

func cutWord(line string) (word, rest string) {
	i := strings.IndexAny(line, " \t")
	if i < 0 {
		return line, ""
	}
	return line[:i], line[i:]
}

// parseLine reads a reference. Two bare segments are a hub: id, since a list has no project of its own.
func parseLine(word string) (skill.Ref, error) {
	ref, err := skill.ParseRef(word)
	if err != nil {
		return skill.Ref{}, err
	}
	if ref.Save || ref.Install || ref.Index {
		return skill.Ref{}, fmt.Errorf("%q has a suffix, and a list only names skills", word)
	}
	if ref.Branch != "" && ref.Branch != "HEAD" {
		return skill.Ref{}, fmt.Errorf("%q names the branch %q; write %s, which reads the default branch", word, ref.Branch, ref.ID.Reference())
	}
	id := ref.ID
	if id.Scheme() == skill.Local {
		if id, err = skill.ParseID("hub:" + id.Path()); err != nil {
			return skill.Ref{}, fmt.Errorf("%q is neither gh:<owner>/<repo>/... nor hub:<owner>/<name>", word)
		}
	}
	return skill.ParseRef(rowPath(id, ref.Dir))
}

// rowPath spells a row as a reference that [skill.ParseRef] reads back.
func rowPath(id skill.ID, dir bool) string {
	if dir {
		return id.Reference() + "/"
	}
	return id.Reference()
}
