package skill_test

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills/skill"
)

// TestParseCorpus reads real files as an independent implementation of the format notes does.
func TestParseCorpus(t *testing.T) {
	t.Parallel()
	var files []struct {
		Path        string   `json:"path"`
		Loads       bool     `json:"loads"`
		Name        *string  `json:"name"`
		Description *string  `json:"description"`
		Problems    []string `json:"strict_problems"`
		Advice      []string `json:"advice"`
	}
	readShared(t, "corpus/expected.json", &files)
	for _, f := range files {
		t.Run(f.Path, func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(filepath.Join(shared("corpus"), filepath.FromSlash(f.Path), skill.SkillFile))
			if err != nil {
				t.Fatal(err)
			}
			d := skill.Parse(path.Base(f.Path), data, skill.ParseOptions{})
			problems, advice := d.Strict()
			wantCodes(t, "strict problems", problems, f.Problems)
			wantCodes(t, "strict advice", advice, f.Advice)
			if d.Loads() != f.Loads {
				t.Fatalf("Loads = %v, want %v", d.Loads(), f.Loads)
			}
			if !f.Loads {
				return
			}
			if diff := cmp.Diff([]string{*f.Name, *f.Description}, []string{d.Name, d.Description}); diff != "" {
				t.Errorf("name and description (-want +got):\n%s", diff)
			}
		})
	}
}

// BenchmarkParseCorpus reads the real files whole, and their heads alone.
func BenchmarkParseCorpus(b *testing.B) {
	root := shared("corpus")
	if _, err := os.Stat(root); err != nil {
		b.Skipf("no shared corpus beside the module: %v", err)
	}
	var files [][]byte
	var total int64
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.Name() != skill.SkillFile {
			return err
		}
		data, err := os.ReadFile(path)
		files, total = append(files, data), total+int64(len(data))
		return err
	})
	if err != nil || len(files) == 0 {
		b.Fatalf("%d files, %v", len(files), err)
	}
	b.Run("Parse", func(b *testing.B) {
		b.SetBytes(total)
		b.ReportAllocs()
		for b.Loop() {
			for _, data := range files {
				skill.Parse("s", data, skill.ParseOptions{})
			}
		}
	})
	b.Run("ParseHead", func(b *testing.B) {
		b.SetBytes(total)
		b.ReportAllocs()
		for b.Loop() {
			for _, data := range files {
				if _, err := skill.ParseHead("s", bytes.NewReader(data), skill.ParseOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}
