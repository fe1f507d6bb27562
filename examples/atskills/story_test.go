package main

import (
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/atskills-go/atskills/transport/transporttest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"atskills": main})
}

// TestStories runs the scripts of testdata. Each has an upstream of its own, a git server in this process that is the
// GitHub of the program under test; what lies below upstream/<owner>/<repo>/ in a script is that repository's first
// commit. Beside it stands a hub at $HUB, the mirror of hub/ in the script, which shows what the owner "private" has to
// those with the token "hunter2" alone; a script sets ATSKILLS_HUB to use it. Home, cache and temporary files stand in the
// script's directory. The commands "upstream", "hub" and "terminate" are runUpstream, runHub and terminate.
func TestStories(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               setupStory,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"upstream":  runUpstream,
			"hub":       runHub,
			"terminate": terminate,
		},
	})
}

type (
	serverKey struct{}
	hubKey    struct{}
	hungKey   struct{} // of a chan struct{} that has one value for each request left hanging
)

func setupStory(env *testscript.Env) error {
	u, err := transporttest.NewUpstream("")
	if err != nil {
		return err
	}
	server, err := transporttest.NewServer(u)
	if err != nil {
		return err
	}
	env.Defer(func() { _ = server.Close() })
	env.Values[serverKey{}] = server
	env.Values[hungKey{}] = make(chan struct{}, 8)
	repos, err := filepath.Glob(filepath.Join(env.WorkDir, "upstream", "*", "*"))
	if err != nil {
		return err
	}
	for _, dir := range repos {
		repo := filepath.Base(filepath.Dir(dir)) + "/" + filepath.Base(dir)
		if err := commit(server, repo, dir); err != nil {
			return err
		}
	}
	team, err := newTeamHub(filepath.Join(env.WorkDir, "hub"), map[string][]string{"private": {"hunter2"}})
	if err != nil {
		return err
	}
	env.Defer(func() { _ = team.setOffline(true) })
	env.Values[hubKey{}] = team
	home := filepath.Join(env.WorkDir, "home")
	for key, value := range map[string]string{
		"HOME": home, "USERPROFILE": home, "XDG_CONFIG_HOME": "", "XDG_CACHE_HOME": "", "GIT_CONFIG_GLOBAL": "",
		"GIT_CONFIG_NOSYSTEM": "1", "GH_TOKEN": "", "GITHUB_TOKEN": "",
		"ATSKILLS_CACHE": filepath.Join(env.WorkDir, "cache"), "ATSKILLS_GITHUB": server.URL(),
		"HUB": team.url(), "ATSKILLS_HUB": "", "ATSKILLS_HUB_TOKEN": "",
	} {
		env.Setenv(key, value)
	}
	project := filepath.Join(env.WorkDir, "project")
	env.Cd = project
	return os.MkdirAll(project, 0o755)
}

// runUpstream changes the script's upstream, or checks what it was asked:
//
//	upstream offline | online
//	upstream commit <repo> <dir>             the files of dir become a commit
//	upstream fill <repo> <collection> <n>    a commit of n small skills
//	upstream branch <repo> <name>            a branch at HEAD's commit
//	upstream private | hide | remove <repo>  asks for credentials; answers 404 without; deletes
//	upstream rename <repo> <to>
//	upstream forget <repo>                   drops the commit before HEAD's, as a force push does in the end
//	upstream hang                            answers no request any more
//	upstream await                           waits until a request hangs
//	upstream asked <requests> <bodies>       requests since the last check, and those among them for bodies
func runUpstream(ts *testscript.TestScript, neg bool, args []string) {
	server, ok := ts.Value(serverKey{}).(*transporttest.Server)
	if !ok || neg || len(args) == 0 {
		ts.Fatalf("usage: upstream <command> [argument...]")
	}
	arg := func(i int) string { return args[i] }
	hung, _ := ts.Value(hungKey{}).(chan struct{})
	switch command := args[0] + strings.Repeat(" _", len(args)-1); command {
	case "offline", "online":
		ts.Check(server.SetOffline(command == "offline"))
	case "commit _ _":
		ts.Check(commit(server, arg(1), ts.MkAbs(arg(2))))
	case "fill _ _ _":
		ts.Check(fill(server, arg(1), arg(2), arg(3)))
	case "branch _ _":
		ts.Check(server.Branch(arg(1), arg(2), server.Tip(arg(1))))
	case "private _", "hide _":
		ts.Check(server.SetAccess(arg(1), &transporttest.Access{Password: "secret", Hide: args[0] == "hide"}))
	case "remove _":
		server.Remove(arg(1))
	case "rename _ _":
		ts.Check(server.Rename(arg(1), arg(2)))
	case "forget _":
		log := server.Log(arg(1))
		if len(log) < 2 {
			ts.Fatalf("%s has no commit before HEAD's", arg(1))
		}
		ts.Check(server.Forget(arg(1), log[1]))
	case "hang":
		server.Intercept(func(_ http.ResponseWriter, r *http.Request) bool {
			hung <- struct{}{}
			<-r.Context().Done()
			return true
		})
	case "await":
		<-hung
	case "asked _ _":
		stats := server.Stats()
		got := fmt.Sprintf("%d %d", stats.Total().Requests, stats.ByKind[transporttest.KindBodies].Requests)
		if want := arg(1) + " " + arg(2); got != want {
			ts.Fatalf("upstream was asked %q, want %q: requests, and those for bodies", got, want)
		}
		server.ResetStats()
	default:
		ts.Fatalf("unknown: upstream %s", strings.Join(args, " "))
	}
}

// terminate sends SIGTERM, or the SIGHUP of "terminate HUP", to all background processes; the built-in kill knows
// neither. Where this process was told to ignore SIGHUP, so do they, and get a SIGTERM.
func terminate(ts *testscript.TestScript, _ bool, args []string) {
	sig := syscall.SIGTERM
	if len(args) == 1 && args[0] == "HUP" && !signal.Ignored(syscall.SIGHUP) {
		sig = syscall.SIGHUP
	}
	for _, cmd := range ts.BackgroundCmds() {
		ts.Check(cmd.Process.Signal(sig))
	}
}

// commit adds the files below dir to repo.
func commit(server *transporttest.Server, repo, dir string) error {
	files := make(map[string]transporttest.File)
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		files[name] = transporttest.File{Body: string(body)}
		return err
	})
	if err != nil {
		return err
	}
	_, err = server.Commit(repo, time.Time{}, files)
	return err
}

// fill commits count skills below collection.
func fill(server *transporttest.Server, repo, collection, count string) error {
	n, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	files := make(map[string]transporttest.File, n)
	for i := range n {
		files[fmt.Sprintf("%s/s%03d/SKILL.md", collection, i)] = transporttest.File{
			Body: fmt.Sprintf("---\nname: s%03d\ndescription: Skill %d.\n---\nDo it.\n", i, i),
		}
	}
	_, err = server.Commit(repo, time.Time{}, files)
	return err
}
