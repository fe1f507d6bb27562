package atskills

import (
	"fmt"
	"path"
	"runtime"
	"slices"
	"strings"
	"unicode/utf16"

	"golang.org/x/text/unicode/norm"

	"github.com/go-git/go-billy/v5"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/skill"
)

// NamesError refuses to save files under names that the project's file system cannot hold. Nothing was written.
type NamesError struct {
	ID     skill.ID
	Names  []string // slash-separated, relative to the folder of ID
	Reason string
}

func (e *NamesError) Error() string {
	return fmt.Sprintf("save %s: %s: %s", e.ID.Reference(), e.Reason, strings.Join(quoted(e.Names), ", "))
}

// maxWindowsPath is the length from which many Windows programs cannot open a path any more.
const maxWindowsPath = 260

// nameReport is what is wrong with the names of a tree, on some systems or on all.
type nameReport struct {
	same [][2]string // pairs that a disk without case or normalisation takes for one
	bad  []string    // names that Windows cannot hold
	long []string    // paths over maxWindowsPath as the host spells them
}

// checkNames looks at paths, slash-separated, that are to stand below dir; host is how long dir is as the host spells
// it, in UTF-16 units as Windows counts.
func checkNames(dir string, host int, paths []string) nameReport {
	var r nameReport
	folded := make(map[string]string) // by what a careless disk makes of a path, the path
	badDir := slices.ContainsFunc(strings.Split(dir, "/"), fsx.BadOnWindows)
	for _, name := range paths {
		if badDir || slices.ContainsFunc(strings.Split(name, "/"), fsx.BadOnWindows) {
			r.bad = append(r.bad, name)
		}
		if host+1+len(utf16.Encode([]rune(name))) > maxWindowsPath {
			r.long = append(r.long, name)
		}
		for p := name; p != "."; p = path.Dir(p) { // two folders can be one, too
			key := foldName(p)
			other, ok := folded[key]
			if ok && other == p {
				break // so are the folders above
			}
			if !ok {
				folded[key] = p
				continue
			}
			if pair := [2]string{other, p}; path.Dir(other) == path.Dir(p) && !slices.Contains(r.same, pair) {
				r.same = append(r.same, pair)
			}
		}
	}
	return r
}

func foldName(name string) string { return strings.ToLower(norm.NFC.String(name)) }

// judge turns the report into warnings, or into an error when the target cannot hold the names: windows says that it is
// a Windows disk, and probe is an empty folder of it where names can be tried.
func (r nameReport) judge(id skill.ID, fsys billy.Filesystem, probe string, windows bool) ([]Warning, error) {
	var lost []string
	for _, pair := range r.same {
		one, err := takesForOne(fsys, probe, path.Base(pair[0]), path.Base(pair[1]))
		if err != nil {
			return nil, err
		}
		if one {
			lost = append(lost, pair[0], pair[1])
		}
	}
	if len(lost) > 0 {
		return nil, &NamesError{ID: id, Names: lost, Reason: "the project's file system takes these names for the same"}
	}
	if windows && len(r.bad) > 0 {
		return nil, &NamesError{ID: id, Names: r.bad, Reason: "Windows cannot hold these names"}
	}
	var out []Warning
	warn := func(names []string, what string) {
		if len(names) > 0 {
			out = append(out, Warning{WarnPortable, what + ": " + strings.Join(quoted(firstNames(names)), ", ")})
		}
	}
	var same []string
	for _, pair := range r.same {
		same = append(same, pair[0], pair[1])
	}
	warn(same, "names that macOS and Windows take for the same")
	warn(r.bad, "names that Windows cannot hold")
	warn(r.long, fmt.Sprintf("paths over %d characters, which many Windows programs cannot open", maxWindowsPath))
	return out, nil
}

// takesForOne tries whether the file system keeps two names apart.
func takesForOne(fsys billy.Filesystem, dir, a, b string) (bool, error) {
	at := path.Join(dir, a)
	if _, err := fsx.CopyFrom(fsys, at, strings.NewReader(""), 0o644, 0); err != nil {
		return false, fmt.Errorf("try the name %q: %w", a, err)
	}
	_, err := fsys.Lstat(path.Join(dir, b))
	return err == nil, fsys.Remove(at)
}

// onWindows reports whether the project may lie on a disk of Windows.
func onWindows() bool { return runtime.GOOS == "windows" }

func quoted(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = fmt.Sprintf("%q", n)
	}
	return out
}
