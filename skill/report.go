package skill

// A reporter collects the problems of one file.
type reporter struct {
	path     string
	strict   bool
	problems []Problem
}

func (r *reporter) note(kind Kind, line int, message string) {
	r.add(Note, kind, line, message, nil)
}

// warn reports what strict parsing refuses.
func (r *reporter) warn(kind Kind, line int, message string) {
	r.warnBecause(kind, line, message, nil)
}

func (r *reporter) warnBecause(kind Kind, line int, message string, err error) {
	severity := Warning
	if r.strict {
		severity = Error
	}
	r.add(severity, kind, line, message, err)
}

func (r *reporter) fail(kind Kind, line int, message string, err error) {
	r.add(Error, kind, line, message, err)
}

func (r *reporter) add(severity Severity, kind Kind, line int, message string, err error) {
	r.problems = append(r.problems, Problem{
		Path: r.path, Line: line, Kind: kind, Severity: severity, Message: message, Err: err,
	})
}

// errors returns the problems of severity Error, as errors.
func (r *reporter) errors() []error {
	var errs []error
	for _, p := range r.problems {
		if p.Severity == Error {
			errs = append(errs, p)
		}
	}
	return errs
}
