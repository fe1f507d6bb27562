package atskills

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/atskills-go/atskills/skill"
)

// maxSuggestions is how many ways out a refusal names (R6).
const maxSuggestions = 6

// checkCap refuses more than [MaxSkills] skills below id (R5). dirs are the leaf folders relative to id, in byte order;
// bytes is their size, 0 when unknown.
func checkCap(id skill.ID, dirs []string, bytes int64) error {
	if len(dirs) <= MaxSkills {
		return nil
	}
	e := &TooLargeError{ID: id, Count: len(dirs), Bytes: bytes}
	for _, s := range suggest(dirs) {
		if sub, err := id.Join(s.dir); err == nil {
			e.Suggestions = append(e.Suggestions, Suggestion{sub, s.count})
		}
		if len(e.Suggestions) == maxSuggestions {
			break
		}
	}
	return e
}

type suggestion struct {
	dir   string
	count int
}

// suggest lists the sub-collections of dirs that fit the cap: the shallowest ones, found by descending past those that
// do not, the largest first, then by path, one for each collection name (the shortest path). Single skills follow only
// when there is nothing larger (R6).
func suggest(dirs []string) []suggestion {
	var collections, singles []suggestion
	var descend func(prefix string, dirs []string)
	descend = func(prefix string, dirs []string) {
		for len(dirs) > 0 {
			name, _, nested := strings.Cut(strings.TrimPrefix(dirs[0], prefix), "/")
			dir := prefix + name
			n := 1
			if nested {
				n = sharePrefix(dirs, dir+"/")
			}
			switch {
			case n == 1:
				singles = append(singles, suggestion{dirs[0], 1})
			case n <= MaxSkills:
				collections = append(collections, suggestion{dir, n})
			default:
				descend(dir+"/", dirs[:n])
			}
			dirs = dirs[n:]
		}
	}
	descend("", dirs)
	if len(collections) == 0 {
		return singles
	}
	return onePerName(collections)
}

// sharePrefix counts how many of dirs, from the first, begin with prefix. Byte order keeps them together.
func sharePrefix(dirs []string, prefix string) int {
	n := 0
	for n < len(dirs) && strings.HasPrefix(dirs[n], prefix) {
		n++
	}
	return n
}

func onePerName(all []suggestion) []suggestion {
	slices.SortFunc(all, func(a, b suggestion) int {
		return cmp.Or(cmp.Compare(strings.Count(a.dir, "/"), strings.Count(b.dir, "/")),
			cmp.Compare(len(a.dir), len(b.dir)), cmp.Compare(a.dir, b.dir))
	})
	seen := make(map[string]bool)
	all = slices.DeleteFunc(all, func(s suggestion) bool {
		name := path.Base(s.dir)
		again := seen[name]
		seen[name] = true
		return again
	})
	slices.SortFunc(all, func(a, b suggestion) int {
		return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.dir, b.dir))
	})
	return all
}
