package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"unicode"

	"github.com/atskills-go/atskills/skill"
)

// output is where a run writes: the product to standard output, everything else to standard error. Its say may be called
// from several goroutines.
type output struct {
	out      *bufio.Writer
	terminal bool // out is one

	flags *flag.FlagSet // of the command that was called, nil until it has read them

	mu  sync.Mutex // of what is below
	err io.Writer
	bar *progress // what is drawn on err at times, else nil
}

func newOutput(stdout, stderr io.Writer) *output {
	return &output{out: bufio.NewWriter(stdout), terminal: isTerminal(stdout), err: stderr}
}

// print writes s to standard output. A pipe or file gets it byte for byte; a terminal gets no control characters, which
// upstream could use to rewrite what the user sees. A failed write shows in flush.
func (o *output) print(s string) {
	if o.terminal {
		s = printable(s)
	}
	_, _ = o.out.WriteString(s)
}

// row writes one line to standard output. What a name or description put into it cannot begin another line. Leading
// blanks are kept.
func (o *output) row(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
	line, _ = skill.OneLine(line)
	o.print(indent + line + "\n")
}

// object writes v as JSON on one line of standard output.
func (o *output) object(v any) {
	var line strings.Builder
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // the structs of this program hold nothing that cannot be encoded
	o.print(line.String())
}

// flush hands what was printed to standard output and returns the first error of any write.
func (o *output) flush() error { return o.out.Flush() }

// say writes one line to standard error. What upstream or an error put into it cannot begin another line or control the
// terminal. Leading blanks of format are kept.
func (o *output) say(format string, args ...any) {
	indent := format[:len(format)-len(strings.TrimLeft(format, " "))]
	line, _ := skill.OneLine(fmt.Sprintf(format, args...))
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.bar != nil {
		o.bar.clear()
	}
	_, _ = fmt.Fprintln(o.err, indent+line) // there is no other place to report to
}

// drawOn makes bar the one that lines on standard error are written over, and clears the one before. nil is none.
func (o *output) drawOn(bar *progress) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.bar != nil {
		o.bar.clear()
	}
	o.bar = bar
}

// misuse says what is wrong with a command line, and what the command's is like. It returns the exit code.
func (o *output) misuse(name, format string, args ...any) int {
	o.say("atskills %s: %s", name, fmt.Sprintf(format, args...))
	o.usage(name)
	return exitUsage
}

// shellWord spells s as one word of a POSIX shell.
func shellWord(s string) string {
	plain := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_./:%+,=@", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// printable returns s without control characters but for line breaks and tabs. A stray byte, which some terminals take
// for a control, becomes U+FFFD.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s)
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
