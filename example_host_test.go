package atskills_test

import (
	"context"
	"fmt"
	"log"

	"github.com/atskills-go/atskills"
	"github.com/atskills-go/atskills/fsx"
)

// What a message refers to, and where. One that cannot be used keeps its place and says why.
func ExampleReferences() {
	message := "Use @skills:team/deploy:save, not `@skills:this` and not @skills:gh:acme."
	for _, m := range atskills.References(message) {
		if m.Err != nil {
			fmt.Println(m.Start, m.Err)
			continue
		}
		fmt.Println(m.Start, m.Ref.ID, m.Ref.Save)
	}
	// Output:
	// 4 team/deploy true
	// 57 reference "@skills:gh:acme": gh:acme names an owner only; a repository is gh:acme/<repo>
}

// A ceiling cuts the content and says so; the frame stays whole, and the hash tells a repeat from news.
func ExampleRenderer() {
	env := exampleEnv()
	env.Cache = nil
	res, err := atskills.Resolve(context.Background(), env, "gh:acme/kit/skills/review")
	if err != nil {
		log.Fatal(err)
	}
	res.Revision = "" // as many digits as a commit has
	res.Content = "Look twice.\nThen look again, and say what you saw. Approve only then."
	whole := atskills.Renderer{Format: atskills.RenderXML}.Render(res)
	fmt.Print(whole.Text)
	short := atskills.Renderer{Format: atskills.RenderNumbered, MaxBytes: 210}.Render(res)
	fmt.Print(short.Text)
	fmt.Println(whole.Hash == short.Hash)
	// Output:
	// <skill_content name="review" id="gh:acme/kit/skills/review" source="github, fresh">
	// Look twice.
	// Then look again, and say what you saw. Approve only then.
	//
	// <skill_resources>
	//   <file>ref/style.md</file>
	// </skill_resources>
	// </skill_content>
	// --- skill gh:acme/kit/skills/review (github, fresh) ---
	// review: Reads a change.
	// Files:
	//   ref/style.md
	//
	//      1	Look twice.
	//      2	Then look
	// --- cut at 21 of 69 bytes ---
	// --- end of gh:acme/kit/skills/review ---
	// false
}

// What a person may have meant, from an index that a host keeps; no request is made.
func ExampleIndex_Complete() {
	env := exampleEnv()
	for name, description := range map[string]string{"team/deploy": "Ships a build.", "docs/depth": "Measures."} {
		text := "---\nname: x\ndescription: " + description + "\n---\n"
		if err := fsx.WriteFile(env.Project, ".atskills/"+name+"/SKILL.md", []byte(text), 0o644); err != nil {
			log.Fatal(err)
		}
	}
	index, err := atskills.NewIndex(context.Background(), env)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range index.Complete("te/de", 5) {
		fmt.Println(c.Text, "-", c.Description, c.Where)
	}
	// Output: @skills:team/deploy - Ships a build. .atskills/team/deploy
}

// Before a cloud skill's script is run for the first time, and again for each other revision, a person is asked.
func ExampleNeedsApproval() {
	ctx, env := context.Background(), exampleEnv()
	const ref, script = "gh:acme/kit/skills/deploy", "scripts/run.sh"
	if _, err := atskills.Resolve(ctx, env, ref); err != nil {
		log.Fatal(err)
	}
	a, err := atskills.NeedsApproval(ctx, env, ref, script)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(a.Needed, a.State)
	if err := atskills.Approve(ctx, env, a); err != nil { // when the person said yes
		log.Fatal(err)
	}
	a, err = atskills.NeedsApproval(ctx, env, ref, script)
	fmt.Println(a.Needed, a.State, err)
	// Output:
	// true new
	// false same <nil>
}

// The tools that stand behind a resident block, and the loop that answers a model's calls.
func ExampleTools() {
	ctx, env := context.Background(), exampleEnv()
	if _, err := atskills.Install(ctx, env, "gh:acme/kit/skills/review"); err != nil {
		log.Fatal(err)
	}
	block, err := atskills.Residency(ctx, env)
	if err != nil {
		log.Fatal(err)
	}
	tools := atskills.NewTools(env, block.Rows, atskills.Renderer{})
	for _, def := range tools.Definitions() {
		fmt.Println(def.Name, tools.Names())
	}
	for _, args := range []string{`{"name": "review", "path": "style.md"}`, `{"name": "review", "path": "ref/style.md"}`} {
		text, err := tools.Call(ctx, atskills.ReadFileTool, []byte(args))
		if err != nil {
			text = err.Error() + "\n" // the model's to read as well
		}
		fmt.Print(text)
	}
	// Output:
	// activate_skill [review]
	// read_skill_file [review]
	// nothing at gh:acme/kit/skills/review: the skill bundles no file "style.md"; there is ref/style.md; did you mean ref/style.md
	// --- file ref/style.md (6 bytes) ---
	// style
	// --- end of file ref/style.md ---
}

// A message in, context out: what the references bring stands behind the lines that refer to them.
func ExampleExpand() {
	env := exampleEnv()
	message := "Keep @skills:gh:acme/kit/skills/review:save:install and use it here.\nThanks!"
	out := atskills.Expand(context.Background(), env, message, atskills.ExpandOptions{})
	fmt.Println(out.Message)
	fmt.Println("---")
	fmt.Println(out.Report)
	// Output:
	// Keep @skills:gh:acme/kit/skills/review:save:install and use it here.
	// --- skill gh:acme/kit/skills/review (local) ---
	// review: Reads a change.
	// Folder: /.atskills/gh/acme/kit/skills/review (relative paths start here)
	// Files:
	//   ref/style.md
	//
	// Look twice.
	// --- end of gh:acme/kit/skills/review ---
	// Thanks!
	// ---
	// 1 loaded, 1 saved, 1 resident
	// @skills:gh:acme/kit/skills/review: saved to /.atskills/gh/acme/kit/skills/review
	// @skills:gh:acme/kit/skills/review: wrote line 1, `gh/acme/kit/skills/review`
}
