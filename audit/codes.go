package audit

import "github.com/atskills-go/atskills/skill"

// The codes of a folder, beside those of package skill.
const (
	CodeFileMissing     skill.Code = "file-missing"      // there is no SKILL.md
	CodeFileUnreadable  skill.Code = "file-unreadable"   // SKILL.md is no regular file, or a link that leads outside
	CodeEntryUnreadable skill.Code = "entry-unreadable"  // something below the folder cannot be read
	CodeReferenceAbsent skill.Code = "reference-missing" // a file is referenced and not there
	CodeReferenceAway   skill.Code = "reference-escapes" // a reference leaves the folder
	CodeReferenceDeep   skill.Code = "reference-nested"  // a reference leads deeper than one level
	CodeBodyTokens      skill.Code = "body-too-many-tokens"
	CodeScriptMode      skill.Code = "script-not-executable"
	CodeScriptShebang   skill.Code = "script-no-shebang"
	CodeBundleSize      skill.Code = "bundle-too-large"
	CodeLink            skill.Code = "link"         // a link, which saving and fetching leave out
	CodeLinkAway        skill.Code = "link-escapes" // a link that leads outside of the folder or nowhere
	CodeNameCase        skill.Code = "name-collision"
	CodeNameWindows     skill.Code = "name-windows"
)

// severities are those of the folder's codes that are no warnings.
var severities = map[skill.Code]skill.Severity{
	CodeFileMissing:    skill.SeverityError,
	CodeFileUnreadable: skill.SeverityError,
	CodeReferenceDeep:  skill.SeverityAdvice,
	CodeBodyTokens:     skill.SeverityAdvice,
	CodeScriptMode:     skill.SeverityAdvice,
	CodeScriptShebang:  skill.SeverityAdvice,
}

// severity returns what a finding of the folder means when nothing else is asked for.
func severity(c skill.Code) skill.Severity {
	if s, ok := severities[c]; ok {
		return s
	}
	return skill.SeverityWarning
}
