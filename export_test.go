package atskills

import (
	"context"

	"github.com/atskills-go/atskills/internal/trigger"
)

// Suggest is suggest, for tests over listings that no fake upstream has to hold.
func Suggest(dirs []string) (out []Suggested) {
	for _, s := range suggest(dirs) {
		out = append(out, Suggested{s.dir, s.count})
	}
	return out
}

// Suggested is one result of Suggest.
type Suggested struct {
	Dir   string
	Count int
}

// ParseStamp and StampText are how stamps are read and written, for their fuzz target.
var (
	ParseStamp = parseStamp
	StampText  = stampText
)

// ParseIndex is parseIndex, for tests against git's own.
var ParseIndex = parseIndex

// AddTriggerLine adds one line to the trigger file, and nothing else.
func AddTriggerLine(ctx context.Context, env Env, text string) error {
	return env.editTriggers(ctx, func(f trigger.File) (trigger.File, error) { return f.Append(text), nil })
}
