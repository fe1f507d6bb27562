package atskills

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/atskills-go/atskills/skill"
)

// content is what a folder says as a skill or a menu (R4), before it is put into a [Resolution].
type content struct {
	kind        Kind
	playlist    bool
	name        string
	description string
	body        string
	frontmatter string
	files       []string
	entries     []Entry           // Path relative to the view's root
	docs        []*skill.Document // see doc
	warnings    []Warning
	// unread is why a skill has neither body nor frontmatter here: its SKILL.md is too long. What a row shows of it is
	// there all the same (B4).
	unread error
	cut    int // entries of which something was too long for a row
}

// doc returns the frontmatter behind a skill, or behind entry i of a menu; nil for one that was not read.
func (c content) doc(i int) *skill.Document {
	if i < len(c.docs) {
		return c.docs[i]
	}
	return nil
}

// describe reads f as what stands at id. No skill at or below it is a [*NotFoundError] that names what is there; too
// many are a [*TooLargeError].
func describe(id skill.ID, f folder) (content, error) {
	if err := checkCap(id, f.skills, 0); err != nil {
		return content{}, err
	}
	var c content
	var problems []string
	for _, p := range f.problems {
		text := oneLine(fmt.Sprintf("%s: %v", path.Join(f.base, p.Path), p.Err))
		problems = append(problems, text)
		c.warnings = append(c.warnings, Warning{WarnUnreadable, text})
	}
	switch {
	case len(f.skills) == 0:
		return c, &NotFoundError{ID: id, Reason: "no skill there", There: firstNames(f.names), Hint: strings.Join(firstNames(problems), "; ")}
	case f.skills[0] == "":
		return c, c.skill(id, f)
	}
	c.menu(id, f)
	return c, nil
}

func (c *content) skill(id skill.ID, f folder) error {
	doc, data, err := f.document("")
	if err != nil {
		err = fmt.Errorf("read %s/%s: %w", id.Reference(), SkillFile, err)
	}
	if doc == nil {
		return err
	}
	c.kind, c.docs, c.unread = Skill, []*skill.Document{doc}, err
	c.name, c.description = cmp.Or(oneLine(doc.Name), oneLine(path.Base(f.base))), oneLine(doc.Description)
	if c.unread == nil {
		start, _ := doc.BodyRange()
		c.body, c.frontmatter = doc.BodyText(), strings.ToValidUTF8(string(bytes.TrimSpace(data[:start])), "\ufffd")
	}
	c.files = shownFiles(f.bundles[""])
	c.findings(id.Reference(), doc)
	return nil
}

func (c *content) menu(id skill.ID, f folder) {
	c.kind = Menu
	var rows strings.Builder
	for _, dir := range f.skills {
		e := Entry{
			Name:   oneLine(path.Base(dir)),
			Path:   path.Join(f.base, dir, SkillFile),
			Bundle: shownFiles(f.bundles[dir]),
		}
		label := oneLine(dir)
		if sub, err := id.Join(dir); err == nil {
			e.ID, label = sub, sub.Reference()
		} else {
			c.warn(WarnUnreadable, "%s cannot be addressed: %v", label, err) // shown, not hidden (G12)
			label = "(not addressable) " + label
		}
		doc, _, err := f.document(dir)
		switch {
		case errors.Is(err, errNotExist):
			continue // it vanished between walk and read (R8)
		case doc == nil:
			c.warn(WarnUnreadable, "%s: %v", label, err)
		default:
			if err != nil {
				c.warn(WarnFrontmatter, "%s: nothing but its frontmatter is read: %v", label, err)
			}
			e.Name, e.Description = cmp.Or(oneLine(doc.Name), e.Name), oneLine(doc.Description) // a name may show nothing (R8)
			c.findings(label, doc)
		}
		c.fit(&e)
		c.entries, c.docs = append(c.entries, e), append(c.docs, doc)
		rows.WriteString(label + ": " + orNone(e.Description) + "\n")
	}
	c.body = strings.TrimSuffix(rows.String(), "\n")
	c.warnCut()
}

// fit cuts e's name and description to what a row may have: one menu is no way to fill a prompt (B7).
func (c *content) fit(e *Entry) {
	name, cutName := shorten(e.Name, maxRowName)
	description, cutDescription := shorten(e.Description, skill.MaxDescriptionLength)
	if e.Name, e.Description = name, description; cutName || cutDescription {
		c.cut++
	}
}

// warnCut says once how many rows were cut.
func (c *content) warnCut() {
	if c.cut > 0 {
		c.warn(WarnShortened, "the names or descriptions of %d of %d rows are cut, after %d and %d characters",
			c.cut, len(c.entries), maxRowName, skill.MaxDescriptionLength)
	}
}

// findings warns of what a reader of the skill should know about its frontmatter: a name or description that is not
// there, text that was repaired, cut off or hidden (R8). What only a strict check minds is not repeated here.
func (c *content) findings(label string, doc *skill.Document) {
	for _, f := range doc.Findings {
		switch f.Code {
		case skill.CodeFrontmatterMissing, skill.CodeFrontmatterUnclosed, skill.CodeFrontmatterNotMapping,
			skill.CodeYAMLInvalid, skill.CodeYAMLRetry, skill.CodeNameMissing, skill.CodeNameEmpty, skill.CodeNameUnsafe,
			skill.CodeDescriptionMissing, skill.CodeDescriptionEmpty, skill.CodeCommentInValue, skill.CodeUnsafeChar:
			c.warn(WarnFrontmatter, "%s: line %d: %s: %s", label, f.Line, f.Code, oneLine(f.Message))
		}
	}
}

// orNone says so when a skill has no description (R8).
func orNone(description string) string {
	if description == "" {
		return "(no description)"
	}
	return description
}

// shownFiles lists a skill's files without SKILL.md and the dot-files at its top (R7).
func shownFiles(files []file) []string {
	var out []string
	for _, f := range files {
		top := !strings.Contains(f.path, "/")
		if top && (f.path == SkillFile || strings.HasPrefix(f.path, ".")) {
			continue
		}
		out = append(out, f.path)
	}
	return out
}

func (c *content) warn(code, format string, args ...any) {
	c.warnings = append(c.warnings, Warning{code, fmt.Sprintf(format, args...)})
}

func oneLine(s string) string {
	s, _ = skill.OneLine(s)
	return s
}
