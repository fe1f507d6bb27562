package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/atskills-go/atskills"
)

// get prints what references address.
func (h host) get(ctx context.Context, args []string, out *output) int {
	flags := flag.NewFlagSet("get", flag.ContinueOnError)
	asJSON := flags.Bool("json", false, "")
	framed := flags.Bool("prompt", false, "")
	upstream := flags.Bool("upstream", false, "")
	refs, code, ok := parseSome(flags, args, "reference", out)
	if !ok {
		return code
	}
	if *asJSON && *framed {
		return out.misuse("get", "want only one of --json and --prompt")
	}
	var opts []atskills.ResolveOption
	if *upstream {
		opts = append(opts, atskills.FromUpstream())
	}
	show := showText
	switch {
	case *asJSON:
		show = showJSON
	case *framed, len(refs) > 1:
		show = showFramed
	}
	for _, o := range h.resolve(ctx, out, refs, opts) {
		if o.Err != nil {
			code = exitFailed
			out.say("atskills: %v", o.Err)
		} else {
			o.Resolution.Warnings = append(o.Resolution.Warnings, unused(o.Resolution)...)
		}
		show(out, o)
	}
	return code
}

// endings are the signals that end a call in order: an interrupt, a request to end, a terminal that is gone. One that
// was told to outlive its terminal, as nohup does, is not ended by that.
func endings() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}

// resolve reads refs. The first signal ends it in order, a second one at once.
func (h host) resolve(ctx context.Context, out *output, refs []string, opts []atskills.ResolveOption) []atskills.Outcome {
	ctx, stop := signal.NotifyContext(ctx, endings()...)
	defer stop()
	context.AfterFunc(ctx, stop)
	var bar *progress
	if isTerminal(out.err) {
		bar = &progress{to: out.err}
		defer bar.clear()
	}
	return atskills.ResolveAll(ctx, h.env(bar), refs, opts...)
}

// unused warns about suffixes that get does not act on: a wish must not vanish without a word.
func unused(r *atskills.Resolution) []atskills.Warning {
	if !r.Ref.Save && !r.Ref.Install {
		return nil
	}
	return []atskills.Warning{{Code: "suffix", Message: "get only reads: the suffixes :save and :install were not acted on"}}
}

// showText prints content as it is, and a line break behind its last line.
func showText(out *output, o atskills.Outcome) {
	if o.Err != nil {
		return
	}
	if o.Resolution.Content != "" {
		out.print(o.Resolution.Content + "\n")
	}
	report(out, o.Resolution)
}

func showFramed(out *output, o atskills.Outcome) {
	if o.Err != nil {
		return
	}
	out.print(o.Resolution.Prompt())
	report(out, o.Resolution)
}

func showJSON(out *output, o atskills.Outcome) {
	if o.Err != nil {
		out.object(newFailure(o))
		return
	}
	out.object(newResult(o.Resolution))
}

// maxListed is how many bundled files a report names.
const maxListed = 20

// report says on standard error what was read and where it came from (R9).
func report(out *output, r *atskills.Resolution) {
	_ = out.flush() // content and report in order where both go to one terminal; the error is kept for the end
	switch {
	case r.Playlist:
		out.say("playlist %s: %d %s", r.ID.Reference(), len(r.Entries), plural(len(r.Entries), "row"))
	case r.Kind == atskills.Menu:
		out.say("menu %s: %d %s", r.ID.Reference(), len(r.Entries), plural(len(r.Entries), "skill"))
	default:
		out.say("skill %s: %s", r.ID.Reference(), r.Description)
	}
	out.say("  from %s", provenance(r))
	lines := 0
	if r.Content != "" {
		lines = 1 + strings.Count(r.Content, "\n")
	}
	from := r.Path
	if from == "" {
		from = "memory"
	}
	out.say("  read %d %s of text from %s", lines, plural(lines, "line"), from)
	if n := len(r.Files); n > 0 {
		more := ""
		if n > maxListed {
			more = fmt.Sprintf(" and %d more", n-maxListed)
		}
		out.say("  bundled %s", strings.Join(r.Files[:min(n, maxListed)], ", ")+more)
	}
	if r.Visibility != "" {
		out.say("  the hub says that it is %s", r.Visibility)
	}
	if r.ReviewURL != "" {
		out.say("  review at %s", r.ReviewURL)
	}
	for _, w := range r.Warnings {
		out.say("  warning: %s", w.Message)
	}
}

// provenance says where content came from and how the cache answered, in words.
func provenance(r *atskills.Resolution) string {
	if r.Served == atskills.ServedLocal {
		return "the project"
	}
	from := map[atskills.Source]string{atskills.FromGitHub: "GitHub", atskills.FromHub: "the hub"}[r.Source]
	how := map[atskills.Served]string{
		atskills.ServedFresh:  "fetched now",
		atskills.ServedCached: "cached, unchanged upstream",
		atskills.ServedStale:  "cached, not confirmed upstream (stale)",
	}[r.Served]
	if r.Revision == "" {
		return from + ", " + how
	}
	return fmt.Sprintf("%s, %s, revision %.12s", from, how, r.Revision)
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}
