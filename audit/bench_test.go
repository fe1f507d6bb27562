package audit_test

import (
	"strings"
	"testing"

	"github.com/go-git/go-billy/v5/memfs"

	"github.com/atskills-go/atskills/audit"
)

// BenchmarkValidate reads bodies of a mebibyte that are made to be expensive.
func BenchmarkValidate(b *testing.B) {
	for name, unit := range map[string]string{
		"prose": "Read the mail. Sort it by sender.\n", "links": "[a](x/y.md) ", "open": "](", "half": "](a \"b ", "nested": "](a(", "paths": "scripts/a/-/",
		"dashes": "-", "ticks": "`", "fences": "```\n", "lines": "\r",
	} {
		b.Run(name, func(b *testing.B) {
			fsys := memfs.New()
			tree{"s/SKILL.md": good + strings.Repeat(unit, (1<<20-len(good))/len(unit))}.write(b, fsys)
			b.SetBytes(1 << 20)
			b.ReportAllocs()
			for b.Loop() {
				if r, err := audit.Validate(b.Context(), fsys, "s", audit.Options{}); err != nil || !r.Loads() {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkFix repairs files that are made to be expensive.
func BenchmarkFix(b *testing.B) {
	for name, fields := range map[string]string{
		"colons": strings.Repeat("a: b: c\n", 2000), "renames": "Name: s\nDescription: d\n" + strings.Repeat("LICENSE: x\n", 1000), "body": "description: a: b",
	} {
		data := []byte("---\n" + fields + "\n---\n" + strings.Repeat("Body.\n", 1000))
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				audit.Fix("s", data, audit.Options{})
			}
		})
	}
}
