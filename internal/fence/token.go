package fence

import "regexp"

// Control tokens of chat formats, by what follows their first character:
//
//   - <|im_start|>, <|eot_id|>, <|user|>, <|turn>: ChatML and most later ones;
//     DeepSeek writes the bar in full width. Operators such as <| and <|> of
//     some programming languages are none
//   - <start_of_turn>, <bos>: Gemma
//   - <s>, [INST], <<SYS>>, [SYSTEM_PROMPT], [TOOL_CALLS]: Llama 2, Mistral
//   - <unk>, <pad>, <mask>, <sop>, <eop>, [gMASK], [CLS], [SEP]: others
//
// Tokens that end no turn, such as <think> and <tool_call>, are left as they are.
//
// None of them holds a < or [ behind its first character, so that matches do
// not overlap.
const tokenTail = `[|｜][^\s<>|｜\[\]\\]{1,60}[|｜]?>` +
	`|/?(?:s|sys|bos|eos|pad|unk|mask|sop|eop|(?:start|end)_of_(?:turn|text|image))>` +
	`|/?(?:inst|system_prompt|available_tools|tool_calls|tool_results|tool_content|gmask|cls|sep)\]`

// Backslashes that stand there already are counted as part of the token, so
// that taking one away again gives back the text.
var (
	token   = regexp.MustCompile(`(?i)([<\[])(\\*(?:` + tokenTail + `))`)
	escaped = regexp.MustCompile(`(?i)([<\[])\\(\\*(?:` + tokenTail + `))`)
)

// escape puts a backslash behind the first character of control tokens.
func escape(text string) string { return token.ReplaceAllString(text, `${1}\${2}`) }

// unescape undoes escape.
func unescape(text string) string { return escaped.ReplaceAllString(text, `${1}${2}`) }
