package atskills

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/atskills-go/atskills/skill"
)

const (
	// blockHeader is the first line of a block that is not empty (B2).
	blockHeader = "Auto-triggered Skills (" + Dir + "/" + TriggerFile + "):"
	// staleMark ends a row that upstream did not confirm (B6).
	staleMark = " [served from cache, upstream unreachable, may be stale]"
	// AdvisedSkills is how many resident skills a project should have at most: each costs prompt in every turn, and a model
	// chooses worse among many. More are a note (B8).
	AdvisedSkills = 10

	maxRowName   = 256 // characters of a name, as in a catalog
	maxHiddenTip = 8   // removed characters that a note lists

	maxMessage = 1024 // characters of a note, a warning of a row and a message of Lint
	maxDisplay = 256  // characters of a row's display
)

// Block is the resident part of a prompt: what fires on its own, and what that costs (B). It is the caller's to keep.
type Block struct {
	// Text is pushed into the system prompt as it is: a header and one row a skill, without a line break at the end. It is
	// "" when nothing is resident, which is a value like any other: a host pushes it too (B2).
	Text string
	// Tokens is what Text costs, as Env.Tokens counts.
	Tokens int
	// Rows are the skills in Text, in its order: local ones in byte order of their paths, then those of the cloud lines in
	// the order of the file (B3).
	Rows []BlockRow
	// Lines are the lines of the trigger file in order, without the blank ones.
	Lines []BlockLine
	// Notes are what a person should know, each said once: by line, those about the block as a whole at the end (B6).
	Notes []Note
	// Drift is how the skills of the followed lines changed since this machine last built a block with them (B9).
	Drift []Drift
}

// Where says whose a resident skill is.
type Where string

// The places a skill comes from.
const (
	WhereYours Where = "yours" // the project wrote it
	WhereSaved Where = "saved" // in the project, below the stamp of a save (S2)
	WhereCloud Where = "cloud" // read through the cache
)

// BlockRow is one resident skill.
type BlockRow struct {
	ID skill.ID // zero for a folder that no reference addresses (G12)
	// Name and Description are as the row shows them: on one line, without hidden characters, not too long (B7).
	Name, Description string
	// Path is the skill's SKILL.md: relative to the project, or as the host's file system spells it in the cache. It is ""
	// when the content was kept in memory (see Env.Cache). It may hold whatever a folder's name may, unlike Text.
	Path  string
	Where Where
	Lines []int // the numbers of all lines that cover it, in order
	Stale bool  // the cache served it and upstream did not confirm it; Text says so
	// Tokens is what Text costs.
	Tokens int
	// Text is the row. Where a path cannot be spelled on one line, or there is none, it shows a reference in its place.
	Text string
}

// LineKind says what a line of the trigger file is.
type LineKind string

// The kinds of lines.
const (
	LinePattern LineKind = "pattern" // selects from the project's tree (T3)
	LineCloud   LineKind = "cloud"   // follows a cloud id (T2)
	LineComment LineKind = "comment"
)

// BlockLine is one line of the trigger file and what it brings into the block (B8).
type BlockLine struct {
	Number int    // from 1
	Text   string // as in the file, for people to recognise; a terminal wants [skill.OneLine] around it
	Kind   LineKind
	Rows   []int // indexes of the rows it covers; other lines may cover them too
	Tokens int   // what these rows cost together
	Notes  []Note
}

// Note is one thing a person should know about a block that is good all the same.
type Note struct {
	Line int      // the line of the trigger file, 0 when it is about none in particular
	ID   skill.ID // the skill or the followed id, zero when there is none
	Path string   // the file or folder in the project or the cache, "" when there is none
	// Code is one of the Note constants, or the Warn constant of something that was served although not all was well.
	Code    string
	Message string // one line of at most 1,024 characters and an ellipsis
}

// String returns the note for a person, on one line: "line 3: message", with the path in front of the message that does not
// begin with it.
func (n Note) String() string {
	text := oneLine(n.Message)
	if at := oneLine(n.Path); at != "" && !strings.HasPrefix(text, at) {
		text = at + ": " + text
	}
	if n.Line > 0 {
		text = fmt.Sprintf("line %d: %s", n.Line, text)
	}
	return text
}

// The codes of notes about what is not in the block, or not as it was written.
const (
	NoteBadID         = "bad-id"         // an "@" line that is no cloud id (T2)
	NoteMenu          = "menu"           // an "@" line without trailing "/" whose id is a collection (B5)
	NoteNotFound      = "not-found"      // nothing at the id, or its origin does not exist
	NoteNoAccess      = "no-access"      // the origin is refused to this caller
	NoteUnreachable   = "unreachable"    // upstream did not answer, and nothing is cached
	NoteNotConfigured = "not-configured" // no transport serves the id
	NoteTooLarge      = "too-large"      // a line over the cap; the message names smaller ones (R6)
	NoteFailed        = "failed"         // any other failure of a line
	NoteIncomplete    = "incomplete"     // a skill without usable name or description (B4)
	NoteUnreadable    = "unreadable"     // a skill, folder or link that cannot be read
	NoteHidden        = "hidden"         // characters were taken out of a row (B7)
	NoteShortened     = "shortened"      // a name or description was cut (B7)
	NoteMany          = "many"           // more than AdvisedSkills are resident (B8)
	NoteRecord        = "record"         // what was seen cannot be kept, so that drift will be told late or again (B9)
)

// offer is a skill that a line puts forward, before it is known whether it can be shown.
type offer struct {
	key               string // its identity: one skill loads once
	id                skill.ID
	where             Where
	path              string
	name, description string // as the frontmatter has them
	stale             bool
	problem           *Note // why it cannot be shown, its Line not yet set
}

// read takes over the frontmatter of the offered skill (B4).
func (o *offer) read(doc *skill.Document, err error) {
	switch {
	case err != nil:
		o.fail(NoteUnreadable, "%s cannot be read: %v", SkillFile, err)
	case !doc.Named() || !doc.Loads():
		o.fail(NoteIncomplete, "it is left out: %s", lacks(doc))
	default:
		o.name, o.description = doc.Name, doc.Description
	}
}

func (o *offer) fail(code, format string, args ...any) {
	o.problem = &Note{ID: o.id, Path: o.path, Code: code, Message: oneLine(fmt.Sprintf(format, args...))}
}

// lacks says why a document has no name or no description to offer.
func lacks(doc *skill.Document) string {
	want := doc.Refusal()
	for _, f := range doc.Findings {
		switch {
		case want != "" && f.Code != want:
		case want == "" && f.Code != skill.CodeNameMissing && f.Code != skill.CodeNameEmpty && f.Code != skill.CodeNameNotString &&
			f.Code != skill.CodeNameUnsafe:
		default:
			return fmt.Sprintf("%s, line %d: %s (%s)", SkillFile, f.Line, f.Message, f.Code)
		}
	}
	return fmt.Sprintf("%s has no usable name and description", SkillFile)
}

// row renders o so that nothing in the row can forge another or hide in it (B7). The notes say what was changed for that;
// a note of its own says so when nothing visible is left.
func (o offer) row() (BlockRow, []Note) {
	var notes []Note
	note := func(code, format string, args ...any) {
		notes = append(notes, Note{ID: o.id, Path: o.path, Code: code, Message: oneLine(fmt.Sprintf(format, args...))})
	}
	shown := func(field, text string, max int) string {
		clean, hidden := skill.OneLine(text)
		if len(hidden) > 0 {
			note(NoteHidden, "removed from the %s: %s", field, positions(hidden))
		}
		if cut, ok := shorten(clean, max); ok {
			note(NoteShortened, "the %s has %d characters and is cut after %d", field, utf8.RuneCountInString(clean), max)
			clean = cut
		}
		return clean
	}
	r := BlockRow{ID: o.id, Path: o.path, Where: o.where, Stale: o.stale}
	r.Name = shown("name", o.name, maxRowName)
	r.Description = shown("description", o.description, skill.MaxDescriptionLength)
	if r.Name == "" || r.Description == "" {
		return r, []Note{{ID: o.id, Path: o.path, Code: NoteIncomplete, Message: "it is left out: its name or description has no visible character"}}
	}
	place := o.path
	if oneLine(place) != place || place == "" {
		place = o.address()
		if o.path != "" {
			note(NoteHidden, "the path %+q cannot stand in a row, which shows %s", o.path, place)
		}
	}
	r.Text = "- " + r.Name + ": " + r.Description + " (" + place + ")"
	if r.Stale {
		r.Text += staleMark
	}
	return r, notes
}

// address is what a row shows in place of a path: a reference, or the quoted path of a folder that has none (G12).
func (o offer) address() string {
	switch {
	case !o.id.IsZero():
		return "@skills:" + o.id.Reference()
	case o.path != "":
		return oneLine(strconv.QuoteToASCII(o.path))
	}
	return "not addressable"
}

// shorten cuts text after max characters.
func shorten(text string, max int) (string, bool) {
	if len(text) <= max {
		return text, false
	}
	n := 0
	for i := range text {
		if n == max {
			return text[:i] + "…", true
		}
		n++
	}
	return text, false
}

// cut is text, or its first max characters and an ellipsis.
func cut(text string, max int) string {
	text, _ = shorten(text, max)
	return text
}

// positions lists removed characters.
func positions(hidden []skill.Hidden) string {
	var b strings.Builder
	for i, h := range hidden {
		if i > 0 {
			b.WriteString(", ")
		}
		if i == maxHiddenTip {
			fmt.Fprintf(&b, "and %d more", len(hidden)-i)
			break
		}
		fmt.Fprintf(&b, "U+%04X at byte %d", h.Rune, h.Offset)
	}
	return b.String()
}
