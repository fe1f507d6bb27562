package transporttest

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// pktKind tells the packets of git's pkt-line framing apart.
type pktKind uint8

const (
	pktData pktKind = iota
	pktFlush
	pktDelim
)

type pkt struct {
	kind pktKind
	line string // without its line break
}

// readPkts splits a whole request body. go-git's scanner knows no delimiter packets, which version 2 needs.
func readPkts(body []byte) ([]pkt, error) {
	var list []pkt
	for len(body) > 0 {
		if len(body) < 4 {
			return nil, errors.New("bad line length character")
		}
		n, err := strconv.ParseUint(string(body[:4]), 16, 16)
		switch {
		case err != nil || n == 2 || n == 3 || int(n) > len(body):
			return nil, fmt.Errorf("bad line length %q", body[:4])
		case n == 0:
			list, body = append(list, pkt{kind: pktFlush}), body[4:]
		case n == 1:
			list, body = append(list, pkt{kind: pktDelim}), body[4:]
		default:
			line := strings.TrimSuffix(string(body[4:n]), "\n")
			list, body = append(list, pkt{line: line}), body[n:]
		}
	}
	return list, nil
}

// pktWriter builds an answer.
type pktWriter struct{ bytes.Buffer }

// maxPkt is the longest payload of one packet.
const maxPkt = 65516

func (w *pktWriter) linef(format string, args ...any) {
	text := fmt.Sprintf(format, args...) + "\n"
	fmt.Fprintf(&w.Buffer, "%04x%s", len(text)+4, text)
}

func (w *pktWriter) flush() { w.WriteString("0000") }
func (w *pktWriter) delim() { w.WriteString("0001") }

// refuse replaces the answer with an error packet, which git shows as "remote error".
func (w *pktWriter) refuse(err error) {
	w.Reset()
	w.linef("ERR %v", err)
}

// band writes data as packets of one side band, 1 for the pack.
func (w *pktWriter) band(n byte, data []byte) {
	for len(data) > 0 {
		chunk := data[:min(len(data), maxPkt-1)]
		fmt.Fprintf(&w.Buffer, "%04x%c", len(chunk)+5, n)
		w.Write(chunk)
		data = data[len(chunk):]
	}
}
