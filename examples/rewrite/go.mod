module github.com/prospect-go/prospect/examples/rewrite

go 1.27.0

require (
	github.com/prospect-go/prospect v0.0.0
	github.com/prospect-go/prospect/examples/openai v0.0.0
	github.com/stretchr/testify v1.12.1
	golang.org/x/text v0.44.0
)

require (
	github.com/chewxy/math32 v1.11.1 // indirect
	github.com/clipperhouse/uax29/v2 v2.7.0 // indirect
	github.com/coder/websocket v1.8.15 // indirect
	github.com/daulet/tokenizers v1.27.0 // indirect
	github.com/go-logr/logr v1.4.4 // indirect
	github.com/gofrs/flock v0.13.1 // indirect
	github.com/gomlx/compute v0.1.14 // indirect
	github.com/gomlx/compute-onnx v0.1.13 // indirect
	github.com/gomlx/exceptions v0.0.3 // indirect
	github.com/gomlx/go-huggingface v0.4.12 // indirect
	github.com/gomlx/gomlx v0.28.16 // indirect
	github.com/gomlx/onnx-gomlx v0.5.13 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/kelindar/bitmap v1.5.2 // indirect
	github.com/kelindar/simd v1.1.2 // indirect
	github.com/klauspost/cpuid/v2 v2.2.4 // indirect
	github.com/kljensen/snowball v0.10.0 // indirect
	github.com/knights-analytics/hugot v0.8.0 // indirect
	github.com/knights-analytics/ortgenai v0.3.2 // indirect
	github.com/microsoft/onnxruntime/go v0.0.0-20260922015325-62e95311b771 // indirect
	github.com/openai/openai-go/v3 v3.99.0 // indirect
	github.com/pkg/errors v0.9.1 // indirect
	github.com/tidwall/gjson v1.20.0 // indirect
	github.com/tidwall/match v1.1.1 // indirect
	github.com/tidwall/pretty v1.2.1 // indirect
	github.com/tidwall/sjson v1.2.5 // indirect
	github.com/viterin/partial v1.1.0 // indirect
	github.com/viterin/vek v0.4.3 // indirect
	go.yaml.in/yaml/v3 v3.0.6 // indirect
	golang.org/x/exp v0.0.0-20260908205506-85c1c2202aba // indirect
	golang.org/x/image v0.46.0 // indirect
	golang.org/x/sync v0.25.0 // indirect
	golang.org/x/sys v0.48.0 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
	k8s.io/klog/v2 v2.140.0 // indirect
)

replace (
	github.com/prospect-go/prospect => ../..
	github.com/prospect-go/prospect/examples/openai => ../openai
)
