package atskills_test

import (
	"os"
	"strings"
	"testing"
)

// The README's Go code is the code that example_test.go compiles and runs.
func TestReadmeExample(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, code, found := strings.Cut(string(readme), "```go\n")
	code, _, closed := strings.Cut(code, "```")
	if !found || !closed {
		t.Fatal("README.md has no Go code")
	}
	if !strings.Contains(string(source), "\n"+code) {
		t.Errorf("README.md's example is not in example_test.go:\n%s", code)
	}
}
