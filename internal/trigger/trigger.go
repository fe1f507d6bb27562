// Package trigger reads .autotrigger, the file whose lines say what fires on its own, and edits it line by line (T).
//
// A [File] remembers every byte: what was parsed is written back as it was, whatever it holds, and an edit changes the
// lines it names and no others (T6). Nothing here touches a file system.
package trigger

import (
	"fmt"
	"slices"
	"strings"

	"github.com/atskills-go/atskills/skill"
)

// Kind is what a line is.
type Kind uint8

// The kinds of lines.
const (
	Blank   Kind = iota // nothing but white space
	Comment             // "#" first, or first after white space (T1)
	Cloud               // "@" and a cloud id, white space around it aside (T2)
	Pattern             // all else: a gitignore pattern over the skill tree (T3)
)

// Line is one line of a file.
type Line struct {
	Number int // from 1
	Kind   Kind
	end    ending
	Text   string     // as in the file, without the line end and the file's BOM
	Ref    *skill.Ref // what a Cloud line follows, nil when it follows nothing; Ref.Dir says that it takes the whole directory (T2)
	Err    error      // why a Cloud line follows nothing
}

// ending is how a line ends. It is no string, and Ref a pointer, for a file may have a million lines.
type ending uint8

const (
	noEnd ending = iota // at the end of the file, like cr
	lf
	crlf
	cr
)

func (e ending) String() string {
	switch e {
	case lf:
		return "\n"
	case crlf:
		return "\r\n"
	case cr:
		return "\r"
	}
	return ""
}

// splitEnd cuts the end off a line as it stands in a file.
func splitEnd(raw string) (string, ending) {
	for _, e := range []ending{crlf, lf, cr} {
		if text, ok := strings.CutSuffix(raw, e.String()); ok {
			return text, e
		}
	}
	return raw, noEnd
}

// File is a trigger file. It is a value: edits return a new one and leave the old as it was, so that goroutines may
// share it. The zero File is an empty file.
type File struct {
	Lines  []Line
	marked bool // a BOM stands before the first line
}

const (
	bom = "\ufeff"
	// space is the white space that no addressable name holds, and the blank.
	space = " \t\v\f\r"
)

// Parse reads a trigger file. There are no errors, as any bytes are one: lines end in LF or CRLF, and all else is text.
func Parse(data []byte) File {
	text, marked := strings.CutPrefix(string(data), bom)
	f := File{marked: marked}
	f.Lines = make([]Line, 0, strings.Count(text, "\n")+1)
	for raw := range strings.Lines(text) {
		f.Lines = append(f.Lines, newLine(splitEnd(raw)))
	}
	f.number()
	return f
}

func newLine(text string, end ending) Line {
	l := Line{Text: text, end: end}
	body := strings.Trim(text, space)
	switch {
	case body == "":
		l.Kind = Blank
	case body[0] == '#':
		l.Kind = Comment
	case body[0] == '@':
		l.Kind = Cloud
		l.Ref, l.Err = parseCloud(body[1:])
	default:
		l.Kind = Pattern
	}
	return l
}

// parseCloud reads what stands behind the "@" of a line.
func parseCloud(s string) (*skill.Ref, error) {
	ref, err := skill.ParseRef(s)
	if err == nil && ref.ID.Scheme() == skill.Local {
		err = fmt.Errorf(`%q is no cloud id, which begins with "gh:" or "hub:"`, s)
	}
	if err != nil {
		return nil, err
	}
	return &ref, nil
}

func (f *File) number() {
	for i := range f.Lines {
		f.Lines[i].Number = i + 1
	}
}

// Bytes returns the file as it is written.
func (f File) Bytes() []byte {
	var b strings.Builder
	if f.marked {
		b.WriteString(bom)
	}
	for _, l := range f.Lines {
		b.WriteString(l.Text)
		b.WriteString(l.end.String())
	}
	return []byte(b.String())
}

// Append adds each text as a last line, in the line ending that most of the file has, LF when there is none. An
// unfinished last line is completed first. A text holds no line break.
func (f File) Append(text ...string) File {
	if len(text) == 0 {
		return f
	}
	end := f.ending()
	lines := slices.Grow(slices.Clone(f.Lines), len(text))
	if n := len(lines); n > 0 {
		lines[n-1].end = finished(lines[n-1].end, end)
	}
	for _, t := range text {
		lines = append(lines, newLine(t, end))
	}
	return f.with(lines)
}

// Delete removes the lines at the given indexes, each with its line end.
func (f File) Delete(index ...int) File {
	texts := make(map[int][]string, len(index))
	for _, i := range index {
		texts[i] = nil
	}
	return f.Rewrite(texts)
}

// Replace is [File.Rewrite] of the one line at index i.
func (f File) Replace(i int, text ...string) File { return f.Rewrite(map[int][]string{i: text}) }

// Rewrite puts lines in the place of others: texts has them by the index of the line that goes. The last of them gets the
// line end of that line. A text holds no line break; without texts the line is removed.
func (f File) Rewrite(texts map[int][]string) File {
	if len(texts) == 0 {
		return f
	}
	end := f.ending()
	lines := make([]Line, 0, len(f.Lines))
	for i, l := range f.Lines {
		text, ok := texts[i]
		if !ok {
			lines = append(lines, l)
		}
		for n, t := range text {
			if n < len(text)-1 {
				lines = append(lines, newLine(t, finished(l.end, end)))
			} else {
				lines = append(lines, newLine(t, l.end))
			}
		}
	}
	return f.with(lines)
}

func (f File) with(lines []Line) File {
	out := File{Lines: lines, marked: f.marked}
	out.number()
	return out
}

// finished returns end, or how an unfinished line is to end. A CR that stands there already is kept (T6).
func finished(end, otherwise ending) ending {
	switch end {
	case noEnd:
		return otherwise
	case cr:
		return crlf
	}
	return end
}

// ending returns the line end that most lines have.
func (f File) ending() ending {
	var count [cr + 1]int
	for _, l := range f.Lines {
		count[l.end]++
	}
	if count[crlf] > count[lf] {
		return crlf
	}
	return lf
}
