// Command atskills reads agent skills by reference from a shell. It is a thin front of package atskills, and an example
// of a host: the environment, the working directory, signals and the terminal are dealt with here and nowhere below.
//
// Run "atskills help" for the commands, or see help.go.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/go-git/go-billy/v5"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport/git"
)

// The exit codes.
const (
	exitOK     = 0
	exitFailed = 1 // something asked for could not be had
	// exitUsage says that the command line is wrong, or that a line of paths is no reference. An argument that is no
	// reference is a failure like others where references are read, since it may stand among some that are.
	exitUsage = 2
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the program on the machine it was started on; it returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	dir, err := os.Getwd()
	if err != nil {
		newOutput(stdout, stderr).say("atskills: %v", err)
		return exitFailed
	}
	h := host{dir: dir, getenv: os.Getenv, cache: fsx.UserCache(), git: git.UserHost()}
	return h.run(ctx, args, stdin, stdout, stderr)
}

// host is what a run may know of the machine.
type host struct {
	dir    string // the working directory
	getenv func(string) string
	cache  billy.Filesystem
	git    git.Host
	looks  <-chan time.Time // when to look whether a call waits for a lock; nil for every so often
}

func (h host) run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	out := newOutput(stdout, stderr)
	code := h.command(ctx, args, stdin, out)
	if err := out.flush(); err != nil {
		out.say("atskills: write the result: %v", err)
		return max(code, exitFailed)
	}
	return code
}

func (h host) command(ctx context.Context, args []string, stdin io.Reader, out *output) int {
	if len(args) == 0 {
		out.usage("")
		return exitUsage
	}
	name, args := args[0], args[1:]
	switch name {
	case "get":
		return h.get(ctx, args, out)
	case "paths":
		return paths(args, stdin, out)
	case "validate":
		return h.validate(ctx, args, stdin, out)
	case "catalog":
		return h.catalog(ctx, args, out)
	case "audit":
		return h.audit(ctx, args, out)
	case "new":
		return h.create(args, stdin, out)
	case "save":
		return h.save(ctx, args, out)
	case "remove":
		return h.remove(ctx, args, out)
	case "diff":
		return h.diff(ctx, args, out)
	case "install":
		return h.install(ctx, args, out)
	case "uninstall":
		return h.uninstall(ctx, args, out)
	case "toggle":
		return h.toggle(ctx, args, out)
	case "skills":
		return h.skills(ctx, args, stdin, out)
	case "prompt":
		return h.prompt(ctx, args, out)
	case "triggers":
		return h.triggers(ctx, args, out)
	case "lint":
		return h.lint(ctx, args, out)
	case "approve":
		return h.approve(ctx, args, out)
	case "skill":
		return page(args, out)
	case "help", "-h", "-help", "--help":
		return help(args, out)
	case "version", "-version", "--version":
		return version(args, out)
	}
	return h.unknown(name, out)
}

// parse reads a command's flags, which may stand anywhere among its arguments, up to "--". When it returns false the
// command ends with the exit code.
func parse(flags *flag.FlagSet, args []string, out *output) (rest []string, code int, ok bool) {
	flags.SetOutput(io.Discard)
	out.flags = flags
	for {
		err := flags.Parse(args)
		switch {
		case errors.Is(err, flag.ErrHelp):
			out.print(helpTexts[flags.Name()])
			return nil, exitOK, false
		case err != nil:
			return nil, out.misuse(flags.Name(), "%v", err), false
		}
		left := flags.Args()
		if read := len(args) - len(left); len(left) == 0 || read > 0 && args[read-1] == "--" {
			return append(rest, left...), exitOK, true
		}
		rest, args = append(rest, left[0]), left[1:]
	}
}

// parseSome is parse for a command that takes one argument or more of the kind that what names.
func parseSome(flags *flag.FlagSet, args []string, what string, out *output) (rest []string, code int, ok bool) {
	rest, code, ok = parse(flags, args, out)
	if ok && len(rest) == 0 {
		return nil, out.misuse(flags.Name(), "want at least one %s", what), false
	}
	return rest, code, ok
}

// parseNone is parse for a command that takes flags alone.
func parseNone(flags *flag.FlagSet, args []string, out *output) (code int, ok bool) {
	rest, code, ok := parse(flags, args, out)
	if ok && len(rest) > 0 {
		return out.misuse(flags.Name(), "takes no arguments"), false
	}
	return code, ok
}

func help(args []string, out *output) int {
	rest, code, ok := parse(flag.NewFlagSet("help", flag.ContinueOnError), args, out)
	if !ok {
		return code
	}
	topic := ""
	if len(rest) > 0 {
		topic = rest[0]
	}
	text, known := helpTexts[topic]
	switch {
	case len(rest) > 1:
		return out.misuse("help", "want one command")
	case !known:
		out.say("atskills help: there is no command %q", topic)
		for _, name := range skill.Nearest(topic, commands, 1) {
			out.say("  did you mean: atskills help %s", name)
		}
		out.usage("")
		return exitUsage
	}
	out.print(text)
	return exitOK
}

// instructions is the page for agents that have a shell and files.
//
//go:embed SKILLS.md
var instructions string

func page(args []string, out *output) int {
	code, ok := parseNone(flag.NewFlagSet("skill", flag.ContinueOnError), args, out)
	if ok {
		out.print(instructions)
	}
	return code
}

func version(args []string, out *output) int {
	code, ok := parseNone(flag.NewFlagSet("version", flag.ContinueOnError), args, out)
	if !ok {
		return code
	}
	v := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		v = info.Main.Version
	}
	out.print(fmt.Sprintf("atskills %s %s %s/%s\n", v, runtime.Version(), runtime.GOOS, runtime.GOARCH))
	return exitOK
}
