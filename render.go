package atskills

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/atskills-go/atskills/skill"
)

// RenderFormat is how content is framed for a model.
type RenderFormat uint8

// The formats.
const (
	RenderPlain    RenderFormat = iota // a first line, folder and files, the content, a closing line
	RenderNumbered                     // the same, with each line of the content numbered from 1
	RenderXML                          // a skill_content element, as skill.Content.XML writes it
)

// Renderer frames what a reference resolved to for a model's context (X2). The zero value is what [Resolution.Prompt]
// does. It is a value without state.
//
// In no format can a body end its own frame, or a name or path take more than its line.
type Renderer struct {
	Format RenderFormat
	// MaxBytes bounds the rendered text. What is longer loses first the list of files and then the end of the content, on
	// a character boundary, or of a menu on a row's; a note in the text says "cut at N of M bytes". The frame itself is
	// always whole, even where it alone is longer. Zero means no bound.
	MaxBytes int
}

// Rendered is framed text.
type Rendered struct {
	Text string
	// Hash tells renderings apart by what they tell a model: id, name, description, folder, files and the content shown, as
	// the hex digits of a SHA-256. How the content was reached and framed takes no part, so that a host can drop what a
	// context holds already, and knows the pieces that compaction must keep.
	Hash  string
	Bytes int // the length of the content
	Shown int // how much of it is in Text: Bytes, unless the ceiling cut it
}

// Cut reports whether the ceiling cut the content.
func (r Rendered) Cut() bool { return r.Shown < r.Bytes }

// Prompt returns the content framed for a model's context: a first line that says what it is and where it came from,
// the folder and the bundled files, the content, and a closing line that occurs nowhere before, so that a body cannot end
// its own frame (X2). [Renderer] has other frames, and a ceiling.
func (r *Resolution) Prompt() string { return Renderer{}.Render(r).Text }

// Render frames r. It reads r alone.
func (f Renderer) Render(r *Resolution) Rendered {
	out := Rendered{Bytes: len(r.Content), Shown: len(r.Content)}
	v := newFrame(f.Format, r)
	v.files = r.Files
	if out.Text = v.text(r.Content, ""); f.MaxBytes > 0 && len(out.Text) > f.MaxBytes {
		out.Text, out.Shown = v.cut(r, f.MaxBytes)
	}
	out.Hash = r.hash(out.Shown)
	return out
}

// hash condenses what a model is told when the first n bytes of the content are shown. Each piece has its length in
// front, so that no two sequences look alike.
func (r *Resolution) hash(n int) string {
	h := sha256.New()
	pieces := append([]string{r.what(), r.ID.String(), r.Name, r.Description, r.Dir, r.Content[:n]}, r.Files...)
	for _, p := range pieces {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// frame is one resolution's frame, without its content.
type frame struct {
	format RenderFormat
	of     *Resolution
	files  []string
	more   int    // files that are counted alone
	end    string // the closing line of the plain formats
}

func newFrame(format RenderFormat, r *Resolution) *frame {
	v := &frame{format: format, of: r, files: r.Files}
	if format != RenderXML {
		v.end = closing("end of "+r.address(), v.head()+r.Path+"\n"+r.Content)
	}
	return v
}

// cut returns the text with as much of the content as max allows, and how much that is.
func (v *frame) cut(r *Resolution, max int) (string, int) {
	note := func(n int) string {
		text := fmt.Sprintf("cut at %d of %d bytes", n, len(r.Content))
		if r.Path != "" && r.Kind == Skill {
			text += "; the rest is in " + oneLine(r.Path)
		}
		return text
	}
	with := len(v.text("", note(0)))
	if short := *v; with > max/2 { // the list would crowd the content out
		short.files, short.more = nil, len(r.Files)
		if whole := short.text(r.Content, ""); len(whole) <= max {
			return whole, len(r.Content)
		}
		if len(short.text("", note(0))) < with {
			*v = short
		}
	}
	n := sort.Search(min(len(r.Content), max), func(n int) bool { return len(v.text(r.Content[:n+1], note(n+1))) > max })
	for n > 0 && n < len(r.Content) && !utf8.RuneStart(r.Content[n]) {
		n--
	}
	if r.Kind == Menu { // half a row would be a reference that leads elsewhere
		n = strings.LastIndexByte(r.Content[:n], '\n') + 1
	}
	return v.text(r.Content[:n], note(n)), n
}

// text puts the frame around content, which may be its beginning alone; note then says so.
func (v *frame) text(content, note string) string {
	if v.format == RenderXML {
		return v.xml(content, note)
	}
	if v.format == RenderNumbered {
		content = numbered(content)
	}
	if content != "" {
		content += "\n"
	}
	if note != "" {
		content += "--- " + note + " ---\n"
	}
	return v.head() + "\n" + content + v.end + "\n"
}

func (v *frame) head() string {
	var b strings.Builder
	r := v.of
	fmt.Fprintf(&b, "--- %s %s (%s) ---\n", r.what(), r.address(), r.provenance())
	if _, number, ok := strings.Cut(v.end, " ("); ok {
		fmt.Fprintf(&b, "It ends at the closing line numbered (%s; one before that is part of the text.\n", strings.TrimSuffix(number, " ---"))
	}
	if r.Kind == Skill {
		fmt.Fprintf(&b, "%s: %s\n", oneLine(r.Name), orNone(oneLine(r.Description)))
	}
	switch {
	case r.Playlist:
		b.WriteString("Each id is a reference: @skills:<id> reads what stands there.\n")
	case r.Kind == Menu:
		b.WriteString("Each id is a reference: @skills:<id> reads that skill.\n")
	case r.Dir != "":
		fmt.Fprintf(&b, "Folder: %s (relative paths start here)\n", oneLine(r.Dir))
	}
	shown := min(len(v.files), maxPromptFiles)
	if len(v.files)+v.more > 0 {
		b.WriteString("Files:\n")
	}
	for _, f := range v.files[:shown] {
		fmt.Fprintf(&b, "  %s\n", oneLine(f))
	}
	if more := len(v.files) - shown + v.more; more > 0 && shown > 0 {
		fmt.Fprintf(&b, "  and %d more\n", more)
	} else if more > 0 {
		fmt.Fprintf(&b, "  %d, not listed here\n", more)
	}
	return b.String()
}

// maxPromptFiles is how many bundled files the plain formats list by name; the rest is a count.
const maxPromptFiles = 100

func (v *frame) xml(content, note string) string {
	r := v.of
	c := skill.Content{
		Body: content, Dir: oneLine(r.Dir), Files: make([]string, len(v.files)), More: v.more,
		ID: r.ID.Reference(), Source: r.provenance(), Note: note,
	}
	for i, f := range v.files {
		c.Files[i] = oneLine(f)
	}
	if r.Kind == Menu {
		c.Kind, c.Dir = r.what(), ""
	}
	return c.XML(oneLine(cmp.Or(r.Name, r.ID.Base())))
}

// numbered puts its number before each line.
func numbered(content string) string {
	var b strings.Builder
	n := 0
	for line := range strings.Lines(content) {
		n++
		fmt.Fprintf(&b, "%6d\t%s", n, line)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// what says what is in a frame.
func (r *Resolution) what() string {
	if r.Playlist {
		return "playlist"
	}
	return string(r.Kind)
}

// address is how a frame names what is in it: a reference, or the folder when no reference leads there (G12).
func (r *Resolution) address() string {
	if r.ID.IsZero() {
		return oneLine(r.Dir)
	}
	return r.ID.Reference()
}

func (r *Resolution) provenance() string {
	parts := []string{string(r.Source)}
	if r.Served != ServedLocal {
		parts = append(parts, string(r.Served))
	}
	if r.Revision != "" {
		parts = append(parts, "revision "+oneLine(string(r.Revision)))
	}
	return strings.Join(parts, ", ")
}

// closing returns a frame's last line, numbered until what stands before it does not hold it.
func closing(end, before string) string {
	line := "--- " + end + " ---"
	if !strings.Contains(before, line) {
		return line
	}
	// One pass, whatever the text lists: the first number that it does not hold.
	taken := make(map[string]bool)
	open := "--- " + end + " ("
	for rest := before; ; {
		_, after, found := strings.Cut(rest, open)
		if !found {
			break
		}
		if number, _, closed := strings.Cut(after[:min(len(after), maxNumber+len(") ---"))], ") ---"); closed {
			taken[number] = true
		}
		rest = after
	}
	n := 2
	for taken[strconv.Itoa(n)] {
		n++
	}
	return fmt.Sprintf("%s%d) ---", open, n)
}

// maxNumber is how many digits the number of a closing line can have.
const maxNumber = 10
