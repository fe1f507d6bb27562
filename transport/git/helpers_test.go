package git_test

import (
	"strconv"
	"time"
)

var head0 = time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)

func itoa(n int) string { return strconv.Itoa(n) }

// lcg returns a source of bytes that do not compress, the same for each seed.
func lcg(seed uint64) func(n int) string {
	return func(n int) string {
		b := make([]byte, n)
		for i := range b {
			seed = seed*6364136223846793005 + 1442695040888963407
			b[i] = byte(seed >> 56)
		}
		return string(b)
	}
}
