package skill

import (
	"bytes"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	byteOrderMark = "\xEF\xBB\xBF"
	maxLines      = 500 // a file should stay under it
)

// cutRune returns the first n bytes of data, or up to three fewer if they end within a rune.
func cutRune(data []byte, n int) []byte {
	for i := n; i > n-utf8.UTFMax && i > 0; i-- {
		if utf8.RuneStart(data[i-1]) {
			if !utf8.FullRune(data[i-1 : n]) {
				return data[:i-1]
			}
			break
		}
	}
	return data[:n]
}

// text reports what is wrong with data as a text (section 5.1).
func (p *docReader) text(data []byte, f framing) {
	if f.bom {
		p.log.add(Finding{Code: CodeBOM, Line: 1, Column: 1,
			Message: "the file begins with a byte order mark", Fix: "save it as UTF-8 without one"})
	}
	if !utf8.Valid(data) {
		line, col := position(data, indexInvalid(data))
		p.log.add(Finding{Code: CodeInvalidUTF8, Line: line, Column: col,
			Message: "the text is not valid UTF-8", Fix: "save it as UTF-8"})
	}
	if i := indexLoneCR(data); i >= 0 {
		line, col := position(data, i)
		p.log.add(Finding{Code: CodeLoneCR, Line: line, Column: col,
			Message: "a line ends with a carriage return alone", Fix: "end lines with LF"})
	}
}

// lines reports a file that is too long.
func (p *docReader) lines(data []byte) {
	n := countLines(data)
	if len(data) > 0 && data[len(data)-1] != '\n' && data[len(data)-1] != '\r' {
		n++
	}
	if n < maxLines {
		return
	}
	p.log.add(Finding{Code: CodeFileLines, Line: maxLines, Column: 1,
		Message: "the file has " + strconv.Itoa(n) + " lines; it should have fewer than 500",
		Fix:     "move detail into files of its own and say when to read them"})
}

func isLineSeparator(r rune) bool { return r == 0x85 || r == 0x2028 || r == 0x2029 }

// isControl reports a C0 or C1 control or DEL, but for TAB, the line ends and U+0085.
func isControl(r rune) bool {
	return unicode.IsControl(r) && r != '\t' && r != '\n' && r != '\r' && r != 0x85
}

// isWhite reports YAML's white space. At the end of a text is white space too, so callers test that first.
func isWhite(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }

// plainByte tells the bytes that are no part of a control character: printable ASCII, TAB, the line ends, and all of
// UTF-8 but 0xC2, with which the C1 controls begin.
var plainByte = func() (plain [256]bool) {
	for c := range plain {
		plain[c] = c >= ' ' && c != 0x7F && c != 0xC2 || c == '\n' || c == '\t' || c == '\r'
	}
	return plain
}()

// indexControl returns the offset of the first control character of b, -1 if there is none.
func indexControl(b []byte) int {
	for i, c := range b {
		if plainByte[c] {
			continue
		}
		if r, _ := utf8.DecodeRune(b[i:]); isControl(r) {
			return i
		}
	}
	return -1
}

// indexInvalid returns the offset of the first byte of b that is not UTF-8; there is one.
func indexInvalid(b []byte) int {
	for i := 0; i < len(b); {
		r, size := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && size <= 1 {
			return i
		}
		i += size
	}
	return 0
}

// badRun returns how many bytes at the start of b are not UTF-8.
func badRun(b []byte) int {
	n := 0
	for n < len(b) {
		if r, size := utf8.DecodeRune(b[n:]); r != utf8.RuneError || size != 1 {
			break
		}
		n++
	}
	return n
}

func indexLoneCR(b []byte) int {
	for i := 0; ; i++ {
		j := bytes.IndexByte(b[i:], '\r')
		if j < 0 {
			return -1
		}
		if i += j; i+1 == len(b) || b[i+1] != '\n' {
			return i
		}
	}
}

// countLines returns the number of line ends in b.
func countLines(b []byte) int {
	n := bytes.Count(b, []byte("\n"))
	if cr := bytes.Count(b, []byte("\r")); cr > 0 {
		n += cr - bytes.Count(b, []byte("\r\n"))
	}
	return n
}

// position returns the place of offset off in data.
func position(data []byte, off int) (line, column int) {
	before := bytes.TrimPrefix(data[:off], []byte(byteOrderMark))
	start := max(bytes.LastIndexByte(before, '\n'), bytes.LastIndexByte(before, '\r')) + 1
	column = 1
	for rest := before[start:]; len(rest) > 0; column++ {
		r, size := utf8.DecodeRune(rest)
		if r == utf8.RuneError && size == 1 {
			size = badRun(rest)
		}
		rest = rest[size:]
	}
	return 1 + countLines(before), column
}

// runeName returns the code point at the start of b as U+0000.
func runeName(b []byte) string {
	r, _ := utf8.DecodeRune(b)
	s := strings.ToUpper(strconv.FormatInt(int64(r), 16))
	return "U+" + strings.Repeat("0", max(0, 4-len(s))) + s
}

// cite quotes s for a message, cut to a length that fits one.
func cite(s string) string {
	const most = 60
	n := 0
	for i := range s {
		if n++; n > most {
			return strconv.Quote(s[:i] + "…")
		}
	}
	return strconv.Quote(s)
}
