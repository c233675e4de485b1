// Package bm25 is an in-memory full-text index with BM25 ranking.
package bm25
