package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"path"
	"path/filepath"

	"github.com/atskills-go/atskills/audit"
	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/skill"
)

const catalogHelp = `Usage: atskills catalog [--format xml|json|markdown] [--tool name] [--instructions] [--user dir] [--untrusted]
                        [--strict] [--disable name] [dir...]

Prints the catalog of the skills below the folders given, by default the project's .atskills: names, descriptions and
locations, for a host that shows every skill to its model. Nothing is printed when there is none. What is not offered,
and which of two skills with one name is hidden, goes to standard error.

  --format f      xml (the default), json or markdown
  --tool name     the model activates skills with this tool; the catalog then has no locations
  --instructions  print what tells the model how to use the catalog before it
  --user dir      a folder with the user's own skills, which the project's hide; may be given several times
  --untrusted     leave the project's skills out
  --strict        leave out skills that do not validate
  --disable name  leave out the skill of that name; may be given several times

Exit codes: 0 done, 1 a folder cannot be read, 2 wrong usage or a path that is not there.
`

// catalog prints the skills that a model is offered.
func (h host) catalog(ctx context.Context, args []string, out *output) int {
	flags := flag.NewFlagSet("catalog", flag.ContinueOnError)
	var user, disabled words
	format, tool := flags.String("format", "xml", ""), flags.String("tool", "", "")
	withInstructions := flags.Bool("instructions", false, "")
	untrusted, strict := flags.Bool("untrusted", false, ""), flags.Bool("strict", false, "")
	flags.Var(&user, "user", "")
	flags.Var(&disabled, "disable", "")
	project, code, ok := parse(flags, args, out)
	if !ok {
		return code
	}
	formats := map[string]skill.CatalogFormat{"xml": skill.CatalogXML, "json": skill.CatalogJSON, "markdown": skill.CatalogMarkdown}
	form, ok := formats[*format]
	if !ok {
		return out.misuse("catalog", "--format %q: want xml, json or markdown", *format)
	}
	g := gatherer{host: h, out: out}
	if len(project) == 0 && len(user) == 0 {
		if dir, ok := h.projectTree(); ok {
			project = []string{dir}
		}
	}
	for _, dir := range project {
		g.gather(ctx, dir, skill.ScopeProject)
	}
	for _, dir := range user {
		g.gather(ctx, dir, skill.ScopeUser)
	}
	r := skill.NewRegistry(g.found, skill.RegistryOptions{Trusted: !*untrusted, Strict: *strict, Disabled: disabled})
	c := r.Catalog(skill.CatalogOptions{Format: form, Tool: *tool})
	if *withInstructions && c.Text != "" {
		out.print(c.Instructions + "\n")
	}
	out.print(c.Text)
	_ = out.flush() // before what is about it; the error is kept for the end
	for _, w := range append(r.Warnings(), c.Warnings...) {
		out.say("warning: %s (%s)", w.Message, w.Code)
	}
	return g.code
}

// gatherer finds skills for a registry.
type gatherer struct {
	host
	out   *output
	found []skill.Found
	code  int
}

func (g *gatherer) fail(code int, format string, args ...any) {
	g.code = max(g.code, code)
	g.out.say("atskills catalog: "+format, args...)
}

func (g *gatherer) gather(ctx context.Context, arg string, scope skill.Scope) {
	p, err := g.locate(arg)
	if err != nil {
		code := exitFailed
		if errors.Is(err, errNoPlace) {
			code = exitUsage
		}
		g.fail(code, "%v", err)
		return
	}
	view := fsx.NewView(p.fsys, p.dir, true)
	dirs, problems := audit.Find(ctx, view)
	for _, problem := range problems {
		g.out.say("warning: %s: %v (%s)", p.path(problem.Path), problem.Err, problem.Code)
	}
	for _, dir := range dirs {
		s := p.below(dir)
		head, _, err := view.ReadHead(path.Join(dir, skill.SkillFile), skill.MaxFile+1)
		if err != nil {
			g.fail(exitFailed, "%v", err)
			continue
		}
		doc, err := skill.ParseHead(s.name(), bytes.NewReader(head), skill.ParseOptions{})
		if err != nil {
			g.fail(exitFailed, "%v", err)
			continue
		}
		location := filepath.Join(s.abs, skill.SkillFile)
		g.found = append(g.found, skill.Found{Doc: doc, Dir: s.name(), Location: location, Scope: scope})
	}
}
