package skill

import (
	"bytes"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The bounds of a SKILL.md.
const (
	// MaxFile is the size of a SKILL.md in bytes. Of a longer one only the beginning is read, and it does not load.
	MaxFile = 1 << 20
	// MaxFrontmatter is how many bytes of a frontmatter the YAML parser sees. A longer one is read field by field: all
	// that are plain lines, and of the others as many as fit; what is left over is kept as literal text.
	MaxFrontmatter = 16 << 10
	// MaxDepth is how deep collections are nested. Block collections that lie deeper are passed over unread, and a
	// field with deeper brackets is kept as literal text.
	MaxDepth = 16
)

// ParseOptions adjusts a reading. The zero value is the normal one.
type ParseOptions struct {
	// UnicodeNames allows letters and digits of every script in a name, which is then compared with the directory
	// after NFKC normalisation of both. Otherwise a name is a-z, 0-9 and hyphens.
	UnicodeNames bool
	// AllowFields names top-level fields that are not reported as unknown. They are kept in Document.Unknown.
	AllowFields []string
	// FileName is the spelling the file was found under; empty stands for SKILL.md.
	FileName string
}

// Document is a SKILL.md that was read. It is not changed after [Parse] returns, so goroutines may share it.
//
// The fields hold the lenient reading: text as the file spells it (1.10 stays "1.10"), trimmed, in valid UTF-8.
// They may hold anything a stranger typed, line breaks and control characters included; name no path by them and
// clean them before a terminal or a prompt sees them.
type Document struct {
	// Name is the NFKC form of the name, or the directory's name when the file has none that can be used.
	Name string
	// Description is empty if it is missing, blank or no text; then the document does not load. It is not cut.
	Description   string
	License       string
	Compatibility string
	// AllowedTools are the tokens of allowed-tools, nil if there are none.
	AllowedTools []string
	// Metadata holds the entries whose value is a scalar. It is nil if the field is absent or no mapping.
	Metadata map[string]string
	// Unknown are the other top-level fields in file order, each name once, the last value winning.
	Unknown []Field
	// Findings are the remarks of the lenient reading, in file order; [Document.Strict] has those of the strict one.
	// Of one code at most 64 are listed.
	Findings []Finding

	strict   []Finding
	refusal  Code
	named    bool
	body     []byte
	bodyAt   int
	bodyLine int
}

// Field is a top-level field this package does not interpret.
type Field struct {
	Name string
	Raw  string // the value as the file spells it, quotes, tags and inner line breaks included
	Text string // the value of a scalar with its quotes and folds resolved, never typed
	// Scalar tells a text from a collection, whose Text is empty.
	Scalar       bool
	Line, Column int // where the name stands, counted as in [Finding]
}

// Parse reads data as the SKILL.md of the directory called dirName. It never fails: whatever is wrong is a finding.
// An empty dirName stands for a directory that is not known, and no name mismatches it. The document keeps a slice of
// data as its body and nothing else of it.
//
// The time is linear in len(data) but for the YAML parser, and that sees at most MaxFrontmatter bytes.
func Parse(dirName string, data []byte, opts ParseOptions) *Document {
	p := newDocReader(dirName, opts)
	if len(data) > MaxFile {
		p.log.add(Finding{Code: CodeFileTooLarge, Line: 1, Column: 1,
			Message: "the file is larger than 1 MiB", Fix: "move reference material into files of its own"})
		p.refuse(CodeFileTooLarge)
		data = cutRune(data, MaxFile)
	}
	f := frame(data, true)
	p.text(data, f)
	p.lines(data)
	p.head(data, f)
	p.body(data, f)
	return p.finish()
}

// ParseHead reads from r no more than it takes to see the end of the frontmatter, a few kilobytes at a time, and at
// most MaxFile bytes. The document has the fields and the findings that [Parse] gives up to there; it has no body and
// no finding about one. The error is that of r, never about content.
func ParseHead(dirName string, r io.Reader, opts ParseOptions) (*Document, error) {
	data, f, err := readHead(r)
	if err != nil {
		return nil, err
	}
	p := newDocReader(dirName, opts)
	p.text(data[:f.end], f)
	p.head(data, f)
	return p.finish(), nil
}

// Loads reports whether a client may offer the document: its frontmatter could be read and has a description.
// A document that does not load still has a name and a body, for whoever asks for it by reference.
func (d *Document) Loads() bool { return d.refusal == "" }

// Named reports whether Name is what the file says, and not the directory's name for want of one that can be used. What
// is offered to a model unasked needs a name of its own (B4, T8).
func (d *Document) Named() bool { return d.named }

// Refusal returns the code of the finding for which the document does not load, "" if it does.
func (d *Document) Refusal() Code { return d.refusal }

// Strict returns the findings of the strict reading, which stops where the YAML is broken: problems fail the check,
// advice does not. Both are in file order.
func (d *Document) Strict() (problems, advice []Finding) {
	for _, f := range d.strict {
		if f.Severity == SeverityError {
			problems = append(problems, f)
			continue
		}
		advice = append(advice, f)
	}
	return problems, advice
}

// Body returns what follows the frontmatter, without white space around it. Where no frontmatter was found it is the
// whole text. It is a part of the bytes given to [Parse], line ends and bad bytes included; [Document.BodyText] is
// for showing. It is nil after [ParseHead].
func (d *Document) Body() []byte { return d.body }

// BodyRange returns the offsets of the body in the bytes given to [Parse].
func (d *Document) BodyRange() (start, end int) { return d.bodyAt, d.bodyAt + len(d.body) }

// BodyLine returns the line of the file on which the body begins, from 1.
func (d *Document) BodyLine() int { return d.bodyLine }

// BodyText returns the body as text: valid UTF-8, LF line ends, U+FFFD for NUL.
func (d *Document) BodyText() string {
	s := strings.ToValidUTF8(string(d.body), string(utf8.RuneError))
	if strings.IndexByte(s, '\r') >= 0 {
		s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	}
	return strings.ReplaceAll(s, "\x00", string(utf8.RuneError))
}

// docReader carries one document through the stages of section 5.
type docReader struct {
	doc  *Document
	dir  string
	opts ParseOptions
	log  findingLog
}

func newDocReader(dir string, opts ParseOptions) *docReader {
	p := &docReader{doc: &Document{Name: dir}, dir: dir, opts: opts}
	p.log.active = strictly | leniently
	if opts.FileName == "" || opts.FileName == SkillFile {
		return p
	}
	p.log.add(Finding{Code: CodeFileNameCase, Line: 1, Column: 1,
		Message: "the file is called " + cite(opts.FileName) + ", not SKILL.md", Fix: "rename it to SKILL.md"})
	p.refuse(CodeFileNameCase)
	p.log.active = strictly // the lenient reading stops here
	return p
}

// refuse keeps the document from loading; the first reason stays.
func (p *docReader) refuse(c Code) {
	if p.doc.refusal == "" {
		p.doc.refusal = c
	}
}

func (p *docReader) finish() *Document {
	p.log.finish(p.doc.refusal)
	p.doc.Findings, p.doc.strict = p.log.lenient, p.log.strict
	return p.doc
}

// body takes the body out of data and reports on it.
func (p *docReader) body(data []byte, f framing) {
	trimmed := bytes.TrimLeftFunc(data[f.bodyStart():], unicode.IsSpace)
	p.doc.bodyAt = len(data) - len(trimmed)
	trimmed = bytes.TrimRightFunc(trimmed, unicode.IsSpace)
	p.doc.body = trimmed[:len(trimmed):len(trimmed)]
	p.doc.bodyLine = f.bodyLine() + countLines(data[f.bodyStart():p.doc.bodyAt])
	if f.problem != "" {
		return
	}
	if len(trimmed) == 0 {
		p.log.add(Finding{Code: CodeBodyEmpty, Line: f.closeLine, Column: 1,
			Message: "there is nothing after the frontmatter", Fix: "write down the steps of the skill"})
		return
	}
	if i := indexControl(trimmed); i >= 0 {
		line, col := position(data, p.doc.bodyAt+i)
		p.log.add(Finding{Code: CodeBodyControlChar, Line: line, Column: col,
			Message: "the body holds the control character " + runeName(trimmed[i:]), Fix: "remove it"})
	}
}
