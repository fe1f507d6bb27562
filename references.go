package atskills

import "github.com/atskills-go/atskills/skill"

// References returns the references in message in the order written, each with its byte span, and either its parsed form
// or the error that says why it cannot be used; none is dropped in silence (G10). It reads nothing and takes time linear
// in the length of message.
//
// A reference begins where "@skills:" begins a token, and ends before the punctuation, quotes and brackets of the sentence
// around it. In code, fenced or inline, there are none; [skill.Mentions] has the whole rule, and the option to read code too.
func References(message string) []skill.Mention {
	return skill.Mentions(message, skill.MentionOptions{})
}
