package atskills

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/skill"
)

const (
	maxToolFile   = 64 << 10  // bytes of a file that one call returns
	maxToolOffset = 256 << 20 // bytes of a file that a call may skip
)

// heldAt is held for a folder of the project that no reference addresses (G12).
func (e Env) heldAt(ctx context.Context, dir string) (held, error) {
	if e.Project == nil {
		return held{}, errNoProject
	}
	if err := fsx.CheckPath(dir); err != nil {
		return held{}, err
	}
	view := fsx.NewView(e.Project, "", true)
	got, err := e.standing(ctx, view, skill.ID{}, dir)
	if err != nil {
		return held{}, err
	}
	return held{answer: answer{content: got, served: ServedLocal}, fs: e.Project, view: view, base: dir}, nil
}

// readFile returns a piece of a file of the skill, framed so that the file cannot end the frame (X2).
func (t *Tools) readFile(ctx context.Context, s toolSkill, name string, offset int64) (string, error) {
	h, err := t.held(ctx, s)
	if err != nil {
		return "", err
	}
	name = bundledName(name)
	if name != SkillFile {
		if err := h.bundles(name); err != nil {
			return "", t.offer(h, name, err)
		}
	}
	if offset < 0 || offset > maxToolOffset {
		return "", fmt.Errorf("offset %d: it counts bytes from 0 to %d", offset, maxToolOffset)
	}
	text, from, size, err := h.piece(name, offset)
	if err != nil {
		return "", err
	}
	head := fmt.Sprintf("--- file %s (%d bytes) ---\n", oneLine(name), size)
	end := closing("end of file "+oneLine(name), head+text)
	note := ""
	if next := from + int64(len(text)); next < size {
		note = fmt.Sprintf("--- cut at %d of %d bytes; offset %d goes on ---\n", next, size, next)
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return head + text + note + end + "\n", nil
}

// offer adds to a miss the files that may have been meant.
func (t *Tools) offer(h held, name string, err error) error {
	near := skill.Nearest(name, h.files, maxNear)
	var miss *NotFoundError
	if len(near) == 0 || !errors.As(err, &miss) || h.kind == Menu {
		return err
	}
	miss.Hint = "did you mean " + strings.Join(near, ", ")
	return miss
}

// piece returns the text of a file from offset on, as far as one call goes, where it begins, and the file's size. The file
// is in the skill's own folder behind all links: what a link brings in from elsewhere is not the skill's to show.
func (h held) piece(name string, offset int64) (text string, from, size int64, err error) {
	base, err := h.view.Lookup(h.base)
	if err != nil {
		return "", 0, 0, err
	}
	at, err := h.view.Lookup(path.Join(h.base, name))
	if err != nil {
		return "", 0, 0, err
	}
	rel, inside := strings.CutPrefix(at.Real, base.Real+"/")
	if !inside {
		return "", 0, 0, fmt.Errorf("%q is a link that leads out of the skill's folder: it cannot be read with this tool", name)
	}
	f, err := fsx.NewView(h.fs, base.Real, false).Open(rel)
	if err != nil {
		return "", 0, 0, err
	}
	text, skipped, err := readPiece(f, offset)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", 0, 0, fmt.Errorf("%q: %w", name, err)
	}
	return text, offset + skipped, at.Info.Size(), nil
}

// readPiece reads text from offset on, from one character boundary to another; skipped are the bytes before the first.
func readPiece(r io.Reader, offset int64) (text string, skipped int64, err error) {
	n, err := io.CopyN(io.Discard, r, offset)
	if errors.Is(err, io.EOF) {
		return "", 0, fmt.Errorf("offset %d is behind the end, which is at %d", offset, n)
	}
	if err != nil {
		return "", 0, err
	}
	data, err := io.ReadAll(io.LimitReader(r, maxToolFile+1))
	if err != nil {
		return "", 0, err
	}
	for offset > 0 && skipped < utf8.UTFMax-1 && len(data) > 0 && !utf8.RuneStart(data[0]) {
		data = data[1:]
		skipped++
	}
	if end := maxToolFile - int(skipped); len(data) > end { // back to where the last whole character ends
		for end > 0 && !utf8.RuneStart(data[end]) {
			end--
		}
		data = data[:end]
	}
	if !isText(data) {
		return "", 0, errors.New("the file is binary, or no UTF-8, and is not shown")
	}
	return string(data), skipped, nil
}
