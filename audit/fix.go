package audit

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/atskills-go/atskills/skill"
)

// Repair is a change that [Fix] made.
type Repair struct {
	Code    skill.Code // of the finding it answers
	Message string     // one line
}

// Fix repairs data, the SKILL.md of the folder called dir, where no judgement is needed: it strips a byte order mark,
// puts quotes around a value that YAML cannot read, spells the format's own fields as the format does, and separates
// allowed-tools by blanks. Every other byte stays, line ends and bad ones included.
//
// No repair changes what a lenient reader sees, but for a field that it could not see under its other spelling and that
// is then checked as any other; one that would is left out. Data with nothing to repair comes back as it is. The result repairs
// to itself.
func Fix(dir string, data []byte, opts Options) ([]byte, []Repair) {
	if len(data) > skill.MaxFile {
		return data, nil
	}
	f := fixer{data: data, dir: dir, parse: skill.ParseOptions{UnicodeNames: opts.UnicodeNames, AllowFields: opts.AllowFields}}
	f.mark()
	f.quotes()
	f.spellings()
	f.tools()
	return f.data, f.done
}

type fixer struct {
	data  []byte
	dir   string
	parse skill.ParseOptions
	done  []Repair
}

func (f *fixer) read(data []byte) *skill.Document { return skill.Parse(f.dir, data, f.parse) }

func (f *fixer) keep(data []byte, code skill.Code, message string) {
	f.data = data
	f.done = append(f.done, Repair{code, message})
}

// mark strips a byte order mark.
func (f *fixer) mark() {
	if rest, ok := bytes.CutPrefix(f.data, []byte("\uFEFF")); ok && !bytes.HasPrefix(rest, []byte("\uFEFF")) {
		f.keep(rest, skill.CodeBOM, "stripped the byte order mark")
	}
}

// quotes puts values in quotes until YAML can read the frontmatter. If that does not help it leaves them as they are.
func (f *fixer) quotes() {
	before := f.read(f.data)
	if !hasCode(before.Findings, skill.CodeYAMLRetry) {
		return
	}
	data := f.data
	var quoted []string
	entries := frontmatter(data)
	for _, e := range slices.Backward(entries) {
		if e.colon < 0 {
			continue
		}
		alone := skill.Parse("", slices.Concat([]byte("---\n"), data[e.start:e.end], []byte("\n---\n")), f.parse)
		if !hasCode(alone.Findings, skill.CodeYAMLRetry) {
			continue
		}
		start, end := e.value(data)
		if start == end {
			continue
		}
		value := bytes.ReplaceAll(data[start:end], []byte("'"), []byte("''"))
		data = slices.Concat(data[:start], []byte("'"), value, []byte("'"), data[end:])
		quoted = append(quoted, e.key)
	}
	after := f.read(data)
	if len(quoted) == 0 || !sameReading(before, after) || !noNewCode(before, after) || hasCode(after.Findings, skill.CodeYAMLRetry) {
		return
	}
	f.data = data
	for _, key := range slices.Backward(quoted) {
		f.done = append(f.done, Repair{skill.CodeYAMLInvalid, "put the value of " + quote(key) + " in quotes"})
	}
}

// spelled are the fields of the format by what is left of their spellings.
var spelled = map[string]string{
	"name": "name", "description": "description", "license": "license", "licence": "license",
	"compatibility": "compatibility", "metadata": "metadata", "allowedtools": "allowed-tools",
}

// maxSpellings is how many fields are tried: each costs two readings, and the format has six.
const maxSpellings = 32

// spellings gives the format's fields their names.
func (f *fixer) spellings() {
	there := make(map[string]bool)
	for _, e := range frontmatter(f.data) {
		there[e.key] = true
	}
	tried := 0
	for _, field := range f.read(f.data).Unknown {
		want := spelled[strings.ToLower(strings.NewReplacer("-", "", "_", "", " ", "").Replace(field.Name))]
		if want == "" || want == field.Name || there[want] {
			continue
		}
		if tried++; tried > maxSpellings {
			return
		}
		if f.spell(field, want) {
			there[want] = true
		}
	}
}

// spell gives a field its name, if that is what makes it unknown.
func (f *fixer) spell(field skill.Field, want string) bool {
	before := f.read(f.data)
	problems, _ := before.Strict()
	at := offset(f.data, field.Line, field.Column)
	if at < len(f.data) && (f.data[at] == '"' || f.data[at] == '\'') {
		at++
	}
	if !reportedAt(problems, skill.CodeUnknownField, field) || !bytes.HasPrefix(f.data[at:], []byte(field.Name)) {
		return false
	}
	data := slices.Concat(f.data[:at], []byte(want), f.data[at+len(field.Name):])
	after := f.read(data)
	if len(after.Unknown) != len(before.Unknown)-1 || before.Loads() && !after.Loads() || hasCode(after.Findings, skill.CodeYAMLRetry) ||
		hasCode(after.Findings, skill.CodeYAMLDuplicateKey) && !hasCode(before.Findings, skill.CodeYAMLDuplicateKey) {
		return false
	}
	f.keep(data, skill.CodeUnknownField, "spelled "+quote(field.Name)+" as "+want)
	return true
}

func reportedAt(fs []skill.Finding, code skill.Code, field skill.Field) bool {
	return slices.ContainsFunc(fs, func(g skill.Finding) bool {
		return g.Code == code && g.Line == field.Line && g.Column == field.Column
	})
}

// tools separates the tokens of allowed-tools by blanks.
func (f *fixer) tools() {
	before := f.read(f.data)
	problems, _ := before.Strict()
	code := skill.CodeToolsComma
	if !hasCode(problems, code) {
		code = skill.CodeToolsNotString
	}
	if !hasCode(problems, code) || len(before.AllowedTools) == 0 {
		return
	}
	entries := frontmatter(f.data)
	i := slices.IndexFunc(entries, func(e fieldLines) bool { return e.key == "allowed-tools" })
	if i < 0 {
		return
	}
	start, end := entries[i].value(f.data)
	value := f.data[start:end]
	if bytes.IndexByte(value, '#') >= 0 { // a comment would be lost
		return
	}
	spaced := [][]byte{spaceCommas(value)}
	if code == skill.CodeToolsNotString {
		text := strings.Join(before.AllowedTools, " ")
		start = entries[i].colon + 1
		spaced = [][]byte{[]byte(" " + text), []byte(" '" + strings.ReplaceAll(text, "'", "''") + "'")}
	}
	for _, s := range spaced {
		data := slices.Concat(f.data[:start], s, f.data[end:])
		after := f.read(data)
		left, _ := after.Strict()
		if !hasCode(left, code) && sameReading(before, after) && noNewCode(before, after) {
			f.keep(data, code, "separated allowed-tools by blanks")
			return
		}
	}
}

// spaceCommas writes blanks for the commas outside of parentheses.
func spaceCommas(value []byte) []byte {
	var out []byte
	depth := 0
	for i, c := range value {
		switch {
		case c == '(':
			depth++
		case c == ')' && depth > 0:
			depth--
		case c == ',' && depth == 0:
			if i+1 < len(value) && (value[i+1] == ' ' || value[i+1] == '\t') {
				continue
			}
			c = ' '
		}
		out = append(out, c)
	}
	return out
}

func hasCode(fs []skill.Finding, code skill.Code) bool {
	return slices.ContainsFunc(fs, func(f skill.Finding) bool { return f.Code == code })
}

// sameReading reports whether a lenient reader takes two documents for the same.
func sameReading(a, b *skill.Document) bool {
	sameField := func(f, g skill.Field) bool { return f.Name == g.Name && f.Text == g.Text && f.Scalar == g.Scalar }
	return a.Name == b.Name && a.Description == b.Description && a.License == b.License && a.Compatibility == b.Compatibility &&
		slices.Equal(a.AllowedTools, b.AllowedTools) && maps.Equal(a.Metadata, b.Metadata) &&
		slices.EqualFunc(a.Unknown, b.Unknown, sameField) && bytes.Equal(a.Body(), b.Body()) && a.Refusal() == b.Refusal()
}

// noNewCode reports whether everything that is wrong with after was wrong with before.
func noNewCode(before, after *skill.Document) bool {
	return !slices.ContainsFunc(after.Findings, func(f skill.Finding) bool { return !hasCode(before.Findings, f.Code) })
}

// fieldLines are the lines of one top-level field: that of the key, at column 0, and the blank and indented ones below.
type fieldLines struct {
	key        string
	colon      int // in the file, as are start and end
	start, end int // end is before the last line's end
}

// value returns where the value lies, without the white space around it.
func (e fieldLines) value(data []byte) (start, end int) {
	rest := data[e.colon+1 : e.end]
	trimmed := bytes.TrimLeft(rest, " \t\r\n")
	start = e.end - len(trimmed)
	return start, start + len(bytes.TrimRight(trimmed, " \t\r\n"))
}

// frontmatter cuts the lines between the fences into fields.
func frontmatter(data []byte) []fieldLines {
	var out []fieldLines
	inside := false
	for at := 0; at < len(data); {
		line, next := nextLine(data, at)
		switch {
		case bytes.HasPrefix(line, []byte("---")) && len(bytes.Trim(line[3:], " \t")) == 0:
			if inside {
				return out
			}
			inside = true
		case !inside && len(bytes.Trim(line, " \t")) > 0:
			return nil
		case inside && len(line) > 0 && line[0] != ' ' && line[0] != '\t':
			e := fieldLines{start: at, end: at + len(line), colon: -1}
			if colon := keyColon(line); colon > 0 {
				e.key, e.colon = strings.Trim(strings.TrimSpace(string(line[:colon])), `"'`), at+colon
			}
			out = append(out, e)
		case inside && len(out) > 0 && len(bytes.Trim(line, " \t")) > 0:
			out[len(out)-1].end = at + len(line)
		}
		at = next
	}
	return nil
}

// keyColon returns where the key at the start of line ends, -1 if there is none.
func keyColon(line []byte) int {
	if line[0] == '#' || line[0] == '-' {
		return -1
	}
	for i := 1; i < len(line); i++ {
		if line[i] == ':' && (i+1 == len(line) || line[i+1] == ' ' || line[i+1] == '\t') {
			return i
		}
	}
	return -1
}

// nextLine returns the line at an offset without its end, which is LF, CRLF or CR, and where the next begins.
func nextLine(data []byte, at int) (line []byte, next int) {
	i := bytes.IndexAny(data[at:], "\r\n")
	if i < 0 {
		return data[at:], len(data)
	}
	line, next = data[at:at+i], at+i+1
	if data[at+i] == '\r' && next < len(data) && data[next] == '\n' {
		next++
	}
	return line, next
}

// offset returns where a finding's place lies in data.
func offset(data []byte, line, column int) int {
	at := 0
	if bytes.HasPrefix(data, []byte("\uFEFF")) {
		at = len("\uFEFF")
	}
	for ; line > 1 && at < len(data); line-- {
		_, at = nextLine(data, at)
	}
	for ; column > 1 && at < len(data); column-- {
		r, size := utf8.DecodeRune(data[at:])
		at += size
		for r == utf8.RuneError && size == 1 && at < len(data) { // a run of bad bytes counts as one
			if r, size = utf8.DecodeRune(data[at:]); r == utf8.RuneError && size == 1 {
				at++
			}
		}
	}
	return at
}
