module github.com/prospect-go/prospect/examples/openai

go 1.27.0

require (
	github.com/openai/openai-go/v3 v3.99.0
	github.com/prospect-go/prospect v0.0.0
	github.com/stretchr/testify v1.12.1
)

require (
	github.com/coder/websocket v1.8.15 // indirect
	github.com/tidwall/gjson v1.20.0 // indirect
	github.com/tidwall/match v1.1.1 // indirect
	github.com/tidwall/pretty v1.2.1 // indirect
	github.com/tidwall/sjson v1.2.5 // indirect
	go.yaml.in/yaml/v3 v3.0.6 // indirect
)

replace github.com/prospect-go/prospect => ../..
