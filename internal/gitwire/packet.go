package gitwire

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/atskills-go/atskills/internal/remote"
)

// Errors of an answer as a whole.
var (
	// ErrNoAnswer says that the answer held not a single packet. Servers that die on a request send this, so it
	// says nothing about the cause.
	ErrNoAnswer = errors.New("empty answer")
	// ErrSHA256 says that the repository uses SHA-256 object names.
	ErrSHA256 = errors.New("the repository uses SHA-256 object names, which are not supported")
)

// RemoteError is a failure that the other side put in words. Text is a single printable line.
type RemoteError struct{ Text string }

func (e *RemoteError) Error() string { return "remote: " + e.Text }

// packet kinds. A data packet carries a payload, the others none.
type kind uint8

const (
	data kind = iota
	flush
	delim
	end
)

// maxPacket is the longest packet of the protocol, length digits included.
const maxPacket = 65520

// packetReader splits a stream into packets.
type packetReader struct {
	r   io.Reader
	buf []byte
}

// next returns the next packet; its payload is valid until the call after. At the end of the stream it returns io.EOF
// between packets and io.ErrUnexpectedEOF inside one. An ERR packet is returned as a [*RemoteError]: no other payload
// of the protocol begins that way, side band bytes included.
func (p *packetReader) next() (kind, []byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(p.r, head[:]); err != nil {
		return 0, nil, err
	}
	n, err := packetLen(head)
	if err != nil {
		return 0, nil, err
	}
	switch n {
	case 0:
		return flush, nil, nil
	case 1:
		return delim, nil, nil
	case 2:
		return end, nil, nil
	}
	n -= len(head)
	if cap(p.buf) < n {
		p.buf = make([]byte, n)
	}
	payload := p.buf[:n]
	if _, err := io.ReadFull(p.r, payload); err != nil {
		return 0, nil, unexpected(err)
	}
	if text, ok := bytes.CutPrefix(payload, []byte("ERR ")); ok {
		return 0, nil, &RemoteError{remote.Clean(string(text))}
	}
	return data, payload, nil
}

func packetLen(head [4]byte) (int, error) {
	n := 0
	for _, c := range head {
		d := unhex(c)
		if d < 0 {
			return 0, fmt.Errorf("packet length %q is not a number", head[:])
		}
		n = n<<4 | d
	}
	if n == 3 || n > maxPacket {
		return 0, fmt.Errorf("packet length %d is out of range", n)
	}
	return n, nil
}

func unhex(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// unexpected turns the end of a stream into an early end.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// line returns payload without its line feed.
func line(payload []byte) string { return string(bytes.TrimSuffix(payload, []byte("\n"))) }

func appendLine(b []byte, format string, args ...any) []byte {
	at := len(b)
	b = append(b, "0000"...)
	b = fmt.Appendf(b, format, args...)
	b = append(b, '\n')
	copy(b[at:], fmt.Sprintf("%04x", len(b)-at))
	return b
}

func appendFlush(b []byte) []byte { return append(b, "0000"...) }

func appendDelim(b []byte) []byte { return append(b, "0001"...) }
