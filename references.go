package atskills

import "github.com/atskills-go/atskills/skill"

// References returns the references in message in the order written, each with its byte span, and either its parsed form
// or the error that says why it cannot be used (G10). It reads nothing and takes time linear in the length of message.
//
// A reference begins where "@skills:" begins a token, and ends before the punctuation, quotes and brackets of the sentence
// around it. Each one that begins is returned. "@skills:" in code, fenced or inline, or inside a word, as in
// "me@skills:x", is text and is passed over in silence; [skill.Mentions] has the whole rule, and the option to read code too.
func References(message string) []skill.Mention {
	return skill.Mentions(message, skill.MentionOptions{})
}
