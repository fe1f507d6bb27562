package atskills

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"runtime"
	"slices"
	"strings"

	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

// verdict is what comparing a unit with what was saved came to.
type verdict struct {
	copyUnit
	changes []FileChange // relative to the place
	reason  string       // why it could not be compared, "" when it was
	err     error        // the cause of that, nil for a fault of the stamp
}

func (v verdict) clean() bool { return v.reason == "" && len(v.changes) == 0 }

// verify compares units of at with upstream at the revisions their stamps record (S4). It takes one listing for each
// revision, and no body unless upstream has no digests.
func (p project) verify(ctx context.Context, at *place, units []copyUnit) ([]verdict, error) {
	type state struct {
		origin skill.ID
		rev    transport.Revision
	}
	out := make([]verdict, len(units))
	groups := make(map[state][]int)
	var order []state
	for i, u := range units {
		out[i] = verdict{copyUnit: u, reason: u.stamp.Problem}
		if out[i].reason != "" {
			continue
		}
		key := state{u.stamp.ID.Origin(), u.stamp.Revision}
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], i)
	}
	modes := runtime.GOOS != "windows" // whether this disk has modes is asked when they alone differ
	for _, key := range order {
		group := make([]*verdict, len(groups[key]))
		for n, i := range groups[key] {
			group[n] = &out[i]
		}
		if err := p.verifyAt(ctx, at, key.rev, group, modes); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// verifyAt compares the units of one revision. Its error is the context's; upstream's are in the verdicts.
func (p project) verifyAt(ctx context.Context, at *place, rev transport.Revision, group []*verdict, modes bool) error {
	var ids []skill.ID
	for _, v := range group {
		if !slices.Contains(ids, v.stamp.ID) {
			ids = append(ids, v.stamp.ID)
		}
	}
	snap, err := p.open(ctx, rev, ids)
	if err == nil {
		defer func() { _ = snap.Close() }() // only read
	}
	for _, v := range group {
		var want []transport.Entry
		if err == nil {
			want, v.err = saved(ctx, snap, v.stamp.ID)
		} else {
			v.err = err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if v.err != nil {
			v.reason = unverifiable(rev, v.err)
			continue
		}
		v.changes = at.compare(v.copyUnit, want, modes)
	}
	return nil
}

func (p project) open(ctx context.Context, rev transport.Revision, ids []skill.ID) (transport.Snapshot, error) {
	if p.env.Transport == nil {
		return nil, fmt.Errorf("%s: %w", ids[0], ErrNotConfigured)
	}
	return p.env.open(ctx, rev, ids...)
}

// unverifiable says in words why a copy cannot be compared with revision rev (S4).
func unverifiable(rev transport.Revision, err error) string {
	shown := oneLine(string(rev))
	switch {
	case errors.Is(err, transport.ErrNoRevision):
		return fmt.Sprintf("the copy cannot be compared: upstream does not serve the recorded revision %s any more: %v", shown, err)
	case errors.Is(err, transport.ErrNoPath):
		return fmt.Sprintf("the copy cannot be compared: upstream has nothing there at the recorded revision %s", shown)
	case errors.Is(err, ErrNotFound), errors.Is(err, ErrNoAccess):
		return fmt.Sprintf("the copy cannot be compared: it is gone upstream: %v", err)
	case errors.Is(err, ErrUnreachable):
		return fmt.Sprintf("the copy cannot be compared: upstream did not answer: %v", err)
	}
	return fmt.Sprintf("the copy cannot be compared with revision %s: %v", shown, err)
}

// saved lists the files that a save of id lands from snap, each with a digest.
func saved(ctx context.Context, snap transport.Snapshot, id skill.ID) ([]transport.Entry, error) {
	tree, err := snap.Tree(id)
	if err != nil {
		return nil, err
	}
	dirs := leaves(tree)
	in := make(map[string]bool, len(dirs))
	for _, d := range dirs {
		in[d] = true
	}
	var out, bare []transport.Entry
	at := make(map[string]int)
	for _, e := range tree.Entries {
		if !lands(e) || !inFolder(in, e.Path) || path.Base(e.Path) == SourceFile {
			continue
		}
		if known := strings.HasPrefix(e.Hash, "git:") || strings.HasPrefix(e.Hash, "sha256:"); !known {
			bare, at[e.Path] = append(bare, e), len(out)
		}
		out = append(out, e)
	}
	if len(bare) == 0 {
		return out, nil
	}
	return out, snap.Fetch(ctx, bare, func(e transport.Entry, r io.Reader) error {
		d, err := transport.NewDigest("sha256:", 0)
		if err != nil {
			return err
		}
		_, err = io.Copy(d, r)
		out[at[e.Path]].Hash = d.String()
		return err
	})
}

// compare lists how the files of u differ from want, the files that a save of the stamp's id lands.
func (at *place) compare(u copyUnit, want []transport.Entry, modes bool) []FileChange {
	have := make(map[string]copied, len(u.files))
	for _, f := range u.files {
		have[f.path] = f
	}
	var out []FileChange
	for _, e := range want {
		name, ok := u.place(e.Path)
		if !ok {
			continue
		}
		if dir, _ := at.owner(name); dir != u.at {
			continue // another stamp speaks for it
		}
		f, ok := have[name]
		delete(have, name)
		switch {
		case !ok:
			out = append(out, FileChange{name, Missing})
		case !f.matches(e):
			out = append(out, FileChange{name, Edited})
		case modes && f.executable != (e.Mode == transport.Executable):
			out = append(out, FileChange{name, Mode})
		}
	}
	for name := range have {
		out = append(out, FileChange{name, Extra})
	}
	sortChanges(out)
	return out
}

// place returns where in the place the unit keeps what lies at name below its stamp's id.
func (u copyUnit) place(name string) (string, bool) {
	if u.sub == "" {
		return path.Join(u.at, name), true
	}
	return strings.CutPrefix(name, u.sub+"/")
}

func sortChanges(changes []FileChange) {
	slices.SortFunc(changes, func(a, b FileChange) int { return cmp.Compare(a.Path, b.Path) })
}

// keepsModes guesses from files whether their file system has an executable bit (S4). A stamp is never written with
// one, so that where it shows one every file does; and a disk of Windows shows none at all.
func keepsModes(files []copied) bool {
	some := false
	for _, f := range files {
		some = some || f.executable
		if path.Base(f.path) == SourceFile && f.executable {
			return false
		}
	}
	return some || runtime.GOOS != "windows"
}

// conflict turns the verdicts that are not clean into an error; nil when all are.
func (at *place) conflict(op string, verdicts []verdict, unowned []copied) error {
	e := &ConflictError{Op: op, ID: at.id, Dir: at.dir}
	var reasons []string
	for _, v := range verdicts {
		if v.clean() {
			continue
		}
		if len(reasons) == 0 {
			e.Origin, e.Revision, e.Date = v.stamp.ID, v.stamp.Revision, v.stamp.Date
		}
		reason := v.reason
		if reason == "" {
			reason = fmt.Sprintf("the copy was edited since it was saved at revision %s", oneLine(string(v.stamp.Revision)))
		}
		if v.at != "" {
			reason = oneLine(v.at) + ": " + reason
		}
		reasons = append(reasons, reason)
		e.Files = append(e.Files, v.changes...)
		e.Err = errors.Join(e.Err, v.err)
	}
	if len(unowned) > 0 {
		reasons = append(reasons, "there are files that no save brought")
		for _, f := range unowned {
			e.Files = append(e.Files, FileChange{f.path, Extra})
		}
	}
	if len(reasons) == 0 {
		return nil
	}
	e.Reason = strings.Join(reasons, "; ")
	sortChanges(e.Files)
	return e
}
