//go:build race

package evaldata

const underRace = true
