package skill

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Compose returns the text of a new SKILL.md that passes the strict reading in a folder called name: [Parse] gives
// back the description trimmed, and the body as Document.BodyText does, trimmed and with LF line ends. The error
// matches a *[ComposeError], which has the findings that would be reported.
func Compose(name, description, body string) ([]byte, error) {
	var b strings.Builder
	b.WriteString("---\nname: " + scalarSpelling(name) + "\ndescription: " + scalarSpelling(strings.TrimSpace(description)) + "\n---\n")
	if body = strings.TrimSpace(body); body != "" {
		b.WriteString("\n" + body + "\n")
	}
	text := []byte(b.String())
	d := Parse(name, text, ParseOptions{})
	if problems, _ := d.Strict(); len(problems) > 0 {
		return nil, &ComposeError{Problems: problems}
	}
	return text, nil
}

// ComposeError says why a skill cannot be written.
type ComposeError struct{ Problems []Finding }

func (e *ComposeError) Error() string {
	return fmt.Sprintf("such a skill is not valid: %s (%s)", e.Problems[0].Message, e.Problems[0].Code)
}

// scalarSpelling spells s as a YAML text: plain where every reader takes that for the same text, else in double quotes.
func scalarSpelling(s string) string {
	if _, value, ok := cutPlain("k: " + s); ok && isLetter(s[0]) && value == s && plainType(s) == textValue && !strings.ContainsFunc(s, isUnplain) {
		return s
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == utf8.RuneError || !isUnplain(r):
			b.WriteRune(r)
		case r > 0xFFFF:
			fmt.Fprintf(&b, `\U%08x`, r)
		case r > 0xFF:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\x%02x`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// isUnplain reports whether r is written as an escape, since some reader breaks a line or loses the character there.
func isUnplain(r rune) bool {
	return unicode.IsControl(r) || isLineSeparator(r) || r == 0xFEFF
}
