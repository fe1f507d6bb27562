package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
)

// readTokens reads a token file: the tokens of each private owner. Errors name the line and never repeat it, since it
// may hold a token (X5).
func readTokens(name string) (private map[string][]string, err error) {
	f, err := os.Open(name) //nolint:gosec // the file is the one that whoever starts the program names
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	if private, err = parseTokens(f); err != nil {
		return nil, fmt.Errorf("token file %s: %w", name, err)
	}
	return private, nil
}

func parseTokens(r io.Reader) (map[string][]string, error) {
	private := make(map[string][]string)
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimPrefix(lines.Text(), "\ufeff")
		if trimmed := strings.TrimSpace(line); trimmed == "" || trimmed[0] == '#' {
			continue
		}
		fields := strings.Fields(line)
		if len(fields) != 2 {
			return nil, fmt.Errorf("line %d has %d words, not an owner and a token", n, len(fields))
		}
		private[fields[0]] = append(private[fields[0]], fields[1])
	}
	return private, lines.Err()
}
