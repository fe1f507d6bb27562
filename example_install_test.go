package atskills_test

import (
	"context"
	"fmt"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/fsx"
)

// Installing is one line of .autotrigger more; the change says which.
func ExampleInstall() {
	ctx, env := context.Background(), savable()
	for _, ref := range []string{"gh:acme/kit/deploy", "gh:acme/kit/deploy", "gh:acme/kit"} {
		change, err := atskills.Install(ctx, env, ref)
		if err != nil {
			panic(err)
		}
		fmt.Println(change.Note)
	}
	// Output:
	// wrote line 1, `@gh:acme/kit/deploy`
	// nothing changed: line 1, `@gh:acme/kit/deploy` already names gh:acme/kit/deploy
	// wrote line 2, `@gh:acme/kit/`
}

// Uninstalling removes the lines that name a skill, and tells what goes on selecting it.
func ExampleUninstall() {
	ctx, env := context.Background(), savable()
	err := fsx.WriteFile(env.Project, ".atskills/.autotrigger", []byte("# on call\nteam/deploy\nteam/*\n"), 0o644)
	if err != nil {
		panic(err)
	}
	err = fsx.WriteFile(env.Project, ".atskills/team/deploy/SKILL.md", []byte("---\nname: deploy\ndescription: Ships a build.\n---\n"), 0o644)
	if err != nil {
		panic(err)
	}
	change, err := atskills.Uninstall(ctx, env, "team/deploy")
	if err != nil {
		panic(err)
	}
	fmt.Println(change.Note)
	// Output: removed line 2, `team/deploy`; team/deploy still fires through line 2, `team/*`
}

// Lint tells what a line does not do, and the line that would do it.
func ExampleLint() {
	ctx, env := context.Background(), savable()
	err := fsx.WriteFile(env.Project, ".atskills/.autotrigger", []byte("gh:acme/kit/deploy\n"), 0o644)
	if err != nil {
		panic(err)
	}
	problems, err := atskills.Lint(ctx, env)
	if err != nil {
		panic(err)
	}
	for _, p := range problems {
		fmt.Printf("line %d: %s: %s; try %s\n", p.Line, p.Code, p.Message, p.Fix)
	}
	// Output: line 1: missing-at: it looks like a cloud id, and as a pattern it matches no skill; try @gh:acme/kit/deploy
}
