# Everything here works with Go alone; only `make race` needs a C compiler.
#
#   make demo    find skills for a task, in one process (TASK="…" for your own)
#   make test    all tests, plain and with the SIMD kernels of the ONNX backend
#   make race    the tests of the concurrent packages under the race detector
#   make test-llm both methods with small real models (LLM="--model NAME", FLAGS="-demo 2 -data 0"); needs Python
#   make bench   benchmarks
#   make compare this library and its peers side by side (FLAGS="-only AREA -json FILE")
#   make lint    gofmt, go vet, staticcheck
#   make cross   build for the other platforms
#   make fmt     rewrite with gofmt
#   make kernels generate the assembly of internal/kernel anew
#   make kernels-check  prove that the assembly is what its generator writes

SHELL := /bin/sh
MINIMUM := 1.27
PINNED  := go1.27.3

# The Go at hand where it is new enough, else the pinned one, which Go fetches
# by itself as a module.
LOCAL := $(shell cd / && GOTOOLCHAIN=local go version | sed -n 's/^go version go\([0-9.]*\).*/\1/p')
NEWER := $(shell printf '%s\n%s\n' $(MINIMUM) '$(LOCAL)' | sort -V | tail -n 1)
export GOTOOLCHAIN := $(if $(filter $(LOCAL),$(NEWER)),local,$(PINNED))
export CGO_ENABLED := 0

STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
MODULES     := . examples/openai examples/anthropic examples/skillfind examples/rewrite examples/evaluate examples/realmodel \
               internal/bench internal/experiments
CONCURRENT  := ./internal/docids ./internal/kmeans ./bm25 ./vecindex ./metrics ./embed/... ./llm ./skilldreamer ./skillqr/...
FLAGS       ?=

.PHONY: demo test race bench compare lint cross fmt

# The task goes through the environment: its text is not for the shell to read.
export DEMO_TASK := $(value TASK)
demo:
	@go run -C examples/skillfind . -skills ../../testdata/skills -tasks ../../testdata $(if $(value TASK),-task "$$DEMO_TASK") $(FLAGS)

test:
	for m in $(MODULES); do (cd $$m && go test $(FLAGS) ./...) || exit 1; done
	GOEXPERIMENT=simd go test -short $(FLAGS) ./...

race:
	CGO_ENABLED=1 go test -race -short -tags noasm -gcflags=all=-d=checkptr=0 $(FLAGS) $(CONCURRENT)

bench:
	go test -run '^$$' -bench . -benchmem $(FLAGS) ./...

compare:
	@go run -C internal/bench . $(FLAGS)

lint:
	@files=$$(git ls-files '*.go' | xargs gofmt -l); if [ -n "$$files" ]; then echo "gofmt would change:"; echo "$$files"; exit 1; fi
	for m in $(MODULES) internal/kernel/gen; do (cd $$m && go vet ./... && go run $(STATICCHECK) ./...) || exit 1; done

cross:
	for p in linux/amd64 linux/arm64 darwin/arm64 windows/amd64 js/wasm; do \
	  echo "build $$p"; GOOS=$${p%/*} GOARCH=$${p#*/} go build ./... || exit 1; done
	GOEXPERIMENT=simd go build ./...

fmt:
	git ls-files '*.go' | xargs gofmt -w

.PHONY: kernels kernels-check

KERNELS := avx2 avx512 avx512vnni

kernels:
	@for isa in $(KERNELS); do \
	  go run -C internal/kernel/gen . -isa $$isa -pkg kernel -out ../$${isa}_amd64.s -stubs ../$${isa}_amd64.go || exit 1; done

# In the folder's place, because the command line is part of what is written.
kernels-check:
	@d=$$(mktemp -d) && trap 'rm -rf "$$d"' EXIT && cp -r internal/kernel/gen "$$d/gen" && \
	for isa in $(KERNELS); do \
	  go run -C "$$d/gen" . -isa $$isa -pkg kernel -out ../$${isa}_amd64.s -stubs ../$${isa}_amd64.go && \
	  diff -u internal/kernel/$${isa}_amd64.s "$$d/$${isa}_amd64.s" && \
	  diff -u internal/kernel/$${isa}_amd64.go "$$d/$${isa}_amd64.go" || exit 1; done

.PHONY: test-llm

LLM ?=
test-llm:
	@python3 examples/realmodel/serve.py $(LLM) -- go test -C examples/realmodel -count=1 -v -timeout 90m . $(FLAGS)
