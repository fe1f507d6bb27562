package skill

import "unicode"

// emphasis counts the signs of Markdown emphasis that are open in a block. What CommonMark pairs one by one is counted
// here: it is asked for no more than whether a sign at the end of a reference may close something.
type emphasis struct{ stars, lines int }

func isEmphasis(r rune) bool { return r == '*' || r == '_' }

func (e *emphasis) of(sign rune) *int {
	if sign == '*' {
		return &e.stars
	}
	return &e.lines
}

// add counts a run of n signs between the runes before and after; last says that the line ends behind it. A run opens
// where it leans on what follows, and closes where it leans on what stands in front; a _ between two letters does
// neither, and a sign behind a backslash is text.
func (e *emphasis) add(sign rune, n int, before, after rune, last bool) {
	if before == '\\' {
		return
	}
	open := e.of(sign)
	opens := !last && !unicode.IsSpace(after) && (!isWord(before) || sign == '*' && isWord(after))
	closes := !unicode.IsSpace(before) && (sign == '*' || last || !isWord(after))
	switch {
	case closes && *open > 0:
		*open = max(0, *open-n)
	case opens:
		*open += n
	}
}

// isWord reports whether r is part of a word; so is the end of a reference or of code.
func isWord(r rune) bool { return r == inWord || unicode.IsLetter(r) || unicode.IsNumber(r) }
