package atskills_test

import (
	"context"
	"fmt"
	"log"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/fsx"
)

// The resident part of a system prompt: a skill of the project that a pattern selects, and a collection that is followed.
// A host pushes Text as it is, "" too, and shows a person the notes, what each line costs and what drifted.
func ExampleResidency() {
	env := exampleEnv()
	for name, text := range map[string]string{
		".atskills/team/deploy/SKILL.md": "---\nname: deploy\ndescription: Ships our build.\n---\nRun it.\n",
		".atskills/.autotrigger":         "# every turn\nteam/\n@gh:acme/kit/skills/\n@gh:acme/kit/.claude\n",
	} {
		if err := fsx.WriteFile(env.Project, name, []byte(text), 0o644); err != nil {
			log.Fatal(err)
		}
	}
	block, err := atskills.Residency(context.Background(), env)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(block.Text)
	fmt.Println(block.Tokens, "tokens")
	for _, line := range block.Lines {
		fmt.Println("line", line.Number, line.Kind, len(line.Rows), "skills", line.Tokens, "tokens")
	}
	for _, note := range block.Notes {
		fmt.Println("line", note.Line, note.Code+":", note.Message)
	}
	// Output:
	// Auto-triggered Skills (.atskills/.autotrigger):
	// - deploy: Ships our build. (.atskills/team/deploy/SKILL.md)
	// - deploy: Ships a build. (/gh/acme/kit/skills/deploy/SKILL.md)
	// - review: Reads a change. (/gh/acme/kit/skills/review/SKILL.md)
	// 59 tokens
	// line 1 comment 0 skills 0 tokens
	// line 2 pattern 1 skills 15 tokens
	// line 3 cloud 2 skills 32 tokens
	// line 4 cloud 0 skills 0 tokens
	// line 4 menu: gh:acme/kit/.claude is a collection, not a skill, and nothing of it is loaded; add "/" to follow its one skill: @gh:acme/kit/.claude/
}
