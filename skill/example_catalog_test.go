package skill_test

import (
	"fmt"

	"github.com/atskills-go/atskills/skill"
)

func ExampleRegistry_Catalog() {
	text := []byte("---\nname: sort-mail\ndescription: Sorts mail & more. Use when an inbox is full.\n---\nOpen the inbox.\n")
	doc := skill.Parse("sort-mail", text, skill.ParseOptions{})
	r := skill.NewRegistry([]skill.Found{
		{Doc: doc, Dir: "sort-mail", Location: "/home/me/.skills/sort-mail/SKILL.md", Scope: skill.ScopeUser},
	}, skill.RegistryOptions{})
	fmt.Print(r.Catalog(skill.CatalogOptions{}).Text)

	var active skill.Activations
	injected, err := active.Activate(r, "sort-mail", func(s skill.Registered) (skill.Content, error) {
		return skill.Content{Body: s.Doc.BodyText(), Dir: "/home/me/.skills/sort-mail"}, nil
	})
	fmt.Print(injected, err)
	// Output:
	// <available_skills>
	//   <skill>
	//     <name>sort-mail</name>
	//     <description>Sorts mail &amp; more. Use when an inbox is full.</description>
	//     <location>/home/me/.skills/sort-mail/SKILL.md</location>
	//   </skill>
	// </available_skills>
	// <skill_content name="sort-mail">
	// Open the inbox.
	//
	// Skill directory: /home/me/.skills/sort-mail
	// Relative paths in this skill start there.
	// </skill_content>
	// <nil>
}

func ExampleCompose() {
	text, err := skill.Compose("sort-mail", "Sorts mail: use when an inbox is full.", "Open the inbox.")
	fmt.Print(string(text), err)
	// Output:
	// ---
	// name: sort-mail
	// description: "Sorts mail: use when an inbox is full."
	// ---
	//
	// Open the inbox.
	// <nil>
}
