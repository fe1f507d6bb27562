package skill

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// CatalogFormat is how a catalog is written.
type CatalogFormat uint8

// The formats.
const (
	CatalogXML      CatalogFormat = iota // <available_skills>, one <skill> each, values in line
	CatalogJSON                          // an array of {"name", "description", "location"}
	CatalogMarkdown                      // "- **name**: description", the location on a line below
)

// CatalogOptions tell how a registry is shown. The zero value is XML for a model that reads files.
type CatalogOptions struct {
	Format CatalogFormat
	// Tool is the name of the tool that activates a skill by name. The catalog then has no locations, since the tool
	// returns the folder. Empty means that the model reads SKILL.md itself, at the location given.
	Tool string
}

// Catalog is what a registry adds to a system prompt: the first tier of progressive disclosure.
type Catalog struct {
	// Text lists the skills in byte order of name, with a line break at the end. It is empty for an empty registry.
	Text string
	// Instructions tell a model how to use Text. They are empty when Text is: nothing is to be said of nothing.
	Instructions string
	// Warnings say which descriptions were cut.
	Warnings []RegistryWarning
}

// catalogMark ends a description that was cut.
const catalogMark = "…"

// Catalog shows the registry. It is a function of the names, descriptions and locations alone, and no body takes part.
// An entry's size has a bound: a description is cut after MaxDescriptionLength characters and a "…" put there, before
// anything is escaped. A reader finds exactly Len entries, with exactly these names, whatever the texts hold.
//
// In XML all three values are escaped. In JSON the encoder does it, for HTML too, so that no value can end an element
// around the array. In Markdown each value stands on one line, "*" and "\" in a name are escaped, and a location with
// characters that do not print is quoted as in Go.
func (r *Registry) Catalog(opts CatalogOptions) Catalog {
	if len(r.skills) == 0 {
		return Catalog{}
	}
	var c Catalog
	entries := make([]catalogEntry, len(r.skills))
	for i, s := range r.skills {
		e := catalogEntry{Name: s.Name, Description: s.Description}
		if opts.Tool == "" {
			e.Location = s.Location
		}
		if end := runeOffset(e.Description, MaxDescriptionLength); end < len(e.Description) {
			e.Description = e.Description[:end] + catalogMark
			c.Warnings = append(c.Warnings, RegistryWarning{Code: WarnCut, Name: s.Name, Location: s.Location,
				Message: fmt.Sprintf("the description of %s was cut at %d characters", cite(s.Name), MaxDescriptionLength)})
		}
		entries[i] = e
	}
	switch opts.Format {
	case CatalogJSON:
		c.Text = catalogJSON(entries)
	case CatalogMarkdown:
		c.Text = catalogMarkdown(entries)
	default:
		c.Text = catalogXML(entries)
	}
	c.Instructions = instructions(opts.Tool)
	return c
}

type catalogEntry struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Location    string `json:"location,omitempty"`
}

func instructions(tool string) string {
	const when = "The skills listed here give specialised instructions for particular tasks. When a task fits the description of one, "
	if tool == "" {
		return when + "read the SKILL.md at its location before you go on.\n" +
			"Where a skill names a file by a relative path, resolve it against the folder of its SKILL.md, and use the absolute\n" +
			"path in tool calls.\n"
	}
	name, _ := OneLine(tool)
	return when + "call " + name + " with its name before you go on.\n" +
		"Only the names listed are accepted. The result says where the skill's own files are.\n"
}

func catalogXML(entries []catalogEntry) string {
	var b strings.Builder
	b.WriteString("<available_skills>\n")
	for _, e := range entries {
		b.WriteString("  <skill>\n    <name>" + escapeXML(e.Name) + "</name>\n    <description>" + escapeXML(e.Description) + "</description>\n")
		if e.Location != "" {
			b.WriteString("    <location>" + escapeXML(e.Location) + "</location>\n")
		}
		b.WriteString("  </skill>\n")
	}
	b.WriteString("</available_skills>\n")
	return b.String()
}

func catalogJSON(entries []catalogEntry) string {
	text, err := json.MarshalIndent(entries, "", "  ")
	if err != nil { // three strings can always be encoded
		return ""
	}
	return string(text) + "\n"
}

func catalogMarkdown(entries []catalogEntry) string {
	var b strings.Builder
	name := strings.NewReplacer(`\`, `\\`, `*`, `\*`)
	for _, e := range entries {
		b.WriteString("- **" + name.Replace(e.Name) + "**: " + e.Description + "\n")
		if e.Location != "" {
			b.WriteString("  location: " + quotePath(e.Location) + "\n")
		}
	}
	return b.String()
}

// escapeXML returns s as the content of an element or of an attribute. What XML cannot hold becomes U+FFFD; line breaks
// and tabs become references, so that a value stays on its line and comes back as it was.
func escapeXML(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch r {
		case '&':
			b.WriteString("&amp;")
		case '<':
			b.WriteString("&lt;")
		case '>':
			b.WriteString("&gt;")
		case '"':
			b.WriteString("&quot;")
		case '\'':
			b.WriteString("&#39;")
		case '\t', '\n', '\r', 0x85, 0x2028, 0x2029:
			fmt.Fprintf(&b, "&#%d;", r)
		default:
			if r < 0x20 || r&^1 == 0xFFFE {
				r = utf8.RuneError
			}
			b.WriteRune(r)
		}
	}
	return b.String()
}

// quotePath returns s as it is if it can stand at the end of a line, else quoted.
func quotePath(s string) string {
	odd := func(r rune) bool { return r != ' ' && !unicode.IsPrint(r) || r == utf8.RuneError }
	if s == "" || s != strings.TrimSpace(s) || s[0] == '"' || strings.ContainsFunc(s, odd) {
		return strconv.Quote(s)
	}
	return s
}

// runeOffset returns the offset of the rune of that index, len(s) if there are not that many.
func runeOffset(s string, index int) int {
	if len(s) <= index {
		return len(s)
	}
	for i := range s {
		if index == 0 {
			return i
		}
		index--
	}
	return len(s)
}
