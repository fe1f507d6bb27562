package skill

import (
	"cmp"
	"fmt"
	"slices"
)

// Code names one kind of finding. The names are those of the format notes and stay as they are: hosts switch on them.
type Code string

// The codes of a document, in the order of the stages that report them.
const (
	CodeFileNameCase Code = "file-name-case" // the file is not spelled SKILL.md
	CodeFileTooLarge Code = "file-too-large" // more than MaxFile bytes
	CodeFileLines    Code = "file-too-many-lines"
	CodeBOM          Code = "bom"
	CodeInvalidUTF8  Code = "encoding-invalid-utf8"
	CodeLoneCR       Code = "line-ending-cr"

	CodeFrontmatterMissing    Code = "frontmatter-missing"
	CodeFrontmatterNotFirst   Code = "frontmatter-not-first"
	CodeFrontmatterUnclosed   Code = "frontmatter-unclosed"
	CodeFrontmatterNotMapping Code = "frontmatter-not-mapping"
	CodeControlChar           Code = "control-char"
	CodeLineSeparator         Code = "line-separator-char"

	CodeYAMLInvalid        Code = "yaml-invalid"
	CodeYAMLRetry          Code = "yaml-retry" // stands for yaml-invalid in the lenient reading
	CodeYAMLDocumentMarker Code = "yaml-document-marker"
	CodeYAMLDuplicateKey   Code = "yaml-duplicate-key"
	CodeYAMLAnchor         Code = "yaml-anchor"
	CodeYAMLTag            Code = "yaml-tag"
	CodeYAMLMergeKey       Code = "yaml-merge-key"
	CodeYAMLKeyNotString   Code = "yaml-key-not-string"
	CodeYAMLFlowStyle      Code = "yaml-flow-style"
	CodeYAML11Type         Code = "yaml11-implicit-type"

	CodeNameMissing      Code = "name-missing"
	CodeNameEmpty        Code = "name-empty"
	CodeNameNotString    Code = "name-not-string"
	CodeNameTooLong      Code = "name-too-long"
	CodeNameUppercase    Code = "name-uppercase"
	CodeNameCharset      Code = "name-charset"
	CodeNameHyphenEdge   Code = "name-hyphen-edge"
	CodeNameHyphenDouble Code = "name-hyphen-double"
	CodeNameDirMismatch  Code = "name-dir-mismatch"
	CodeNameUnsafe       Code = "name-unsafe"

	CodeDescriptionMissing   Code = "description-missing"
	CodeDescriptionEmpty     Code = "description-empty"
	CodeDescriptionNotString Code = "description-not-string"
	CodeDescriptionTooLong   Code = "description-too-long"
	CodeCommentInValue       Code = "comment-in-value"
	CodeUnsafeChar           Code = "unsafe-char"

	CodeLicenseNotString       Code = "license-not-string"
	CodeLicenseEmpty           Code = "license-empty"
	CodeCompatibilityNotString Code = "compatibility-not-string"
	CodeCompatibilityEmpty     Code = "compatibility-empty"
	CodeCompatibilityTooLong   Code = "compatibility-too-long"

	CodeMetadataNotMapping     Code = "metadata-not-mapping"
	CodeMetadataEmpty          Code = "metadata-empty"
	CodeMetadataKeyNotString   Code = "metadata-key-not-string"
	CodeMetadataValueNotString Code = "metadata-value-not-string"

	CodeToolsNotString Code = "allowed-tools-not-string"
	CodeToolsComma     Code = "allowed-tools-comma"
	CodeToolsEmpty     Code = "allowed-tools-empty"
	CodeToolsSyntax    Code = "allowed-tools-syntax"

	CodeUnknownField    Code = "unknown-field"
	CodeBodyEmpty       Code = "body-empty"
	CodeBodyControlChar Code = "body-control-char"
)

// Advisory reports whether c never fails a strict check: the text is legal and something about it is worth a word.
func (c Code) Advisory() bool {
	switch c {
	case CodeFileLines, CodeLoneCR, CodeYAMLFlowStyle, CodeYAML11Type, CodeCommentInValue, CodeUnsafeChar,
		CodeLicenseEmpty, CodeMetadataEmpty, CodeToolsEmpty, CodeToolsSyntax, CodeBodyEmpty, CodeBodyControlChar:
		return true
	}
	return false
}

// Severity says what a finding means to the reading that reports it.
type Severity uint8

// The severities. In the strict reading every finding is an error or advice. In the lenient reading the error is the
// one finding that keeps the document from loading, and a strict error that was worked around is a warning.
const (
	SeverityError Severity = iota
	SeverityWarning
	SeverityAdvice
)

// String returns "error", "warning" or "advice".
func (s Severity) String() string {
	switch s {
	case SeverityError:
		return "error"
	case SeverityWarning:
		return "warning"
	}
	return "advice"
}

// MarshalText returns what String does.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Finding is one remark about a document. Message and Fix are single lines for people; they quote what they cite,
// so that text of the document cannot reach a terminal raw.
type Finding struct {
	Code     Code     `json:"code"`
	Severity Severity `json:"severity"`
	Message  string   `json:"message"`
	Line     int      `json:"line"`   // from 1, of the file
	Column   int      `json:"column"` // from 1, in runes; a run of bad UTF-8 counts as one
	Fix      string   `json:"fix,omitempty"`
}

// String returns "line:column: severity code: message".
func (f Finding) String() string {
	return fmt.Sprintf("%d:%d: %v %s: %s", f.Line, f.Column, f.Severity, f.Code, f.Message)
}

// maxPerCode bounds how often one code is reported: a file made of nothing but faults must not cost more memory
// than it has bytes. The set of codes is never affected.
const maxPerCode = 64

// readings is a set of the two readings of a document (section 5: one pipeline, they differ in what stops them).
type readings uint8

const (
	strictly readings = 1 << iota
	leniently
)

// findingLog collects the findings of both readings.
type findingLog struct {
	strict, lenient []Finding
	counts          map[Code]int
	active          readings // where the next finding goes
}

func (l *findingLog) add(f Finding) { l.addTo(l.active, f) }

func (l *findingLog) addTo(to readings, f Finding) {
	if to == 0 {
		return
	}
	if l.counts == nil {
		l.counts = make(map[Code]int)
	}
	if l.counts[f.Code]++; l.counts[f.Code] > maxPerCode {
		return
	}
	f.Severity = SeverityError
	if f.Code.Advisory() {
		f.Severity = SeverityAdvice
	}
	if to&strictly != 0 {
		l.strict = append(l.strict, f)
	}
	if f.Severity == SeverityError {
		f.Severity = SeverityWarning
	}
	if to&leniently != 0 {
		l.lenient = append(l.lenient, f)
	}
}

// full reports whether no more findings of code are kept.
func (l *findingLog) full(code Code) bool { return l.counts[code] >= maxPerCode }

// finish orders the findings by place and marks the one that refuses the document.
func (l *findingLog) finish(refusal Code) {
	sortFindings(l.strict)
	sortFindings(l.lenient)
	for i := range l.lenient {
		if l.lenient[i].Code == refusal {
			l.lenient[i].Severity = SeverityError
		}
	}
}

func sortFindings(fs []Finding) {
	slices.SortStableFunc(fs, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Code, b.Code))
	})
}
