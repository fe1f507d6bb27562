package atskills

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-git/go-billy/v5/memfs"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/skill"
)

// The names of the activation tools.
const (
	ActivateTool = "activate_skill"  // loads the instructions of a resident skill, by name
	ReadFileTool = "read_skill_file" // reads a file bundled with one
)

// ErrNoTool says that [Tools.Call] was asked for a tool that is none of these.
var ErrNoTool = errors.New("no such tool")

// ToolDefinition is a tool as a host registers it with a model's API. It encodes to JSON with the keys that APIs use most;
// where one wants others, the fields are plain values.
type ToolDefinition struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	InputSchema map[string]any `json:"input_schema"` // JSON Schema, made of values that encoding/json knows
}

// Tools give a model without file access what a block promises: the instructions of a resident skill, and the files
// bundled with it. They never change once made, and may be called from several goroutines when the file systems of the
// environment may.
type Tools struct {
	env    Env
	kept   bool // the host has no cache, and the one in env is memory
	render Renderer
	names  []string // the enumeration, in the order of the block
	skills map[string]toolSkill
}

// toolSkill is what a name of the enumeration stands for.
type toolSkill struct {
	id  skill.ID // zero for a folder that no reference addresses
	dir string   // that folder, in the project
	of  string   // the skill's name, where the enumeration has another
}

// NewTools makes the tools for rows, usually those of a [Block]; of a row the ID and the Name count, and for one without
// ID the Path, from the root of Env.Project. The skills of a [skill.Registry] that lie in the project, in the folder of
// another agent perhaps, can be given so. What a tool returns is framed as render says. No rows means no tools.
//
// A skill is enumerated by its name. Where an earlier row has that name, it is enumerated by its id in reference spelling,
// or by its folder if it has no id, so that both can be reached.
//
// Without Env.Cache, what is read is kept in memory for as long as the Tools are.
func NewTools(env Env, rows []BlockRow, render Renderer) *Tools {
	t := &Tools{env: env, render: render, skills: make(map[string]toolSkill)}
	if t.kept = env.Cache == nil; t.kept {
		t.env.Cache = fsx.Locked(memfs.New())
	}
	addresses := make(map[string]bool) // no name may stand for another skill's address
	for _, r := range rows {
		addresses[rowAddress(r)] = true
	}
	entered := make(map[string]bool)
	for _, r := range rows {
		address := rowAddress(r)
		if entered[address] {
			continue
		}
		entered[address] = true
		s := toolSkill{id: r.ID}
		if r.ID.IsZero() {
			s.dir = strings.TrimSuffix(r.Path, "/"+SkillFile)
		}
		label := oneLine(r.Name)
		if _, taken := t.skills[label]; taken || label == "" || addresses[label] && label != address {
			s.of, label = label, address
		}
		t.names = append(t.names, label)
		t.skills[label] = s
	}
	return t
}

func rowAddress(r BlockRow) string {
	if r.ID.IsZero() {
		return oneLine(strings.TrimSuffix(r.Path, "/"+SkillFile))
	}
	return r.ID.Reference()
}

// Names returns what the tools accept as a skill's name, in the order of the rows.
func (t *Tools) Names() []string { return slices.Clone(t.names) }

// Definitions returns the tools to register: [ActivateTool] and [ReadFileTool], or none when no skill is resident.
func (t *Tools) Definitions() []ToolDefinition {
	if len(t.names) == 0 {
		return nil
	}
	name := map[string]any{"type": "string", "enum": t.Names(), "description": t.nameHelp()}
	return []ToolDefinition{{
		Name: ActivateTool,
		Description: "Loads the instructions of a skill listed as available. Call it before you begin a task that the skill's " +
			"description fits, and follow what it returns.",
		InputSchema: object(map[string]any{"name": name}, "name"),
	}, {
		Name: ReadFileTool,
		Description: "Reads a text file that is bundled with a skill. " + ActivateTool + " lists a skill's files. A long file comes in " +
			"pieces; the result says where the next one begins.",
		InputSchema: object(map[string]any{
			"name":   name,
			"path":   map[string]any{"type": "string", "description": "The file, relative to the skill's folder, such as " + SkillFile + " or references/guide.md."},
			"offset": map[string]any{"type": "integer", "minimum": 0, "description": "The byte to begin at. Leave it out to begin at the top."},
		}, "name", "path"),
	}}
}

func object(properties map[string]any, required ...string) map[string]any {
	return map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
}

// nameHelp tells skills of one name apart.
func (t *Tools) nameHelp() string {
	help := "A skill, by name."
	for _, label := range t.names {
		if of := t.skills[label].of; of != "" {
			help += fmt.Sprintf(" %s is another skill called %s.", label, of)
		}
	}
	return help
}

// Call runs the tool of that name with arguments in JSON, as a model wrote them, and returns the text for the model. What
// goes wrong is an error whose text says what to do instead; a host gives that to the model too. Paths cannot leave the
// skill's folder, and nothing is run.
//
// [ActivateTool] resolves the skill as [Resolve] does, with one probe unless transport.Memo answers it. [ReadFileTool]
// reads what is on disk, and asks upstream only when nothing is.
//
// Errors: [ErrNoTool] for a tool of another's; an [*skill.UnknownSkillError] for a name that is not enumerated;
// everything Resolve returns; and the context's error.
func (t *Tools) Call(ctx context.Context, tool string, arguments []byte) (string, error) {
	switch tool {
	case ActivateTool:
		var args struct {
			Name string `json:"name"`
		}
		if err := decodeArguments(arguments, &args, `{"name": "<skill>"}`); err != nil {
			return "", err
		}
		s, err := t.skill(args.Name)
		if err != nil {
			return "", err
		}
		res, err := t.resolve(ctx, s)
		if err != nil {
			return "", err
		}
		return t.render.Render(res).Text, nil
	case ReadFileTool:
		var args struct {
			Name   string `json:"name"`
			Path   string `json:"path"`
			Offset int64  `json:"offset"`
		}
		if err := decodeArguments(arguments, &args, `{"name": "<skill>", "path": "<file>"}`); err != nil {
			return "", err
		}
		s, err := t.skill(args.Name)
		if err != nil {
			return "", err
		}
		return t.readFile(ctx, s, args.Path, args.Offset)
	}
	return "", fmt.Errorf("%w: %q", ErrNoTool, tool)
}

// decodeArguments reads one JSON object of known keys.
func decodeArguments(arguments []byte, into any, want string) error {
	d := json.NewDecoder(bytes.NewReader(arguments))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	if err == nil && d.More() {
		err = errors.New("there is text behind the object")
	}
	if err == nil {
		return nil
	}
	reason := strings.TrimPrefix(err.Error(), "json: ")
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		reason = strings.TrimSpace(kind.Field + " is of type " + kind.Value)
	}
	return fmt.Errorf("the arguments are not of the form %s: %s", want, oneLine(reason))
}

// maxListedNames bounds the names that an error lists.
const maxListedNames = 50

func (t *Tools) skill(name string) (toolSkill, error) {
	s, ok := t.skills[name]
	if ok {
		return s, nil
	}
	names := t.names
	more := ""
	if len(names) > maxListedNames {
		names, more = names[:maxListedNames], ", ..."
	}
	return s, fmt.Errorf("%w; the names are: %s%s",
		&skill.UnknownSkillError{Name: name, Near: skill.Nearest(name, t.names, maxNear)}, strings.Join(names, ", "), more)
}

func (t *Tools) resolve(ctx context.Context, s toolSkill) (*Resolution, error) {
	if !s.id.IsZero() {
		res, err := Resolve(ctx, t.env, s.id.Reference())
		if err == nil && t.kept && res.Served != ServedLocal {
			res.Dir, res.Path = "", "" // nothing that the host could open
		}
		return res, err
	}
	h, err := t.env.heldAt(ctx, s.dir)
	if err != nil {
		return nil, err
	}
	return &Resolution{
		Kind: h.kind, Source: FromProject, Served: ServedLocal, Dir: hostPath(h.fs, h.base), Path: h.hostPath(SkillFile),
		Name: h.name, Description: h.description, Content: h.body, Files: h.files, Warnings: h.content.warnings,
	}, nil
}

// held is what stands on disk for s. When nothing does, or not what was fetched, it is resolved first.
func (t *Tools) held(ctx context.Context, s toolSkill) (held, error) {
	if s.id.IsZero() {
		return t.env.heldAt(ctx, s.dir)
	}
	ref, err := skill.ParseRef(s.id.Reference())
	if err != nil {
		return held{}, err
	}
	h, err := t.env.held(ctx, ref)
	if err == nil || ctx.Err() != nil {
		return h, err
	}
	if _, err := Resolve(ctx, t.env, s.id.Reference()); err != nil {
		return h, err
	}
	return t.env.held(ctx, ref)
}
