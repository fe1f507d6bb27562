package transporttest

import (
	"fmt"
	"strings"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/atskills-go/atskills/transport"
)

// NewUpstream makes the repositories an archive describes; the package comment has the format. The empty archive
// makes an upstream without repositories.
func NewUpstream(archive string) (*Upstream, error) {
	u := &Upstream{repos: map[string]*repository{}, moved: map[string]string{}}
	p := archiveReader{u: u, pending: map[string]*commitPlan{}}
	for _, f := range txtar.Parse([]byte(archive)).Files {
		if err := p.add(f.Name, string(f.Data)); err != nil {
			return nil, fmt.Errorf("archive file %q: %w", f.Name, err)
		}
	}
	for _, repo := range p.order {
		if err := p.flush(repo); err != nil {
			return nil, fmt.Errorf("archive repository %q: %w", repo, err)
		}
	}
	return u, nil
}

// commitPlan is a commit being read.
type commitPlan struct {
	dated   bool
	when    time.Time
	message string
	files   map[string]File
}

// archiveReader makes commits from files as they come; each repository has one it is still reading.
type archiveReader struct {
	u       *Upstream
	pending map[string]*commitPlan
	order   []string // repositories, as they first appear
}

func (p *archiveReader) add(name, body string) error {
	if header, ok := strings.CutPrefix(name, "== "); ok {
		return p.header(header, body)
	}
	repo, path, err := splitName(name)
	if err != nil {
		return err
	}
	path, file, err := parseFile(path, body)
	if err != nil {
		return err
	}
	plan := p.plan(repo)
	if _, ok := plan.files[path]; ok {
		return fmt.Errorf("%q twice in one commit", path)
	}
	plan.files[path] = file
	return nil
}

func (p *archiveReader) header(header, message string) error {
	repo, date, dated := strings.Cut(header, " ")
	if strings.Count(repo, "/") != 1 {
		return fmt.Errorf("%q is not a repository", repo)
	}
	if err := p.flush(repo); err != nil {
		return err
	}
	plan := p.plan(repo)
	plan.message = strings.TrimSpace(message)
	if !dated {
		return nil
	}
	when, err := time.Parse(time.RFC3339, date)
	plan.dated, plan.when = true, when
	return err
}

// plan returns the commit of repo that is being read.
func (p *archiveReader) plan(repo string) *commitPlan {
	plan, ok := p.pending[repo]
	if !ok {
		plan = &commitPlan{files: map[string]File{}}
		p.pending[repo] = plan
		p.order = append(p.order, repo)
	}
	return plan
}

// flush makes the commit being read.
func (p *archiveReader) flush(repo string) error {
	plan, ok := p.pending[repo]
	if !ok {
		return nil
	}
	p.pending[repo] = &commitPlan{files: map[string]File{}}
	p.u.Create(repo)
	if len(plan.files) == 0 && !plan.dated {
		return nil
	}
	_, err := p.u.commit(repo, plan.when, plan.message, plan.files)
	return err
}

// splitName splits an archive name into repository and path.
func splitName(name string) (repo, path string, err error) {
	owner, rest, _ := strings.Cut(name, "/")
	base, path, ok := strings.Cut(rest, "/")
	if !ok || owner == "" || base == "" || path == "" {
		return "", "", fmt.Errorf("want owner/repo/path")
	}
	return owner + "/" + base, path, nil
}

// parseFile reads the mark in round brackets that a name may end with.
func parseFile(path, body string) (string, File, error) {
	i := strings.LastIndex(path, " (")
	if i < 0 || !strings.HasSuffix(path, ")") {
		return path, File{Body: body}, nil
	}
	file := File{Body: body}
	switch mark := path[i+2 : len(path)-1]; mark {
	case "executable":
		file.Mode = transport.Executable
	case "symlink":
		file = File{Body: strings.TrimSuffix(body, "\n"), Mode: transport.Symlink}
	case "submodule":
		file = File{Body: strings.TrimSuffix(body, "\n"), Mode: transport.Submodule}
	case "deleted":
		file = File{Deleted: true}
	default:
		return path, file, nil // a name like any other
	}
	return path[:i], file, nil
}
