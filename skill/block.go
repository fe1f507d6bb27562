package skill

import (
	"strings"
	"unicode/utf8"
)

// head reads the frontmatter.
func (p *docReader) head(data []byte, f framing) {
	switch f.problem {
	case CodeFrontmatterMissing:
		p.log.add(Finding{Code: f.problem, Line: f.openLine, Column: 1,
			Message: "the file does not begin with a line ---", Fix: "begin with ---, the fields, and ---"})
		p.refuse(f.problem)
		return
	case CodeFrontmatterUnclosed:
		p.log.add(Finding{Code: f.problem, Line: f.openLine, Column: 1,
			Message: "no line --- ends the frontmatter", Fix: "add a line --- after the last field"})
		p.refuse(f.problem)
		return
	}
	if f.openLine > 1 {
		p.log.add(Finding{Code: CodeFrontmatterNotFirst, Line: f.openLine, Column: 1,
			Message: "blank lines come before the frontmatter", Fix: "remove them"})
	}
	b := p.clean(data[f.start:f.blockEnd], f.openLine+1)
	p.cutMarker(b)
	p.fields(b)
}

// block is the text of a frontmatter: valid UTF-8, lines ending with LF alone, no control character but TAB.
type block struct {
	text   string
	line   int   // the file's line on which text begins
	starts []int // where each line begins, once it is asked for
	last   mark  // of the last place that was asked for
}

// mark is a place in a block: the column col of the line with index line is at offset at. Columns count from 0.
type mark struct{ line, col, at int }

// seek returns the column col of the line with index line, or the line's end if it is shorter.
func (b *block) seek(line, col int) mark {
	if b.starts == nil {
		b.starts = append(b.starts, 0)
		for i := range len(b.text) {
			if b.text[i] == '\n' {
				b.starts = append(b.starts, i+1)
			}
		}
	}
	line = min(max(line, 0), len(b.starts)-1)
	m := b.last
	if m.line != line || m.col > col {
		m = mark{line: line, at: b.starts[line]}
	}
	for m.col < col && m.at < len(b.text) && b.text[m.at] != '\n' {
		_, size := utf8.DecodeRuneInString(b.text[m.at:])
		m.at += size
		m.col++
	}
	b.last = m
	return m
}

// find returns where n begins. The YAML parser's columns are off where blanks end a line, so a plain text is looked
// for on its line.
func (b *block) find(n node) mark {
	m := b.seek(n.line-1, n.col-1)
	word, _, _ := strings.Cut(n.text, " ")
	word, _, _ = strings.Cut(word, "\n")
	if !n.plain || n.tagged || n.anchored || strings.HasPrefix(b.text[m.at:], word) {
		return m
	}
	line, _, _ := strings.Cut(b.text[b.starts[m.line]:], "\n")
	if i := strings.Index(line, word); i >= 0 {
		return mark{line: m.line, col: utf8.RuneCountInString(line[:i]), at: b.starts[m.line] + i}
	}
	return m
}

// place returns where n begins in the file.
func (b *block) place(n node) (line, column int) {
	m := b.find(n)
	return b.line + m.line, m.col + 1
}

// clean makes raw fit for a YAML reader (section 5.3). Some readers take U+0085, U+2028 and U+2029 for line breaks,
// and what looks like one line of text to a reviewer would be two fields.
func (p *docReader) clean(raw []byte, line int) *block {
	if isPlainText(raw) {
		return &block{text: string(raw), line: line}
	}
	b := &block{line: line}
	control, separator := -1, -1
	var out strings.Builder
	out.Grow(len(raw))
	for i := 0; i < len(raw); {
		r, size := utf8.DecodeRune(raw[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			size = badRun(raw[i:])
		case r == '\r':
			r = '\n'
			if i+1 < len(raw) && raw[i+1] == '\n' {
				size = 2
			}
		case isLineSeparator(r):
			if separator < 0 {
				separator = out.Len()
			}
			r = ' '
		case isControl(r):
			if control < 0 {
				control = out.Len()
			}
			r = utf8.RuneError
		}
		out.WriteRune(r)
		i += size
	}
	b.text = out.String()
	if control >= 0 {
		p.add(b, control, CodeControlChar, "the frontmatter holds a control character", "remove it")
	}
	if separator >= 0 {
		p.add(b, separator, CodeLineSeparator, "the frontmatter holds a Unicode line separator", "write a space")
	}
	return b
}

// cutMarker ends b at a line of three dots, which ends a YAML document: nothing after it is read.
func (p *docReader) cutMarker(b *block) {
	for i := 0; ; {
		j := strings.Index(b.text[i:], "...")
		if j < 0 {
			return
		}
		i += j
		rest := b.text[i+3:]
		if (i == 0 || b.text[i-1] == '\n') && (rest == "" || isWhite(rest[0])) {
			p.add(b, i, CodeYAMLDocumentMarker, "a line of three dots ends the fields here", "remove the line")
			b.text = b.text[:i]
			return
		}
		i += 3
	}
}

// at returns the place in the file of offset off. Cleaning keeps lines and runes, so it is that of the file's text.
func (b *block) at(off int) (line, column int) {
	before := b.text[:off]
	start := strings.LastIndexByte(before, '\n') + 1
	return b.line + strings.Count(before, "\n"), 1 + utf8.RuneCountInString(before[start:])
}

// add reports a finding at offset off of b.
func (p *docReader) add(b *block, off int, code Code, message, fix string) {
	line, col := b.at(off)
	p.log.add(Finding{Code: code, Message: message, Line: line, Column: col, Fix: fix})
}

// isPlainText reports whether raw needs no cleaning. Only ASCII is looked at.
func isPlainText(raw []byte) bool {
	for _, c := range raw {
		if c < ' ' && c != '\n' && c != '\t' || c >= 0x7F {
			return false
		}
	}
	return true
}
