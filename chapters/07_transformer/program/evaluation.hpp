#pragma once

#include <functional>
#include <string>
#include <vector>

#include "07_transformer/program/translator.hpp"
#include "07_transformer/search.hpp"
#include "language/language.hpp"
#include "text/batches.hpp"
#include "text/bleu.hpp"
#include "text/corpus.hpp"

namespace xf {

// The error message for a line of more than `most` tokens, or "".
Phrase token_problem(const Tokenizer& tokenizer, std::size_t most, const std::string& line);
// Throws UserError naming `path` and the line number of the first line with such a problem.
void check_tokens(const Tokenizer& tokenizer, std::size_t most,
                  const std::vector<std::string>& lines, const std::string& path);

// Sentence pairs as ids, the source with its <eos>.
std::vector<Example> encode_pairs(const Translator& translator,
                                  const std::vector<std::string>& source,
                                  const std::vector<std::string>& target);

// The translation of every line, in order. Blank lines give blank lines. Sentences of similar
// length are decoded together, within a memory limit. done(n) reports n more sentences, from any
// thread.
using Done = std::function<void(double sentences)>;
std::vector<std::string> translate_lines(const Translator& translator,
                                         const std::vector<std::string>& lines,
                                         const SearchOptions& options, const Done& done = {});

// log p(target | source), <eos> included, natural logarithm: one number per pair.
std::vector<double> score_pairs(const Translator& translator, const std::vector<Example>& pairs,
                                const Done& done = {});

// exp of the mean negative log-likelihood per target token, <eos> included.
double perplexity(const std::vector<double>& scores, const std::vector<Example>& pairs);

}  // namespace xf
