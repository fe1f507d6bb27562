package skill

import (
	"fmt"
	"regexp"
	"strings"
)

// maxResources is how many files an activation lists.
const maxResources = 200

// Content is what a host reads of a skill to activate it.
type Content struct {
	Body  string   // the instructions, usually Document.BodyText
	Dir   string   // the skill's folder, absolute; "" when there is none to name
	Files []string // its other files, relative to Dir; they are listed, and never read
	More  int      // how many further files there are, which are counted alone

	// What else the element says; nothing for "".
	ID     string // how the skill is addressed
	Kind   string // what was read, when it is no skill
	Source string // where it came from
	Note   string // what the host has to say about the body, such as that it was cut
}

// UnknownSkillError refuses to activate a name that is not registered.
type UnknownSkillError struct {
	Name string
	Near []string // registered names that may have been meant, the likeliest first
}

func (e *UnknownSkillError) Error() string {
	msg := "no skill is called " + cite(e.Name)
	if len(e.Near) > 0 {
		msg += "; there is " + quotePath(e.Near[0])
	}
	return msg
}

// Activations remembers what one conversation has been given. It belongs to one goroutine. The zero value is empty.
type Activations struct {
	done map[string]bool
}

// Activate returns the text that gives a model the skill of that name, which read returns the content of: a
// skill_content element with the body, the folder and the list of files. Of more than 200 files the rest is counted.
//
// Only registered names are accepted; for any other the error is an *[UnknownSkillError], read is not called and the
// text is empty. A second activation returns the empty text without reading. The error of read is returned as it is,
// and the skill can then be activated again.
//
// [Content.XML] says how the text is kept from being ended or added to by a body.
func (a *Activations) Activate(r *Registry, name string, read func(Registered) (Content, error)) (string, error) {
	s, ok := r.Lookup(name)
	if !ok {
		return "", &UnknownSkillError{Name: name, Near: Nearest(name, r.Names(), 3)}
	}
	if a.done[name] {
		return "", nil
	}
	c, err := read(s)
	if err != nil {
		return "", err
	}
	if a.done == nil {
		a.done = make(map[string]bool)
	}
	a.done[name] = true
	return c.XML(s.Name), nil
}

// XML returns c as a skill_content element of that name, with a line break at its end: the body, then the note, the
// folder and the list of files.
//
// Everything but the body is escaped as in XML and stands on one line. Of the body the tags of the element and of its
// parts are, whatever their case and white space: no body can end the element, list files or speak for the host (X2).
func (c Content) XML(name string) string {
	var b strings.Builder
	b.WriteString("<skill_content")
	for _, attr := range [][2]string{{"name", name}, {"id", c.ID}, {"kind", c.Kind}, {"source", c.Source}} {
		if attr[0] == "name" || attr[1] != "" {
			b.WriteString(" " + attr[0] + "=\"" + escapeXML(attr[1]) + "\"")
		}
	}
	b.WriteString(">\n" + wrapperTag.ReplaceAllString(c.Body, "&lt;$1") + "\n")
	if c.Note != "" {
		b.WriteString("\n<skill_note>" + escapeXML(c.Note) + "</skill_note>\n")
	}
	if c.Dir != "" {
		b.WriteString("\nSkill directory: " + escapeXML(c.Dir) + "\nRelative paths in this skill start there.\n")
	}
	c.writeFiles(&b)
	b.WriteString("</skill_content>\n")
	return b.String()
}

// wrapperTag is where a tag of the element, or of its parts, begins.
var wrapperTag = regexp.MustCompile(`(?i)<([\s/]*skill_(?:content|resources|note))`)

func (c Content) writeFiles(b *strings.Builder) {
	if len(c.Files)+c.More == 0 {
		return
	}
	shown := min(len(c.Files), maxResources)
	b.WriteString("\n<skill_resources>\n")
	for _, f := range c.Files[:shown] {
		b.WriteString("  <file>" + escapeXML(f) + "</file>\n")
	}
	if more := len(c.Files) - shown + c.More; more > 0 {
		fmt.Fprintf(b, "  (%d more files are not listed)\n", more)
	}
	b.WriteString("</skill_resources>\n")
}
