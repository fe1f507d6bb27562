package atskills_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/go-git/go-billy/v5/memfs"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
	"github.com/atskills-go/atskills/transport/transporttest"
	"github.com/atskills-go/atskills/transport/upstream"
)

// readSkill is the example of the README, word for word; [Example] runs it.
func readSkill(ctx context.Context, ref string) (string, error) {
	env := atskills.Env{
		Project:   fsx.OS("."),        // the folder that holds .atskills/
		Cache:     fsx.UserCache(),    // machine-wide, shared with other clients
		Transport: upstream.Default(), // gh: over git, no git binary needed
	}
	res, err := atskills.Resolve(ctx, env, ref) // "@skills:gh:owner/repo/path" or "@skills:deploy"
	if err != nil {
		return "", err // says what to do next: near misses, smaller collections, the reason upstream gave
	}
	return res.Prompt(), nil // framed text for the turn that used the reference; nothing stays resident
}

func Example() {
	dir, err := os.MkdirTemp("", "atskills-example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.Chdir(dir); err != nil {
		log.Fatal(err)
	}
	err = fsx.WriteFile(fsx.OS("."), ".atskills/deploy/SKILL.md",
		[]byte("---\nname: deploy\ndescription: Ships a build.\n---\nRun the release script, then tag.\n"), 0o644)
	if err != nil {
		log.Fatal(err)
	}
	text, err := readSkill(context.Background(), "@skills:deploy")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(text) > 0)
	// Output: true
}

// exampleEnv is a project and an upstream in memory, as a host's unit tests would have them.
func exampleEnv() atskills.Env {
	up, err := transporttest.NewUpstream(acme)
	if err != nil {
		log.Fatal(err)
	}
	return atskills.Env{Project: memfs.New(), Cache: memfs.New(), Transport: transporttest.NewFake(up)}
}

// session is the second example of the README, word for word.
func session(ctx context.Context, env atskills.Env, messages []string, send func(system, user string)) error {
	env.Transport = transport.Memo(env.Transport) // each repository is asked once a session
	for _, message := range messages {
		block, err := atskills.Residency(ctx, env) // what .autotrigger makes resident: one string, "" for nothing
		if err != nil {
			return err
		}
		turn := atskills.Expand(ctx, env, message, atskills.ExpandOptions{}) // its references, read and framed in place
		send(strings.TrimSpace("You are a helpful agent.\n\n"+block.Text), turn.Message)
	}
	return nil
}

// A session of two turns: a skill is read where the first message refers to it, and another is made to fire on its own,
// so that the second turn has it in the system prompt.
func Example_session() {
	err := session(context.Background(), exampleEnv(), []string{
		"Ship it as @skills:gh:acme/kit/skills/deploy says.",
		"And keep @skills:gh:acme/kit/skills/review:install at hand.",
		"Thank you.",
	}, func(system, user string) {
		_, resident, _ := strings.Cut(system, "\n- ")
		fmt.Printf("%d lines; resident: %q\n", 1+strings.Count(user, "\n"), resident)
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// 11 lines; resident: ""
	// 10 lines; resident: ""
	// 1 lines; resident: "review: Reads a change. (/gh/acme/kit/skills/review/SKILL.md)"
}

// A folder without SKILL.md is a menu of the skills below it; each row's id is a reference.
func ExampleResolve() {
	res, err := atskills.Resolve(context.Background(), exampleEnv(), "@skills:gh:acme/kit/skills")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Kind, res.Served)
	fmt.Println(res.Content)
	// Output:
	// menu fresh
	// gh:acme/kit/skills/deploy: Ships a build.
	// gh:acme/kit/skills/review: Reads a change.
}

// Several references in one message share one probe, one listing and one fetch of each repository, and fail alone.
func ExampleResolveAll() {
	refs := []string{"gh:acme/kit/skills/review", "gh:acme/kit/skills/reveiw"}
	for _, out := range atskills.ResolveAll(context.Background(), exampleEnv(), refs) {
		var miss *atskills.NotFoundError
		if errors.As(out.Err, &miss) {
			fmt.Println(miss.Near)
			continue
		}
		fmt.Println(out.Resolution.Name)
	}
	// Output:
	// review
	// [gh:acme/kit/skills/review]
}

// What a model's turn gets for a skill. Without Env.Cache nothing is kept, and no folder is named.
func ExampleResolution_Prompt() {
	env := exampleEnv()
	env.Cache = nil
	res, err := atskills.Resolve(context.Background(), env, "gh:acme/kit/skills/review")
	if err != nil {
		log.Fatal(err)
	}
	res.Revision = "" // as many digits as a commit has
	fmt.Print(res.Prompt())
	// Output:
	// --- skill gh:acme/kit/skills/review (github, fresh) ---
	// review: Reads a change.
	// Files:
	//   ref/style.md
	//
	// Look twice.
	// --- end of gh:acme/kit/skills/review ---
}

// A message in, content out: the references of a message are read together. An id mentioned twice is read once and has
// two outcomes; what a turn already holds is left out by its id.
func ExampleResolveAll_message() {
	message := "Use @skills:gh:acme/kit/skills/review, then `@skills:not-this`, then @skills:gh:acme/kit/skills/review again."
	var refs []string
	for _, m := range skill.Mentions(message, skill.MentionOptions{}) {
		refs = append(refs, m.Text) // one that cannot be used has its error in its outcome
	}
	held := make(map[skill.ID]bool)
	for _, out := range atskills.ResolveAll(context.Background(), exampleEnv(), refs) {
		if out.Err != nil {
			fmt.Println(out.Err)
			continue
		}
		if !held[out.Resolution.ID] {
			held[out.Resolution.ID] = true
			fmt.Println(out.Resolution.Content)
		}
	}
	// Output: Look twice.
}
