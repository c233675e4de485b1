// Package deps keeps requirements alive until their packages are written.
package deps

import (
	_ "github.com/chewxy/math32"
	_ "github.com/clipperhouse/uax29/v2/words"
	_ "github.com/kelindar/bitmap"
	_ "github.com/kljensen/snowball"
	_ "github.com/knights-analytics/hugot"
	_ "github.com/stretchr/testify/require"
	_ "github.com/viterin/vek/vek32"
	_ "go.uber.org/goleak"
	_ "go.yaml.in/yaml/v3"
	_ "golang.org/x/sync/errgroup"
	_ "golang.org/x/text/encoding/simplifiedchinese"
	_ "golang.org/x/text/unicode/norm"
	_ "pgregory.net/rapid"
)
