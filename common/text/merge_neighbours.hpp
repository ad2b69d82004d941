#pragma once

#include <cstddef>
#include <functional>
#include <queue>
#include <tuple>
#include <vector>

namespace xf {

// A possible merge of two tokens: smaller ranks are merged first.
struct TokenMerge {
  double rank;
  int joined;  // the id of the merged token
};

// The encoding step of byte-pair encoding, in n log n steps: of the adjacent tokens that may be
// merged, those with the smallest rank are, the leftmost if there are several, until none is left.
//   merge(left, right): a TokenMerge if there is one, as a pointer or an std::optional
//   skip(): whether to leave this merge out until one of its neighbours changes; called once for
//   each possible merge.
template <class Find, class Skip>
std::vector<int> merge_neighbours(const std::vector<int>& ids, const Find& merge,
                                  const Skip& skip) {
  // A linked list of the tokens; one that has been merged into its left neighbour is gone.
  struct Token {
    int id;
    std::size_t before, after;
    bool gone = false;
  };
  struct Candidate {
    double rank;
    std::size_t left;
    int joined;  // a different id by then means that the pair has changed

    bool operator>(const Candidate& other) const {
      return std::tie(rank, left) > std::tie(other.rank, other.left);
    }
  };
  constexpr std::size_t none = ~std::size_t{0};
  std::vector<Token> tokens;
  for (const int id : ids) tokens.push_back({id, tokens.size() - 1, tokens.size() + 1});
  if (!tokens.empty()) tokens.back().after = none;

  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
  const auto consider = [&](std::size_t left) {
    if (left == none || tokens[left].after == none) return;
    if (const auto found = merge(tokens[left].id, tokens[tokens[left].after].id))
      queue.push({found->rank, left, found->joined});
  };
  for (std::size_t i = 0; i < tokens.size(); ++i) consider(i);
  while (!queue.empty()) {
    const Candidate best = queue.top();
    queue.pop();
    Token& left = tokens[best.left];
    if (left.gone || left.after == none) continue;
    Token& right = tokens[left.after];
    const auto still = merge(left.id, right.id);
    if (!still || still->joined != best.joined || skip()) continue;
    left.id = best.joined;
    left.after = right.after;
    right.gone = true;
    if (left.after != none) tokens[left.after].before = best.left;
    consider(left.before);
    consider(best.left);
  }
  std::vector<int> result;
  for (const Token& token : tokens)
    if (!token.gone) result.push_back(token.id);
  return result;
}

}  // namespace xf
