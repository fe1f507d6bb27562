package main

import (
	"net/url"
	"path/filepath"
	"slices"

	"github.com/atskills-go/atskills/skill"
)

// skillObject is what validate --json prints for a skill. Its arrays and its map are never null.
type skillObject struct {
	Path         string            `json:"path"`
	Valid        bool              `json:"valid"`
	Loads        bool              `json:"loads"`
	Name         string            `json:"name"`
	Description  string            `json:"description"`
	AllowedTools []string          `json:"allowedTools"`
	Metadata     map[string]string `json:"metadata"`
	Findings     []findingObject   `json:"findings"`
}

type findingObject struct {
	Code     skill.Code     `json:"code"`
	Severity skill.Severity `json:"severity"`
	Message  string         `json:"message"`
	Line     int            `json:"line"`
	Column   int            `json:"column"`
}

func (c *checking) objects() []skillObject {
	all := []skillObject{}
	for _, s := range c.reports {
		file := s.report.File
		if file == "" {
			file = skill.SkillFile
		}
		o := skillObject{Path: s.path(file), Valid: s.report.Valid(), Loads: s.report.Loads(), Name: s.name(),
			AllowedTools: []string{}, Metadata: map[string]string{}, Findings: []findingObject{}}
		if doc := s.report.Doc; doc != nil {
			o.Name, o.Description, o.AllowedTools = doc.Name, doc.Description, list(doc.AllowedTools)
			if doc.Metadata != nil {
				o.Metadata = doc.Metadata
			}
		}
		for _, f := range s.findings {
			o.Findings = append(o.Findings, findingObject{f.Code, f.Severity, f.Message, f.Line, f.Column})
		}
		all = append(all, o)
	}
	return all
}

// The part of SARIF 2.1.0 that code scanning services read.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool     `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name  string      `json:"name"`
		Rules []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID string `json:"id"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Message   sarifMessage    `json:"message"`
		Locations []sarifLocation `json:"locations"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
	}
)

func sarif(reports []checked) sarifLog {
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "atskills", Rules: []sarifRule{}}
	levels := map[skill.Severity]string{skill.SeverityError: "error", skill.SeverityWarning: "warning", skill.SeverityAdvice: "note"}
	for _, s := range reports {
		for _, f := range s.findings {
			rules := &run.Tool.Driver.Rules
			i := slices.Index(*rules, sarifRule{string(f.Code)})
			if i < 0 {
				i = len(*rules)
				*rules = append(*rules, sarifRule{string(f.Code)})
			}
			run.Results = append(run.Results, sarifResult{
				RuleID: string(f.Code), RuleIndex: i, Level: levels[f.Severity], Message: sarifMessage{f.Message},
				Locations: []sarifLocation{{sarifPhysical{sarifArtifact{fileURI(s.path(f.Path))}, sarifRegion{f.Line, f.Column}}}},
			})
		}
	}
	return sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}}
}

// fileURI is a path as a URI: relative when the path is.
func fileURI(name string) string {
	u := url.URL{Path: filepath.ToSlash(name)}
	if filepath.IsAbs(name) {
		u.Scheme = "file"
		if u.Path[0] != '/' { // a drive of Windows
			u.Path = "/" + u.Path
		}
	}
	return u.String()
}
