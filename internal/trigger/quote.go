package trigger

import (
	"strconv"
	"strings"

	"github.com/atskills-go/atskills/skill"
)

// Quote shows a line, or a path that one names, in a sentence: as it is, for its backslashes count, unless something in it
// would not show.
func Quote(text string) string {
	_, hidden := skill.OneLine(text)
	if len(hidden) > 0 || !strconv.CanBackquote(text) || strings.ContainsAny(text, "\t\u0085\u2028\u2029") {
		return strconv.Quote(text)
	}
	return "`" + text + "`"
}
