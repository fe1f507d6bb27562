package audit

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/skill"
)

const (
	maxEntries = 20_000 // of one folder that are looked at
	maxDepth   = 64
	// maxPerCode bounds how often one code of the folder is reported; the rest is counted in the last message.
	maxPerCode = 64

	defaultBytes = 10 << 20
	defaultFiles = 1000
)

// folder looks at everything in the skill's folder.
func (v *validator) folder() {
	v.files = make(map[string]bool)
	w := folderWalk{validator: v, seen: map[string]bool{}, counts: map[skill.Code]int{}}
	w.dir("", v.top, 0)
	slices.Sort(v.report.Folders)
	r, maxBytes, maxFiles := v.report, v.opts.MaxBytes, v.opts.MaxFiles
	if maxBytes == 0 {
		maxBytes = defaultBytes
	}
	if maxFiles == 0 {
		maxFiles = defaultFiles
	}
	if r.Bytes > maxBytes || r.Files > maxFiles || v.cut {
		v.add(v.mainFile(), 1, 1, CodeBundleSize, "leave out what the skill does not need",
			"the folder holds %d files of %d bytes, and should hold at most %d of %d", r.Files, r.Bytes, maxFiles, maxBytes)
	}
}

// mainFile is where findings about the folder as a whole are shown.
func (v *validator) mainFile() string {
	if v.report.File == "" {
		return skill.SkillFile
	}
	return v.report.File
}

// folderWalk is one walk through a skill's folder.
type folderWalk struct {
	*validator
	seen   map[string]bool // real folders read
	counts map[skill.Code]int
}

// note adds a finding about a whole file, unless there are many of its kind already.
func (w *folderWalk) note(file string, code skill.Code, fix, format string, args ...any) {
	if w.counts[code]++; w.counts[code] <= maxPerCode {
		w.add(file, 1, 1, code, fix, format, args...)
	}
}

func (w *folderWalk) dir(at string, d fsx.Dir, depth int) {
	if w.seen[d.Real] || w.ctx.Err() != nil {
		return
	}
	w.seen[d.Real] = true
	w.names(at, d.Entries)
	for _, e := range d.Entries {
		if len(w.files) >= maxEntries || depth > maxDepth {
			w.cut = true
			return
		}
		if skill.Reserved(e.Name) {
			continue
		}
		w.entry(path.Join(at, e.Name), e, depth)
	}
}

func (w *folderWalk) entry(p string, e fsx.Entry, depth int) {
	w.files[p] = e.IsDir()
	switch {
	case e.Link && (e.Err != nil || !within(w.top.Real, e.Real)):
		w.note(p, CodeLinkAway, "put the file itself there", "%s is a link that leads out of the skill or nowhere", quote(p))
		return
	case e.Link:
		w.note(p, CodeLink, "put the file itself there", "%s is a link, which a copy of the skill may lack", quote(p))
	case e.Err != nil:
		w.note(p, CodeEntryUnreadable, "", "%s cannot be read: %s", quote(p), reason(e.Err))
		return
	}
	switch {
	case e.IsDir():
		if depth == 0 {
			w.report.Folders = append(w.report.Folders, e.Name)
		}
		d, err := w.view.ReadDir(p)
		if err != nil {
			w.note(p, CodeEntryUnreadable, "", "%s cannot be read: %s", quote(p), reason(err))
			return
		}
		w.dir(p, d, depth+1)
	case e.IsFile():
		w.report.Files++
		w.report.Bytes += e.Info.Size()
		w.script(p, e)
	default:
		w.note(p, CodeEntryUnreadable, "remove it", "%s is no file and no folder", quote(p))
	}
}

// within reports whether real, a path free of links, lies in the folder top.
func within(top, real string) bool {
	return top == "" || top == "." || top == real || strings.HasPrefix(real, top+"/")
}

// names reports what some systems cannot hold.
func (w *folderWalk) names(at string, entries []fsx.Entry) {
	folded := make(map[string]string)
	for _, e := range entries {
		key := strings.ToLower(norm.NFC.String(e.Name))
		if other, ok := folded[key]; ok {
			w.note(path.Join(at, e.Name), CodeNameCase, "rename one", "%s and %s are one file on some systems", quote(other), quote(e.Name))
		}
		folded[key] = e.Name
		if fsx.BadOnWindows(e.Name) {
			w.note(path.Join(at, e.Name), CodeNameWindows, "rename it", "Windows cannot hold a file called %s", quote(e.Name))
		}
	}
}

// script looks at a file below scripts/ that looks like one that is started. Others are data, or read by a program.
func (w *folderWalk) script(p string, e fsx.Entry) {
	if !strings.HasPrefix(p, "scripts/") || e.Name == "__init__.py" {
		return
	}
	switch strings.ToLower(path.Ext(e.Name)) {
	case "", ".sh", ".bash", ".zsh", ".py", ".rb", ".pl", ".js", ".mjs", ".lua", ".php":
	default:
		return
	}
	if !w.opts.Modeless && e.Info.Mode()&0o111 == 0 {
		w.note(p, CodeScriptMode, "chmod +x", "the script %s is not executable", quote(p))
	}
	head, _, err := w.view.ReadHead(p, 2)
	if err != nil {
		w.note(p, CodeEntryUnreadable, "", "%s cannot be read: %s", quote(p), reason(err))
		return
	}
	if !bytes.Equal(head, []byte("#!")) {
		w.note(p, CodeScriptShebang, "begin it with #!", "the script %s does not say what runs it", quote(p))
	}
}
