package skill_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills/skill"
)

// vector is one line of the shared format vectors: a file and its two readings.
type vector struct {
	ID       string `json:"id"`
	DirName  string `json:"dir_name"`
	FileName string `json:"file_name"`
	Text     string `json:"skill_md"`
	Bytes    []byte `json:"skill_md_base64"`
	Strict   struct {
		Valid    bool     `json:"valid"`
		Problems []string `json:"problems"`
		Advice   []string `json:"advice"`
	} `json:"strict"`
	Lenient struct {
		Loads        bool              `json:"loads"`
		Name         *string           `json:"name"`
		Description  *string           `json:"description"`
		Warnings     []string          `json:"warnings"`
		Error        string            `json:"error"`
		AllowedTools []string          `json:"allowed_tools"`
		Metadata     map[string]string `json:"metadata"`
	} `json:"lenient"`
}

// TestVectors reads the shared vectors in both readings (section 5).
func TestVectors(t *testing.T) {
	t.Parallel()
	var vectors []vector
	readShared(t, "spec/skill-vectors.json", &vectors)
	for _, v := range vectors {
		t.Run(v.ID, func(t *testing.T) {
			t.Parallel()
			data := v.Bytes
			if data == nil {
				data = []byte(v.Text)
			}
			d := skill.Parse(v.DirName, data, skill.ParseOptions{FileName: v.FileName})
			problems, advice := d.Strict()
			wantCodes(t, "strict problems", problems, v.Strict.Problems)
			wantCodes(t, "strict advice", advice, v.Strict.Advice)
			wantCodes(t, "lenient findings", d.Findings, v.Lenient.Warnings)
			if d.Loads() != v.Lenient.Loads || string(d.Refusal()) != v.Lenient.Error {
				t.Errorf("Loads = %v for %q, want %v for %q", d.Loads(), d.Refusal(), v.Lenient.Loads, v.Lenient.Error)
			}
			if !v.Lenient.Loads {
				return
			}
			if d.Name != *v.Lenient.Name || d.Description != *v.Lenient.Description {
				t.Errorf("name, description = %q, %q, want %q, %q", d.Name, d.Description, *v.Lenient.Name, *v.Lenient.Description)
			}
			if diff := cmp.Diff(v.Lenient.AllowedTools, d.AllowedTools); diff != "" {
				t.Errorf("allowed tools (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(v.Lenient.Metadata, d.Metadata); diff != "" {
				t.Errorf("metadata (-want +got):\n%s", diff)
			}
		})
	}
}

// codes returns the set of codes in fs, sorted.
func codes(fs []skill.Finding) []string {
	out := make([]string, 0, len(fs))
	for _, f := range fs {
		out = append(out, string(f.Code))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func wantCodes(t *testing.T, what string, got []skill.Finding, want []string) {
	t.Helper()
	if diff := cmp.Diff(append([]string{}, want...), codes(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s\n%v", what, diff, got)
	}
}

// shared returns the path of a file of the data shared between implementations, which lies beside the module where it
// is at hand.
func shared(name string) string { return filepath.Join("..", "..", "shared", filepath.FromSlash(name)) }

func readShared(t *testing.T, name string, into any) {
	t.Helper()
	data, err := os.ReadFile(shared(name))
	if os.IsNotExist(err) {
		t.Skipf("%s is not here: it is shared data and no part of the module", shared(name))
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}
