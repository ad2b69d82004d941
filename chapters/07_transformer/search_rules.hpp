#pragma once

#include <functional>

#include "07_transformer/search.hpp"

namespace xf {

// What attaches to beam search from outside.

// The likeliest next tokens of each prefix, with their log p, best first.
using NextTokens = std::vector<std::vector<Placed>>;

// What a published model decides in a search, with the book's answers.
struct SearchRules {
  virtual ~SearchRules() = default;
  // The tokens that may follow: `count` for each prefix.   log_p: (R, 1, V), for R prefixes
  virtual NextTokens next(const Tensor& log_p, const std::vector<Prefix>& prefixes,
                          const SearchOptions& options) const;
  // Does the token complete its prefix? `last`: max_length leaves no room for another.
  virtual bool ends(int token, bool last) const;
  // At least `beam` translations are complete: is the search done, or might `best`, the best of the
  // prefixes, become a better one of at most `limit` tokens?
  virtual bool enough(const std::vector<Hypothesis>& complete, const Prefix& best, int limit,
                      const SearchOptions& options) const;
};

// log p / length^length_penalty, by which translations are compared.
double score(double log_probability, int length, const SearchOptions& options);

// Sees each step of each sentence: what was weighed, best first, and what became of it.
using SearchObserver =
    std::function<void(const std::vector<Prefix>& prefixes,
                       const std::vector<Continuation>& weighed, const BeamStep& step)>;

std::vector<Hypothesis> translate(const Transformer& model, const Ids& source,
                                  const SearchOptions& options, const SearchRules& rules,
                                  const SearchObserver& observer = {});

// The same search through another model's logits of the token after each prefix, (R, 1, V).
using NextLogits = std::function<Tensor(const std::vector<Prefix>& prefixes)>;
std::vector<Hypothesis> beam_search(const NextLogits& logits, const Ids& source,
                                    const SearchOptions& options,
                                    const SearchObserver& observer = {});

}  // namespace xf
