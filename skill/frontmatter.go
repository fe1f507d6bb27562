package skill

import (
	"bytes"
	"errors"
	"io"
	"strings"
)

// headChunk is what is read of a stream at first. Nearly all heads fit; the largest known has 9,089 bytes.
const headChunk = 4096

// framing says where the frontmatter of a text lies (section 5.2).
type framing struct {
	problem   Code // why there is none, "" if there is one
	undecided bool // the text may go on, and what follows decides
	bom       bool

	openAt, openLine int // the opening fence
	start, blockEnd  int // the lines between the fences
	closeLine        int
	end              int // where the head ends: after the closing fence, or what was needed to see there is none
}

// frame finds the fences of data: lines of exactly three dashes at column 0, blanks after them allowed. Anything less
// exact takes an indented "---" inside a block scalar for the end. If data may go on, complete is false.
func frame(data []byte, complete bool) framing {
	f := framing{bom: bytes.HasPrefix(data, []byte(byteOrderMark))}
	lines := lineScanner{data: data, complete: complete}
	if f.bom {
		lines.next = len(byteOrderMark)
	}
	f.end = lines.next
	for {
		line, ok := lines.scan()
		switch {
		case isBlank(line) && ok:
			continue
		case !isBlank(line) && !startsFence(line):
			f.problem = CodeFrontmatterMissing
			f.openAt, f.openLine = lines.at, lines.number
			return f
		case !ok && !complete:
			f.undecided = true
			return f
		case isBlank(line): // nothing but blank lines
			f.problem, f.openLine = CodeFrontmatterMissing, 1
			return f
		case !isFence(line):
			f.problem = CodeFrontmatterMissing
			f.openAt, f.openLine = lines.at, lines.number
			return f
		}
		break
	}
	f.openAt, f.openLine, f.start = lines.at, lines.number, lines.next
	for {
		line, ok := lines.scan()
		if ok && isFence(line) {
			f.blockEnd, f.closeLine, f.end = lines.at, lines.number, lines.next
			return f
		}
		if !ok {
			f.problem, f.undecided = CodeFrontmatterUnclosed, !complete
			f.end = len(data)
			return f
		}
	}
}

// bodyStart returns where the body begins: after the closing fence, or at the text itself if there is no frontmatter.
func (f framing) bodyStart() int {
	if f.problem == "" {
		return f.end
	}
	if f.bom {
		return len(byteOrderMark)
	}
	return 0
}

// bodyLine returns the line bodyStart lies on.
func (f framing) bodyLine() int {
	if f.problem == "" {
		return f.closeLine + 1
	}
	return 1
}

// startsFence reports whether line is a fence or can still become one.
func startsFence(line []byte) bool {
	return isFence(line) || len(line) < 3 && strings.HasPrefix("---", string(line))
}

func isFence(line []byte) bool {
	return bytes.HasPrefix(line, []byte("---")) && isBlank(line[3:])
}

func isBlank(line []byte) bool {
	for _, c := range line {
		if c != ' ' && c != '\t' {
			return false
		}
	}
	return true
}

// lineScanner cuts a text at LF, CRLF and lone CR. It remembers where the next of either kind is, so that a text
// that has only one kind is not searched to its end for the other again and again.
type lineScanner struct {
	data     []byte
	complete bool // data does not go on
	next     int  // where the next line begins
	at       int  // where the last line began
	number   int  // its number, from 1
	lf, cr   int  // the next line end of each kind at or after next, if it is not before it
	known    bool // lf and cr are set
}

// scan returns the next line without its end. It is false at the end of the text, and for a line that may go on.
func (s *lineScanner) scan() (line []byte, ok bool) {
	if s.next >= len(s.data) {
		s.at = len(s.data)
		return nil, false
	}
	s.at = s.next
	s.number++
	s.lf, s.cr = s.seek(s.lf, '\n'), s.seek(s.cr, '\r')
	s.known = true
	end := min(s.lf, s.cr)
	s.next = end + 1
	switch {
	case end == len(s.data):
		s.next = end
		return s.data[s.at:end], s.complete
	case end == s.cr && end+1 == len(s.data) && !s.complete: // half a CRLF?
		s.next = end
		return s.data[s.at:end], false
	case end == s.cr && s.lf == end+1 && s.lf < len(s.data):
		s.next++
	}
	return s.data[s.at:end], true
}

func (s *lineScanner) seek(last int, c byte) int {
	if s.known && last >= s.next {
		return last
	}
	if i := bytes.IndexByte(s.data[s.next:], c); i >= 0 {
		return s.next + i
	}
	return len(s.data)
}

// readHead reads r until the frontmatter is complete or cannot be.
func readHead(r io.Reader) ([]byte, framing, error) {
	buf := make([]byte, 0, headChunk)
	for {
		n, err := io.ReadFull(r, buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		complete := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !complete {
			return nil, framing{}, err
		}
		if len(buf) > MaxFile {
			buf, complete = cutRune(buf, MaxFile), true
		}
		f := frame(buf, complete)
		if !f.undecided {
			return buf, f, nil
		}
		size := min(4*cap(buf), MaxFile+1)
		buf = append(make([]byte, 0, size), buf...)
	}
}
