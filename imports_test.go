package atskills_test

import (
	"os/exec"
	"strings"
	"testing"
)

// Imports flow one way: an importer of the root or of skill must not link go-git, net/http or os/exec, and skill
// touches nothing outside memory.
func TestImports(t *testing.T) {
	t.Parallel()
	const module = "github.com/atskills-go/atskills"
	heavy := []string{"net/http", "os/exec", "github.com/go-git/go-git/"}
	tests := []struct {
		pkg       string
		forbidden []string
	}{
		{module, append([]string{module + "/audit", module + "/transport/git", module + "/transport/hub", module + "/internal/gitwire"}, heavy...)},
		{module + "/skill", append([]string{module + "/", "github.com/go-git/go-billy/", "io/ioutil"}, heavy...)},
		{module + "/audit", append([]string{module + "/transport", module + "/internal/gitwire"}, heavy...)},
		{module + "/fsx", append([]string{module + "/", "github.com/goccy/"}, heavy...)},
		{module + "/transport", append([]string{module + "/fsx", module + "/internal", "github.com/go-git/"}, heavy...)},
	}
	for _, tt := range tests {
		out, err := exec.Command("go", "list", "-deps", tt.pkg).Output()
		if err != nil {
			t.Fatalf("go list -deps %s: %v", tt.pkg, err)
		}
		for dep := range strings.Lines(string(out)) {
			dep = strings.TrimSpace(dep)
			for _, bad := range tt.forbidden {
				if dep != tt.pkg && (dep == bad || strings.HasPrefix(dep, bad) && strings.HasSuffix(bad, "/")) {
					t.Errorf("%s imports %s", tt.pkg, dep)
				}
			}
		}
	}
}
