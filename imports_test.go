package prospect_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/prospect-go/prospect"

// mayImport is the layering of the library: what each package may import,
// directly or not, of this module. Internal packages are allowed to all but
// the root. Prefixes of other modules that only some may reach are below.
var mayImport = map[string][]string{
	"":              {},
	"vecindex":      {""},
	"bm25":          {""},
	"fusion":        {""},
	"metrics":       {""},
	"skill":         {""},
	"embed":         {""},
	"embed/onnx":    {"", "embed"},
	"embed/builtin": {"", "embed", "embed/onnx"},
	"llm":           {""},
	"skilldreamer":  {"", "bm25", "vecindex", "fusion", "skill"},
	"skillqr":       {"", "vecindex", "fusion"},
	"skillqr/probe": {"", "vecindex", "fusion", "metrics", "skillqr"},
}

// onnx are the packages that may compile the ONNX runtime.
var onnx = []string{"embed/onnx", "embed/builtin"}

func TestImportRules(t *testing.T) {
	for _, pkg := range goList(t, "./...") {
		name := strings.TrimPrefix(strings.TrimPrefix(pkg, module), "/")
		if strings.Contains("/"+name, "/internal/") || strings.HasPrefix(name, "examples/") {
			continue
		}
		allowed, known := mayImport[name]
		require.True(t, known, "package %q is not in the rules: add it to mayImport", name)
		for _, dep := range goList(t, "-deps", pkg) {
			if !slices.Contains(onnx, name) {
				require.NotContains(t, dep, "knights-analytics/hugot", "%s compiles the ONNX runtime", pkg)
				require.NotContains(t, dep, "gomlx", "%s compiles the ONNX runtime", pkg)
			}
			if dep == pkg {
				continue
			}
			if name == "" {
				require.NotContains(t, strings.SplitN(dep, "/", 2)[0], ".", "the root imports only the standard library, not %s", dep)
			}
			inner, ours := strings.CutPrefix(dep, module)
			if !ours {
				continue
			}
			inner = strings.TrimPrefix(inner, "/")
			if strings.Contains("/"+inner, "/internal/") && name != "" {
				continue
			}
			require.Contains(t, allowed, inner, "%s may not import %s", pkg, dep)
		}
	}
}

func TestInternalPackagesStandOnTheRootAlone(t *testing.T) {
	for _, pkg := range goList(t, "./internal/...") {
		for _, dep := range goList(t, "-deps", pkg) {
			inner, ours := strings.CutPrefix(dep, module)
			if ours && inner != "" {
				require.True(t, strings.HasPrefix(inner, "/internal/"), "%s may not import %s", pkg, dep)
			}
		}
	}
}

// goList runs go list. Packages under a testdata folder and modules of their
// own are not listed by it.
func goList(t *testing.T, args ...string) []string {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list"}, args...)...).Output()
	require.NoError(t, err, "go list needs the go command")
	return strings.Fields(strings.ReplaceAll(string(out), " [no Go files]", ""))
}
