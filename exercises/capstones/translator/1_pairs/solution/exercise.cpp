#include "exercise.hpp"

#include <map>
#include <set>
#include <sstream>

namespace xf::exercise {

namespace {

// The words with one blank between two of them, and how many there are.
std::pair<std::string, int> tidied(const std::string& sentence) {
  std::istringstream words(sentence);
  std::string word, joined;
  int count = 0;
  while (words >> word) joined += (count++ ? " " : "") + word;
  return {joined, count};
}

}  // namespace

std::vector<Pair> cleaned(const std::vector<Pair>& pairs, const Limits& limits) {
  std::vector<Pair> kept;
  std::set<std::pair<std::string, std::string>> seen;
  for (const Pair& pair : pairs) {
    const auto [source, m] = tidied(pair.source);
    const auto [target, n] = tidied(pair.target);
    if (m == 0 || n == 0 || std::max(m, n) > limits.most) continue;
    if (std::max(m, n) > limits.ratio * std::min(m, n)) continue;
    if (source == target) continue;
    if (seen.insert({source, target}).second) kept.push_back({source, target});
  }
  return kept;
}

std::vector<int> groups(const std::vector<Pair>& pairs) {
  std::vector<std::size_t> leader(
      pairs.size());  // the first pair of its group, or on the way there
  const auto first_of = [&](std::size_t i) {
    while (leader[i] != i) i = leader[i] = leader[leader[i]];
    return i;
  };
  std::map<std::string, std::size_t> sources, targets;  // the pair that had it first
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    leader[i] = i;
    const std::size_t same_source = sources.try_emplace(pairs[i].source, i).first->second;
    const std::size_t same_target = targets.try_emplace(pairs[i].target, i).first->second;
    for (const std::size_t other : {same_source, same_target}) {
      const std::size_t a = first_of(i), b = first_of(other);
      leader[std::max(a, b)] = std::min(a, b);
    }
  }
  std::vector<int> numbers(pairs.size());
  std::map<std::size_t, int> known;
  for (std::size_t i = 0; i < pairs.size(); ++i)
    numbers[i] = known.try_emplace(first_of(i), static_cast<int>(known.size())).first->second;
  return numbers;
}

std::vector<Part> split(const std::vector<Pair>& pairs, int valid, int test, int largest,
                        Random& random) {
  const std::vector<int> group = groups(pairs);
  std::vector<int> sizes;
  for (int g : group) {
    sizes.resize(std::max(sizes.size(), std::size_t(g) + 1));
    ++sizes[std::size_t(g)];
  }
  std::vector<int> order;
  for (std::size_t g = 0; g < sizes.size(); ++g) order.push_back(static_cast<int>(g));
  random.shuffle(order.begin(), order.end());

  std::vector<Part> part_of(sizes.size(), Part::train);
  int in_test = 0, in_valid = 0;
  for (int g : order) {
    const int size = sizes[std::size_t(g)];
    if (size > largest) continue;
    if (in_test < test) {
      part_of[std::size_t(g)] = Part::test;
      in_test += size;
    } else if (in_valid < valid) {
      part_of[std::size_t(g)] = Part::valid;
      in_valid += size;
    }
  }
  std::vector<Part> parts;
  for (int g : group) parts.push_back(part_of[std::size_t(g)]);
  return parts;
}

}  // namespace xf::exercise
