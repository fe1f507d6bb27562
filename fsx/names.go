package fsx

import (
	"slices"
	"strings"
)

// BadOnWindows reports whether Windows cannot hold a file or folder of that name: it gives some to devices, with any ending, drops dots and
// blanks at the end, and has other uses for some characters.
func BadOnWindows(name string) bool {
	if strings.ContainsAny(name, `<>:"|?*\`) || strings.TrimRight(name, ". ") != name ||
		strings.ContainsFunc(name, func(r rune) bool { return r < ' ' }) {
		return true
	}
	base, _, _ := strings.Cut(name, ".")
	base = strings.ToUpper(strings.TrimRight(base, " "))
	switch base {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	number, ok := strings.CutPrefix(base, "COM")
	if !ok {
		number, ok = strings.CutPrefix(base, "LPT")
	}
	return ok && slices.Contains([]string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "¹", "²", "³"}, number)
}
