package atskills

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

// ExpandOptions change what [Expand] does. The zero value is the rule.
type ExpandOptions struct {
	Render Renderer // how content is framed
	// Held tells whether the context has a piece already, by the hash of [Rendered]; such a piece is not put in again. Nil
	// means that it holds none.
	Held func(hash string) bool
	// InCode reads references in code, too (G10).
	InCode bool
	// ReadOnly leaves :save and :install alone: each is parsed, nothing outside the cache is written, and a warning with the
	// code [WarnSuffix] says what was not acted on.
	ReadOnly bool
	// Resolve are options for each reading.
	Resolve []ResolveOption
}

// Expansion is a message with what its references brought. It is the caller's to keep.
type Expansion struct {
	// Parts are the message in order: text between references, and references. Their Text together is the message.
	Parts []Part
	// Message is the message with each piece of content behind the line that refers to it, in the order of the references. A
	// piece stands there once, at its first use; what could not be read has a line that says why.
	Message string
	// Report is for a person: a line such as "4 loaded, 1 saved, 1 resident", and then one for each thing that was written,
	// went wrong or deserves a look. It is "" for a message without references.
	Report string
	// Warnings are those of all references, each once.
	Warnings []Warning
}

// Part is a piece of a message: text, or a reference and what became of it.
type Part struct {
	Text string
	// Reference is nil for text.
	Reference *skill.Mention

	// Resolution is what the reference resolved to, Rendered that in its frame, and Repeat says that the content stands at an
	// earlier part, or in the context already. All are zero when Err is not.
	Resolution *Resolution
	Rendered   Rendered
	Repeat     bool
	Err        error // why it could not be read; nothing was written for it then

	Saved      *Saved // what :save did, nil when SaveErr is not; of a playlist both may be set
	SaveErr    error
	Installed  *Change // what :install did, nil when InstallErr is not
	InstallErr error
}

// Expand reads the references in message and does what their suffixes ask for: a message in, context out (R10).
//
// All references are resolved first, as [ResolveAll] does. Then those that write do so, one at a time, in the order
// written: :save as [Save], and after it :install as [Install]. Each id is saved and installed once, however often it is
// mentioned. Content that was saved is then the project's copy, and says so. One failure never touches the others, and
// there is no error of the call itself: each part has its own. Each repository is probed once (C11).
//
// It writes what its suffixes say, and to the cache.
func Expand(ctx context.Context, env Env, message string, opts ExpandOptions) *Expansion {
	if env.Transport != nil {
		env.Transport = transport.Memo(env.Transport)
	}
	x := &expansion{env: env, opts: opts, out: &Expansion{Parts: parts(message, opts.InCode)}}
	x.read(ctx)
	if !opts.ReadOnly {
		x.write(ctx)
	}
	x.render()
	x.out.Message = x.assemble()
	x.out.Report = x.report()
	return x.out
}

// parts cuts message at its references.
func parts(message string, inCode bool) []Part {
	var out []Part
	end := 0
	text := func(to int) {
		if end < to {
			out = append(out, Part{Text: message[end:to]})
		}
	}
	for _, m := range skill.Mentions(message, skill.MentionOptions{InCode: inCode}) {
		text(m.Start)
		out = append(out, Part{Text: m.Text, Reference: &m, Err: m.Err})
		end = m.End
	}
	text(len(message))
	return out
}

// expansion is one call.
type expansion struct {
	env  Env
	opts ExpandOptions
	out  *Expansion
}

// references are the parts that can be read, in order.
func (x *expansion) references() []*Part {
	var out []*Part
	for i := range x.out.Parts {
		if p := &x.out.Parts[i]; p.Reference != nil && p.Err == nil {
			out = append(out, p)
		}
	}
	return out
}

func (x *expansion) read(ctx context.Context) {
	refs := x.references()
	texts := make([]string, len(refs))
	for i, p := range refs {
		texts[i] = p.Text
	}
	for i, o := range ResolveAll(ctx, x.env, texts, x.opts.Resolve...) {
		refs[i].Resolution, refs[i].Err = o.Resolution, o.Err
	}
}

// write saves and installs, and reads again what was saved: the project's copy answers now, without a request (R1).
func (x *expansion) write(ctx context.Context) {
	saved, installed := make(map[skill.ID]*Part), make(map[skill.ID]*Part)
	refs := x.references()
	for _, p := range refs {
		ref := p.Reference.Ref
		if first, done := saved[ref.ID]; ref.Save && done {
			p.Saved, p.SaveErr = first.Saved, first.SaveErr
		} else if ref.Save {
			saved[ref.ID] = p
			if p.Saved, p.SaveErr = Save(ctx, x.env, p.Text); p.Saved != nil {
				p.SaveErr = p.Saved.Err()
			}
		}
		if first, done := installed[ref.ID]; ref.Install && done {
			p.Installed, p.InstallErr = first.Installed, first.InstallErr
		} else if ref.Install {
			installed[ref.ID] = p
			p.Installed, p.InstallErr = Install(ctx, x.env, p.Text)
		}
	}
	for _, p := range refs {
		first, ok := saved[p.Reference.Ref.ID]
		if !ok || first.Saved == nil || first.Saved.Dir == "" {
			continue
		}
		if res, err := Resolve(ctx, x.env, p.Text); err == nil {
			res.Warnings = append(p.Resolution.Warnings, res.Warnings...)
			p.Resolution = res
		}
	}
}

// render frames each piece, and collects the warnings.
func (x *expansion) render() {
	shown := make(map[string]bool)
	for _, p := range x.references() {
		p.Rendered = x.opts.Render.Render(p.Resolution)
		h := p.Rendered.Hash
		p.Repeat = shown[h] || x.opts.Held != nil && x.opts.Held(h)
		shown[h] = true
		x.warn(p.Resolution.Warnings)
		if w, ok := p.ignored(); ok && x.opts.ReadOnly {
			x.warn([]Warning{w})
		}
		if p.Saved != nil {
			x.warn(p.Saved.Warnings)
		}
		if p.Installed != nil {
			x.warn(p.Installed.Warnings)
		}
	}
}

// ignored is the warning that p's suffixes are not acted on, if it has any that ask for something to be written.
func (p *Part) ignored() (Warning, bool) {
	var suffixes []string
	if p.Reference.Ref.Save {
		suffixes = append(suffixes, ":save")
	}
	if p.Reference.Ref.Install {
		suffixes = append(suffixes, ":install")
	}
	text := fmt.Sprintf("not acted on: %s of %s", strings.Join(suffixes, " and "), p.Reference.Ref.ID.Reference())
	return Warning{WarnSuffix, text}, len(suffixes) > 0
}

func (x *expansion) warn(warnings []Warning) {
	for _, w := range warnings {
		if !slices.Contains(x.out.Warnings, w) {
			x.out.Warnings = append(x.out.Warnings, w)
		}
	}
}

// assemble puts each piece behind the line that refers to it.
func (x *expansion) assemble() string {
	var b strings.Builder
	var due []string
	for _, p := range x.out.Parts {
		text := p.Text
		if end := strings.IndexByte(text, '\n') + 1; end > 0 && len(due) > 0 {
			b.WriteString(text[:end] + strings.Join(due, ""))
			text, due = text[end:], nil
		}
		b.WriteString(text)
		if piece := p.piece(); piece != "" {
			due = append(due, piece)
		}
	}
	if len(due) > 0 {
		b.WriteString("\n" + strings.Join(due, ""))
	}
	return b.String()
}

// piece is what a part puts into the message, with a line break at its end.
func (p *Part) piece() string {
	switch {
	case p.Reference == nil || p.Repeat:
		return ""
	case p.Err != nil:
		return "--- " + p.name() + " could not be read: " + oneLine(p.Err.Error()) + " ---\n"
	}
	return p.Rendered.Text
}

// name is how a part's reference is named to others. What was typed is shown only when nothing better is known: it may
// hold a secret (X5), which the error does not.
func (p *Part) name() string {
	if p.Reference.Err != nil {
		return "a reference"
	}
	return "@skills:" + p.Reference.Ref.ID.Reference()
}
