#pragma once

#include <string>
#include <vector>

#include "07_transformer/program/translator.hpp"
#include "07_transformer/search.hpp"
#include "text/batches.hpp"
#include "text/bleu.hpp"
#include "text/corpus.hpp"

namespace xf {

// Throws UserError naming `path` and the line of the first line that gives more than `most` tokens;
// `before` lines of the file come before these.
void check_tokens(const Tokenizer& tokenizer, std::size_t most,
                  const std::vector<std::string>& lines, const std::string& path,
                  std::size_t before = 0);

// Sentence pairs as ids, the source with its <eos>.
std::vector<Example> encode_pairs(const Translator& translator,
                                  const std::vector<std::string>& source,
                                  const std::vector<std::string>& target);

// The translation of every line, in order. Blank lines give blank lines. Sentences of similar
// length are decoded together, as many as need little memory.
std::vector<std::string> translate_lines(const Translator& translator,
                                         const std::vector<std::string>& lines,
                                         const SearchOptions& options);

// log p(target | source), <eos> included, natural logarithm: one number per pair.
std::vector<double> score_pairs(const Translator& translator, const std::vector<Example>& pairs);

// exp of the mean negative log-likelihood per target token, <eos> included.
double perplexity(const std::vector<double>& scores, const std::vector<Example>& pairs);

}  // namespace xf
