#include "live/language.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "07_transformer/experiments/own_language.hpp"
#include "io/utf8.hpp"

namespace xf::live {

namespace {

constexpr std::size_t max_words = 40;

using Followers = std::map<std::string, int, std::less<>>;

// Counts which words follow each word or pair of words. "" marks the beginning of a sentence.
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
  ranked.resize(std::min(max_words, ranked.size()));
  std::vector<std::string> next;
  for (const auto& [count, word] : ranked) next.push_back(word);
  return next;
}

Json bigrams(Fields& request) {
  const int sentences = request.integer("sentences", 1, 1000000);
  request.done();
  std::set<std::string, std::less<>> words;
  std::set<std::pair<std::string, std::string>> pairs;  // "" marks the beginning and the end
  const auto note = [&](const std::vector<SentencePair>& corpus) {
    for (const SentencePair& pair : corpus) {
      std::string last;
      for (const std::string_view word : split_words(pair.english)) {
        words.emplace(word);
        pairs.emplace(last, word);
        last = word;
      }
      pairs.emplace(last, "");
    }
  };
  note(language().train);
  note(language().held_out);
  note(generate_corpus(sentences, 2));
  const std::vector<std::string> list(words.begin(), words.end());
  const auto number = [&](const std::string& word) {
    return word.empty() ? list.size()
                        : static_cast<std::size_t>(std::distance(words.begin(), words.find(word)));
  };
  std::vector<std::vector<std::size_t>> after(list.size() + 1);
  for (const auto& [word, next] : pairs) after[number(word)].push_back(number(next));
  for (std::vector<std::size_t>& next : after) std::sort(next.begin(), next.end());
  return {{"words", list}, {"after", after}};
}

}  // namespace xf::live
