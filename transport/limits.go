package transport

import (
	"time"

	"github.com/atskills-go/atskills/skill"
)

// Limits bounds what an upstream can make this process read, hold or wait for. A zero field takes its value from
// [DefaultLimits].
type Limits struct {
	Entries      int           // entries in one listing
	Depth        int           // folders below the origin
	PathBytes    int           // bytes in one path
	BlobBytes    int64         // bytes in one file
	FetchBytes   int64         // bytes of all bodies in one fetch; also of all files made of them, equal ones counted each
	ListingBytes int64         // bytes of one listing as it comes over the wire, and of all paths in it
	AnswerBytes  int64         // bytes of one answer of a hub that is held in memory: a SKILL.md, a menu; larger bundled files are not held
	ProbeTimeout time.Duration // a probe, from first byte sent to last byte read
	StallTimeout time.Duration // a listing or fetch without progress worth the name
}

// DefaultLimits returns the limits that zero fields stand for: 200,000 entries, 64 folders deep, paths of 4,096 bytes,
// 64 MiB for a file and for a listing, 512 MiB for a fetch, 8 MiB for a hub's answer, 10 s for a probe and 120 s without
// progress. They are larger than the largest public repository measured, and small enough for a laptop.
func DefaultLimits() Limits {
	return Limits{
		Entries:      200_000,
		Depth:        64,
		PathBytes:    4096,
		BlobBytes:    64 << 20,
		FetchBytes:   512 << 20,
		ListingBytes: 64 << 20,
		AnswerBytes:  8 << 20,
		ProbeTimeout: 10 * time.Second,
		StallTimeout: 120 * time.Second,
	}
}

// WithDefaults returns l with every zero field set from [DefaultLimits].
func (l Limits) WithDefaults() Limits {
	d := DefaultLimits()
	fill(&l.Entries, d.Entries)
	fill(&l.Depth, d.Depth)
	fill(&l.PathBytes, d.PathBytes)
	fill(&l.BlobBytes, d.BlobBytes)
	fill(&l.FetchBytes, d.FetchBytes)
	fill(&l.ListingBytes, d.ListingBytes)
	fill(&l.AnswerBytes, d.AnswerBytes)
	fill(&l.ProbeTimeout, d.ProbeTimeout)
	fill(&l.StallTimeout, d.StallTimeout)
	return l
}

// Limited is the ability to say which limits are kept for id. Bodies that move once may land many times, and only who lands
// them can count that (F6). [LimitsOf] asks a transport that may lack the ability; wrappers answer for the one behind.
type Limited interface {
	Limits(id skill.ID) Limits
}

// LimitsOf returns the limits that t keeps for id, without zero fields: those of [DefaultLimits] where t does not say.
func LimitsOf(t Transport, id skill.ID) Limits {
	if l, ok := t.(Limited); ok {
		return l.Limits(id).WithDefaults()
	}
	return DefaultLimits()
}

func fill[T int | int64 | time.Duration](p *T, def T) {
	if *p == 0 {
		*p = def
	}
}
