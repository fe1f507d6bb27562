package atskills

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/internal/trigger"
)

const (
	triggerPath = Dir + "/" + TriggerFile
	// triggerLock keeps those apart who edit .autotrigger. A left-over one is not taken over, since an edit can wait for
	// a person and a lost line cannot be seen: the error names it (T6).
	triggerLock = triggerPath + ".lock"
	// triggerPoll is the pause between two looks at that lock: an edit takes a few milliseconds.
	triggerPoll = 10 * time.Millisecond

	maxTrigger = 1 << 20 // bytes of the file
)

// trigger returns the bytes of .autotrigger, under the project's link policy (W3).
func (p project) trigger() ([]byte, error) {
	return fsx.NewView(p.fs, "", true).ReadFile(triggerPath, maxTrigger)
}

// readTriggers returns the project's trigger file; a missing one is empty.
func (e Env) readTriggers() (trigger.File, error) {
	if e.Project == nil {
		return trigger.Parse(nil), nil
	}
	f, _, err := project{env: e, fs: e.Project}.readTriggers()
	return f, err
}

func (p project) readTriggers() (f trigger.File, data []byte, err error) {
	data, err = p.trigger()
	var said *fs.PathError
	switch {
	case err == nil, errors.Is(err, errNotExist):
		return trigger.Parse(data), data, nil
	case errors.As(err, &said) && said.Op == "read" && said.Path == triggerPath:
		return f, nil, err
	}
	return f, nil, fmt.Errorf("read %s: %w", triggerPath, err)
}

// editTriggers makes the trigger file what plan makes of it, in one step, with its mode and the link it may be kept
// (T6). plan may be called more than once: its last call is the one that counts. It is called without the lock first,
// and when it changes nothing then, nothing is locked, created or written. A file that nobody may write is not replaced
// either, although its folder would allow it: the error matches fs.ErrPermission.
func (e Env) editTriggers(ctx context.Context, plan func(trigger.File) (trigger.File, error)) error {
	p, err := newProject(e)
	if err != nil {
		return err
	}
	return p.editTriggers(ctx, plan)
}

func (p project) editTriggers(ctx context.Context, plan func(trigger.File) (trigger.File, error)) (err error) {
	if data, err := p.planTriggers(plan); err != nil || data == nil {
		return err
	}
	if err := p.writableTriggers(); err != nil {
		return fmt.Errorf("edit %s: %w", triggerPath, err)
	}
	unlock, err := fsx.Lock(ctx, p.fs, triggerLock, fsx.LockOptions{Poll: triggerPoll})
	if errors.Is(err, fsx.ErrLocked) {
		return fmt.Errorf("edit %s: %w (it stands at %s)", triggerPath, err, oneLine(hostPath(p.fs, triggerLock)))
	}
	if err != nil {
		return fmt.Errorf("edit %s: %w", triggerPath, err)
	}
	defer func() { err = errors.Join(err, unlock()) }()
	data, err := p.planTriggers(plan)
	if err != nil || data == nil {
		return err
	}
	if err := fsx.WriteFile(p.fs, triggerPath, data, 0o644); err != nil {
		return fmt.Errorf("edit %s: %w", triggerPath, err)
	}
	return nil
}

// writableTriggers refuses a trigger file whose mode lets nobody write: its owner took that away.
func (p project) writableTriggers() error {
	at, err := fsx.NewView(p.fs, "", true).Lookup(triggerPath)
	if err != nil {
		return nil // none yet, or the edit will say
	}
	if mode := at.Info.Mode().Perm(); mode != 0 && mode&0o222 == 0 {
		return fmt.Errorf("the file is read-only (mode %04o); allow its owner to write first: %w", mode, fs.ErrPermission)
	}
	return nil
}

// planTriggers returns what is to be written, nil for nothing.
func (p project) planTriggers(plan func(trigger.File) (trigger.File, error)) ([]byte, error) {
	file, before, err := p.readTriggers()
	if err != nil {
		return nil, err
	}
	after, err := plan(file)
	if err != nil {
		return nil, err
	}
	data := after.Bytes()
	switch {
	case bytes.Equal(before, data):
		return nil, nil
	case len(data) > maxTrigger:
		return nil, fmt.Errorf("edit %s: %w", triggerPath, &fsx.SizeError{Name: triggerPath, Max: maxTrigger})
	}
	return data, nil
}

// editsTriggers reports whether somebody edits the trigger file: the temporary file of that edit is no left-over then.
func (p project) editsTriggers() bool {
	_, err := p.fs.Lstat(triggerLock)
	return err == nil
}
