package atskills

import (
	"context"
	"fmt"
	"path"

	"github.com/atskills-go/atskills/skill"
)

// Tree is what a project could make resident and what of it is (V1): data that a host renders without looking at a file
// system. It is the caller's to keep.
type Tree struct {
	// Rows are the folders and skills below .atskills/, depth first in walk order, then the lines of .autotrigger that
	// belong to none of them, in the order of the file.
	Rows []Row
	// Skills is how many skills the project has. On is how many are resident, those of followed lines included, and Tokens
	// what their block costs: both as far as the cache can tell without asking upstream.
	Skills, On int
	Tokens     int
	// Warnings are what the walk came upon and could not show as a row (W6).
	Warnings []Warning
}

// RowKind says what a row stands for.
type RowKind string

// The kinds of rows.
const (
	RowDir    RowKind = "dir"    // a folder of the project with skills below it
	RowSkill  RowKind = "skill"  // a skill of the project
	RowCloud  RowKind = "cloud"  // a line that follows a cloud id
	RowBroken RowKind = "broken" // a line that follows nothing, or a pattern that no skill matches
)

// State says whether a row is resident, and why.
type State string

// The states of rows.
const (
	// StateOn is a row with a line of its own, which for a followed line is that line, whatever it brings.
	StateOn State = "on"
	// StateCovered is a row that another line makes resident: one for a folder above it, a pattern, or one that follows a
	// playlist which lists the row, as far as the cache knows.
	StateCovered State = "covered"
	// StatePartly is a folder with resident skills that no line covers as a whole. They may be all of its skills (Row.On is
	// Row.Skills then), by lines for each: checking every child leaves the folder unchecked, and a skill that joins them
	// is off (V4).
	StatePartly State = "partly"
	// StateOff is a row of which nothing is resident.
	StateOff State = "off"
)

// Mark is the state as the box in front of a row: "[x]", "[#]", "[~]" or "[ ]" (V1).
func (s State) Mark() string {
	switch s {
	case StateOn:
		return "[x]"
	case StateCovered:
		return "[#]"
	case StatePartly:
		return "[~]"
	}
	return "[ ]"
}

// Row is one line of a tree.
type Row struct {
	Kind RowKind
	// Key is what [Toggle] takes: the path below .atskills/, the text of a followed line, or "line:N:" and the text of a
	// line that is neither. It may hold whatever a folder's name may, and be as long as a line is.
	Key string
	// ID is zero for a folder that no reference addresses (G12), and for a broken line.
	ID skill.ID
	// Display is what a person reads, on one line: the name below the row above, several names where each folder holds
	// but the next ("team/flows"), or the text of a line. Of a longer one it is the first 256 characters.
	Display string
	Depth   int // how many rows this one is below, 0 at the top
	State   State
	// Line is the number of the line that State comes from: the row's own, the one that covers it, or the negation that
	// keeps a skill off. It is 0 when there is none, and when several lines cover a folder. LineText is that line.
	Line     int
	LineText string

	// Where says whose it is, Stamp what a copy was saved from, nil when no stamp covers it (S2), and Origin both in
	// words: "yours", "saved from gh:acme/kit/deploy (2026-03-04)", "cloud". A folder above copies from several places
	// is saved without a stamp. All are zero for a broken line.
	Where  Where
	Stamp  *Stamp
	Origin string

	// Name and Description are a skill's, as a row of the block would show them, "" when it has none (B7).
	Name, Description string
	// Path is a skill's SKILL.md: relative to the project, or as the host's file system spells it in the cache.
	Path string
	// Skills counts the skills at or below the row and On those that are resident. Tokens is what all Skills cost as rows
	// of a block, and OnTokens what the resident ones do.
	Skills, On       int
	Tokens, OnTokens int
	// Hidden counts the skills inside this one's folder: they belong to it and never fire, but each stays addressable by
	// its own path (V6, W1).
	Hidden int
	// Warnings are what is wrong with the row, such as a skill that has no description and would load nothing.
	Warnings []Warning
}

// The codes of warnings that rows have beside those of the notes of a [Block]; a broken line has LintReference or
// LintNothing.
const (
	WarnUncached = "uncached" // nothing of a followed id is in the cache: what it holds is not known yet
	WarnUnnamed  = "unnamed"  // a name that no line of the trigger file can hold
)

// ReadTree reads the project's skills, its trigger file and, for followed ids, the cache as it stands: nothing is asked of
// upstream. Of each SKILL.md the frontmatter is read, once. Like Resolve it undoes a save that was interrupted, and writes
// nothing else. Whether a copy was edited since it was saved is for [Verify] to tell, which needs upstream.
//
// Whatever is wrong with a row is a warning on it, and the rest goes on. Errors are a file system of the project that
// cannot be read, [ErrCacheInTree], and the context's error. A project without skills has an empty tree.
func ReadTree(ctx context.Context, env Env) (*Tree, error) {
	if err := env.check(); err != nil {
		return nil, err
	}
	s, err := env.survey(ctx)
	if err != nil {
		return nil, err
	}
	b := &treeBuilder{
		env: env, s: s, tree: &Tree{Skills: len(s.skills)},
		stamps: make(map[string]*Stamp),
	}
	if err := b.known(ctx); err != nil {
		return nil, err
	}
	b.top(ctx)
	b.folder(ctx, b.sel.Tree.Top, 0)
	b.lines()
	for _, p := range s.problems {
		b.tree.Warnings = append(b.tree.Warnings, Warning{WarnUnreadable, oneLine(fmt.Sprintf("%s: %v", path.Join(Dir, p.Path), p.Err))})
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return b.tree, nil
}
