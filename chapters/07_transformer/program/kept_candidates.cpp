#include "07_transformer/program/kept_candidates.hpp"

#include <algorithm>

namespace xf {

namespace {

SearchCandidate::Fate fate_of(const Continuation& one, const BeamStep& step) {
  const auto is_among = [&](const std::vector<Continuation>& some) {
    return std::any_of(some.begin(), some.end(), [&](const Continuation& c) {
      return c.parent == one.parent && c.token == one.token;
    });
  };
  if (is_among(step.alive)) return SearchCandidate::Fate::kept;
  return is_among(step.complete) ? SearchCandidate::Fate::complete : SearchCandidate::Fate::dropped;
}

}  // namespace

SearchObserver kept_candidates(std::vector<std::vector<SearchCandidate>>& steps,
                               const Tokenizer& tokenizer) {
  return [&](const std::vector<Prefix>& prefixes, const std::vector<Continuation>& weighed,
             const BeamStep& step) {
    std::vector<SearchCandidate>& list = steps.emplace_back();
    for (const Continuation& one : weighed) {
      const Prefix& parent = prefixes[static_cast<std::size_t>(one.parent)];
      std::vector<std::string> before;
      for (const int id : parent.tokens) before.push_back(tokenizer.piece(id));
      list.push_back({before, tokenizer.piece(one.token),
                      one.log_probability - parent.log_probability, one.log_probability,
                      fate_of(one, step)});
    }
  };
}

}  // namespace xf
