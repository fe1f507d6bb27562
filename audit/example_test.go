package audit_test

import (
	"context"
	"fmt"
	"log"

	"github.com/go-git/go-billy/v5/memfs"
	"github.com/go-git/go-billy/v5/util"

	"github.com/atskills-go/atskills/audit"
)

func ExampleValidate() {
	fsys := memfs.New()
	text := "---\nname: sort-mail\ndescription: Sorts mail. Use when an inbox is full.\nversion: 2\n---\nRun scripts/sort.sh.\n"
	if err := util.WriteFile(fsys, "sort-mail/SKILL.md", []byte(text), 0o644); err != nil {
		log.Fatal(err)
	}
	r, err := audit.Validate(context.Background(), fsys, "sort-mail", audit.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("valid:", r.Valid(), "loads:", r.Loads())
	for _, f := range r.Findings {
		fmt.Printf("%s:%v\n", f.Path, f.Finding)
	}
	// Output:
	// valid: false loads: true
	// SKILL.md:4:1: error unknown-field: the format has no field "version"
	// SKILL.md:6:5: warning reference-missing: the file "scripts/sort.sh" is not there
}

func ExampleTree() {
	fsys := memfs.New()
	for name, description := range map[string]string{"sort-mail": "Sorts mail. Use when an inbox is full.", "clean-mail": "Always use this."} {
		text := "---\nname: " + name + "\ndescription: " + description + "\n---\nOpen the inbox.\n"
		if err := util.WriteFile(fsys, "skills/"+name+"/SKILL.md", []byte(text), 0o644); err != nil {
			log.Fatal(err)
		}
	}
	a, err := audit.Tree(context.Background(), fsys, "skills", audit.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(a.Summary.Total, "skills,", a.Summary.Valid, "valid")
	for _, d := range a.Duplicates {
		fmt.Println("same", d.Kind, d.Dirs)
	}
	for _, p := range a.Phrases {
		fmt.Println("pressing:", p.Text)
	}
	// Output:
	// 2 skills, 2 valid
	// same content [skills/clean-mail skills/sort-mail]
	// pressing: always use
}

func ExampleFix() {
	fixed, repairs := audit.Fix("sort-mail", []byte("---\nname: sort-mail\ndescription: Use when: full\n---\nOpen it.\n"), audit.Options{})
	fmt.Println(repairs[0].Message)
	fmt.Print(string(fixed))
	// Output:
	// put the value of "description" in quotes
	// ---
	// name: sort-mail
	// description: 'Use when: full'
	// ---
	// Open it.
}
