package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	unified "github.com/rogpeppe/go-internal/diff"

	"github.com/atskills-go/atskills/audit"
	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/skill"
)

const validateHelp = `Usage: atskills validate [--lenient] [--allow-field f] [--unicode-names] [--severity c=s] [--fix [--yes]]
                         [--json|--sarif] <dir|file>...

Checks skills as an author's continuous integration does. Each argument is a skill's folder, its SKILL.md, or a folder
with skills below it. Findings are printed one each,

  path:line:column: severity code: message

followed by the line they are about and a caret; how many there were goes to standard error.

Errors are what the format forbids in SKILL.md. Warnings are about the folder: files that are referenced and missing,
links, names that some systems cannot hold, size. Advice is the rest. Only errors fail.

  --lenient          report what a client that loads the skill would, of SKILL.md alone; the only error is that it
                     does not load
  --allow-field f    do not report the top-level field f; may be given several times
  --unicode-names    allow letters and digits of every script in names
  --severity c=s     give findings of the code c the severity error, warning or advice; may be given several times
  --json             print an array with one object a skill
  --sarif            print SARIF 2.1.0
  --fix              show what can be repaired without judgement as a unified diff, ask, and write it: quotes around a
                     value with a colon, no byte order mark, the format's spelling of its fields, blanks between tools
  --yes              with --fix, do not ask

The object: path, valid, loads, name, description, allowedTools, metadata, findings [{code, severity, message, line,
column}]. Whatever the reading, valid is the strict verdict and loads the lenient one.

Exit codes: 0 no errors, 1 errors or a file that cannot be read or written, 2 wrong usage or a path that is not there.
`

// checking is one run of validate.
type checking struct {
	host
	out      *output
	in       *bufio.Reader
	opts     audit.Options
	lenient  bool
	fix, yes bool
	asText   bool
	code     int
	reports  []checked
}

// checked is a skill that was validated.
type checked struct {
	place
	report   *audit.Report
	findings []audit.Finding // of the reading asked for
}

// validate checks skills.
func (h host) validate(ctx context.Context, args []string, stdin io.Reader, out *output) int {
	flags := flag.NewFlagSet("validate", flag.ContinueOnError)
	c := checking{host: h, out: out}
	var severities words
	flags.BoolVar(&c.lenient, "lenient", false, "")
	flags.BoolVar(&c.fix, "fix", false, "")
	flags.BoolVar(&c.yes, "yes", false, "")
	flags.BoolVar(&c.opts.UnicodeNames, "unicode-names", false, "")
	flags.Var((*words)(&c.opts.AllowFields), "allow-field", "")
	flags.Var(&severities, "severity", "")
	asJSON, asSARIF := flags.Bool("json", false, ""), flags.Bool("sarif", false, "")
	rest, code, ok := parseSome(flags, args, "folder or file", out)
	if !ok {
		return code
	}
	switch {
	case *asJSON && *asSARIF:
		return out.misuse("validate", "want only one of --json and --sarif")
	case c.yes && !c.fix:
		return out.misuse("validate", "--yes needs --fix")
	}
	if err := c.severities(severities); err != nil {
		return out.misuse("validate", "%v", err)
	}
	if stdin == nil {
		stdin = strings.NewReader("")
	}
	c.in, c.asText = bufio.NewReader(stdin), !*asJSON && !*asSARIF
	for _, arg := range rest {
		c.argument(ctx, arg)
	}
	switch {
	case *asJSON:
		out.object(c.objects())
	case *asSARIF:
		out.object(sarif(c.reports))
	}
	c.sum()
	return c.code
}

func (c *checking) severities(given []string) error {
	names := map[string]skill.Severity{"error": skill.SeverityError, "warning": skill.SeverityWarning, "advice": skill.SeverityAdvice}
	c.opts.Severity = make(map[skill.Code]skill.Severity)
	for _, g := range given {
		code, name, _ := strings.Cut(g, "=")
		s, ok := names[name]
		if code == "" || !ok {
			return fmt.Errorf("--severity %q: want code=error, code=warning or code=advice", g)
		}
		c.opts.Severity[skill.Code(code)] = s
	}
	return nil
}

func (c *checking) fail(code int, format string, args ...any) {
	c.code = max(c.code, code)
	c.out.say("atskills validate: "+format, args...)
}

func (c *checking) argument(ctx context.Context, arg string) {
	p, err := c.locate(arg)
	if errors.Is(err, errNoPlace) {
		c.fail(exitUsage, "%v", err)
		return
	}
	var skills []place
	var problems []skill.Problem
	if err == nil {
		skills, problems, err = p.skills(ctx)
	}
	if err != nil {
		c.fail(exitFailed, "%v", err)
		return
	}
	for _, problem := range problems {
		c.fail(exitFailed, "%s: %v", p.path(problem.Path), problem.Err)
	}
	for _, s := range skills {
		c.skill(ctx, s)
	}
}

func (c *checking) skill(ctx context.Context, p place) {
	r, err := p.validate(ctx, c.opts)
	if err == nil && c.fix && r.Doc != nil && c.repair(p, r) {
		r, err = p.validate(ctx, c.opts)
	}
	if err != nil {
		c.fail(exitFailed, "%v", err)
		return
	}
	one := checked{place: p, report: r, findings: r.Findings}
	if c.lenient {
		one.findings = r.Lenient()
	}
	c.reports = append(c.reports, one)
	for _, f := range one.findings {
		if f.Severity == skill.SeverityError {
			c.code = max(c.code, exitFailed)
		}
		if c.asText {
			c.out.print(one.line(f))
		}
	}
}

// line is a finding as text, with the line it is about.
func (s checked) line(f audit.Finding) string {
	where, _ := skill.OneLine(s.path(f.Path))
	text := where + ":" + f.String() + "\n"
	if f.Path != s.report.File {
		return text
	}
	return text + excerpt(s.report.Source, f.Line, f.Column)
}

// excerptWidth is how many characters of a long line are shown on each side of a finding.
const excerptWidth = 80

// excerpt is a line of source and another with a caret below the column. Each character is one column, and none can move
// the cursor.
func excerpt(source []byte, line, column int) string {
	source = bytes.TrimPrefix(source, []byte("\uFEFF"))
	text := strings.ToValidUTF8(string(source), "\uFFFD")
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	for ; line > 1; line-- {
		_, text, _ = strings.Cut(text, "\n")
	}
	text, _, _ = strings.Cut(text, "\n")
	if text == "" {
		return ""
	}
	runes := []rune(text)
	from, to := 0, len(runes)
	at := min(column-1, len(runes))
	if at > excerptWidth {
		from = at - excerptWidth
	}
	if to > at+excerptWidth {
		to = at + excerptWidth
	}
	var shown, below strings.Builder
	for i, r := range runes[from:to] {
		if r != '\t' && !unicode.IsPrint(r) {
			r = utf8.RuneError
		}
		shown.WriteRune(r)
		switch {
		case from+i >= at:
		case r == '\t':
			below.WriteByte('\t')
		default:
			below.WriteByte(' ')
		}
	}
	return shown.String() + "\n" + below.String() + "^\n"
}

// sum says on standard error how it went.
func (c *checking) sum() {
	valid := 0
	var n [3]int
	for _, s := range c.reports {
		ok := true
		for _, f := range s.findings {
			n[f.Severity]++
			ok = ok && f.Severity != skill.SeverityError
		}
		if ok {
			valid++
		}
	}
	_ = c.out.flush() // findings and sum in order where both go to one terminal; the error is kept for the end
	c.out.say("%d of %d %s without errors: %d %s, %d %s, %d advice", valid, len(c.reports), plural(len(c.reports), "skill"),
		n[0], plural(n[0], "error"), n[1], plural(n[1], "warning"), n[2])
}

// repair shows what can be repaired and writes it if it may. It reports whether it has.
func (c *checking) repair(p place, r *audit.Report) bool {
	fixed, done := audit.Fix(p.name(), r.Source, c.opts)
	if len(done) == 0 {
		return false
	}
	shown := p.path(r.File)
	change := string(unified.Diff(shown, r.Source, shown+" (repaired)", fixed))
	if c.asText {
		c.out.print(change)
		_ = c.out.flush() // before the question; the error is kept for the end
	} else {
		_, _ = io.WriteString(c.out.err, printable(change)) // there is no other place to report to
	}
	for _, d := range done {
		c.out.say("%s: %s (%s)", shown, d.Message, d.Code)
	}
	if !c.yes && !c.ask(shown) {
		return false
	}
	name := path.Join(p.dir, r.File)
	now, err := fsx.ReadFile(p.fsys, name, skill.MaxFile+1)
	if err == nil && !bytes.Equal(now, r.Source) {
		err = errors.New("it has changed meanwhile; nothing was written")
	}
	if err == nil {
		err = fsx.WriteFile(p.fsys, name, fixed, 0o644)
	}
	if err != nil {
		c.fail(exitFailed, "repair %s: %v", shown, err)
		return false
	}
	return true
}

// ask reads a yes from standard input; whatever else is there, its end included, is a no.
func (c *checking) ask(shown string) bool {
	c.out.say("write this to %s? [y/N]", shown)
	answer, _ := c.in.ReadString('\n')
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes"
}
