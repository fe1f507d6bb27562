package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/skill"
)

const newHelp = `Usage: atskills new [--description text] [--body file] [--in dir] <path>

Writes <path>/SKILL.md, a skill that validates, and prints where it is; standard error says what to do next. The path
is the skill's name, or folders and then the name, as in team/review. It is one below the project's .atskills, which is
made if it is missing. A folder that is there already is used when it holds no skill; nothing is overwritten. A name has
small letters, digits and single hyphens.

  --description text  what the skill does and when to use it; up to 1024 characters
  --body file         the instructions, Markdown; "-" reads standard input
  --in dir            the folder to write below, instead of the project's .atskills; "." is the working directory

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
	bodyFile, in := flags.String("body", "", ""), flags.String("in", "", "")
	rest, code, ok := parse(flags, args, out)
	if !ok {
		return code
	}
	if len(rest) != 1 {
		return out.misuse("new", "want one path")
	}
	name, err := newPath(rest[0])
	if err != nil {
		return out.misuse("new", "%v", err)
	}
	body, err := h.newBody(*bodyFile, stdin)
	if err != nil {
		out.say("atskills new: %v", err)
		return exitFailed
	}
	text, err := skill.Compose(path.Base(name), *description, body)
	if err != nil {
		out.say("atskills new: %q: %v", name, err)
		return exitUsage
	}
	dir := filepath.Join(h.project(), atskills.Dir)
	if *in != "" {
		dir = h.absolute(*in)
	}
	if err := writeNew(dir, name, text); err != nil {
		out.say("atskills new: %v", err)
		return exitFailed
	}
	h.reportNew(filepath.Join(dir, filepath.FromSlash(name)), out)
	return exitOK
}

// newPath is arg as a path below .atskills: that of a skill of the project's own.
func newPath(arg string) (string, error) {
	ref, err := skill.ParseRef(arg)
	switch {
	case err != nil:
		return "", err
	case ref.ID.Scheme() != skill.Local:
		return "", fmt.Errorf("%q is the place of a copy; a new skill has a path of its own, such as team/review", arg)
	case ref.Save || ref.Install || ref.Index:
		return "", fmt.Errorf("%q: a new skill has no suffix", arg)
	}
	return ref.IDs()[0].DiskPath(), nil
}

// reportNew prints where the skill in dir is, and says what to do with it.
func (h host) reportNew(dir string, out *output) {
	shown := h.relative(dir)
	out.print(filepath.ToSlash(filepath.Join(shown, skill.SkillFile)) + "\n")
	_ = out.flush() // before what is about it; the error is kept for the end
	shown = shellWord(filepath.ToSlash(shown))
	rel, err := filepath.Rel(filepath.Join(h.project(), atskills.Dir), dir)
	if err != nil || !filepath.IsLocal(rel) {
		out.say("next: edit it, and check it with: atskills validate %s", shown)
		return
	}
	id, err := skill.ParseDiskPath(filepath.ToSlash(rel))
	if err != nil {
		return
	}
	ref := shellWord(id.Reference())
	out.say("next: edit it, check it with: atskills validate %s", shown)
	out.say("  read it with: atskills get %s", ref)
	out.say("  make it fire on its own with: atskills install %s", ref)
}

// absolute is a path of the command line.
func (h host) absolute(arg string) string {
	if filepath.IsAbs(arg) {
		return filepath.Clean(arg)
	}
	return filepath.Join(h.dir, arg)
}

// relative is a path as seen from the working directory, or as it is when nothing leads there.
func (h host) relative(abs string) string {
	if rel, err := filepath.Rel(h.dir, abs); err == nil {
		return rel
	}
	return abs
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
	f, err := os.Open(h.absolute(file))
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
			return fmt.Errorf("%q is there already", filepath.Join(dir, filepath.FromSlash(name), e.Name))
		}
	}
	_, err = fsx.CopyFrom(fsys, name+"/"+skill.SkillFile, strings.NewReader(string(text)), 0o644, -1)
	return err
}
