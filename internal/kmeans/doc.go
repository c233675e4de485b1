// Package kmeans draft.
package kmeans
