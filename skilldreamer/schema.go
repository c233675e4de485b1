package skilldreamer

import "encoding/json"

// JSON Schemas of the answers, for models that can hold to one. They use only
// what services commonly accept: every property required, none besides.
var (
	capabilitiesSchema = json.RawMessage(`{"type":"object","additionalProperties":false,"required":["capabilities","anchors"],"properties":{` +
		`"capabilities":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["capability","evidence"],"properties":{"capability":{"type":"string"},"evidence":{"type":"string"}}}},` +
		anchorsSchema + `}}`)
	imagineSchema    = json.RawMessage(skillSchema)
	imagineAllSchema = json.RawMessage(`{"type":"object","additionalProperties":false,"required":["skills"],"properties":{"skills":{"type":"array","items":` + skillSchema + `}}}`)
	everythingSchema = json.RawMessage(`{"type":"object","additionalProperties":false,"required":["capabilities","anchors"],"properties":{` +
		`"capabilities":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["capability","evidence","pseudo_skill"],"properties":{"capability":{"type":"string"},"evidence":{"type":"string"},"pseudo_skill":` + skillSchema + `}}},` +
		anchorsSchema + `}}`)
)

const (
	anchorsSchema = `"anchors":{"type":"array","items":{"type":"string"}}`
	skillSchema   = `{"type":"object","additionalProperties":false,"required":["name","description","body"],"properties":{"name":{"type":"string"},"description":{"type":"string"},"body":{"type":"string"}}}`
)
