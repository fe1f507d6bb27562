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
	Dir   string   // the skill's folder, absolute
	Files []string // its other files, relative to Dir; they are listed, and never read
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
// Name and paths are escaped as in XML. The body is not, but for the tags of the wrapper itself, whose "<" is escaped:
// no body can end the element or list files.
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
	return wrap(s.Name, c), nil
}

// wrapperTag is where a tag of the wrapper begins.
var wrapperTag = regexp.MustCompile(`(?i)<([\s/]*skill_(?:content|resources))`)

func wrap(name string, c Content) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<skill_content name=\"%s\">\n", escapeXML(name))
	b.WriteString(wrapperTag.ReplaceAllString(c.Body, "&lt;$1"))
	b.WriteString("\n\nSkill directory: " + escapeXML(c.Dir) + "\nRelative paths in this skill start there.\n")
	if len(c.Files) > 0 {
		b.WriteString("\n<skill_resources>\n")
		for i, f := range c.Files {
			if i == maxResources {
				fmt.Fprintf(&b, "  (%d more files are not listed)\n", len(c.Files)-i)
				break
			}
			b.WriteString("  <file>" + escapeXML(f) + "</file>\n")
		}
		b.WriteString("</skill_resources>\n")
	}
	b.WriteString("</skill_content>\n")
	return b.String()
}
