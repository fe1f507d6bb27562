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

// OneLine makes s safe to stand in one line of a prompt, a menu or a terminal (B7). Runs of white space, of line breaks of
// every kind and of characters that show as an empty place become one space, and leading and trailing ones go. Removed
// and reported is what hides in a text: controls, bidirectional controls, and whatever Unicode counts among the format
// characters or lets a renderer ignore, such as fillers and tags. The joiners U+200C and U+200D stay only between two
// visible characters, and a variation selector up to U+FE0F only as the first one after a character that can have
// variants, as emoji and ideographs have. Invalid UTF-8 becomes U+FFFD. Nothing is left of a text that shows nothing.
func OneLine(s string) (string, []Hidden) {
	var (
		out    strings.Builder
		hidden []Hidden
		last   = ' ' // the last rune before the next one in the output
		space  bool  // last is a space that is owed before the next visible rune
	)
	for i, r := range s {
		if isEmptyPlace(r) {
			space, last = space || last != ' ', ' '
			continue
		}
		if !visible(r) && !(isCompanion(r) && stays(last, r, s[i+utf8.RuneLen(r):])) {
			hidden = append(hidden, Hidden{i, r})
			continue
		}
		if space {
			out.WriteByte(' ')
		}
		space, last = false, r
		out.WriteRune(r)
	}
	return out.String(), hidden
}

// isEmptyPlace reports whether r shows as an empty place.
func isEmptyPlace(r rune) bool {
	switch r {
	case 0x2800, 0x13441, 0x13442, 0x1D159: // no white space to Unicode: braille, hieroglyphs and notes without a mark
		return true
	}
	return unicode.IsSpace(r)
}

func isJoiner(r rune) bool { return r == 0x200C || r == 0x200D }

// isSelector reports whether r is a variation selector that texts need.
func isSelector(r rune) bool { return r <= 0xFE0F && unicode.Is(unicode.Variation_Selector, r) }

// isCompanion reports whether r does not show and changes how its neighbours do.
func isCompanion(r rune) bool { return isJoiner(r) || isSelector(r) }

// stays reports whether r, a companion that comes between last and rest, has the neighbours it is for.
func stays(last, r rune, rest string) bool {
	if isSelector(r) {
		return hasVariants(last)
	}
	next, size := utf8.DecodeRuneInString(rest)
	return (visible(last) || isSelector(last)) && size > 0 && visible(next)
}

// hasVariants reports whether a variation selector may follow r. To the letters of most texts none belongs, where one
// at each letter would be a second text that nobody sees.
func hasVariants(r rune) bool {
	return visible(r) && !unicode.In(r, unicode.M, unicode.Latin, unicode.Greek, unicode.Cyrillic)
}

// visible reports whether r shows by itself: not blank, not a companion, and nothing that B7 removes.
func visible(r rune) bool {
	switch {
	case r < 0x7F:
		return r > ' '
	case isEmptyPlace(r), unicode.IsControl(r):
		return false
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r): // format characters that show, as the Arabic number sign does
		return true
	}
	return !unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
