package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/atskills-go/atskills/skill"
)

// maxLine bounds one line of paths.
const maxLine = 1 << 20

// verdict is what paths says about one line.
type verdict struct {
	Path  string `json:"path"`
	OK    bool   `json:"ok"`
	ID    string `json:"id"`
	Error string `json:"error"`
}

// paths judges each line of stdin by the grammar alone.
func paths(args []string, stdin io.Reader, out *output) int {
	rest, code, ok := parse(flag.NewFlagSet("paths", flag.ContinueOnError), args, out)
	if !ok {
		return code
	}
	if len(rest) > 0 {
		return out.misuse("paths", "takes no arguments, references come from standard input")
	}
	in := bufio.NewReaderSize(stdin, maxLine)
	for {
		line, long, err := in.ReadLine()
		path := string(line)
		for more := long; more && err == nil; {
			_, more, err = in.ReadLine() // what follows is never held
		}
		if err != nil && !errors.Is(err, io.EOF) {
			out.say("atskills paths: read standard input: %v", err)
			return exitFailed
		}
		if long || strings.TrimSpace(path) != "" {
			v := judge(path, long)
			out.object(v)
			if !v.OK {
				code = exitUsage
			}
		}
		if err != nil {
			return code
		}
		if in.Buffered() == 0 && out.flush() != nil {
			return code // the caller reports the failed write
		}
	}
}

func judge(path string, long bool) verdict {
	if long {
		return verdict{Path: path[:200] + "…", Error: fmt.Sprintf("the line is longer than %d bytes", maxLine)}
	}
	ref, err := skill.ParseRef(path)
	if err != nil {
		return verdict{Path: path, Error: err.Error()}
	}
	return verdict{Path: path, OK: true, ID: ref.ID.String()}
}
