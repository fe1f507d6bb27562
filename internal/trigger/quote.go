package trigger

import (
	"strconv"

	"github.com/atskills-go/atskills/skill"
)

// Quote shows a line, or a path that one names, in a sentence: as it is, for its backslashes count, unless something in it
// would not show.
func Quote(text string) string {
	if _, hidden := skill.OneLine(text); len(hidden) > 0 || !strconv.CanBackquote(text) {
		return strconv.Quote(text)
	}
	return "`" + text + "`"
}
