package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/skill"
)

const newHelp = `Usage: atskills new [--description text] [--body file] [--in dir] <name>

Writes <name>/SKILL.md, a skill that validates, and prints its path. A folder that is there already is used when it
holds no skill; nothing is overwritten. A name has small letters, digits and single hyphens.

  --description text  what the skill does and when to use it; up to 1024 characters
  --body file         the instructions, Markdown; "-" reads standard input
  --in dir            the folder to write to, instead of the working directory

Exit codes: 0 done, 1 the skill is there already or cannot be written, 2 wrong usage or a skill that would not validate.
`

const (
	newDescription = "Says in one sentence what the skill does. Use when a task needs just that; name the words a user would write."
	newBody        = "# Steps\n\n1. Say what to do first.\n2. Show an example of the input and of the result.\n3. Say what to do in odd cases.\n"
)

// create writes a new skill.
func (h host) create(args []string, stdin io.Reader, out *output) int {
	flags := flag.NewFlagSet("new", flag.ContinueOnError)
	description := flags.String("description", newDescription, "")
	bodyFile, in := flags.String("body", "", ""), flags.String("in", ".", "")
	rest, code, ok := parse(flags, args, out)
	if !ok {
		return code
	}
	if len(rest) != 1 {
		out.say("atskills new: want one name")
		out.usage("new")
		return exitUsage
	}
	name := strings.TrimSuffix(rest[0], "/")
	body, err := h.newBody(*bodyFile, stdin)
	if err != nil {
		out.say("atskills new: %v", err)
		return exitFailed
	}
	text, err := skill.Compose(name, *description, body)
	if err != nil {
		out.say("atskills new: %q: %v", name, err)
		return exitUsage
	}
	dir := filepath.Clean(*in)
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(h.dir, dir)
	}
	if err := writeNew(dir, name, text); err != nil {
		out.say("atskills new: %v", err)
		return exitFailed
	}
	out.print(filepath.ToSlash(filepath.Join(*in, name, skill.SkillFile)) + "\n")
	return exitOK
}

func (h host) newBody(file string, stdin io.Reader) (string, error) {
	switch file {
	case "":
		return newBody, nil
	case "-":
		if stdin == nil {
			return "", nil
		}
		data, err := io.ReadAll(io.LimitReader(stdin, skill.MaxFile+1))
		return string(data), err
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(h.dir, file)
	}
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, skill.MaxFile+1))
	return string(data), err
}

// writeNew writes a file that is not there yet.
func writeNew(dir, name string, text []byte) error {
	fsys := fsx.OS(dir)
	top, err := fsx.NewView(fsys, name, true).ReadDir("")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range top.Entries {
		if strings.EqualFold(e.Name, skill.SkillFile) {
			return fmt.Errorf("%q is there already", filepath.Join(name, e.Name))
		}
	}
	_, err = fsx.CopyFrom(fsys, name+"/"+skill.SkillFile, strings.NewReader(string(text)), 0o644, -1)
	return err
}
