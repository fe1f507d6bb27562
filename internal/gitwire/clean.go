package gitwire

import (
	"strings"
	"unicode"
)

// maxText is how many characters of a remote's words are worth repeating.
const maxText = 240

// Clean makes a remote's words fit to be shown: one line, no control or invisible characters, cut to a sensible
// length with an ellipsis.
func Clean(s string) string {
	if len(s) > 8*maxText {
		s = s[:8*maxText]
	}
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "")), " ")
	s = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return -1
	}, s)
	if runes := []rune(s); len(runes) > maxText {
		return string(runes[:maxText]) + "…"
	}
	return s
}
