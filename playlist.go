package atskills

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

const (
	// listFile holds a playlist's rows in its cache entry, which would be an empty folder otherwise and count as absent
	// (C8). No upstream can put it there: of a folder that is no skill, files never land (F2).
	listFile = ".playlist"
	// maxList bounds it; descriptions are the most of it.
	maxList = 4 << 20
)

// listRow is a row as the file has it, in the form of a hub's menu (H2).
type listRow struct {
	Path        string `json:"path"` // in reference spelling, with a slash at its end for a whole directory
	Name        string `json:"name"`
	Description string `json:"description"`
}

// rowReference spells what a row of a playlist addresses.
func rowReference(id skill.ID, whole bool) string {
	if whole {
		return id.Reference() + "/"
	}
	return id.Reference()
}

// encodeRows returns the file of rows. Equal rows have equal bytes.
func encodeRows(rows []transport.Row) ([]byte, error) {
	list := make([]listRow, len(rows))
	for i, r := range rows {
		list[i] = listRow{rowReference(r.Ref.ID, r.Ref.Dir), r.Name, r.Description}
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "\t")
	if err := enc.Encode(list); err != nil {
		return nil, err
	}
	if out.Len() > maxList {
		return nil, fmt.Errorf("the list's rows take more than %d bytes", maxList)
	}
	return out.Bytes(), nil
}

// decodeRows reads the file. Rows that encodeRows never writes make all of it unusable.
func decodeRows(data []byte) ([]transport.Row, error) {
	var list []listRow
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, err
	}
	if len(list) == 0 || len(list) > MaxSkills {
		return nil, fmt.Errorf("%d rows", len(list))
	}
	rows := make([]transport.Row, len(list))
	for i, l := range list {
		ref, err := skill.ParseRef(l.Path)
		if err != nil {
			return nil, err
		}
		rows[i] = transport.Row{Ref: ref, Name: l.Name, Description: l.Description}
		if !usableRow(rows[i]) {
			return nil, fmt.Errorf("%q is no row", l.Path)
		}
	}
	return rows, nil
}

// usableRow reports whether a row addresses something that a provider has.
func usableRow(r transport.Row) bool {
	return r.Ref.ID.Scheme() != skill.Local && !r.Ref.Save && !r.Ref.Install && !r.Ref.Index
}

func listDigest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}

// readList returns the rows that stand in id's entry, and the digest of their file. The error says that there are none.
func (c *cache) readList(id skill.ID) ([]transport.Row, string, error) {
	data, err := c.view.ReadFile(path.Join(id.DiskPath(), listFile), maxList)
	if err != nil {
		return nil, "", err
	}
	rows, err := decodeRows(data)
	return rows, listDigest(data), err
}

// list describes a playlist: its rows in the list's own order, which somebody gave it, and not in that of W4 (H5).
func (c *content) list(rows []transport.Row) {
	c.kind, c.playlist = Menu, true
	lines := make([]string, len(rows))
	for i, r := range rows {
		e := Entry{ID: r.Ref.ID, Whole: r.Ref.Dir, Name: oneLine(r.Name), Description: oneLine(r.Description)}
		if e.Name == "" {
			e.Name = oneLine(r.Ref.ID.Base())
		}
		c.fit(&e)
		c.entries = append(c.entries, e)
		lines[i] = rowReference(e.ID, e.Whole) + ": " + orNone(e.Description)
	}
	c.body = strings.Join(lines, "\n")
	c.warnCut()
}

// isList reports whether tree is that of a playlist. One whose every row is unusable has no rows any more.
func isList(id skill.ID, tree transport.Tree) bool {
	return len(tree.Rows) > 0 || id.Scheme() == skill.Hub && len(tree.Entries) == 0 && len(tree.Skipped) > 0
}

// planList is plan for a playlist: what lands is the list (H5).
func (c *cache) planList(ctx context.Context, head transport.Head, id skill.ID, tree transport.Tree) (*plan, error) {
	p := &plan{id: id, meta: c.newMeta(id, head, tree)}
	var rows []transport.Row
	left := 0
	leave := func(row, why string) {
		if left++; left <= maxLeftRows {
			row, _ = shorten(row, maxRowName)
			p.skip(row, why, "")
		}
	}
	for _, name := range tree.Skipped {
		leave(name, noReference)
	}
	listed := make(map[skill.ID]bool)
	for _, r := range tree.Rows {
		switch {
		case !usableRow(r):
			leave(r.Ref.String(), noReference)
		case listed[r.Ref.ID]:
			leave(r.Ref.String(), "it is listed already")
		default:
			listed[r.Ref.ID] = true
			rows = append(rows, r)
		}
	}
	if len(rows) == 0 {
		return nil, noRows(id, p.meta.Skipped, left)
	}
	if more := left - maxLeftRows; more > 0 {
		p.skip("", fmt.Sprintf("%d more", more), "")
	}
	if err := checkRows(id, rows); err != nil {
		return nil, err
	}
	data, err := encodeRows(rows)
	if err != nil {
		return nil, err
	}
	p.list, p.meta.Playlist = data, listDigest(data)
	p.old, _ = readFolder(ctx, c.view, id.DiskPath()) // absent: nothing to keep
	if e, err := c.lookup(id); err == nil && e.own() {
		p.was, p.meta.other = e.meta, e.meta.other
	}
	_, digest, err := c.readList(id)
	p.reuse = err == nil && digest == p.meta.Playlist && len(p.old.skills) == 0
	return p, nil
}

const (
	noReference = "it is no gh: or hub: reference"
	// maxLeftRows bounds the rows that are named because they were left out. Upstream may list any number of them.
	maxLeftRows = 20
)

// noRows explains a listing without a row that anyone could use; named are the first of the rows it has.
func noRows(id skill.ID, named []skipped, rows int) error {
	miss := &NotFoundError{ID: id, Reason: "no skill there, and no row that is a gh: or hub: reference"}
	for _, row := range named[:min(len(named), maxThere)] {
		miss.There = append(miss.There, fmt.Sprintf("%q", oneLine(row.Path)))
	}
	if more := rows - len(miss.There); more > 0 {
		miss.There = append(miss.There, fmt.Sprintf("and %d more", more))
	}
	return miss
}

// checkRows refuses a playlist of more than [MaxSkills] rows (R5). Its first rows are the ways out (R6); how much a row
// covers is not known without asking for it.
func checkRows(id skill.ID, rows []transport.Row) error {
	if len(rows) <= MaxSkills {
		return nil
	}
	e := &TooLargeError{ID: id, Count: len(rows)}
	for _, r := range rows {
		if r.Ref.ID != id {
			e.Suggestions = append(e.Suggestions, Suggestion{ID: r.Ref.ID})
		}
		if len(e.Suggestions) == maxSuggestions {
			break
		}
	}
	return e
}

// checkListed refuses what the rows of a playlist bring together, when that is more than [MaxSkills] different skills (R5).
// The largest rows are the ways out (R6): each fits.
func checkListed(id skill.ID, rows []Suggestion, offers []offer) error {
	skills := make(map[string]bool, len(offers))
	for _, o := range offers {
		skills[o.key] = true
	}
	if len(skills) <= MaxSkills {
		return nil
	}
	slices.SortStableFunc(rows, func(a, b Suggestion) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.ID.String(), b.ID.String()))
	})
	return &TooLargeError{ID: id, Count: len(skills), Suggestions: rows[:min(len(rows), maxSuggestions)]}
}

// stageList puts p's list into its staging folder.
func (c *cache) stageList(p *plan) error {
	if p.list == nil {
		return nil
	}
	var size int64
	return c.stage(bytes.NewReader(p.list), target{
		name: path.Join(p.stage, listFile), perm: perm(transport.Regular), max: maxList, size: &size,
	})
}

// stagedList reports whether p's list, if it has one, stands in its staging folder.
func (c *cache) stagedList(p *plan) bool {
	if p.list == nil {
		return true
	}
	data, err := fsx.ReadFile(c.fs, path.Join(p.stage, listFile), maxList)
	return err == nil && bytes.Equal(data, p.list)
}

// noFolder is the miss of an id without a folder in the project. A playlist never has one, which is worth a word: the
// cache may know the rows, and those that were saved stand in the project.
func (e Env) noFolder(id skill.ID) *NotFoundError {
	miss := &NotFoundError{ID: id, Reason: "the project has no such folder"}
	if id.Scheme() != skill.Hub {
		return miss
	}
	miss.Hint = "if it is a playlist, its rows are saved each at its own id's path: name a row"
	if e.check() != nil {
		return miss
	}
	c := newCache(e)
	at, err := c.lookup(id)
	if err != nil || !at.own() || at.meta.Playlist == "" {
		return miss
	}
	rows, _, err := c.readList(id)
	if err != nil {
		return miss
	}
	miss.Reason = "it is a playlist, which has no folder of its own"
	miss.Hint = "its rows are saved each at its own id's path: name a row"
	view := fsx.NewView(e.Project, "", true)
	for _, r := range rows {
		_, err := view.Lookup(Dir + "/" + r.Ref.ID.DiskPath())
		if err == nil && len(miss.Near) < maxNear {
			miss.Near = append(miss.Near, r.Ref.ID.Reference())
		}
	}
	if len(miss.Near) == 0 {
		miss.Hint = "its rows are saved each at its own id's path, and none of them was"
	}
	return miss
}

// errNested says that a row of a playlist is a playlist.
var errNested = errors.New("it is a playlist itself, and a playlist is not followed from another; save it by its own reference")
