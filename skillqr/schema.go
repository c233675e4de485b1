package skillqr

import "encoding/json"

// JSON Schemas of the answers of mining, for models that can hold to one. They
// use only what services commonly accept: every property required, none
// besides.
var (
	labelSchema = json.RawMessage(`{"type":"object","additionalProperties":false,"required":["domain","content","terms"],"properties":{` +
		`"domain":{"type":"string"},"content":{"type":"string"},"terms":{"type":"array","items":{"type":"string"}}}}`)
	draftSchema = json.RawMessage(`{"type":"object","additionalProperties":false,"required":["skills"],"properties":{` +
		`"skills":{"type":"array","items":` + skillSchema("groups") + `}}}`)
	judgeSchema = json.RawMessage(`{"type":"object","additionalProperties":false,"required":["reason","covered_by","missing","action","skill"],"properties":{` +
		`"reason":{"type":"string"},"covered_by":{"type":"array","items":{"type":"integer"}},"missing":{"type":"string"},` +
		`"action":{"type":"string","enum":["none","broaden","add"]},"skill":{"type":"integer"}}}`)
	reviseSchema = json.RawMessage(`{"type":"object","additionalProperties":false,"required":["skills"],"properties":{` +
		`"skills":{"type":"array","items":` + skillSchema("gaps") + `}}}`)
)

func skillSchema(numbers string) string {
	return `{"type":"object","additionalProperties":false,"required":["name","when","instruction","` + numbers + `"],"properties":{` +
		`"name":{"type":"string"},"when":{"type":"string"},"instruction":{"type":"string"},"` + numbers + `":{"type":"array","items":{"type":"integer"}}}}`
}
