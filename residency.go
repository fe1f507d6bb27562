package atskills

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/atskills-go/atskills/internal/trigger"
	"github.com/atskills-go/atskills/skill"
)

// Residency computes the resident block: what the lines of .autotrigger make a model see in every turn, one row a skill,
// frontmatter only (B). Plain lines select from the project's tree as gitignore patterns do. A line "@id" is answered by
// the project's own copy if that holds skills, else through the cache, as [Resolve] would: all lines together cost one
// probe of each repository, several repositories at a time (B10, C11), and with transport.Memo a second block in one
// session costs none, lines that upstream refuses included; only while upstream does not answer each block asks anew. A
// skill loads once, however many lines cover it.
//
// The block is a function of the project, the cache and upstream: the same inputs give the same bytes. It writes to the
// cache: content, as Resolve does, and, only when it changed, the record that [Block.Drift] is told from. Like Resolve it
// undoes a save that was interrupted.
//
// Whatever a line or a skill lacks is a note, and the rest goes on (B6). Errors are a file system of the project that
// cannot be read, [ErrCacheInTree], and the context's error. A project without trigger file has an empty block.
func Residency(ctx context.Context, env Env) (*Block, error) {
	if err := env.check(); err != nil {
		return nil, err
	}
	took := env.timer()
	s, err := env.survey(ctx)
	if err != nil {
		return nil, err
	}
	b := newBlockBuilder(env, s)
	b.local()
	b.follow(ctx)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	block := b.finish()
	env.emit(ctx, Event{Kind: EventBlock, Skills: len(block.Rows), Bytes: int64(len(block.Text)), Took: took()})
	return block, nil
}

// blockBuilder puts a block together. Rows are added in their order; a later line that covers one is entered at it.
type blockBuilder struct {
	env   Env
	s     *survey
	block *Block
	lines map[int]int    // index of a line's BlockLine, by number
	rows  map[string]int // index of an offer's row, by key; refused for an offer that has none
}

// refused stands for the row of a skill that cannot be shown, and of which a note has said so.
const refused = -1

func newBlockBuilder(env Env, s *survey) *blockBuilder {
	b := &blockBuilder{env: env, s: s, block: &Block{}, lines: make(map[int]int), rows: make(map[string]int)}
	kinds := map[trigger.Kind]LineKind{trigger.Pattern: LinePattern, trigger.Cloud: LineCloud, trigger.Comment: LineComment}
	for _, l := range s.file.Lines {
		if kind, ok := kinds[l.Kind]; ok {
			b.lines[l.Number] = len(b.block.Lines)
			b.block.Lines = append(b.block.Lines, BlockLine{Number: l.Number, Text: l.Text, Kind: kind})
		}
	}
	return b
}

// local adds the skills that the plain lines select, in walk order (B3), and tells what went wrong where they look.
func (b *blockBuilder) local() {
	for _, dir := range b.s.skills {
		if b.s.verdict(dir).Ignored {
			b.add(b.localOffer(dir), b.s.covering(dir)...)
		}
	}
	for _, p := range b.s.problems {
		if p.Path == "" {
			b.walkProblem(0, p)
		} else if v := b.s.verdict(p.Path); v.Ignored {
			b.walkProblem(b.s.file.Lines[v.Line].Number, p)
		}
	}
}

func (b *blockBuilder) walkProblem(line int, p skill.Problem) {
	name := path.Join(Dir, p.Path)
	b.note(Note{Line: line, Path: name, Code: NoteUnreadable, Message: fmt.Sprintf("%s: %v", name, p.Err)})
}

// localOffer offers the project's skill at dir, a path below Dir.
func (b *blockBuilder) localOffer(dir string) offer {
	o := offer{key: b.s.real(dir), where: WhereYours, path: path.Join(Dir, dir, SkillFile)}
	if id, err := skill.ParseDiskPath(dir); err == nil {
		o.id = id
	}
	if b.s.saved(dir) {
		o.where = WhereSaved
	}
	if _, known := b.rows[o.key]; !known {
		o.read(b.s.head(dir))
	}
	return o
}

// add puts o into the block for the lines of these numbers, unless it is there already or cannot be shown (B1, B4).
func (b *blockBuilder) add(o offer, lines ...int) {
	row, known := b.rows[o.key]
	if !known {
		row = b.enter(o, lines[0])
		b.rows[o.key] = row
	}
	if row == refused {
		return
	}
	r := &b.block.Rows[row]
	for _, n := range lines {
		if at, found := slices.BinarySearch(r.Lines, n); !found {
			r.Lines = slices.Insert(r.Lines, at, n)
			l := &b.block.Lines[b.lines[n]]
			l.Rows = append(l.Rows, row)
			l.Tokens += r.Tokens
		}
	}
}

// enter makes o a row and returns its index. What is to be said of it is said at the line.
func (b *blockBuilder) enter(o offer, line int) int {
	if o.problem != nil {
		o.problem.Line = line
		b.note(*o.problem)
		return refused
	}
	r, notes := o.row()
	for _, n := range notes {
		n.Line = line
		b.note(n)
	}
	if r.Text == "" {
		return refused
	}
	r.Tokens = b.env.tokens(r.Text)
	b.block.Rows = append(b.block.Rows, r)
	return len(b.block.Rows) - 1
}

func (b *blockBuilder) note(n Note) {
	n.Message = cut(oneLine(n.Message), maxMessage)
	b.block.Notes = append(b.block.Notes, n)
}

// finish puts the text together, and the notes in order.
func (b *blockBuilder) finish() *Block {
	block := b.block
	if n := len(block.Rows); n > AdvisedSkills {
		b.note(Note{Code: NoteMany, Message: fmt.Sprintf(
			"%d skills are resident; at most %d are advised, since each costs prompt in every turn", n, AdvisedSkills)})
	}
	last := len(b.s.file.Lines) + 1
	at := func(line int) int {
		if line == 0 {
			return last
		}
		return line
	}
	slices.SortStableFunc(block.Notes, func(a, b Note) int { return cmp.Compare(at(a.Line), at(b.Line)) })
	for _, n := range block.Notes {
		if n.Line > 0 {
			l := &block.Lines[b.lines[n.Line]]
			l.Notes = append(l.Notes, n)
		}
	}
	if len(block.Rows) == 0 {
		return block
	}
	var text strings.Builder
	text.WriteString(blockHeader)
	for _, r := range block.Rows {
		text.WriteByte('\n')
		text.WriteString(r.Text)
	}
	block.Text = text.String()
	block.Tokens = b.env.tokens(block.Text)
	return block
}
