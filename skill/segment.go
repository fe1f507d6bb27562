package skill

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// CheckSegment reports why seg, decoded, cannot be a directory name in an id (G7), or nil. Leading dots, spaces, '@',
// brackets and every script are legal; nothing is normalised.
func CheckSegment(seg string) error {
	switch {
	case seg == "":
		return errors.New("empty path segment: a path has one slash between names and none in front")
	case seg == "." || seg == "..":
		return fmt.Errorf("segment %q is not a name: a path is written from its top", seg)
	case !utf8.ValidString(seg):
		return fmt.Errorf("segment %q is not valid UTF-8", seg)
	case strings.Contains(seg, "/"):
		return fmt.Errorf("segment %q holds a slash, which separates names and cannot be part of one", seg)
	case strings.Contains(seg, `\`):
		return fmt.Errorf("segment %q holds a backslash: names are separated by /", seg)
	}
	for _, r := range seg {
		if r < 0x20 || r == 0x7f {
			return fmt.Errorf("segment %q holds a control character", seg)
		}
	}
	return nil
}

// decodeSegment decodes the percent escapes of one segment. A '%' that begins no escape is itself (G6).
func decodeSegment(seg string) string {
	if !strings.Contains(seg, "%") {
		return seg
	}
	var b strings.Builder
	for i := 0; i < len(seg); i++ {
		if !isEscape(seg[i:]) {
			b.WriteByte(seg[i])
			continue
		}
		b.WriteByte(unhex(seg[i+1])<<4 | unhex(seg[i+2]))
		i += 2
	}
	return b.String()
}

// encodeSegment is the inverse of decodeSegment: it escapes white space, colons and what does not show, and a '%'
// where the text would decode (G6). A joiner or a variation selector stays where the segment holds the neighbours it is
// for: any other hides in the text, and is what [OneLine] takes out (B7).
func encodeSegment(seg string) string {
	var b strings.Builder
	before := ' '
	for i, r := range seg {
		n := utf8.RuneLen(r)
		s := seg[i : i+n]
		loose := isCompanion(r) && !stays(before, r, seg[i+n:])
		before = r
		if loose || hidesInText(r) || isEscape(seg[i:]) {
			s, before = escape(s), ' '
		}
		b.WriteString(s)
	}
	return b.String()
}

// hidesInText reports whether r would end a reference in a sentence, be read as a suffix or marker, or not be seen. What
// shows with its neighbours does not by itself: Persian and Indic names and emoji need it.
func hidesInText(r rune) bool { return r == ':' || !visible(r) && !isCompanion(r) }

// escape percent-encodes every byte of s.
func escape(s string) string {
	var b strings.Builder
	for i := range len(s) {
		fmt.Fprintf(&b, "%%%02X", s[i])
	}
	return b.String()
}

// isEscape reports whether s begins with a percent escape.
func isEscape(s string) bool {
	return len(s) >= 3 && s[0] == '%' && isHex(s[1]) && isHex(s[2])
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func unhex(c byte) byte {
	switch {
	case c >= 'a':
		return c - 'a' + 10
	case c >= 'A':
		return c - 'A' + 10
	}
	return c - '0'
}
