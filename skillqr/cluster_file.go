package skillqr

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/internal/kmeans"
	"github.com/prospect-go/prospect/internal/sectfile"
)

// A file of clusters has the form of internal/sectfile, version 1:
//
//	magic      "PROSPCLU"
//	head       dim:uvarint clusters:uvarint next:uvarint documents:uvarint
//	           embedder:string
//	clusters   for each: number:uvarint settled:uvarint low:float64
//	           quartile:float64
//	centroids  clusters·dim float32, little-endian
//	documents  for each: id:string digest:8 bytes, position of its
//	           cluster:uvarint, similarity:float64, arrived:uvarint (0 or 1)
//
// Numbers ascend and are below next. The spread of all documents is computed
// anew.
const (
	clustersMagic   = "PROSPCLU"
	clustersVersion = 1

	maxStored = 1 << 28 // bytes in one string
	maxCount  = math.MaxInt32
)

// Save writes the clusters to one file, atomically: whoever opens the path
// finds the old file or the whole new one.
func (c *Clusters) Save(path string) error { return sectfile.Save(path, c.write) }

func (c *Clusters) write(w io.Writer) error {
	sw, err := sectfile.NewWriter(w, clustersMagic, clustersVersion)
	if err != nil {
		return err
	}
	encode := func(name string, write func(*sectfile.Encoder)) {
		if err == nil {
			err = sw.Section(name, func(w io.Writer) error {
				e := sectfile.NewEncoder(w)
				write(e)
				return e.Flush()
			})
		}
	}
	encode("head", func(e *sectfile.Encoder) {
		for _, n := range []int{c.centroids.Dim, len(c.parts), c.next, len(c.docs)} {
			e.Uint(uint64(n))
		}
		e.String(c.embedder)
	})
	encode("clusters", func(e *sectfile.Encoder) {
		for _, p := range c.parts {
			e.Uint(uint64(p.number))
			e.Uint(uint64(p.spread.settled))
			e.Float(float64(p.spread.low))
			e.Float(float64(p.spread.quartile))
		}
	})
	encode("centroids", func(e *sectfile.Encoder) {
		var scratch [4]byte
		for _, x := range c.centroids.Data {
			e.Raw(binary.LittleEndian.AppendUint32(scratch[:0], math.Float32bits(x)))
		}
	})
	encode("documents", func(e *sectfile.Encoder) {
		for i, d := range c.docs {
			e.String(c.ids[i])
			e.Raw(d.digest[:])
			e.Uint(uint64(d.part))
			e.Float(float64(d.similarity))
			arrived := uint64(0)
			if d.arrived {
				arrived = 1
			}
			e.Uint(arrived)
		}
	})
	if err != nil {
		return err
	}
	return sw.Close()
}

// OpenClusters reads a file that [Clusters.Save] wrote. Errors:
// [prospect.ErrFormat], [prospect.ErrVersion], [prospect.ErrCorrupt],
// fs.ErrNotExist.
func OpenClusters(path string) (*Clusters, error) {
	var c *Clusters
	err := sectfile.Load(path, func(r io.Reader) (err error) {
		if c, err = readClusters(r); err != nil {
			return err
		}
		if _, err := io.ReadFull(r, make([]byte, 1)); err != io.EOF {
			return fmt.Errorf("%w: bytes after the end", prospect.ErrCorrupt)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("skillqr: clusters %s: %w", path, err)
	}
	return c, nil
}

func readClusters(r io.Reader) (*Clusters, error) {
	sr, err := sectfile.NewReader(r, clustersMagic, clustersVersion)
	if err != nil {
		return nil, err
	}
	c := &Clusters{}
	var clusters, documents int
	decode := func(name string, read func(*sectfile.Decoder)) {
		if err == nil {
			err = sr.Section(name, func(r io.Reader) error {
				d := sectfile.NewDecoder(r)
				read(d)
				return d.End()
			})
		}
	}
	decode("head", func(d *sectfile.Decoder) {
		c.centroids.Dim = int(d.Uint(1 << 20))
		clusters = int(d.Uint(maxCount))
		c.next = int(d.Uint(maxCount))
		documents = int(d.Uint(maxCount))
		c.embedder = d.String(maxStored)
		if clusters > documents || clusters > c.next || (clusters == 0) != (documents == 0) || clusters > 0 && c.centroids.Dim == 0 {
			d.Fail("%d clusters of %d documents", clusters, documents)
		}
	})
	decode("clusters", func(d *sectfile.Decoder) {
		for i := 0; i < clusters && d.Err() == nil; i++ {
			p := part{number: int(d.Uint(maxCount))}
			p.spread = spread{int(d.Uint(maxCount)), readCosine(d), readCosine(d)}
			if p.number >= c.next || i > 0 && p.number <= c.parts[i-1].number {
				d.Fail("cluster %d is out of order", p.number)
			}
			c.parts = append(c.parts, p)
		}
	})
	decode("centroids", func(d *sectfile.Decoder) { c.centroids = readCentroids(d, clusters, c.centroids.Dim) })
	decode("documents", func(d *sectfile.Decoder) { c.readDocuments(d, documents) })
	if err != nil {
		return nil, err
	}
	if err := sr.Close(); err != nil {
		return nil, err
	}
	c.index()
	for i, docs := range c.members {
		if len(docs) == 0 {
			return nil, fmt.Errorf("%w: cluster %d is empty", prospect.ErrCorrupt, c.parts[i].number)
		}
	}
	c.measure(func(int) bool { return false })
	return c, nil
}

func readCentroids(d *sectfile.Decoder, n, dim int) kmeans.Matrix {
	m := kmeans.Matrix{Dim: dim}
	row := make([]byte, 4*dim)
	for i := 0; i < n && d.Err() == nil; i++ {
		d.Raw(row)
		var square float64
		for j := range dim {
			x := math.Float32frombits(binary.LittleEndian.Uint32(row[4*j:]))
			square += float64(x) * float64(x)
			m.Data = append(m.Data, x)
		}
		if !(math.Abs(square-1) < 1e-3) {
			d.Fail("centroid %d has no unit length", i)
		}
	}
	return m
}

func (c *Clusters) readDocuments(d *sectfile.Decoder, n int) {
	seen := make(map[string]bool)
	c.docs = []document{}
	for i := 0; i < n && d.Err() == nil; i++ {
		id := d.String(maxStored)
		var doc document
		d.Raw(doc.digest[:])
		doc.part = int32(d.Uint(uint64(max(len(c.parts), 1) - 1)))
		doc.similarity = readCosine(d)
		doc.arrived = d.Uint(1) == 1
		if id == "" || seen[id] {
			d.Fail("document %q is there twice, or has no id", id)
		}
		seen[id] = true
		c.ids, c.docs = append(c.ids, id), append(c.docs, doc)
	}
}

func readCosine(d *sectfile.Decoder) float32 {
	v := d.Float()
	if !(math.Abs(v) <= 1.001) {
		d.Fail("%v is no cosine", v)
	}
	return float32(v)
}
