package hub

import (
	"slices"
	"sync"

	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

// The bounds of a memory.
const (
	memoryBytes   = 16 << 20
	memoryAnswers = 64
)

// memory keeps the last answers, so that what a probe brought is not asked for again by the Open that follows. The
// oldest go first. The zero memory is empty.
type memory struct {
	mu    sync.Mutex
	bytes int
	kept  []remembered
}

type remembered struct {
	id skill.ID
	answer
}

func (a answer) size() int { return len(a.body) + a.listing.size() }

// add keeps a as what stands at id, in place of an older answer for the same revision. An answer that alone passes the
// bounds is not kept.
func (m *memory) add(id skill.ID, a answer) {
	if a.size() > memoryBytes {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if i := m.find(id, a.rev); i >= 0 {
		m.drop(i)
	}
	m.kept = append(m.kept, remembered{id, a})
	m.bytes += a.size()
	for len(m.kept) > memoryAnswers || m.bytes > memoryBytes {
		m.drop(0)
	}
}

// get returns what stood at id at rev.
func (m *memory) get(id skill.ID, rev transport.Revision) (answer, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if i := m.find(id, rev); i >= 0 {
		return m.kept[i].answer, true
	}
	return answer{}, false
}

func (m *memory) find(id skill.ID, rev transport.Revision) int {
	return slices.IndexFunc(m.kept, func(r remembered) bool { return r.id == id && r.rev == rev })
}

func (m *memory) drop(i int) {
	m.bytes -= m.kept[i].size()
	m.kept = slices.Delete(m.kept, i, i+1)
}
