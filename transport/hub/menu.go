package hub

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

// menuRow is one element of a menu's array.
type menuRow struct {
	Path, Name, Description string
}

// parseMenu reads the rows of the playlist at id, in its order. Of several rows with one id the first stands. Paths that
// are no reference to something with an upstream are skipped, as they stand.
func (h *Hub) parseMenu(id skill.ID, body []byte) (rows []transport.Row, skipped []string, err error) {
	seen := map[skill.ID]bool{}
	count := 0
	err = decodeArray(body, func(dec *json.Decoder) error {
		var m menuRow
		if err := dec.Decode(&m); err != nil {
			return err
		}
		if count++; count > h.opts.Limits.Entries {
			return &transport.LimitError{What: "rows in a menu", Max: int64(h.opts.Limits.Entries), Field: "Entries"}
		}
		ref, err := parseRow(m.Path)
		switch {
		case err != nil, ref.ID == id: // a list that lists itself has no end
			skipped = append(skipped, m.Path)
		case !seen[ref.ID]:
			seen[ref.ID] = true
			rows = append(rows, transport.Row{Ref: ref, Name: m.Name, Description: m.Description})
		}
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("the menu: %w", err)
	}
	return rows, skipped, nil
}

// errRow says that a row's path is no reference.
var errRow = errors.New("no reference to a skill with an upstream")

// parseRow reads a row's path: a gh: or hub: id in any spelling, or owner/name of the same hub, with a slash behind it
// for a whole directory. It is nobody's message, so nothing else that references may have is taken: no prefix, suffix or
// branch, and no path of a project.
func parseRow(path string) (skill.Ref, error) {
	unprintable := func(r rune) bool { return unicode.IsControl(r) || r == utf8.RuneError }
	if strings.TrimSpace(path) != path || strings.HasPrefix(path, "@") || strings.ContainsFunc(path, unprintable) {
		return skill.Ref{}, errRow
	}
	if !hasMarker(path) {
		if strings.HasPrefix(path, ".") || strings.Contains(path, ":") {
			return skill.Ref{}, errRow // a path of a project or a drive, or a marker with a typing error
		}
		path = "hub:" + path
	}
	ref, err := skill.ParseRef(path)
	if err != nil || ref.Save || ref.Install || ref.Index || ref.Branch != "" || ref.ID.Scheme() == skill.Local {
		return skill.Ref{}, errRow
	}
	return ref, nil
}

func hasMarker(path string) bool {
	marker, _, ok := strings.Cut(path, ":")
	return ok && (strings.EqualFold(marker, "gh") || strings.EqualFold(marker, "hub"))
}

// decodeArray calls each before every element of a JSON array, which it decodes. Nothing may follow the array.
func decodeArray(data []byte, each func(*json.Decoder) error) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	first, err := dec.Token()
	if err != nil {
		return early(err)
	}
	if first != json.Delim('[') {
		return errors.New("the answer is no JSON array")
	}
	for dec.More() {
		if err := each(dec); err != nil {
			return early(err)
		}
	}
	if _, err := dec.Token(); err != nil {
		return early(err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return errors.New("something follows the JSON array")
	}
	return nil
}

// early says of JSON that stops in the middle that it does.
func early(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
