package atskills

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Complete returns the best completions of what was typed, at most limit of them; a limit of zero or less means all. It
// takes what stands behind "@skills:" or the whole token, in any case. Nothing typed lists everything in its order: the
// project's skills by path, then what each line follows.
//
// What begins as typed comes first, then what has a segment or a name that does, then words inside them, then the text
// anywhere, then its letters in order (Z2). Slashes may be used to skip: "te/de" finds team/deploy. Among equals the
// closer and shorter comes first. It makes no request and reads no file.
func (x *Index) Complete(typed string, limit int) []Completion {
	if x.Len() == 0 {
		return nil
	}
	typed = typedPath(typed)
	if limit <= 0 {
		limit = len(x.entries)
	}
	best := make([]match, 0, min(limit, len(x.entries)))
	for i := range x.entries {
		score, ok := x.entries[i].score(typed)
		if !ok {
			continue
		}
		m := match{score, i}
		if len(best) == limit {
			if m.compare(best[limit-1]) > 0 {
				continue
			}
			best = best[:limit-1]
		}
		at, _ := slices.BinarySearchFunc(best, m, match.compare)
		best = slices.Insert(best, at, m)
	}
	out := make([]Completion, len(best))
	for i, m := range best {
		out[i] = x.entries[m.index].Completion
	}
	return out
}

// typedPath is what was typed in the spelling that entries are compared in.
func typedPath(typed string) string {
	typed = strings.ToLower(strings.TrimSpace(typed))
	typed = strings.TrimPrefix(strings.TrimPrefix(typed, "@skills:"), "@workflow:")
	for _, marker := range []string{"gh", "hub"} {
		if rest, ok := strings.CutPrefix(typed, marker+"/"); ok { // the disk spelling (G4)
			return marker + ":" + rest
		}
	}
	return typed
}

// match is an entry that fits; a lower score fits better.
type match struct{ score, index int }

func (m match) compare(o match) int {
	return cmp.Or(cmp.Compare(m.score, o.score), cmp.Compare(m.index, o.index))
}

// The classes of a match, the best first (Z2).
const (
	matchWhole   = iota // the whole id, last segment or name
	matchPrefix         // the id begins so
	matchLast           // the last segment, or the name, does
	matchSegment        // another segment does
	matchPath           // segments in order begin as those that were typed
	matchWord           // a word inside a segment or name does
	matchInside         // the text stands somewhere
	matchLetters        // its letters do, in order
	noMatch
)

// maxCloseness bounds what tells two matches of one class apart.
const maxCloseness = 1 << 16

// score tells how well the entry fits; it allocates nothing.
func (e *indexed) score(typed string) (int, bool) {
	if typed == "" {
		return 0, true
	}
	best := noMatch * maxCloseness
	for _, key := range [...]string{e.id, e.ref, e.name} {
		if key == "" {
			continue
		}
		if class, spread := classify(typed, key); class < noMatch {
			best = min(best, class*maxCloseness+min(spread, maxCloseness-1))
		}
	}
	return best, best < noMatch*maxCloseness
}

// classify returns how typed fits key, and how loosely.
func classify(typed, key string) (class, spread int) {
	last := strings.LastIndexAny(key, "/:") + 1
	spread = len(key) - len(typed)
	switch {
	case key == typed || key[last:] == typed:
		return matchWhole, spread
	case strings.HasPrefix(key, typed):
		return matchPrefix, spread
	case strings.HasPrefix(key[last:], typed):
		return matchLast, spread
	case beginsBehind(typed, key, "/:"):
		return matchSegment, spread
	case segmentsBegin(typed, key):
		return matchPath, spread
	case beginsBehind(typed, key, "-_. "):
		return matchWord, spread
	case strings.Contains(key, typed):
		return matchInside, spread
	}
	if span, ok := letters(typed, key); ok {
		return matchLetters, span - len(typed)
	}
	return noMatch, 0
}

// beginsBehind reports whether typed stands in key behind one of marks.
func beginsBehind(typed, key, marks string) bool {
	for from := 0; ; {
		i := strings.Index(key[from:], typed)
		if i < 0 {
			return false
		}
		if i += from; i > 0 && strings.IndexByte(marks, key[i-1]) >= 0 {
			return true
		}
		from = i + 1
	}
}

// segmentsBegin reports whether key has, in order, segments that begin as those of typed.
func segmentsBegin(typed, key string) bool {
	if strings.IndexByte(typed, '/') < 0 {
		return false
	}
	for typed != "" {
		var want string
		want, typed, _ = strings.Cut(typed, "/")
		for found := false; !found; {
			if key == "" {
				return false
			}
			found = strings.HasPrefix(key, want)
			if i := strings.IndexAny(key, "/:"); i >= 0 {
				key = key[i+1:]
			} else {
				key = ""
			}
		}
	}
	return true
}

// letters reports whether the runes of typed stand in key in this order, and how many bytes of key they span.
func letters(typed, key string) (span int, ok bool) {
	end := 0
	for _, r := range typed {
		i := strings.IndexRune(key[end:], r)
		if i < 0 {
			return 0, false
		}
		end += i + utf8.RuneLen(r)
	}
	start := end // back from the end, since the first letter may have been taken too early
	for rest := typed; rest != ""; {
		r, n := utf8.DecodeLastRuneInString(rest)
		rest = rest[:len(rest)-n]
		start = strings.LastIndex(key[:start], string(r))
	}
	return end - start, true
}
