package atskills_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/transport/transporttest"
)

// TestResidencyStories runs the scripts of testdata/residency, each with a project, a cache and an upstream of its own:
// what lies below upstream/<owner>/<repo>/ is that repository's first commit. Their commands:
//
//	block                                 prints the block's text, and as errors its notes and drift, one a line
//	save <ref>                            saves a copy
//	upstream offline | online
//	upstream commit <repo> <dir>          the files of dir become a commit
//	upstream remove <repo>
//	upstream asked <probes> <bodies>      since the last check
func TestResidencyStories(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                "testdata/residency",
		RequireUniqueNames: true,
		Setup:              setupBlockStory,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"block": runBlock, "save": runSave, "upstream": runUpstream,
		},
	})
}

type storyKey struct{}

type blockStory struct {
	env     atskills.Env
	fake    *transporttest.Fake
	counter *transporttest.Counter
}

func setupBlockStory(env *testscript.Env) error {
	up, err := transporttest.NewUpstream("")
	if err != nil {
		return err
	}
	s := &blockStory{fake: transporttest.NewFake(up)}
	s.counter = transporttest.NewCounter(s.fake)
	s.env = atskills.Env{
		Project:   fsx.OS(filepath.Join(env.WorkDir, "project")),
		Cache:     fsx.OS(filepath.Join(env.WorkDir, "cache")),
		Transport: s.counter,
		Now:       func() time.Time { return time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC) },
	}
	env.Values[storyKey{}] = s
	repos, err := filepath.Glob(filepath.Join(env.WorkDir, "upstream", "*", "*"))
	for _, dir := range repos {
		err = errors.Join(err, s.commit(filepath.Base(filepath.Dir(dir))+"/"+filepath.Base(dir), dir))
	}
	return err
}

// commit adds the files below dir to repo; an empty file goes.
func (s *blockStory) commit(repo, dir string) error {
	files := make(map[string]transporttest.File)
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		files[name] = transporttest.File{Body: string(body), Deleted: len(body) == 0}
		return err
	})
	if err != nil {
		return err
	}
	_, err = s.fake.Commit(repo, time.Time{}, files)
	return err
}

func story(ts *testscript.TestScript) *blockStory {
	s, ok := ts.Value(storyKey{}).(*blockStory)
	if !ok {
		ts.Fatalf("no story was set up")
	}
	return s
}

func runBlock(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: block")
	}
	b, err := atskills.Residency(context.Background(), story(ts).env)
	ts.Check(err)
	fmt.Fprintln(ts.Stdout(), strings.ReplaceAll(filepath.ToSlash(b.Text), filepath.ToSlash(ts.Getenv("WORK")), "WORK"))
	for _, n := range b.Notes {
		fmt.Fprintf(ts.Stderr(), "line %d: %s: %s\n", n.Line, n.Code, n.Message)
	}
	for _, d := range b.Drift {
		fmt.Fprintf(ts.Stderr(), "drift: line %d: %s %s: %q -> %q\n", d.Line, d.ID, d.Change, d.Before, d.After)
	}
}

func runSave(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: save <ref>")
	}
	_, err := atskills.Save(context.Background(), story(ts).env, args[0])
	ts.Check(err)
}

func runUpstream(ts *testscript.TestScript, neg bool, args []string) {
	s := story(ts)
	switch usage := strings.Join(args[:min(1, len(args))], "") + strings.Repeat(" _", max(0, len(args)-1)); {
	case neg:
		ts.Fatalf("upstream cannot be negated")
	case usage == "offline", usage == "online":
		s.fake.SetOffline(usage == "offline")
	case usage == "commit _ _":
		ts.Check(s.commit(args[1], ts.MkAbs(args[2])))
	case usage == "remove _":
		s.fake.Remove(args[1])
	case usage == "asked _ _":
		counts := s.counter.Reset()
		if got, want := fmt.Sprint(counts.Probes, counts.Bodies), args[1]+" "+args[2]; got != want {
			ts.Fatalf("upstream was asked for %s, want %s: probes and bodies", got, want)
		}
	default:
		ts.Fatalf("unknown: upstream %s", strings.Join(args, " "))
	}
}
