package skill_test

import (
	"fmt"

	"github.com/atskills-go/atskills/skill"
)

func ExampleParse() {
	text := `---
name: Mail
description: Sorts mail: by sender. Use when an inbox is full.
allowed-tools: Read, Write
---
Read the mail first.
`
	d := skill.Parse("mail", []byte(text), skill.ParseOptions{})
	fmt.Println(d.Loads(), d.Name, d.AllowedTools)
	fmt.Println(d.Description)
	fmt.Printf("%s\n", d.Body())
	for _, f := range d.Findings {
		fmt.Println(f.Line, f.Column, f.Severity, f.Code)
	}
	// Output:
	// true Mail [Read Write]
	// Sorts mail: by sender. Use when an inbox is full.
	// Read the mail first.
	// 2 7 warning name-dir-mismatch
	// 2 7 warning name-uppercase
	// 3 14 warning yaml-retry
	// 4 16 warning allowed-tools-comma
}
