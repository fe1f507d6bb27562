package transporttest

import (
	"strings"

	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

// playlistFile is the file that makes a hub entry a playlist, when it holds nothing else.
const playlistFile = ".playlist"

// readPlaylist makes the tree of a hub entry that is a playlist (H5): what a reference line lists becomes a row, any
// other line is skipped.
func readPlaylist(text string) transport.Tree {
	var tree transport.Tree
	header := true
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || header && isHeader(line) {
			continue
		}
		header = false
		ref, description, _ := strings.Cut(strings.ReplaceAll(line, "\t", " "), " ")
		if row, ok := playlistRow(ref, strings.TrimSpace(description)); ok {
			tree.Rows = append(tree.Rows, row)
		} else {
			tree.Skipped = append(tree.Skipped, line)
		}
	}
	return tree
}

func isHeader(line string) bool {
	return strings.HasPrefix(line, "name:") || strings.HasPrefix(line, "description:")
}

// playlistRow reads one reference; without a marker it is a hub id.
func playlistRow(text, description string) (transport.Row, bool) {
	ref, err := skill.ParseRef(text)
	if err == nil && ref.ID.Scheme() == skill.Local {
		ref, err = skill.ParseRef("hub:" + text)
	}
	if err != nil || ref.Save || ref.Install || ref.Index {
		return transport.Row{}, false
	}
	return transport.Row{Ref: ref, Name: ref.ID.Base(), Description: description}, true
}
