package probe_test

import "github.com/prospect-go/prospect/skillqr"

// exampleQueries are, for the skills of the set, queries that are not in the
// sample and that a person would answer with the skill.
var exampleQueries = map[string]string{
	"Theorems, laws and formulas":       "theorems:theoremqa_00009",
	"Pony language and libraries":       "pony:5",
	"Clinical study findings":           "medline:15",
	"Laboratory and animal experiments": "medline:13",
	"Agent skill how-to guides":         "skills:3d-scan-calc",
}

// byHand are instructions that somebody wrote who knows the four parts of the
// collection, and knows of each query to which it belongs.
var byHand = map[string]skillqr.Skill{
	"theorems": {
		Name: "theorem behind an exercise", When: "exercises and problems in mathematics, physics, engineering or finance",
		Instruction: "The documents are encyclopedia-like descriptions of one theorem, definition, formula or method each. Find out which one the solution of the exercise rests on and name it, with its other names. State it in general form: what it assumes, what it says, and the terms and symbols that its description uses. Do not solve the exercise and leave its numbers and story out.",
	},
	"pony": {
		Name: "documentation of the Pony language", When: "programs to be written in Pony",
		Instruction: "The documents are pages of the Pony tutorial and of its standard library reference. Work out which features of the language and which types and methods the program needs: classes, actors, primitives, reference capabilities, arrays, strings, maps, iterators, loops, match expressions, arithmetic and its partial forms, exceptions. Use the words of such pages: type names such as Array, String, Map, USize or Iterator, method names, signatures and what they say about them. Leave the story of the task out.",
	},
	"medline": {
		Name: "medical abstracts", When: "questions about diseases, tissues, drugs and treatments",
		Instruction: "The documents are abstracts of medical and biological studies of the 1960s, in lower case, without titles. Add the names of conditions, organs, cells, substances, methods and animals under which such studies are filed, with synonyms and related terms of that time, and write the kind of findings that such an abstract reports: what was examined, in whom, and what was observed.",
	},
	"skills": {
		Name: "procedures for agents", When: "tasks for a working agent",
		Instruction: "The documents are skill files for agents: a name, a description that says what the skill does and when to use it, and instructions. Work out which tools, file formats, libraries, standards and methods the task calls for, stated or not. Write it as such descriptions do: what the skill does, with which library, on which kind of file, and the names of steps and pitfalls. Leave paths, names and figures of this one task out.",
	},
}
