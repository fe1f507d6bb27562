package skill

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Scope says whose a skill is.
type Scope uint8

// The scopes, the one that wins first.
const (
	ScopeProject Scope = iota // of the project that is worked on; it came with a clone and needs to be trusted
	ScopeUser                 // of the person
)

// String returns "project" or "user".
func (s Scope) String() string {
	if s == ScopeUser {
		return "user"
	}
	return "project"
}

// Found is a skill that a host found.
type Found struct {
	Doc      *Document // from [Parse] or [ParseHead]; the body is not looked at
	Dir      string    // the name of its folder
	Location string    // its SKILL.md, absolute, as whoever reads the catalog opens it
	Scope    Scope
	Disabled bool // switched off by the host: it is as if it had not been found
}

// RegistryOptions tell which skills count. The zero value leaves out those of the project.
type RegistryOptions struct {
	// Trusted says that the user trusts the project. Otherwise its skills contribute nothing, not even a warning.
	Trusted bool
	// Strict leaves out every skill that fails the strict reading, so that a name is always that of the folder.
	Strict bool
	// Disabled names skills to leave out in every scope.
	Disabled []string
}

// Registered is a skill that a catalog may offer.
type Registered struct {
	// Name and Description are those of the document as [OneLine] leaves them. Names are unique in a registry and at
	// most 256 characters long; the description is not cut.
	Name, Description string
	Location          string
	Scope             Scope
	Doc               *Document
}

// RegistryWarning says what a registry left out, or offers although something is wrong.
type RegistryWarning struct {
	Code     string // one of the Warn constants
	Name     string
	Location string // of the skill it is about: the loser, of two
	Winner   string // the location of the one that is offered instead, "" if there is none
	Message  string // one line
}

// The codes of a [RegistryWarning].
const (
	WarnShadowed = "shadowed"  // another skill of that name is offered
	WarnNotLoad  = "not-load"  // the document does not load
	WarnStrict   = "strict"    // the strict reading refuses it
	WarnUnnamed  = "unnamed"   // neither its name nor its folder's can be shown, or both are too long
	WarnLocation = "location"  // the location is longer than 4096 bytes
	WarnCut      = "shortened" // a catalog cut its description
)

// The bounds of one entry, beside MaxDescriptionLength.
const (
	maxRegisteredName = 256
	maxLocation       = 4096
)

// Registry holds the skills a model is offered, each name once. It is not changed after [NewRegistry] returns, so
// goroutines may share it.
type Registry struct {
	skills   []Registered // in byte order of name
	warnings []RegistryWarning
}

// NewRegistry decides which of found are offered. The result does not depend on their order. Of several with one name
// the project's wins over the user's; in one scope the one whose name is that of its folder, then the first in byte
// order of location. Every loser is a warning. What cannot be offered is left out before that, so that a broken skill
// hides no other.
//
// A skill with the field "disable-model-invocation: true" takes part, and is left out when it has won: its name means
// that skill, and the model is not to use it.
func NewRegistry(found []Found, opts RegistryOptions) *Registry {
	r := &Registry{}
	var all []candidate
	for _, f := range found {
		if f.Disabled || f.Doc == nil || f.Scope == ScopeProject && !opts.Trusted {
			continue
		}
		c, warning := newCandidate(f, opts)
		switch {
		case slices.Contains(opts.Disabled, c.Name):
		case warning != nil:
			r.warnings = append(r.warnings, *warning)
		default:
			all = append(all, c)
		}
	}
	slices.SortFunc(all, candidate.compare)
	for i, c := range all {
		if i > 0 && all[i-1].Name == c.Name {
			r.shadow(all, i)
			continue
		}
		if !c.optedOut() {
			r.skills = append(r.skills, c.Registered)
		}
	}
	slices.SortFunc(r.warnings, func(a, b RegistryWarning) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Location, b.Location), cmp.Compare(a.Code, b.Code))
	})
	return r
}

// Len returns how many skills are registered.
func (r *Registry) Len() int { return len(r.skills) }

// Skills returns the registered skills in byte order of name.
func (r *Registry) Skills() []Registered { return slices.Clone(r.skills) }

// Names returns the names in byte order: what an activation tool allows as its argument.
func (r *Registry) Names() []string {
	names := make([]string, len(r.skills))
	for i, s := range r.skills {
		names[i] = s.Name
	}
	return names
}

// Lookup returns the skill of exactly that name.
func (r *Registry) Lookup(name string) (Registered, bool) {
	i, ok := slices.BinarySearchFunc(r.skills, name, func(s Registered, name string) int { return cmp.Compare(s.Name, name) })
	if !ok {
		return Registered{}, false
	}
	return r.skills[i], true
}

// Warnings returns what was left out and why, in byte order of name.
func (r *Registry) Warnings() []RegistryWarning { return slices.Clone(r.warnings) }

// candidate is a skill that can be offered.
type candidate struct {
	Registered
	atHome bool // its name is that of its folder
}

// newCandidate returns f as it would be registered, or why it cannot be. The name is set in both cases.
func newCandidate(f Found, opts RegistryOptions) (candidate, *RegistryWarning) {
	c := candidate{Registered: Registered{Name: shownName(f), Location: f.Location, Scope: f.Scope, Doc: f.Doc}}
	c.Description, _ = OneLine(f.Doc.Description)
	c.atHome = norm.NFKC.String(f.Dir) == f.Doc.Name || f.Dir == f.Doc.Name
	problems, _ := f.Doc.Strict()
	refuse := func(code, format string, args ...any) (candidate, *RegistryWarning) {
		return c, &RegistryWarning{Code: code, Name: c.Name, Location: f.Location, Message: fmt.Sprintf(format, args...)}
	}
	switch {
	case !f.Doc.Loads():
		return refuse(WarnNotLoad, "%s is not offered: %s", cite(c.Name), f.Doc.Refusal())
	case opts.Strict && len(problems) > 0:
		return refuse(WarnStrict, "%s is not offered: %s", cite(c.Name), problems[0].Code)
	case opts.Strict && !c.atHome:
		return refuse(WarnStrict, "%s is not offered: %s", cite(c.Name), CodeNameDirMismatch)
	case c.Name == "":
		return refuse(WarnUnnamed, "a skill in %s is not offered: it has no name that can be shown", cite(f.Dir))
	case c.Description == "":
		return refuse(WarnNotLoad, "%s is not offered: no character of its description shows", cite(c.Name))
	case len(f.Location) > maxLocation:
		return refuse(WarnLocation, "%s is not offered: its location has more than %d bytes", cite(c.Name), maxLocation)
	}
	return c, nil
}

// shownName returns the name of f on one line: its own, else its folder's, else "".
func shownName(f Found) string {
	for _, name := range []string{f.Doc.Name, f.Dir} {
		if name, _ = OneLine(name); name != "" && utf8.RuneCountInString(name) <= maxRegisteredName {
			return name
		}
	}
	return ""
}

// compare orders by name, and the winner of one name first.
func (c candidate) compare(d candidate) int {
	home := func(c candidate) int {
		if c.atHome {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(c.Name, d.Name), cmp.Compare(c.Scope, d.Scope), cmp.Compare(home(c), home(d)),
		cmp.Compare(c.Location, d.Location))
}

// optedOut reports whether the author keeps the skill from the model.
func (c candidate) optedOut() bool {
	return slices.ContainsFunc(c.Doc.Unknown, func(f Field) bool {
		return f.Name == "disable-model-invocation" && f.Scalar && strings.EqualFold(f.Text, "true")
	})
}

// shadow reports that all[i] lost to the first of its name.
func (r *Registry) shadow(all []candidate, i int) {
	winner := i
	for winner > 0 && all[winner-1].Name == all[i].Name {
		winner--
	}
	w, l := all[winner], all[i]
	if w.Location == l.Location && w.Scope == l.Scope { // one skill that was found twice
		return
	}
	r.warnings = append(r.warnings, RegistryWarning{Code: WarnShadowed, Name: l.Name, Location: l.Location, Winner: w.Location,
		Message: fmt.Sprintf("%s at %s (%v) is hidden by the one at %s (%v)", cite(l.Name), quotePath(l.Location), l.Scope,
			quotePath(w.Location), w.Scope)})
}
