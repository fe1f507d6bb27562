package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/width"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/skill"
)

// browser is what a person at work on the tree sees and does. It knows nothing of terminals.
type browser struct {
	ctx    context.Context // of the command: it lasts as long as the browser
	env    atskills.Env
	tree   *atskills.Tree
	cursor int      // index of the chosen row
	top    int      // index of the first line that is shown
	status string   // what the last key did
	prompt []string // lines of the resident block while it is looked at, else nil
}

// reload reads the tree anew. The cursor stays on its row, or where that was.
func (b *browser) reload() error {
	key := ""
	if b.tree != nil && len(b.tree.Rows) > 0 {
		key = b.tree.Rows[b.cursor].Key
	}
	t, err := atskills.ReadTree(b.ctx, b.env)
	if err != nil {
		return err
	}
	b.tree = t
	if i := slices.IndexFunc(t.Rows, func(r atskills.Row) bool { return r.Key == key }); i >= 0 {
		b.cursor = i
	}
	b.cursor = max(0, min(b.cursor, len(t.Rows)-1))
	return nil
}

// press does what k asks for on a screen of that many lines, and reports whether the person stays.
func (b *browser) press(k key, height int) bool {
	page := max(height-browserFrame, 1)
	move := map[key]int{keyUp: -1, keyDown: 1, keyPageUp: -page, keyPageDown: page, keyHome: -1 << 20, keyEnd: 1 << 20}[k]
	switch {
	case b.prompt != nil && move != 0:
		b.top = max(0, min(b.top+move, len(b.prompt)-page))
	case b.prompt != nil:
		b.prompt, b.top = nil, 0 // any other key goes back
	case k == keyQuit:
		return false
	case k == keyToggle:
		b.toggle()
	case k == keyPrompt:
		b.look()
	default:
		b.cursor = max(0, min(b.cursor+move, len(b.tree.Rows)-1))
		b.status = ""
	}
	return true
}

// toggleWait bounds a toggle: while another program holds the trigger file, or has left its lock there, no key is obeyed.
const toggleWait = 2 * time.Second

var errToggleWait = fmt.Errorf("another program has held that for %v; if none is running, delete the file", toggleWait)

// toggle turns the chosen row on or off.
func (b *browser) toggle() {
	if len(b.tree.Rows) == 0 {
		return
	}
	ctx, cancel := context.WithTimeoutCause(b.ctx, toggleWait, errToggleWait)
	defer cancel()
	c, err := atskills.Toggle(ctx, b.env, b.tree.Rows[b.cursor].Key)
	if err != nil {
		b.say(err.Error())
		return
	}
	b.say(c.Note)
	if err := b.reload(); err != nil {
		b.say(err.Error())
	}
}

// say tells what the last key did, on one line.
func (b *browser) say(text string) { b.status, _ = skill.OneLine(text) }

// look shows the resident block.
func (b *browser) look() {
	block, err := atskills.Residency(b.ctx, b.env)
	if err != nil {
		b.say(err.Error())
		return
	}
	b.top = 0
	b.prompt = strings.Split(block.Text, "\n")
	if block.Text == "" {
		b.prompt = []string{"Nothing is resident."}
	}
	for _, n := range block.Notes {
		b.prompt = append(b.prompt, "! "+n.Message)
	}
}

// browserFrame is how many lines stand around the rows: two above, three below.
const browserFrame = 5

// view draws the screen: exactly height lines, none wider than columns.
func (b *browser) view(columns, height int) []string {
	page := max(height-browserFrame, 1)
	title, rows := "Skills of the project, and what fires on its own", b.rows()
	keys := "up, down: move; space: toggle; p: the resident block; q: leave"
	if b.prompt != nil {
		title, rows = "The resident block", b.prompt
		keys = "up, down: scroll; any other key: back to the tree"
	} else {
		b.top = max(min(b.top, b.cursor), b.cursor-page+1)
	}
	lines := []string{title, ""}
	for i := b.top; i < b.top+page; i++ {
		if i < len(rows) {
			lines = append(lines, rows[i])
		} else {
			lines = append(lines, "")
		}
	}
	lines = append(lines, b.status, budgetText(b.tree), keys)
	lines = lines[max(len(lines)-height, 0):]
	for i, l := range lines {
		lines[i] = fit(l, columns)
	}
	return lines
}

// rows are the lines of the tree, the chosen one marked.
func (b *browser) rows() []string {
	if len(b.tree.Rows) == 0 {
		return []string{"  The project has no skills yet: put one into " + atskills.Dir + "/<name>/" + atskills.SkillFile}
	}
	rows := make([]string, len(b.tree.Rows))
	for i, r := range b.tree.Rows {
		mark := "  "
		if i == b.cursor {
			mark = "> "
		}
		rows[i] = mark + rowText(r, "")
	}
	return rows
}

// fit cuts s to so many columns of a terminal.
func fit(s string, columns int) string {
	used := 0
	for i, r := range s {
		if used += cells(r); used > columns {
			return cut(s[:i], columns-1) + "…"
		}
	}
	return s
}

// cut is the longest beginning of s that takes no more columns.
func cut(s string, columns int) string {
	used := 0
	for i, r := range s {
		if used += cells(r); used > columns {
			return s[:i]
		}
	}
	return s
}

// cells is how many columns a terminal gives to r.
func cells(r rune) int {
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}
