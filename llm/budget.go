package llm

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/prospect-go/prospect"
)

// ErrBudget: a call was not made, or was broken off, because a [Budget] is
// spent. The error is a [*BudgetError].
var ErrBudget = errors.New("llm: the budget is spent")

// Limits bound what the calls of a model may cost; 0 does not bound.
type Limits struct {
	// Calls is how many calls may be made.
	Calls int
	// Tokens is how many tokens they may use, in and out. No call begins once
	// so many are used. What a call uses is known when it has ended, so those
	// under way then may go beyond: by no more than their number times prompt
	// and MaxTokens.
	Tokens int
	// Time is how long after the first call calls may begin and last. One that
	// is under way then is broken off.
	Time time.Duration
}

// Spent is what calls have cost.
type Spent struct {
	// Calls that were made, those that failed or are under way among them.
	Calls int
	// Tokens that they used. Where a model does not tell, four bytes of text
	// count as one, and a call that failed as none.
	Tokens int
	// Time since the first call.
	Time time.Duration
}

// A BudgetError says which limit was reached and what was spent. It wraps
// [ErrBudget], never [prospect.ErrTransient] or an error of a context.
type BudgetError struct {
	// Limit that was reached: "calls", "tokens" or "time".
	Limit  string
	Limits Limits
	Spent  Spent
}

// Error tells the limits and what was spent.
func (e *BudgetError) Error() string {
	of := map[string]string{"calls": fmt.Sprint(e.Limits.Calls, " calls"), "tokens": fmt.Sprint(e.Limits.Tokens, " tokens"), "time": e.Limits.Time.String()}[e.Limit]
	return fmt.Sprintf("%v: at most %s allowed; %d calls, %d tokens and %v were used",
		ErrBudget, of, e.Spent.Calls, e.Spent.Tokens, e.Spent.Time.Round(time.Millisecond))
}

// Unwrap returns [ErrBudget].
func (e *BudgetError) Unwrap() error { return ErrBudget }

// A Budget bounds the calls of the models that it wraps, all together: make one
// for each piece of work. It is safe for concurrent use; the number of calls is
// never exceeded. Make one with [NewBudget].
type Budget struct {
	limits Limits

	mu     sync.Mutex // guards all below
	begin  time.Time  // of the first call; zero before
	calls  int
	tokens int
}

// NewBudget returns a budget of which nothing is spent. A negative limit is an
// error that wraps [prospect.ErrOption].
func NewBudget(l Limits) (*Budget, error) {
	if l.Calls < 0 || l.Tokens < 0 || l.Time < 0 {
		return nil, fmt.Errorf("%w: a budget of %+v, want no negative limit", prospect.ErrOption, l)
	}
	return &Budget{limits: l}, nil
}

// Spent is what was spent so far.
func (b *Budget) Spent() Spent {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.spent()
}

func (b *Budget) spent() Spent {
	s := Spent{Calls: b.calls, Tokens: b.tokens}
	if !b.begin.IsZero() {
		s.Time = time.Since(b.begin)
	}
	return s
}

func (b *Budget) exceeded(limit string) error {
	return &BudgetError{Limit: limit, Limits: b.limits, Spent: b.spent()}
}

// reserve takes a call from the budget and returns when it has to end; zero is
// never.
func (b *Budget) reserve() (end time.Time, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.begin.IsZero() {
		b.begin = time.Now()
	}
	if b.limits.Time > 0 {
		end = b.begin.Add(b.limits.Time)
	}
	switch {
	case b.limits.Calls > 0 && b.calls >= b.limits.Calls:
		return end, b.exceeded("calls")
	case b.limits.Tokens > 0 && b.tokens >= b.limits.Tokens:
		return end, b.exceeded("tokens")
	case b.limits.Time > 0 && !time.Now().Before(end):
		return end, b.exceeded("time")
	}
	b.calls++
	return end, nil
}

func (b *Budget) settle(tokens int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tokens += tokens
}

// Wrap returns m with the budget before it.
func (b *Budget) Wrap(m prospect.LLM) prospect.LLM { return &budgeted{m, b} }

type budgeted struct {
	prospect.LLM
	budget *Budget
}

func (m *budgeted) Generate(ctx context.Context, req prospect.LLMRequest) (prospect.LLMResponse, error) {
	if err := ctx.Err(); err != nil { // costs nothing
		return prospect.LLMResponse{}, err
	}
	end, err := m.budget.reserve()
	if err != nil {
		return prospect.LLMResponse{}, err
	}
	bounded := ctx
	if !end.IsZero() {
		var cancel context.CancelFunc
		bounded, cancel = context.WithDeadline(ctx, end)
		defer cancel()
	}
	resp, err := m.LLM.Generate(bounded, req)
	m.budget.settle(tokensOf(req, resp, err))
	if err != nil && bounded.Err() != nil && ctx.Err() == nil {
		m.budget.mu.Lock()
		defer m.budget.mu.Unlock()
		return resp, m.budget.exceeded("time")
	}
	return resp, err
}

// tokensOf is what a call used, guessed where the model does not say.
func tokensOf(req prospect.LLMRequest, resp prospect.LLMResponse, err error) int {
	if resp.Usage != (prospect.Usage{}) {
		return resp.Usage.InputTokens + resp.Usage.OutputTokens
	}
	if err != nil {
		return 0
	}
	const bytesPerToken = 4 // English text; more than that in few languages
	return (len(req.System) + len(req.Prompt) + len(req.Schema) + len(resp.Text) + bytesPerToken - 1) / bytesPerToken
}
