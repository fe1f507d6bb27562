package main

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTour runs the demonstration and compares what it prints. What differs between machines, and bytes, which
// differ between compressors, are left out; the requests and bodies are the point of it.
func TestTour(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()) // nothing may be left there
	var out bytes.Buffer
	if err := run(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	got := out.String()
	_, got, _ = strings.Cut(got, "\n")
	got = regexp.MustCompile(`[1-9]\d* bytes`).ReplaceAllString(got, "N bytes")
	got = regexp.MustCompile(`\([^ (]*atskills-demo-\d+`).ReplaceAllString(got, "(DIR")
	got = regexp.MustCompile(`\d+ tokens`).ReplaceAllString(got, "N tokens") // paths of the cache are part of them
	got = regexp.MustCompile(`127\.0\.0\.1:\d+`).ReplaceAllString(got, "UPSTREAM")
	got = regexp.MustCompile(`dial tcp .*`).ReplaceAllString(got, "dial tcp ...") // the words are the system's
	want, err := os.ReadFile("testdata/tour.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("testdata/tour.txt (-want +got):\n%s", diff)
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
