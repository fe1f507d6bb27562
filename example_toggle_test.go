package atskills_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/go-git/go-billy/v5/memfs"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/fsx"
)

// A folder's line is split when one of its skills is turned off: whatever stays on gets a line in its place.
func ExampleToggle() {
	ctx, env := context.Background(), atskills.Env{Project: memfs.New()}
	for _, name := range []string{"team/flows/deploy", "team/flows/review", "team/notes"} {
		text := skillText(name[strings.LastIndexByte(name, '/')+1:], "Helps.", "")
		if err := fsx.WriteFile(env.Project, ".atskills/"+name+"/SKILL.md", []byte(text), 0o644); err != nil {
			log.Fatal(err)
		}
	}
	for _, row := range []string{"team", "team/flows/deploy"} {
		change, err := atskills.Toggle(ctx, env, row)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(change.Note)
	}
	tree, err := atskills.ReadTree(ctx, env)
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range tree.Rows {
		fmt.Println(strings.Repeat("  ", r.Depth) + r.State.Mark() + " " + r.Display)
	}
	// Output:
	// wrote line 1, `team/`
	// removed line 1, `team/`; wrote line 1, `team/flows/review`; line 2, `team/notes`
	// [~] team
	//   [~] flows
	//     [ ] deploy
	//     [x] review
	//   [x] notes
}
