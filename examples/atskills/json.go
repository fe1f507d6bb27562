package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

// result is what get --json prints for a reference that resolved. Its arrays are never null.
type result struct {
	ID          string    `json:"id"`
	Kind        string    `json:"kind"`
	Name        string    `json:"name"`
	Description string    `json:"description"`
	Source      string    `json:"source"`
	Served      string    `json:"served"`
	Revision    string    `json:"revision"`
	FetchedAt   string    `json:"fetchedAt"`
	Path        string    `json:"path"`
	Dir         string    `json:"dir"`
	Content     string    `json:"content"`
	Files       []string  `json:"files"`
	Entries     []row     `json:"entries"`
	Playlist    bool      `json:"playlist"`
	Visibility  string    `json:"visibility"`
	ReviewURL   string    `json:"reviewURL"`
	Warnings    []warning `json:"warnings"`
}

type row struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Path        string   `json:"path"`
	Bundle      []string `json:"bundle"`
	Whole       bool     `json:"whole"`
}

type warning struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

func newResult(r *atskills.Resolution) result {
	out := result{
		ID: r.ID.String(), Kind: string(r.Kind), Name: r.Name, Description: r.Description,
		Source: string(r.Source), Served: string(r.Served), Revision: string(r.Revision),
		Path: r.Path, Dir: r.Dir, Content: r.Content, Files: list(r.Files), ReviewURL: r.ReviewURL,
		Playlist: r.Playlist, Visibility: string(r.Visibility),
		Entries: []row{}, Warnings: []warning{},
	}
	if !r.Fetched.IsZero() {
		out.FetchedAt = r.Fetched.UTC().Format(time.RFC3339)
	}
	for _, e := range r.Entries {
		out.Entries = append(out.Entries, row{e.ID.Reference(), e.Name, e.Description, e.Path, list(e.Bundle), e.Whole})
	}
	for _, w := range r.Warnings {
		out.Warnings = append(out.Warnings, warning{w.Code, w.Message})
	}
	return out
}

// failure is what get --json prints for a reference that did not resolve.
type failure struct {
	Error problem `json:"error"`
}

// problem is an error by its code, with the fields that codes of its kind have.
type problem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Ref     string `json:"ref"` // as given, without what may be a secret in it
	*notFound
	*tooLarge
	*refused
	*limit
	*conflict
	*names
	*notLoadable
	*notToggled
	Hint *string `json:"hint,omitempty"` // what to do next; nil for codes whose message says it all
}

type notFound struct {
	Looked []string `json:"looked"`
	There  []string `json:"there"`
	Near   []string `json:"near"`
}

type tooLarge struct {
	Count       int          `json:"count"`
	Limit       int          `json:"limit"`
	Bytes       int64        `json:"bytes,omitempty"`
	Suggestions []suggestion `json:"suggestions"`
}

type suggestion struct {
	ID    string `json:"id"`
	Count int    `json:"count"`
}

// refused is what upstream's own errors add.
type refused struct {
	Cause string `json:"cause"`
}

type limit struct {
	What  string `json:"what"`
	Max   int64  `json:"max"`
	Field string `json:"field"`
}

// sentinels are the codes of errors that are told apart by errors.Is, most telling first.
var sentinels = []struct {
	err  error
	code string
}{
	{context.Canceled, "cancelled"},
	{context.DeadlineExceeded, "cancelled"},
	{atskills.ErrCacheInTree, "cache_in_tree"},
	{fsx.ErrLocked, "locked"},
	{atskills.ErrNotConfigured, "not_configured"},
	{atskills.ErrNoAccess, "no_access"},
	{atskills.ErrNotFound, "not_found"},
	{atskills.ErrUnreachable, "unreachable"},
	{transport.ErrNoRevision, "no_revision"},
	{transport.ErrProtocol, "protocol"},
}

func newFailure(o atskills.Outcome) failure {
	p := problem{Code: "internal", Message: o.Err.Error(), Ref: shownRef(o.Ref)}
	for _, s := range sentinels {
		if errors.Is(o.Err, s.err) {
			p.Code = s.code
			break
		}
	}
	var up *transport.Error
	if errors.As(o.Err, &up) {
		p.refused, p.Hint = &refused{string(up.Cause)}, &up.Hint
	}
	p.addDetails(o.Err)
	return failure{p}
}

// shownRef is ref without userinfo, and without the query and fragment of an address: each may hold a secret (X5).
func shownRef(ref string) string {
	r, err := skill.ParseRef(ref)
	var syntax *skill.SyntaxError
	if errors.As(err, &syntax) {
		return syntax.Input
	}
	if i := strings.IndexAny(ref, "?#"); i >= 0 {
		if short, err := skill.ParseRef(ref[:i]); err == nil && short.ID == r.ID {
			return ref[:i]
		}
	}
	return ref
}

// addDetails takes over the fields of the errors that have a type.
func (p *problem) addDetails(err error) {
	var (
		syntax *skill.SyntaxError
		miss   *atskills.NotFoundError
		large  *atskills.TooLargeError
		lim    *transport.LimitError
		size   *fsx.SizeError
		edited *atskills.ConflictError
		unheld *atskills.NamesError
	)
	switch {
	case p.addTriggerDetails(err):
	case errors.As(err, &edited):
		p.Code, p.conflict = "conflict", newConflict(edited)
	case errors.As(err, &unheld):
		p.Code, p.names = "names", &names{list(unheld.Names)}
	case errors.Is(err, atskills.ErrOwnWork):
		p.Code = "own_work"
	case errors.Is(err, atskills.ErrScriptChanged):
		p.Code = "script_changed"
	case errors.As(err, &syntax):
		p.Code, p.Ref = "invalid_reference", syntax.Input
	case errors.As(err, &miss):
		p.refused, p.Hint = nil, &miss.Hint
		p.notFound = &notFound{list(miss.Looked), list(miss.There), list(miss.Near)}
	case errors.As(err, &large):
		p.Code = "too_large"
		p.tooLarge = &tooLarge{large.Count, atskills.MaxSkills, large.Bytes, []suggestion{}}
		for _, s := range large.Suggestions {
			p.Suggestions = append(p.Suggestions, suggestion{s.ID.Reference(), s.Count})
		}
	case errors.As(err, &lim):
		p.Code, p.limit = "limit", &limit{lim.What, lim.Max, lim.Field}
	case errors.As(err, &size):
		p.Code, p.limit = "limit", &limit{"bytes in one file", size.Max, ""}
	case p.Code == "not_found":
		p.notFound = &notFound{[]string{}, []string{}, []string{}}
	}
}

// list is s, and empty instead of null.
func list(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}
