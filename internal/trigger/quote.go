package trigger

import (
	"strconv"
	"strings"

	"github.com/atskills-go/atskills/skill"
)

const maxQuoted = 256 // characters

// Quote shows a line, or a path that one names, in a sentence: as it is, for its backslashes count, unless something in it
// would not show. Of a text of more than 256 characters it shows the first, and an ellipsis.
func Quote(text string) string {
	n := 0
	for i := range text {
		if n++; n > maxQuoted {
			text = text[:i] + "…"
			break
		}
	}
	_, hidden := skill.OneLine(text)
	if len(hidden) > 0 || !strconv.CanBackquote(text) || strings.ContainsAny(text, "\t\u0085\u2028\u2029") {
		return strconv.Quote(text)
	}
	return "`" + text + "`"
}
