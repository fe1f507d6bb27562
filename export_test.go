package atskills

// Suggest is suggest, for tests over listings that no fake upstream has to hold.
func Suggest(dirs []string) (out []Suggested) {
	for _, s := range suggest(dirs) {
		out = append(out, Suggested{s.dir, s.count})
	}
	return out
}

// Suggested is one result of Suggest.
type Suggested struct {
	Dir   string
	Count int
}
