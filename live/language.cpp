#include "live/language.hpp"

#include <algorithm>
#include <map>

#include "07_transformer/experiments/own_language.hpp"
#include "io/utf8.hpp"

namespace xf::live {

namespace {

constexpr std::size_t most_words = 40;

using Followers = std::map<std::string, int, std::less<>>;

// How often each word follows one or two others. "" stands before the first word.
std::map<std::string, Followers, std::less<>> counted() {
  std::map<std::string, Followers, std::less<>> after;
  for (const SentencePair& pair : language().train) {
    std::string before, last;
    for (const std::string_view word : split_words(pair.english)) {
      const std::string now(word);
      ++after[last][now];
      if (!last.empty()) ++after[before + " " + last][now];
      before = last;
      last = now;
    }
  }
  return after;
}

}  // namespace

const CorpusSplit& language() {
  static const CorpusSplit split = lesson_07::language_split();
  return split;
}

std::vector<std::string> next_words(const std::string& beginning) {
  static const auto after = counted();
  const std::vector<std::string_view> words = split_words(beginning);
  const std::string last(words.empty() ? "" : words.back());
  const std::string before(words.size() < 2 ? "" : words[words.size() - 2]);
  auto found = after.find(before + " " + last);
  if (found == after.end()) found = after.find(last);
  if (found == after.end()) return {};
  std::vector<std::pair<int, std::string>> ranked;
  for (const auto& [word, count] : found->second) ranked.emplace_back(-count, word);
  std::sort(ranked.begin(), ranked.end());
  ranked.resize(std::min(most_words, ranked.size()));
  std::vector<std::string> next;
  for (const auto& [count, word] : ranked) next.push_back(word);
  return next;
}

}  // namespace xf::live
