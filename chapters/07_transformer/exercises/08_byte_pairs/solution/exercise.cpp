#include "exercise.hpp"

namespace xf::exercise {

static Pieces merged(const Pieces& pieces, const Merge& merge) {
  Pieces result;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const bool here = i + 1 < pieces.size() && Merge(pieces[i], pieces[i + 1]) == merge;
    result.push_back(here ? merge.first + merge.second : pieces[i]);
    if (here) ++i;
  }
  return result;
}

std::vector<Merge> learn_merges(const std::map<std::string, int>& counts, int merges) {
  std::vector<std::pair<Pieces, int>> words;
  for (const auto& [word, count] : counts) words.emplace_back(bytes_of(word), count);
  std::vector<Merge> learned;
  while (static_cast<int>(learned.size()) < merges) {
    std::map<Merge, int> pairs;
    for (const auto& [pieces, count] : words)
      for (std::size_t i = 0; i + 1 < pieces.size(); ++i)
        pairs[{pieces[i], pieces[i + 1]}] += count;
    if (pairs.empty()) break;
    Merge best = pairs.begin()->first;
    for (const auto& [pair, count] : pairs)
      if (count > pairs[best]) best = pair;
    for (auto& [pieces, count] : words) pieces = merged(pieces, best);
    learned.push_back(best);
  }
  return learned;
}

Pieces apply_merges(const std::string& word, const std::vector<Merge>& merges) {
  Pieces pieces = bytes_of(word);
  while (true) {
    auto first = merges.end();
    for (std::size_t i = 0; i + 1 < pieces.size(); ++i)
      first =
          std::min(first, std::find(merges.begin(), merges.end(), Merge(pieces[i], pieces[i + 1])));
    if (first == merges.end()) return pieces;
    pieces = merged(pieces, *first);
  }
}

}  // namespace xf::exercise
