package atskills

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/skill"
)

const (
	maxTrigger = 1 << 20
	bom        = "\ufeff"
)

// triggerLock keeps those apart who edit .autotrigger. A left-over one is not taken over: the error names it (T6).
const triggerLock = Dir + "/" + TriggerFile + ".lock"

// trigger returns the bytes of .autotrigger.
func (p project) trigger() ([]byte, error) {
	return fsx.NewView(p.fs, "", true).ReadFile(Dir+"/"+TriggerFile, maxTrigger)
}

// triggerLines returns the lines of a trigger file without the blanks around them.
func triggerLines(data []byte) []string {
	lines := strings.Split(strings.TrimPrefix(string(data), bom), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return lines
}

// dropLines deletes the lines that name id's folder or follow id, and no other byte (S11, T6). It returns their numbers.
func (p project) dropLines(ctx context.Context, id skill.ID) (dropped []int, err error) {
	unlock, err := fsx.Lock(ctx, p.fs, triggerLock, fsx.LockOptions{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	data, err := p.trigger()
	if err != nil {
		return nil, err
	}
	dropped = naming(data, id)
	text, marked := strings.CutPrefix(string(data), bom)
	var kept strings.Builder
	if marked {
		kept.WriteString(bom)
	}
	n := 0
	for line := range strings.Lines(text) {
		if n++; !slices.Contains(dropped, n) {
			kept.WriteString(line)
		}
	}
	return dropped, fsx.WriteFile(p.fs, Dir+"/"+TriggerFile, []byte(kept.String()), 0o644)
}

// followed returns the lines of a trigger file, counted from 1, that follow id itself or its whole directory (S10, T2).
func followed(data []byte, id skill.ID) []int {
	var found []int
	for i, line := range triggerLines(data) {
		at, ok := strings.CutPrefix(line, "@")
		if !ok {
			continue
		}
		if ref, err := skill.ParseRef(at); err == nil && ref.ID == id {
			found = append(found, i+1)
		}
	}
	return found
}

// naming returns the lines of a trigger file that follow id or are its folder's own: the literal path, with or without
// slashes around it (T7).
func naming(data []byte, id skill.ID) []int {
	lines := followed(data, id)
	for i, line := range triggerLines(data) {
		literal := strings.TrimSuffix(strings.TrimPrefix(line, "/"), "/")
		if unescape(literal) == id.DiskPath() && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "!") {
			lines = append(lines, i+1)
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// unescape reads a literal pattern: a backslash stands before a character that would mean something (T7).
func unescape(pattern string) string {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		if pattern[i] == '\\' && i+1 < len(pattern) {
			i++
		}
		b.WriteByte(pattern[i])
	}
	return b.String()
}
