// Package examples holds programs over the library; this test holds what is promised of those that show an integration.
package examples

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// An example of an integration is read in one go: no file of it has more than 150 lines.
func TestExamplesAreShort(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"embed", "hostbackend", "intest", "toolloop"} {
		files, err := filepath.Glob(filepath.Join(name, "*.go"))
		if err != nil || len(files) < 2 {
			t.Fatalf("%s has the files %q, %v, want a program and its test", name, files, err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if n := bytes.Count(data, []byte("\n")); err != nil || n > 150 {
				t.Errorf("%s has %d lines, %v", file, n, err)
			}
		}
	}
}
