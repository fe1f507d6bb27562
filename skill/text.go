package skill

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Hidden is a character that [OneLine] took out of a text.
type Hidden struct {
	Offset int // where it stood, in bytes of the input
	Rune   rune
}

// OneLine makes s safe to stand in one line of a prompt, a menu or a terminal (B7). Runs of white space and line
// breaks of every kind become one space, and leading and trailing ones go. Controls, bidirectional controls, invisible
// characters, tag characters and supplementary variation selectors are removed and reported. The joiners U+200C and
// U+200D stay only between two visible characters. Invalid UTF-8 becomes U+FFFD.
func OneLine(s string) (string, []Hidden) {
	var (
		out    strings.Builder
		hidden []Hidden
		last   = ' ' // the last rune written; a space swallows leading white space
		space  bool  // a space is owed before the next visible rune
	)
	for i, r := range s {
		switch {
		case unicode.IsSpace(r):
			space = true
			continue
		case isJoiner(r):
			next, size := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):])
			if space || last == ' ' || isJoiner(last) || size == 0 || !visible(next) {
				hidden = append(hidden, Hidden{i, r})
				continue
			}
		case !visible(r):
			hidden = append(hidden, Hidden{i, r})
			continue
		}
		if space && last != ' ' {
			out.WriteByte(' ')
		}
		space, last = false, r
		out.WriteRune(r)
	}
	return out.String(), hidden
}

func isJoiner(r rune) bool { return r == 0x200C || r == 0x200D }

// visible reports whether r shows: not white space, a joiner, or one of the characters B7 removes.
func visible(r rune) bool {
	switch {
	case unicode.IsSpace(r), unicode.IsControl(r), isJoiner(r):
		return false
	case r == 0x061C, r == 0x200E, r == 0x200F, 0x202A <= r && r <= 0x202E, 0x2066 <= r && r <= 0x2069: // bidirectional
		return false
	case r == 0x00AD, r == 0x180E, r == 0x200B, 0x2060 <= r && r <= 0x2064, r == 0xFEFF: // invisible
		return false
	case 0xE0000 <= r && r <= 0xE007F, 0xE0100 <= r && r <= 0xE01EF: // tags, variation selectors
		return false
	}
	return true
}
