package gitwire

import (
	"strconv"
	"strings"
	"unicode"
)

// maxText is how many characters of a remote's words are worth repeating.
const maxText = 240

// Clean makes a remote's words fit to be shown: one line, no control or invisible characters, cut to a sensible
// length with an ellipsis.
func Clean(s string) string { return CleanTo(s, maxText) }

// Quote returns a name that a remote chose in quotes, cut to a sensible length.
func Quote(name string) string {
	if len(name) > maxText {
		return strconv.Quote(name[:maxText]) + "…"
	}
	return strconv.Quote(name)
}

// CleanTo is [Clean] with a length in characters.
func CleanTo(s string, length int) string {
	cut := len(s) > 8*length
	if cut {
		s = s[:8*length]
	}
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "")), " ")
	s = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return -1
	}, s)
	if runes := []rune(s); len(runes) > length {
		s, cut = string(runes[:length]), true
	}
	if cut {
		s += "…"
	}
	return s
}
