package gitignore_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/atskills-go/atskills/internal/gitignore"
	"github.com/atskills-go/atskills/internal/gittest"
)

// outside is a path that no ignore file is about.
const outside = "outside/x"

// judge is one running `git check-ignore`. Git reads a directory's ignore file when it enters the directory and forgets it
// when it leaves; so one process answers for any number of files, written one after the other, when each batch of
// questions ends with one about another directory.
type judge struct {
	dir string // the repository
	git string
	env []string

	questions io.WriteCloser
	answers   *bufio.Reader
	wait      func() error
	crashes   int // of git, on the way
}

// newJudge starts git; without git the test is skipped.
func newJudge(t testing.TB) *judge {
	t.Helper()
	j := &judge{git: gittest.Git(t), dir: t.TempDir()}
	j.env = slices.DeleteFunc(os.Environ(), func(s string) bool {
		return strings.HasPrefix(s, "GIT_") || strings.HasPrefix(s, "XDG_CONFIG_HOME=")
	})
	j.env = append(j.env, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_FLUSH=1", "HOME="+j.dir)
	create := exec.CommandContext(t.Context(), j.git, "init", "-q", "--template=", j.dir)
	create.Env = j.env
	if out, err := create.CombinedOutput(); err != nil {
		t.Fatalf("git init: %v\n%s", err, out)
	}
	j.start(t)
	t.Cleanup(func() { j.stop() })
	return j
}

func (j *judge) start(t testing.TB) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), j.git, "-c", "core.ignorecase=false", "-c", "core.precomposeunicode=false",
		"check-ignore", "--no-index", "--stdin", "-z", "--verbose", "--non-matching")
	cmd.Dir, cmd.Env, cmd.Stderr = j.dir, j.env, os.Stderr
	questions, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	answers, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	j.questions, j.answers, j.wait = questions, bufio.NewReader(answers), cmd.Wait
}

// stop ends git and tells how it ended.
func (j *judge) stop() error {
	j.questions.Close()
	return j.wait()
}

// decide writes lines as the ignore file of the directory tree and returns git's verdict on each of paths, which are below
// it. Its At is empty: git does not tell. When git crashes, as git 2.39.5 was seen to on a very deep path after many
// others, a new process is asked the same; crashing again is a failure.
func (j *judge) decide(t testing.TB, tree string, lines, paths []string, lineEnd string) []gitignore.Verdict {
	t.Helper()
	if err := os.WriteFile(filepath.Join(j.dir, tree, ".gitignore"), ignoreFile(lines, lineEnd), 0o600); err != nil {
		t.Fatal(err)
	}
	verdicts, err := j.askAll(tree, paths)
	if err != nil {
		t.Logf("git check-ignore: %v: %v; asked once more", err, j.stop())
		j.crashes++
		j.start(t)
		verdicts, err = j.askAll(tree, paths)
	}
	if err != nil {
		t.Fatalf("git check-ignore about %q: %v", lines, err)
	}
	return verdicts
}

// askAll asks in batches that fit the pipe, so that neither side waits for the other.
func (j *judge) askAll(tree string, paths []string) ([]gitignore.Verdict, error) {
	verdicts := make([]gitignore.Verdict, 0, len(paths)+1)
	for batch := range slices.Chunk(append(slices.Clone(paths), "../"+outside), 64) {
		var b strings.Builder
		for _, name := range batch {
			b.WriteString(path.Join(tree, name) + "\x00")
		}
		if _, err := io.WriteString(j.questions, b.String()); err != nil {
			return nil, err
		}
		for _, name := range batch {
			verdict, err := j.answer(path.Join(tree, name))
			if err != nil {
				return nil, err
			}
			verdicts = append(verdicts, verdict)
		}
	}
	return verdicts[:len(paths)], nil
}

func (j *judge) answer(about string) (gitignore.Verdict, error) {
	var fields [4]string // source, line, pattern, path
	for i := range fields {
		field, err := j.answers.ReadString(0)
		if err != nil {
			return gitignore.Verdict{}, fmt.Errorf("about %q: %w", about, err)
		}
		fields[i] = strings.TrimSuffix(field, "\x00")
	}
	if fields[3] != about {
		return gitignore.Verdict{}, fmt.Errorf("about %q: the answer is %q", about, fields)
	}
	if fields[1] == "" {
		return gitignore.Verdict{Line: -1}, nil
	}
	number, err := strconv.Atoi(fields[1])
	return gitignore.Verdict{Line: number - 1, Ignored: !strings.HasPrefix(fields[2], "!")}, err
}

// ignoreFile writes lines so that git reads exactly them: it takes one byte order mark off the file and one carriage
// return off each line.
func ignoreFile(lines []string, lineEnd string) []byte {
	var b strings.Builder
	if len(lines) > 0 && strings.HasPrefix(lines[0], "\ufeff") {
		b.WriteString("\ufeff")
	}
	for _, line := range lines {
		b.WriteString(line)
		if strings.HasSuffix(line, "\r") && lineEnd == "\n" {
			b.WriteString("\r")
		}
		b.WriteString(lineEnd)
	}
	return []byte(b.String())
}
