package skill

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// SkillFile is the file that makes a folder a skill. The name is compared exactly (W1).
const SkillFile = "SKILL.md"

// The bounds of a walk.
const (
	MaxWalkDepth = 64      // folders below the top
	MaxWalkNodes = 200_000 // entries read by one [Walk]
)

// Kind is what a [Node] is.
type Kind uint8

// The kinds of node. A followed link has the kind of what it leads to.
const (
	File  Kind = iota // a regular file
	Dir               // a folder
	Link              // a link that was not followed
	Other             // a device, a submodule, anything else
)

// Node is one entry of a folder.
type Node struct {
	Name string
	Kind Kind
	// Linked says that a link was followed to get here. Such folders are read after all real ones (W3).
	Linked bool
	// Err says why the node cannot be used: a link that leaves the project or dangles. It is reported and the node
	// skipped.
	Err error
}

// Listing is the content of one folder, in any order.
type Listing struct {
	// Real names the folder behind all links, "" for the path it was asked for. Two listings of one folder have the
	// same Real, so whoever sets it for one folder sets it, in the same terms, for every folder a link can lead to.
	Real  string
	Nodes []Node
}

// Problem is something a walk came upon and did not count. It is never fatal to what lies beside it (W6).
type Problem struct {
	Path string // slash-separated, below the top; "" is the top
	Code string // one of the Problem constants
	Err  error
}

func (p Problem) Error() string { return fmt.Sprintf("%q: %v", p.Path, p.Err) }

// Unwrap returns the reason.
func (p Problem) Unwrap() error { return p.Err }

// The codes of a [Problem].
const (
	ProblemUnreadable = "unreadable" // the folder or entry cannot be read (W6)
	ProblemLink       = "link"       // a link that must not be followed, or a SKILL.md that is one (W3, F2)
	ProblemDuplicate  = "duplicate"  // a link to a folder that was counted already, or to one around it (W3)
	ProblemCase       = "file-name"  // skill.md in any case but the right one, alone in its folder (W1)
	ProblemNotFile    = "not-a-file" // SKILL.md is a folder or a device
	ProblemName       = "name"       // an entry whose name is no name
	ProblemLimit      = "limit"      // past MaxWalkDepth or MaxWalkNodes; what lies beyond is not counted
)

// Reserved reports whether a folder of that name is never walked: .git in any case (W2).
func Reserved(name string) bool { return strings.EqualFold(name, ".git") }

// Walk applies the leaf rule: a folder with SkillFile is a skill, and nothing below it is one (W1). It returns the
// paths of the skills below the top, "" when the top itself is the only one, and what went wrong; both in byte order
// of the slash-separated path (W4).
//
// Walk calls read once for each folder, the top as "". A folder whose read fails is a problem. Folders reached through
// links are read after all others, and each real folder counts once, under the first path that reached it (W3).
// It is never called again once Walk has returned, nor twice at once.
func Walk(read func(dir string) (Listing, error)) (dirs []string, problems []Problem) {
	w := walker{read: read, nodes: MaxWalkNodes, seen: make(map[string]string)}
	return w.run()
}

// Leaves applies the leaf rule of [Walk] to a list of file paths, as an upstream's listing gives them: regular files
// only, relative, slash-separated, in any order (W5).
func Leaves(paths []string) (dirs []string, problems []Problem) {
	t := pathTree{"": nil}
	for _, p := range paths {
		t.add(p, File)
	}
	// The list is in memory already: MaxWalkNodes bounds what a walk may bring there.
	w := walker{read: t.read, nodes: len(t) + len(paths), seen: make(map[string]string)}
	return w.run()
}

// pathTree holds the nodes of each folder by its path.
type pathTree map[string][]Node

// add enters the entry at p and the folders above it that are not there yet.
func (t pathTree) add(p string, kind Kind) {
	for {
		i := strings.LastIndexByte(p, '/')
		dir, name := "", p[i+1:]
		switch {
		case i > 0:
			dir = p[:i]
		case i == 0:
			name = "" // an absolute path begins with an empty name
		}
		nodes, known := t[dir]
		t[dir] = append(nodes, Node{Name: name, Kind: kind})
		if known {
			return
		}
		p, kind = dir, Dir
	}
}

func (t pathTree) read(dir string) (Listing, error) { return Listing{Nodes: t[dir]}, nil }

// walker is the state of one walk.
type walker struct {
	read     func(dir string) (Listing, error)
	nodes    int               // how many more may be read
	seen     map[string]string // real folders read, and the path that reached them
	later    []string          // folders behind links
	dirs     []string
	problems []Problem
}

func (w *walker) run() ([]string, []Problem) {
	w.visit("", 0)
	for len(w.later) > 0 {
		next := w.later
		w.later = nil
		slices.Sort(next)
		for _, dir := range next {
			w.visit(dir, strings.Count(dir, "/")+1)
		}
	}
	slices.Sort(w.dirs)
	slices.SortFunc(w.problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Code, b.Code))
	})
	return w.dirs, w.problems
}

// visit reads dir, which lies depth folders below the top, and what is below it.
func (w *walker) visit(dir string, depth int) {
	if depth > MaxWalkDepth {
		w.report(dir, ProblemLimit, fmt.Errorf("more than %d folders deep", MaxWalkDepth))
		return
	}
	if w.nodes < 0 {
		return
	}
	l, err := w.read(dir)
	if err != nil {
		w.report(dir, ProblemUnreadable, err)
		return
	}
	if !w.first(dir, l.Real) {
		return
	}
	if w.nodes -= len(l.Nodes); w.nodes < 0 {
		w.report(dir, ProblemLimit, fmt.Errorf("more than %d entries; skills from here on are not counted", MaxWalkNodes))
		return
	}
	if w.isSkill(dir, l.Nodes) {
		w.dirs = append(w.dirs, dir)
		return
	}
	for _, n := range slices.SortedFunc(slices.Values(l.Nodes), byName) {
		w.enter(dir, n, depth)
	}
}

// first reports whether dir's real folder has not been read before.
func (w *walker) first(dir, real string) bool {
	if real == "" {
		real = dir
	}
	if prior, ok := w.seen[real]; ok {
		as := fmt.Sprintf("%q", prior)
		if prior == "" {
			as = "the top of the tree"
		}
		w.report(dir, ProblemDuplicate, fmt.Errorf("the same folder as %s, which counts", as))
		return false
	}
	w.seen[real] = dir
	return true
}

// enter goes on with one node of a folder that is no skill.
func (w *walker) enter(dir string, n Node, depth int) {
	path := joinPath(dir, n.Name)
	switch {
	case n.Name == "" || n.Name == "." || n.Name == ".." || strings.Contains(n.Name, "/"):
		w.report(dir, ProblemName, fmt.Errorf("an entry is called %q", n.Name))
	case Reserved(n.Name):
	case n.Err != nil && n.Kind == Link:
		w.report(path, ProblemLink, n.Err)
	case n.Err != nil:
		w.report(path, ProblemUnreadable, n.Err)
	case n.Kind == Dir && n.Linked:
		w.later = append(w.later, path)
	case n.Kind == Dir:
		w.visit(path, depth+1)
	}
}

// isSkill reports whether nodes hold a SkillFile, and reports what only looks like one.
func (w *walker) isSkill(dir string, nodes []Node) bool {
	for _, n := range nodes {
		if n.Name == SkillFile && n.Kind == File && n.Err == nil {
			return true
		}
	}
	for _, n := range nodes {
		if len(n.Name) == len(SkillFile) && strings.EqualFold(n.Name, SkillFile) {
			w.nearSkill(joinPath(dir, n.Name), n)
		}
	}
	return false
}

// nearSkill reports a node that someone may have meant as SkillFile. A node with an error is reported by enter.
func (w *walker) nearSkill(path string, n Node) {
	switch {
	case n.Err != nil:
	case n.Name != SkillFile && n.Kind == File:
		w.report(path, ProblemCase, fmt.Errorf("found %s; a skill's file is called %s exactly", n.Name, SkillFile))
	case n.Name != SkillFile:
	case n.Kind == Link:
		w.report(path, ProblemLink, errors.New("a link, which is not followed here"))
	default:
		w.report(path, ProblemNotFile, fmt.Errorf("%s is not a regular file", SkillFile))
	}
}

func (w *walker) report(path, code string, err error) {
	w.problems = append(w.problems, Problem{path, code, err})
}

func joinPath(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}

func byName(a, b Node) int { return cmp.Compare(a.Name, b.Name) }
