package wordpiece

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/prospect-go/prospect"
)

// file is the part of a tokenizer.json that matters here.
type file struct {
	AddedTokens []struct {
		ID         uint32 `json:"id"`
		Content    string `json:"content"`
		SingleWord bool   `json:"single_word"`
		Normalized bool   `json:"normalized"`
	} `json:"added_tokens"`
	Normalizer *struct {
		Type         string `json:"type"`
		CleanText    *bool  `json:"clean_text"`
		ChineseChars *bool  `json:"handle_chinese_chars"`
		StripAccents *bool  `json:"strip_accents"`
		Lowercase    *bool  `json:"lowercase"`
	} `json:"normalizer"`
	PreTokenizer *struct {
		Type string `json:"type"`
	} `json:"pre_tokenizer"`
	PostProcessor *postProcessor `json:"post_processor"`
	Model         struct {
		Type     string            `json:"type"`
		Unknown  string            `json:"unk_token"`
		Prefix   *string           `json:"continuing_subword_prefix"`
		MaxChars *int              `json:"max_input_chars_per_word"`
		Vocab    map[string]uint32 `json:"vocab"`
	} `json:"model"`
}

type postProcessor struct {
	Type   string `json:"type"`
	Single []struct {
		SpecialToken *struct {
			ID string `json:"id"`
		}
		Sequence *struct {
			ID string `json:"id"`
		}
	} `json:"single"`
	SpecialTokens map[string]struct {
		IDs []uint32 `json:"ids"`
	} `json:"special_tokens"`
	// BertProcessing: a token and its id.
	Cls []any `json:"cls"`
	Sep []any `json:"sep"`
}

// Parse reads a tokenizer.json. What is not JSON, or has no vocabulary, is
// [prospect.ErrCorrupt]; a tokenizer of another kind than BERT's WordPiece is
// [errors.ErrUnsupported], for ids that are nearly right would give vectors
// that are quietly wrong. The file's own truncation and padding are ignored.
func Parse(data []byte) (*Tokenizer, error) {
	var f file
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("%w: %v", prospect.ErrCorrupt, err)
	}
	if err := f.supported(); err != nil {
		return nil, err
	}
	if len(f.Model.Vocab) == 0 {
		return nil, fmt.Errorf("%w: no vocabulary", prospect.ErrCorrupt)
	}
	unknown, ok := f.Model.Vocab[f.Model.Unknown]
	if !ok {
		return nil, fmt.Errorf("%w: the unknown token %q is not in the vocabulary", prospect.ErrCorrupt, f.Model.Unknown)
	}
	t := &Tokenizer{
		begin:    make(map[string]uint32, len(f.Model.Vocab)),
		inside:   make(map[string]uint32, len(f.Model.Vocab)/4),
		unknown:  unknown,
		maxRunes: value(f.Model.MaxChars, 100),
	}
	if t.maxRunes < 1 {
		return nil, fmt.Errorf("%w: max_input_chars_per_word is %d", prospect.ErrCorrupt, t.maxRunes)
	}
	prefix := value(f.Model.Prefix, "##")
	for piece, id := range f.Model.Vocab {
		// An entry may do both: "##" itself begins a word that is written so.
		t.begin[piece] = id
		t.maxPiece = max(t.maxPiece, len(piece))
		if rest, ok := strings.CutPrefix(piece, prefix); ok && rest != "" {
			t.inside[rest] = id
		}
	}
	n := f.Normalizer
	t.norm = normalizer{
		clean:    value(n.CleanText, true),
		spaceCJK: value(n.ChineseChars, true),
		lower:    value(n.Lowercase, true),
	}
	t.norm.strip = value(n.StripAccents, t.norm.lower)
	for _, a := range f.AddedTokens {
		if a.Content == "" {
			continue
		}
		t.added = append(t.added, addedToken{a.Content, a.ID})
		t.addedHead[a.Content[0]] = true
	}
	slices.SortStableFunc(t.added, func(a, b addedToken) int { return cmp.Compare(len(b.text), len(a.text)) })
	var err error
	if t.prefix, t.suffix, err = f.PostProcessor.specials(); err != nil {
		return nil, err
	}
	return t, nil
}

func (f *file) supported() error {
	if f.Model.Type != "" && f.Model.Type != "WordPiece" {
		return fmt.Errorf("%w: tokenizer model %q, only WordPiece", errors.ErrUnsupported, f.Model.Type)
	}
	if f.Normalizer == nil || f.Normalizer.Type != "BertNormalizer" {
		return fmt.Errorf("%w: tokenizer without the BertNormalizer", errors.ErrUnsupported)
	}
	if f.PreTokenizer == nil || f.PreTokenizer.Type != "BertPreTokenizer" {
		return fmt.Errorf("%w: tokenizer without the BertPreTokenizer", errors.ErrUnsupported)
	}
	for _, a := range f.AddedTokens {
		if a.SingleWord || a.Normalized {
			return fmt.Errorf("%w: added token %q matches whole words or normalised text", errors.ErrUnsupported, a.Content)
		}
	}
	return nil
}

// specials gives the ids before and after a single text.
func (p *postProcessor) specials() (prefix, suffix []uint32, err error) {
	if p == nil {
		return nil, nil, nil
	}
	switch p.Type {
	case "TemplateProcessing":
		seen := false
		for _, item := range p.Single {
			switch {
			case item.Sequence != nil && !seen:
				seen = true
			case item.SpecialToken != nil:
				st, ok := p.SpecialTokens[item.SpecialToken.ID]
				if !ok {
					return nil, nil, fmt.Errorf("%w: the template's token %q has no ids", prospect.ErrCorrupt, item.SpecialToken.ID)
				}
				if seen {
					suffix = append(suffix, st.IDs...)
				} else {
					prefix = append(prefix, st.IDs...)
				}
			default:
				return nil, nil, fmt.Errorf("%w: template for a single text", errors.ErrUnsupported)
			}
		}
		if !seen {
			return nil, nil, fmt.Errorf("%w: the template has no place for the text", prospect.ErrCorrupt)
		}
		return prefix, suffix, nil
	case "BertProcessing":
		cls, ok1 := tokenID(p.Cls)
		sep, ok2 := tokenID(p.Sep)
		if !ok1 || !ok2 {
			return nil, nil, fmt.Errorf("%w: BertProcessing without cls and sep", prospect.ErrCorrupt)
		}
		return []uint32{cls}, []uint32{sep}, nil
	}
	return nil, nil, fmt.Errorf("%w: post processor %q", errors.ErrUnsupported, p.Type)
}

// tokenID reads the pair ["[SEP]", 102].
func tokenID(pair []any) (uint32, bool) {
	if len(pair) != 2 {
		return 0, false
	}
	id, ok := pair[1].(float64)
	if !ok || id < 0 || id > 1<<31 || id != float64(uint32(id)) {
		return 0, false
	}
	return uint32(id), true
}

func value[T any](p *T, otherwise T) T {
	if p == nil {
		return otherwise
	}
	return *p
}
