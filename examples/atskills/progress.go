package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/atskills-go/atskills/transport/git"
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
	p.mu.Lock()
	defer p.mu.Unlock()
	if g.Bytes < drawAfter || time.Since(p.drawn) < drawEvery {
		return
	}
	p.drawn = time.Now()
	p.draw(fmt.Sprintf("%s: %d of %d objects, %.1f MB", g.Op, g.Objects, g.Total, float64(g.Bytes)/1e6))
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
