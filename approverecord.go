package atskills

import (
	"encoding/json"
	"time"

	"github.com/atskills-go/atskills/fsx"
	"github.com/atskills-go/atskills/skill"
	"github.com/atskills-go/atskills/transport"
)

const (
	// maxKeptScript bounds the text of a script that a record keeps, to show later what changed.
	maxKeptScript = 32 << 10
	// maxApproved bounds the scripts of one record; the ones confirmed longest ago are asked about again.
	maxApproved = 64
)

// approved is one script of a record of approvals.
type approved struct {
	Revision transport.Revision `json:"revision"`
	SHA256   string             `json:"sha256"`
	At       time.Time          `json:"approvedAt"`
	Site     string             `json:"site,omitempty"` // where the skill was read from
	Text     []byte             `json:"text,omitempty"` // nil when it was no text, or too long
}

// approvals is a record: the scripts of one skill that were confirmed, by path.
type approvals map[string]approved

// approvalsFile is a record on disk. The id tells a record of another skill that landed under this name.
type approvalsFile struct {
	ID      skill.ID  `json:"id"`
	Scripts approvals `json:"scripts"`
}

// approvalsPath is where id's record lies. It is a file of its own, since other clients rewrite the metadata as they
// like (C3), and its name does not end in .json, so that a client that reads all metadata does not take it for some.
func approvalsPath(id skill.ID) string { return metaDir + "/" + metaHash(id) + ".approved" }

// readApprovals returns id's record. One that is missing, damaged or of another skill is empty: the host asks once more.
func (c *cache) readApprovals(id skill.ID) approvals {
	data, err := fsx.ReadFile(c.fs, approvalsPath(id), maxMeta)
	var f approvalsFile
	if err != nil || json.Unmarshal(data, &f) != nil || f.ID != id || f.Scripts == nil {
		return make(approvals)
	}
	return f.Scripts
}

func (c *cache) writeApprovals(id skill.ID, all approvals) error {
	for len(all) > maxApproved {
		oldest := ""
		for name, a := range all {
			if oldest == "" || a.At.Before(all[oldest].At) {
				oldest = name
			}
		}
		delete(all, oldest)
	}
	data, err := json.Marshal(approvalsFile{id, all})
	if err != nil {
		return err
	}
	if err := fsx.WriteFile(c.fs, approvalsPath(id), data, 0o644); err != nil {
		return c.unusable(err)
	}
	return nil
}
