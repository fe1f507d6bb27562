package atskills

// DiffLines is diffLines.
var DiffLines = diffLines

// DiffSteps returns the two texts as the steps between them have them.
func DiffSteps(a, b []string) (before, after []string) {
	for _, s := range diffSteps(a, b) {
		if s.sign != '+' {
			before = append(before, s.line)
		}
		if s.sign != '-' {
			after = append(after, s.line)
		}
	}
	return before, after
}

// ApprovalsPath is approvalsPath.
var ApprovalsPath = approvalsPath
