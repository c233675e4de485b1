package builtin_test

const (
	documentedDim       = 512
	documentedMaxTokens = 512
)
