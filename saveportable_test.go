package atskills_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/go-git/go-billy/v5"
	"github.com/google/go-cmp/cmp"

	"github.com/atskills-go/atskills"
)

// folding is a file system that does not tell cases apart, as macOS and Windows have them.
type folding struct{ billy.Filesystem }

func (f folding) Lstat(name string) (os.FileInfo, error) {
	info, err := f.Filesystem.Lstat(name)
	if err == nil || !strings.Contains(name, "/") {
		return info, err
	}
	i := strings.LastIndexByte(name, '/')
	infos, listErr := f.Filesystem.ReadDir(name[:i])
	if listErr != nil {
		return nil, err
	}
	for _, other := range infos {
		if strings.EqualFold(other.Name(), name[i+1:]) {
			return other, nil
		}
	}
	return nil, err
}

// Class 12: paths that a careless file system takes for one are refused by name before anything is written where it is
// one, and reported elsewhere.
func TestSaveNamesThatDifferInCase(t *testing.T) {
	t.Parallel()
	archive := acme + `
-- acme/kit/skills/review/ref/STYLE.md --
other
-- acme/kit/skills/Review/SKILL.md --
` + skillText("review", "Differs in case.", "x")
	w := newWorld(t, archive)
	got := w.save(skillsRef)
	if !hasWarning(got.Warnings, atskills.WarnPortable, `"Review", "review"`, `"review/ref/STYLE.md", "review/ref/style.md"`) || got.Skills != 3 {
		t.Errorf("Save = %+v", got)
	}
	w = newWorld(t, archive)
	w.env.Project = folding{w.env.Project}
	_, err := atskills.Save(t.Context(), w.env, skillsRef)
	var e *atskills.NamesError
	if !errors.As(err, &e) || !cmp.Equal(e.Names, []string{"Review", "review", "review/ref/STYLE.md", "review/ref/style.md"}) ||
		!strings.Contains(err.Error(), "review/ref/STYLE.md") {
		t.Errorf("Save error %v", err)
	}
	if left := tree(t, w.env.Project, ""); len(left) != 0 {
		t.Errorf("a refusal wrote %v", left)
	}
	if got := w.save(deployRef); got.State != atskills.SavedNew {
		t.Errorf("Save = %+v", got)
	}
}

// Class 12: what Windows cannot hold, or its programs cannot open, is reported where it can be saved.
func TestSaveNamesOfWindows(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long/", 50) + "name"
	w := newWorld(t, acme+"-- acme/kit/skills/review/aux.md --\nx\n-- acme/kit/skills/review/end. --\nx\n-- acme/kit/skills/review/"+long+" --\nx\n")
	got := w.save(reviewRef)
	if !hasWarning(got.Warnings, atskills.WarnPortable, `"aux.md", "end."`) || !hasWarning(got.Warnings, atskills.WarnPortable, "260", long) || len(got.Warnings) != 2 {
		t.Errorf("warnings %v", got.Warnings)
	}
}

// modeless is a file system without an executable bit: every file has it, or none.
type modeless struct {
	billy.Filesystem
	all bool
}

type fixedMode struct {
	os.FileInfo
	perm os.FileMode
}

func (i fixedMode) Mode() os.FileMode { return i.FileInfo.Mode()&^0o777 | i.perm }

func (m modeless) info(info os.FileInfo) os.FileInfo {
	if m.all || info.IsDir() {
		return fixedMode{info, 0o777}
	}
	return fixedMode{info, 0o666}
}

func (m modeless) Lstat(name string) (os.FileInfo, error) {
	info, err := m.Filesystem.Lstat(name)
	if err != nil {
		return nil, err
	}
	return m.info(info), nil
}

func (m modeless) ReadDir(name string) ([]os.FileInfo, error) {
	infos, err := m.Filesystem.ReadDir(name)
	for i := range infos {
		infos[i] = m.info(infos[i])
	}
	return infos, err
}

// S4: the executable bit counts only where the file system has one.
func TestSaveWithoutModes(t *testing.T) {
	t.Parallel()
	for name, all := range map[string]bool{"none executable": false, "all executable": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, acme)
			w.env.Project = modeless{w.env.Project, all}
			w.save(deployRef)
			w.commit(map[string]string{"skills/deploy/.hidden": "new"})
			if got := w.save(deployRef); got.State != atskills.SavedReplaced {
				t.Errorf("Save = %+v", got)
			}
			if got := w.save(deployRef); got.State != atskills.SavedUnchanged {
				t.Errorf("Save = %+v", got)
			}
			w.edit(deployCopy+"/SKILL.md", "mine")
			w.conflict(deployRef)
			w.edit(deployCopy+"/SKILL.md", skillText("deploy", "Ships a build.", "Run scripts/run.sh."))
			w.removeCopy(deployRef, false)
		})
	}
}
