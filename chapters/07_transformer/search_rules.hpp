#pragma once

#include <functional>

#include "07_transformer/search.hpp"

namespace xf {

// Extensions of beam search.

// The likeliest next tokens of each prefix, with their log p, best first.
using NextTokens = std::vector<std::vector<Placed>>;

// The decisions of a search that a published model may override, with this chapter's defaults.
struct SearchRules {
  virtual ~SearchRules() = default;
  // The tokens that may follow: `count` for each prefix.   log_p: (R, 1, V), for R prefixes
  virtual NextTokens next(const Tensor& log_p, const std::vector<Prefix>& prefixes,
                          const SearchOptions& options) const;
  // Whether the token completes its prefix. `last`: max_length leaves room for no other.
  virtual bool ends(int token, bool last) const;
  // With at least `beam` translations complete, is the search done, or could `best`, the best
  // prefix, still become a better one of at most `limit` tokens?
  virtual bool enough(const std::vector<Hypothesis>& complete, const Prefix& best, int limit,
                      const SearchOptions& options) const;
};

// log p / length^length_penalty, the score that ranks translations.
double score(double log_probability, int length, const SearchOptions& options);

// Called at each step of each sentence with the candidates, best first, and the outcome.
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
