package atskills

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

// Copy is what [Verify] found out about one saved copy.
type Copy struct {
	Dir   string // its folder, slash-separated, from the root of [Env.Project]
	Stamp Stamp  // what it was saved from; it stands in Dir or, when a part of a copy was asked about, above
	State CopyState
	Files []FileChange // what was edited, relative to Dir, in byte order
	// Reason says why it cannot be compared and Err what kept it from that, nil for a fault of the stamp.
	Reason string
	Err    error
}

// CopyState says whether a copy is what was saved.
type CopyState string

// The states of a copy.
const (
	CopyUnedited     CopyState = "unedited"     // byte for byte what was saved
	CopyEdited       CopyState = "edited"       // it was changed since; Files says where
	CopyUnverifiable CopyState = "unverifiable" // upstream cannot tell, and a save takes it for edited (S4)
)

// Verify compares saved copies with upstream at the revisions that their stamps record: the mark of a tree that needs
// upstream (V1, S4). Refs name copies, parts of them or folders above; without any, all copies of the project are looked
// at. The result has one element for each stamp, in byte order of their folders. [Diff] shows what changed on either side.
//
// It writes nothing, not even to the cache. (What an interrupted save left half done is undone first.) It costs one
// listing for each origin and recorded revision, and no body unless upstream has no digests.
//
// A copy that cannot be compared is in the result, with the reason. Errors are [*skill.SyntaxError] and [*NotFoundError]
// for a ref, a file-system error of the project, and the context's error.
func Verify(ctx context.Context, env Env, refs ...string) ([]Copy, error) {
	p, err := newProject(env)
	if err != nil {
		return nil, err
	}
	v := &verifier{project: p, snaps: make(map[verified]listed)}
	defer v.close()
	if len(refs) == 0 {
		err = v.all(ctx)
	}
	for _, ref := range refs {
		if err == nil {
			err = v.ref(ctx, ref)
		}
	}
	if err == nil {
		err = v.compare(ctx)
	}
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(v.copies, func(a, b Copy) int { return strings.Compare(a.Dir, b.Dir) })
	return slices.CompactFunc(v.copies, func(a, b Copy) bool { return a.Dir == b.Dir }), nil
}

// verifier is one call.
type verifier struct {
	project
	units  []verifyUnit
	copies []Copy
	snaps  map[verified]listed
}

// verifyUnit is what one stamp speaks for at a place.
type verifyUnit struct {
	at *place
	copyUnit
}

// verified is one state of an origin.
type verified struct {
	origin skill.ID
	rev    transport.Revision
}

// listed is the listing of one state, or why there is none.
type listed struct {
	transport.Snapshot
	err error
}

// all takes up every stamp below Dir. What stands below a stamped folder is looked at together with it.
func (v *verifier) all(ctx context.Context) error {
	s, err := v.env.survey(ctx)
	if err != nil {
		return err
	}
	last := ""
	for _, dir := range slices.Sorted(maps.Keys(s.stamps)) {
		if last != "" && within(last, dir) {
			continue
		}
		last = dir
		id, err := skill.ParseDiskPath(dir)
		if err != nil {
			stamp := readStamp(s.view, path.Join(Dir, dir)).Stamp
			stamp.Dir = path.Join(Dir, dir)
			v.copies = append(v.copies, Copy{Dir: stamp.Dir, Stamp: stamp, State: CopyUnverifiable, Reason: "no reference addresses its folder", Err: err})
			continue
		}
		if err := v.look(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// ref takes up the stamps that speak for what ref addresses.
func (v *verifier) ref(ctx context.Context, ref string) error {
	parsed, err := skill.ParseRef(ref)
	if err != nil {
		return err
	}
	at, err := v.find(ctx, parsed)
	if err != nil {
		return err
	}
	v.add(at)
	return nil
}

func (v *verifier) look(ctx context.Context, id skill.ID) error {
	at, err := v.project.look(ctx, id)
	if err != nil {
		return fmt.Errorf("read %s/%s: %w", Dir, oneLine(id.DiskPath()), err)
	}
	v.add(at)
	return nil
}

func (v *verifier) add(at *place) {
	units, _ := at.units()
	for _, u := range units {
		v.units = append(v.units, verifyUnit{at, u})
	}
}

// compare compares every unit with the revision of its stamp. All ids of one state are listed together.
func (v *verifier) compare(ctx context.Context) error {
	ids := make(map[verified][]skill.ID)
	for _, u := range v.units {
		if key := u.state(); u.stamp.Problem == "" && !slices.Contains(ids[key], u.stamp.ID) {
			ids[key] = append(ids[key], u.stamp.ID)
		}
	}
	for _, u := range v.units {
		key := u.state()
		if _, asked := v.snaps[key]; !asked && u.stamp.Problem == "" {
			snap, err := v.open(ctx, key.rev, ids[key])
			v.snaps[key] = listed{snap, err}
		}
		c := v.judge(ctx, u)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		v.copies = append(v.copies, c)
	}
	return nil
}

func (u verifyUnit) state() verified { return verified{u.stamp.ID.Origin(), u.stamp.Revision} }

// judge compares one unit.
func (v *verifier) judge(ctx context.Context, u verifyUnit) Copy {
	c := Copy{Dir: path.Join(u.at.dir, u.copyUnit.at), Stamp: u.stamp, State: CopyUnverifiable, Reason: u.stamp.Problem}
	if c.Reason != "" {
		return c
	}
	l := v.snaps[u.state()]
	var want []transport.Entry
	if c.Err = l.err; c.Err == nil {
		want, c.Err = saved(ctx, l, u.stamp.ID)
	}
	if c.Err != nil {
		c.Reason = unverifiable(u.stamp.Revision, c.Err)
		return c
	}
	c.State = CopyUnedited
	c.Files = u.at.compare(u.copyUnit, want, keepsModes(u.at.files))
	for i := range c.Files {
		c.State = CopyEdited
		if u.copyUnit.at != "" {
			c.Files[i].Path = strings.TrimPrefix(c.Files[i].Path, u.copyUnit.at+"/")
		}
	}
	return c
}

func (v *verifier) close() {
	for _, l := range v.snaps {
		if l.err == nil {
			_ = l.Close() // only read
		}
	}
}
