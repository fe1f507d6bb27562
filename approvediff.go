package atskills

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

const (
	maxDiffCells = 1 << 20 // pairs of lines that are compared; beyond that the middle is shown as replaced
	diffContext  = 2       // unchanged lines around a change
)

// diffLines shows how text b differs from text a, for a person: lines behind "-" and "+", a few unchanged ones behind
// " ", and "…" where more of them are left out. It counts what was added and removed.
func diffLines(a, b string) (text string, added, removed int) {
	steps := diffSteps(slices.Collect(strings.Lines(a)), slices.Collect(strings.Lines(b)))
	near := make([]bool, len(steps))
	for i, s := range steps {
		if s.sign == ' ' {
			continue
		}
		for j := max(0, i-diffContext); j <= min(len(steps)-1, i+diffContext); j++ {
			near[j] = true
		}
	}
	var out strings.Builder
	for i, s := range steps {
		switch {
		case !near[i] && (i == 0 || near[i-1]):
			out.WriteString("…\n")
			continue
		case !near[i]:
			continue
		case s.sign == '+':
			added++
		case s.sign == '-':
			removed++
		}
		out.WriteByte(s.sign)
		out.WriteString(visibleLine(s.line))
		out.WriteByte('\n')
	}
	return out.String(), added, removed
}

type diffStep struct {
	sign byte // '-', '+' or ' '
	line string
}

// diffSteps turns a into b with a longest common subsequence of their lines, between what begins and ends alike.
func diffSteps(a, b []string) []diffStep {
	var steps, tail []diffStep
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		steps = append(steps, diffStep{' ', a[0]})
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		tail = append(tail, diffStep{' ', a[len(a)-1]})
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	slices.Reverse(tail)
	common := commonLengths(a, b)
	for len(a) > 0 || len(b) > 0 {
		switch {
		case common != nil && len(a) > 0 && len(b) > 0 && a[0] == b[0]:
			steps = append(steps, diffStep{' ', a[0]})
			a, b = a[1:], b[1:]
		case len(b) == 0 || len(a) > 0 && (common == nil || common.at(len(a)-1, len(b)) >= common.at(len(a), len(b)-1)):
			steps = append(steps, diffStep{'-', a[0]})
			a = a[1:]
		default:
			steps = append(steps, diffStep{'+', b[0]})
			b = b[1:]
		}
	}
	return append(steps, tail...)
}

// lengths holds how long the common subsequence of the last i lines of one text and the last j of another is.
type lengths struct {
	cells []int32
	width int
}

func (l *lengths) at(i, j int) int32 { return l.cells[i*l.width+j] }

// commonLengths returns nil when the texts are too long to compare.
func commonLengths(a, b []string) *lengths {
	if (len(a)+1)*(len(b)+1) > maxDiffCells {
		return nil
	}
	l := &lengths{make([]int32, (len(a)+1)*(len(b)+1)), len(b) + 1}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			n := max(l.at(i-1, j), l.at(i, j-1))
			if a[len(a)-i] == b[len(b)-j] {
				n = l.at(i-1, j-1) + 1
			}
			l.cells[i*l.width+j] = n
		}
	}
	return l
}

// visibleLine shows a line's every character: what does not show, or turns the direction of text, as an escape. A line
// break at the end is what every line has, a missing one is shown as any other difference.
func visibleLine(line string) string {
	line, broken := strings.CutSuffix(line, "\n")
	var b strings.Builder
	for _, r := range line {
		if r == '\t' || unicode.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		fmt.Fprintf(&b, `\u{%X}`, r)
	}
	if !broken {
		b.WriteString(" (no line break at the end)")
	}
	return b.String()
}
