package atskills

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

// maxOrigins bounds how many origins one call reads at once.
const maxOrigins = 8

// Outcome is one reference's result in [ResolveAll].
type Outcome struct {
	Ref        string      // as given
	Resolution *Resolution // nil when Err is not
	Err        error
}

// Resolve reads what ref addresses: a skill's body and files, or a menu of the skills below a folder or of the rows of a
// playlist (R, H5). The project's own folder at the id's path answers first; a bare path ends there and makes no request.
// A marked id is read through the cache, which asks upstream once whether anything changed (C4).
//
// It writes to the cache only. The suffixes :save and :install are parsed and left to the caller; :index turns a
// skill's content into its frontmatter.
//
// Errors: [*skill.SyntaxError] for what is no reference, [*NotFoundError] for a path that holds nothing,
// [*TooLargeError] over the cap, [ErrCacheInTree], a file-system error of the project, and the context's error. When
// nothing is cached, also what upstream said: a [*transport.Error] that matches [ErrNotFound], [ErrNoAccess],
// [ErrUnreachable], [ErrNotConfigured], transport.ErrProtocol or transport.ErrNoRevision, or a [*transport.LimitError].
// Upstream failures with a cached copy are warnings, not errors. A skill whose SKILL.md is larger than skill.MaxFile is a
// [*fsx.SizeError], whoever has it.
func Resolve(ctx context.Context, env Env, ref string, opts ...ResolveOption) (*Resolution, error) {
	out := ResolveAll(ctx, env, []string{ref}, opts...)[0]
	return out.Resolution, out.Err
}

// ResolveAll resolves refs and returns one outcome for each, in the order given (R10): equal ids have equal outcomes, not
// fewer. Each distinct id is read once, each repository is probed, listed and fetched once (C11), several repositories
// at a time; one failure never touches the others.
func ResolveAll(ctx context.Context, env Env, refs []string, opts ...ResolveOption) []Outcome {
	return newResolver(env, opts...).all(ctx, refs)
}

// resolver is the state of one call.
type resolver struct {
	env   Env
	opts  resolveOptions
	heads bool // frontmatter is enough: a skill that is unread is answered all the same
	cache *cache

	found   map[skill.ID]answer  // by the id asked for (Ref.ID)
	ignored map[skill.ID]Warning // the project's folder that could not answer
	want    []skill.ID           // ids that upstream is to answer, each once
}

func newResolver(env Env, opts ...ResolveOption) *resolver {
	r := &resolver{env: env, found: make(map[skill.ID]answer), ignored: make(map[skill.ID]Warning)}
	for _, opt := range opts {
		opt(&r.opts)
	}
	return r
}

// all resolves refs, once for one resolver.
func (r *resolver) all(ctx context.Context, refs []string) []Outcome {
	out := make([]Outcome, len(refs))
	parsed := make([]skill.Ref, len(refs))
	setup := r.env.check()
	for i, s := range refs {
		out[i].Ref = s
		if parsed[i], out[i].Err = skill.ParseRef(s); out[i].Err == nil {
			out[i].Err = setup
		}
		if out[i].Err == nil {
			out[i].Err = r.local(ctx, parsed[i])
		}
	}
	r.upstream(ctx)
	for i, ref := range parsed {
		if out[i].Err == nil {
			out[i].Resolution, out[i].Err = r.result(ctx, ref)
		}
	}
	return out
}

// local answers ref from the project, or notes that upstream has to (R1-R3). Only a bare path can fail here.
func (r *resolver) local(ctx context.Context, ref skill.Ref) error {
	if _, done := r.found[ref.ID]; done || slices.Contains(r.want, ref.ID) {
		return nil
	}
	var problem error // a link that is not followed, an unreadable folder
	if r.env.Project != nil && !(r.opts.upstream && ref.ID.Scheme() != skill.Local) {
		view := fsx.NewView(r.env.Project, "", true)
		for _, id := range ref.IDs() {
			a, err := r.project(ctx, view, id)
			if err == nil || !errors.Is(err, errNotExist) && !isRefusedLink(err) {
				a.err = err
				r.found[ref.ID] = a
				return nil
			}
			if isRefusedLink(err) {
				problem = fmt.Errorf("%s/%s: %w", Dir, id.DiskPath(), err)
			}
		}
	}
	if ref.ID.Scheme() != skill.Local {
		r.want = append(r.want, ref.ID)
		if problem != nil {
			r.ignored[ref.ID] = Warning{WarnUnreadable, oneLine(problem.Error())}
		}
		return nil
	}
	if problem != nil {
		return problem
	}
	return r.missingLocal(ctx, ref)
}

// project describes the project's folder for id; without one that has content the error matches errNotExist.
func (r *resolver) project(ctx context.Context, view fsx.View, id skill.ID) (answer, error) {
	base := Dir + "/" + id.DiskPath()
	if slices.ContainsFunc(strings.Split(base, "/"), skill.Reserved) {
		return answer{}, errNotExist // the walk never enters it (W2)
	}
	got, err := r.env.standing(ctx, view, id, base)
	var miss *NotFoundError
	if errors.As(err, &miss) {
		miss.Reason = "the project's folder " + oneLine(base) + " holds no skill"
	}
	if err != nil {
		return answer{}, err
	}
	a := answer{content: got, served: ServedLocal, meta: meta{ID: id}}
	if got.kind == Menu && id.Scheme() != skill.Local && !stamped(view, base) {
		a.warn(WarnPartial, "this menu lists the project's own copies alone; to see what %s has now, resolve it from upstream", id.Reference())
	}
	return a, nil
}

// stamped reports whether a save left its stamp at or above base (S2). The stamp itself is not read (R1).
func stamped(view fsx.View, base string) bool {
	for dir := base; dir != Dir && dir != "."; dir = path.Dir(dir) {
		if _, err := view.Lookup(dir + "/" + SourceFile); err == nil {
			return true
		}
	}
	return false
}

// upstream answers r.want: one goroutine an origin, a bounded number at a time, all joined here (R10, C11).
func (r *resolver) upstream(ctx context.Context) {
	if len(r.want) == 0 {
		return
	}
	r.cache = newCache(r.env)
	groups := make(map[skill.ID][]skill.ID)
	for _, id := range r.want {
		groups[id.Origin()] = append(groups[id.Origin()], id)
	}
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		slots = make(chan struct{}, maxOrigins)
	)
	for _, ids := range groups {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			got := r.cache.serve(ctx, ids)
			mu.Lock()
			defer mu.Unlock()
			for id, a := range got {
				r.found[id] = a
			}
		})
	}
	wg.Wait()
}

// result turns the answer for ref into what the caller gets.
func (r *resolver) result(ctx context.Context, ref skill.Ref) (*Resolution, error) {
	a := r.found[ref.ID]
	if a.err != nil && !(r.heads && a.unread != nil) {
		if r.cache != nil && a.served != ServedLocal {
			a.err = r.cache.onBranch(ctx, ref, a.err)
		}
		return nil, a.err
	}
	id := ref.ID
	if a.served == ServedLocal {
		id = a.meta.ID // the spelling that answered (G3)
	}
	res := &Resolution{
		Ref: ref, ID: id, Kind: a.kind, Source: source(a, id), Served: a.served,
		Revision: a.meta.Revision, Fetched: a.meta.Fetched,
		Name: a.name, Description: a.description, Content: a.body,
		Files: slices.Clone(a.files), Entries: slices.Clone(a.entries), Playlist: a.playlist, Visibility: a.meta.Visibility,
		Warnings: slices.Concat(a.warnings, a.content.warnings, a.meta.skippedWarnings(id), branchWarning(ref, a)),
	}
	if w, ok := r.ignored[ref.ID]; ok {
		res.Warnings = append(res.Warnings, w)
	}
	if ref.Index && a.kind == Skill {
		res.Content = a.frontmatter
	}
	rev := a.meta.Revision
	if a.served == ServedLocal && id.Scheme() == skill.GitHub {
		rev = r.env.savedAt(id)
	}
	res.ReviewURL = r.env.reviewURL(id, rev)
	r.place(res, a.inMemory)
	return res, nil
}

// reviewURL is the page where a person reviews id, on the host that the transport reads from (R9).
func (e Env) reviewURL(id skill.ID, rev transport.Revision) string {
	if p, ok := e.Transport.(transport.WebPager); ok {
		return p.WebURL(id, rev)
	}
	return id.WebURL("", string(rev))
}

// place sets where the content stands, as the host's file system spells it.
func (r *resolver) place(res *Resolution, inMemory bool) {
	fs, top := r.env.Project, Dir+"/"
	if res.Served != ServedLocal {
		fs, top = r.env.Cache, ""
	}
	if fs == nil || inMemory {
		for i := range res.Entries {
			res.Entries[i].Path = ""
		}
		return
	}
	res.Dir = hostPath(fs, top+res.ID.DiskPath())
	res.Path = res.Dir
	if res.Kind == Skill {
		res.Path = fs.Join(res.Dir, SkillFile)
	}
	for i, e := range res.Entries {
		if !res.Playlist {
			res.Entries[i].Path = hostPath(fs, e.Path)
		}
	}
}

func source(a answer, id skill.ID) Source {
	switch {
	case a.served == ServedLocal:
		return FromProject
	case id.Scheme() == skill.Hub:
		return FromHub
	}
	return FromGitHub
}

// branchWarning says when a pasted address names another branch or commit than the one that was read (G5).
func branchWarning(ref skill.Ref, a answer) []Warning {
	switch {
	case ref.Branch == "", ref.Branch == "HEAD", a.served != ServedLocal && ref.Branch == a.meta.Branch,
		transport.Revision(ref.Branch) == a.meta.Revision:
		return nil
	case a.served == ServedLocal:
		return []Warning{{WarnBranch, fmt.Sprintf("the address names %q; the project's own copy answered", oneLine(ref.Branch))}}
	}
	head := "HEAD"
	if a.meta.Branch != "" {
		head = fmt.Sprintf("HEAD, branch %q", oneLine(a.meta.Branch))
	}
	return []Warning{{WarnBranch, fmt.Sprintf("the address names %q; what was read is %s", oneLine(ref.Branch), head)}}
}
