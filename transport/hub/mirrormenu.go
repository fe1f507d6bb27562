package hub

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/skill"
)

const maxHead = 2 * skill.MaxFrontmatter // bytes of a SKILL.md that are read for a menu

// servedRow is a row of the answer to ?prefix (H2).
type servedRow struct {
	Path        string `json:"path"`
	Name        string `json:"name"`
	Description string `json:"description"`
}

// menu answers with the rows of an owner, a skill or a playlist. Of a name that is both, the skill counts.
func (m *mirror) menu(ctx context.Context, a ask) (page, error) {
	rows, err := m.rows(ctx, a)
	if err != nil {
		return page{}, err
	}
	if len(rows) == 0 {
		return page{}, errMissing
	}
	body, err := jsonLine(rows)
	if err != nil {
		return page{}, err
	}
	p := page{body: body, etag: digest(body), contentType: jsonType}
	if a.pinned && a.rev != p.etag {
		return page{}, errRevision
	}
	return p, nil
}

func (m *mirror) rows(ctx context.Context, a ask) ([]servedRow, error) {
	owner, err := m.tree.owner(a.owner)
	if err != nil {
		return nil, err
	}
	if a.name == "" {
		return m.ownerRows(ctx, a.owner, owner)
	}
	id, err := servedID(a.owner, a.name)
	if err != nil {
		return nil, err
	}
	dir, err := m.tree.skill(a.owner, a.name)
	if err == nil {
		return []servedRow{m.skillRow(id, dir.Real)}, nil
	}
	if refusalFor(err) != errMissing {
		return nil, err
	}
	file, ok := pick(owner, a.name+listSuffix, fsx.Entry.IsFile)
	if !ok {
		return nil, absent(owner)
	}
	list, err := m.playlist(path.Join(owner.Real, file.Name))
	if err != nil {
		return nil, err
	}
	return m.listRows(ctx, a.owner, list)
}

// ownerRows lists what an owner has, in byte order of path. It counts before it reads.
func (m *mirror) ownerRows(ctx context.Context, owner string, dir fsx.Dir) ([]servedRow, error) {
	found, err := m.owned(owner, dir)
	if err != nil {
		return nil, err
	}
	if err := checkCount(len(found)); err != nil {
		return nil, err
	}
	ids := slices.SortedFunc(maps.Keys(found), func(a, b skill.ID) int { return strings.Compare(a.Path(), b.Path()) })
	var rows []servedRow
	for _, id := range ids {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		at := path.Join(dir.Real, found[id].Name)
		if found[id].IsDir() {
			rows = append(rows, m.skillRow(id, at))
			continue
		}
		list, err := m.playlist(at)
		if isAbsent(err) {
			continue // it vanished (R8)
		}
		if err != nil {
			m.notes.add(at, err) // it takes nothing from its siblings (W6)
		}
		rows = append(rows, servedRow{ownPath(id), orElse(list.name, id.Base()), list.description})
	}
	return rows, nil
}

// owned returns the folders of skills and the files of playlists in dir, the folder of owner, that their ids lead to.
func (m *mirror) owned(owner string, dir fsx.Dir) (map[skill.ID]fsx.Entry, error) {
	found := make(map[skill.ID]fsx.Entry)
	var bare []string // folders without SKILL.md
	for _, e := range dir.Entries {
		id := m.named(owner, dir, e)
		if id.IsZero() {
			continue
		}
		folder, ok := pick(dir, id.Base(), fsx.Entry.IsDir)
		at := path.Join(dir.Real, folder.Name)
		isSkill := ok && m.isSkill(at)
		switch {
		case e.IsDir() && folder.Name != e.Name || e.IsFile() && isSkill:
			m.notes.add(path.Join(dir.Real, e.Name), fmt.Errorf("%q answers for %s", at, id))
		case e.IsDir() && !isSkill:
			bare = append(bare, at)
		case found[id].Info == nil || e.Name == strings.ToLower(e.Name):
			found[id] = e
		}
	}
	return found, m.settled(dir, bare)
}

// settled returns an error when one of the folders bare, seen without SKILL.md, may have been without for the time of
// being replaced only, or when something in dir is missing for that reason.
func (m *mirror) settled(dir fsx.Dir, bare []string) error {
	now, err := m.tree.view.ReadDir(dir.Real)
	if err != nil {
		return err
	}
	if dir.Unfinished || now.Unfinished {
		return errUnsettled
	}
	if slices.ContainsFunc(bare, m.isSkill) {
		return errBusy
	}
	return nil
}

// isSkill reports whether a SKILL.md stands in dir. A folder that cannot be read takes nothing from its siblings (W6).
func (m *mirror) isSkill(dir string) bool {
	d, err := m.tree.view.ReadDir(dir)
	if err != nil && !isAbsent(err) {
		m.notes.add(dir, err)
	}
	return err == nil && holdsSkill(d)
}

// named returns the id that e, in the folder dir of owner, may have: a folder by its name, a playlist without its
// ending. It is zero for everything else.
func (m *mirror) named(owner string, dir fsx.Dir, e fsx.Entry) skill.ID {
	name, isList := e.Name, false
	if e.IsFile() {
		name, isList = strings.CutSuffix(strings.ToLower(name), listSuffix)
	}
	if !e.IsDir() && !isList || invisible(name, true) {
		return skill.ID{}
	}
	id, err := servedID(owner, name)
	if err != nil {
		m.notes.add(path.Join(dir.Real, e.Name), fmt.Errorf("%q can be no name in a hub: id", name))
	}
	return id
}

// skillRow describes the skill that stands at at. What cannot be read has its folder's name alone (R8).
func (m *mirror) skillRow(id skill.ID, at string) servedRow {
	row := servedRow{Path: ownPath(id), Name: id.Base()}
	head, _, err := m.tree.view.ReadHead(path.Join(at, skill.SkillFile), maxHead)
	if err != nil {
		m.notes.add(at, err)
		return row
	}
	doc, err := skill.ParseHead(id.Base(), bytes.NewReader(head), skill.ParseOptions{})
	if err != nil {
		m.notes.add(at, err)
		return row
	}
	text, _ := skill.OneLine(doc.Name)
	row.Name = orElse(text, row.Name)
	row.Description, _ = skill.OneLine(doc.Description)
	return row
}

func (m *mirror) playlist(name string) (playlist, error) {
	data, err := m.tree.view.ReadFile(name, maxList)
	if err != nil {
		return playlist{}, err
	}
	list, err := parsePlaylist(data)
	if err != nil {
		return playlist{}, err
	}
	for _, fault := range list.faults[:min(len(list.faults), maxRows)] {
		m.notes.addLine(name, fault)
	}
	return list, nil
}

// listRows are those of a playlist of owner, in its order. What the list does not say of a skill is filled in from the
// skill when it stands here and everybody who sees the list may see it too.
func (m *mirror) listRows(ctx context.Context, owner string, list playlist) ([]servedRow, error) {
	if err := checkCount(len(list.rows)); err != nil {
		return nil, err
	}
	rows := make([]servedRow, len(list.rows))
	for i, r := range list.rows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		name, _ := skill.OneLine(r.ref.ID.Base())
		rows[i] = servedRow{rowPath(r.ref.ID, r.ref.Dir), name, r.description}
		of, base, _ := strings.Cut(r.ref.ID.Path(), "/")
		if r.ref.ID.Scheme() != skill.Hub || of != owner && !m.access.public(of) || invisible(of, true) || invisible(base, true) {
			continue
		}
		if dir, err := m.tree.skill(of, base); err == nil {
			hosted := m.skillRow(r.ref.ID, dir.Real)
			rows[i].Name, rows[i].Description = hosted.Name, orElse(r.description, hosted.Description)
		}
	}
	return rows, nil
}

// maxRows is how many rows a menu may have (H2).
const maxRows = 128

// checkCount holds a menu to the cap, inclusive, before anything is read for it (R5).
func checkCount(n int) error {
	if n <= maxRows {
		return nil
	}
	return &refusal{
		status: http.StatusRequestEntityTooLarge, count: n,
		text: fmt.Sprintf("%d skills are more than a menu of %d holds; ask for one of them", n, maxRows),
	}
}

// ownPath spells a row of an owner's menu: owner/name, or with its marker where the owner would be read as one (G4).
func ownPath(id skill.ID) string {
	bare := strings.TrimPrefix(id.Reference(), "hub:")
	if ref, err := skill.ParseRef(bare); err != nil || ref.ID.Scheme() != skill.Local {
		return id.Reference()
	}
	return bare
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
