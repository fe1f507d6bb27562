package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/atskills-go/atskills/transport/git"
	"github.com/atskills-go/atskills/transport/hub"
)

// A transfer is drawn once it has brought this much, and not more often than this.
const (
	drawAfter = 1 << 20
	drawEvery = 100 * time.Millisecond
)

// progress draws long transfers on one line of a terminal. Transfers of several repositories run at once and share the
// line; the last one to move is shown.
type progress struct {
	mu    sync.Mutex
	to    io.Writer
	drawn time.Time
	width int // of what stands on the line
}

func (p *progress) update(g git.Progress) {
	p.show(g.Bytes, fmt.Sprintf("%s: %d of %d objects", g.Op, g.Objects, g.Total))
}

// files is update for a hub.
func (p *progress) files(h hub.Progress) {
	p.show(h.Bytes, fmt.Sprintf("fetch: %d of %d files", h.Files, h.Total))
}

func (p *progress) show(bytes int64, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if bytes < drawAfter || time.Since(p.drawn) < drawEvery {
		return
	}
	p.drawn = time.Now()
	p.draw(fmt.Sprintf("%s, %.1f MB", text, float64(bytes)/1e6))
}

// draw replaces the line by text of letters that are one column wide.
func (p *progress) draw(text string) {
	_, _ = fmt.Fprintf(p.to, "\r%s%s", text, strings.Repeat(" ", max(p.width-len(text), 0)))
	p.width = len(text)
}

// clear removes the line.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.width > 0 {
		p.draw("")
		_, _ = io.WriteString(p.to, "\r")
	}
}
