package main

import (
	"fmt"
	"slices"
	"strings"
)

// paper is the published method with its published numbers.
func paper() setting {
	return setting{name: "SkillDreamer, published", task: 2, imagined: 1, anchors: 1}
}

// hybrid is skilldreamer.Hybrid.
func hybrid() setting {
	return setting{name: "SkillDreamer, Hybrid", task: .5, imagined: 1, anchors: .25, words: 1, pool: true}
}

func dense() setting           { return setting{name: "task's vector", plain: "vector"} }
func lexical() setting         { return setting{name: "task's words (BM25)", plain: "words"} }
func denseAndLexical() setting { return setting{name: "both, min-max and sum", plain: "both"} }

// imaginedWords is BM25 of the imagined skills and nothing else: a weight of
// the vectors that is next to nothing only breaks ties.
func imaginedWords() setting {
	return setting{name: "imagined skills' words alone (BM25)", imagined: 1e-9, words: 1, pool: true}
}

// variants are a setting and that setting with one thing changed.
type variants struct {
	from setting
	all  []setting
}

func variantsOf(from setting) *variants { return &variants{from, []setting{from}} }

func (v *variants) add(name string, change func(*setting)) {
	s := v.from
	change(&s)
	s.name = name
	v.all = append(v.all, s)
}

// gains are the method beside what retrieves by the task alone, the first of
// which is the plain query.
func gains() []setting {
	return []setting{dense(), lexical(), denseAndLexical(), imaginedWords(), paper(), hybrid()}
}

// ablations take parts of the published method away.
func ablations() []setting {
	v := variantsOf(paper())
	v.add("no capabilities: one list, of the task", func(s *setting) { s.vector = "task"; s.imagined = 0 })
	v.add("capabilities, but none of their skills imagined", func(s *setting) { s.vector = "capability" })
	v.add("no anchors", func(s *setting) { s.anchors = 0 })
	v.add("no task score", func(s *setting) { s.task = 0 })
	v.add("imagined skills' vectors alone", func(s *setting) { s.task, s.anchors = 0, 0 })
	v.add("capabilities' vectors alone", func(s *setting) { s.task, s.anchors = 0, 0; s.vector = "capability" })
	return v.all
}

// changes alter one thing each of the published method; the last is the preset.
func changes() []setting {
	v := variantsOf(paper())
	for _, a := range []float64{0, .25, .5, 1, 4} {
		v.add(fmt.Sprintf("α %g", a), func(s *setting) { s.task = a })
	}
	v.add("α 0.5 where candidates are chosen, 2 after", func(s *setting) { s.find = .5 })
	v.add("α 0 where candidates are chosen, 2 after", func(s *setting) { s.find = -1 })
	for _, p := range []float64{.5, 1} {
		v.add(fmt.Sprintf("α 2/M^%g for M capabilities", p), func(s *setting) { s.share = p })
	}
	for _, c := range []float64{0, .25, .5, 2} {
		v.add(fmt.Sprintf("γ %g", c), func(s *setting) { s.anchors = c })
	}
	for _, k := range []int{5, 10, 15, 40, 80} {
		v.add(fmt.Sprintf("K_c %d", k), func(s *setting) { s.candidates = k })
	}
	for _, d := range []float64{.5, 1, 2} {
		v.add(fmt.Sprintf("δ %g: BM25 of the imagined skills as a score", d), func(s *setting) { s.words = d })
	}
	v.add("δ 1, and it finds candidates", func(s *setting) { s.words = 1; s.pool = true })
	v.add("δ 1, and it finds, without bodies", func(s *setting) { s.words = 1; s.pool = true; s.wordsOf = "short" })
	v.add("δ 1, and it finds, of capabilities' texts", func(s *setting) { s.words = 1; s.pool = true; s.wordsOf = "capability" })
	v.add("δ 1, and it finds, of both", func(s *setting) { s.words = 1; s.pool = true; s.wordsOf = "joined" })
	v.add("anchors find candidates", func(s *setting) { s.poolAnchors = true })
	v.add("the task's words find candidates", func(s *setting) { s.poolTask = true })
	for _, w := range []float64{.3, .5} {
		v.add(fmt.Sprintf("task's score with %g of its BM25", w), func(s *setting) { s.taskWords = w })
	}
	for _, n := range []string{"z", "rank", "rrf"} {
		v.add("normalised by "+n, func(s *setting) { s.norm = n })
	}
	for _, m := range []string{"sum", "max", "rrf"} {
		v.add("merged by "+m, func(s *setting) { s.merge = m })
	}
	for _, w := range []string{"vector", "both"} {
		v.add("list of the task first, by "+w, func(s *setting) { s.whole = w })
		v.add("list of the task last, by "+w, func(s *setting) { s.whole = w; s.last = true })
	}
	v.add("capability and imagined skill as one text", func(s *setting) { s.vector = "joined" })
	v.add("their two vectors added", func(s *setting) { s.vector = "sum" })
	v.add("imagined skills without bodies", func(s *setting) { s.vector = "short" })
	for _, h := range []float64{.5, 1} {
		v.add(fmt.Sprintf("less %g times the nearness to all skills", h), func(s *setting) { s.hub = h })
	}
	return append(v.all, hybrid())
}

// around changes one thing each of the preset.
func around() []setting {
	v := variantsOf(hybrid())
	for _, a := range []float64{0, .25, 1, 2} {
		v.add(fmt.Sprintf("α %g", a), func(s *setting) { s.task = a })
	}
	for _, g := range []float64{0, .5, 1} {
		v.add(fmt.Sprintf("γ %g", g), func(s *setting) { s.anchors = g })
	}
	for _, d := range []float64{0, .5, 2} {
		v.add(fmt.Sprintf("δ %g", d), func(s *setting) { s.words = d })
	}
	v.add("words alone", func(s *setting) { s.task, s.anchors, s.imagined = 0, 0, 1e-9 })
	v.add("vectors of imagined skills alone", func(s *setting) { s.task, s.anchors, s.words, s.pool = 0, 0, 0, false })
	v.add("words find no candidates", func(s *setting) { s.pool = false })
	v.add("words without bodies", func(s *setting) { s.wordsOf = "short" })
	v.add("words of the capabilities too", func(s *setting) { s.wordsOf = "joined" })
	v.add("capability before imagined skill, vector", func(s *setting) { s.vector = "joined" })
	v.add("capability before imagined skill, both", func(s *setting) { s.vector, s.wordsOf = "joined", "joined" })
	v.add("nothing imagined: capabilities for their skills", func(s *setting) { s.vector, s.wordsOf = "capability", "capability" })
	for _, k := range []int{10, 40, 80} {
		v.add(fmt.Sprintf("K_c %d", k), func(s *setting) { s.candidates = k })
	}
	for _, n := range []string{"z", "rank", "rrf"} {
		v.add("normalised by "+n, func(s *setting) { s.norm = n })
	}
	for _, m := range []string{"sum", "max", "rrf"} {
		v.add("merged by "+m, func(s *setting) { s.merge = m })
	}
	v.add("list of the task last, by vector", func(s *setting) { s.whole = "vector"; s.last = true })
	v.add("α 1/M for M capabilities", func(s *setting) { s.task = 1; s.share = 1 })
	v.add("the task's words find candidates", func(s *setting) { s.poolTask = true })
	v.add("less the nearness to all skills", func(s *setting) { s.hub = 1 })
	return v.all
}

// tried is everything that was tried: the published method, its changes one by
// one, and combinations of those that may go together.
func tried() []setting {
	out := changes()
	for _, a := range []float64{0, .25, .5, 1, 2} {
		for _, g := range []float64{0, .25, .5, 1} {
			for _, d := range []float64{0, .5, 1, 2} {
				for _, pool := range []bool{false, true} {
					for _, vector := range []string{"", "joined", "sum"} {
						for _, of := range []string{"", "short", "joined"} {
							for _, whole := range []string{"", "both"} {
								s := setting{task: a, imagined: 1, anchors: g, words: d, pool: pool, vector: vector, wordsOf: of, whole: whole, last: whole != ""}
								if d == 0 && (pool || of != "") || slices.ContainsFunc(out[:len(changes())], s.sameAs) {
									continue
								}
								s.name = combination(s)
								out = append(out, s)
							}
						}
					}
				}
			}
		}
	}
	return out
}

func combination(s setting) string {
	name := []string{fmt.Sprintf("α %g, γ %g, δ %g", s.task, s.anchors, s.words)}
	if s.wordsOf != "" {
		name = append(name, "words "+s.wordsOf)
	}
	if s.pool {
		name = append(name, "words find")
	}
	if s.vector != "" {
		name = append(name, "vector "+s.vector)
	}
	if s.whole != "" {
		name = append(name, "list of the task last")
	}
	return strings.Join(name, ", ")
}
