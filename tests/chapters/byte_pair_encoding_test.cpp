#include "07_transformer/byte_pair_encoding.hpp"

#include <doctest/doctest.h>

#include "07_transformer/experiments/own_language.hpp"
#include "io/utf8.hpp"
#include "text/byte_merges.hpp"
#include "text/byte_pairs.hpp"
#include "text/corpus.hpp"
#include "text/test_files.hpp"

using namespace xf;
using namespace xf::test;
using bpe::Merge, bpe::Pieces;

namespace {

using WordCounts = std::map<std::string, int>;

std::vector<std::string> shown(const std::vector<Merge>& merges) {
  std::vector<std::string> lines;
  for (const Merge& m : merges)
    lines.push_back(m.left + " " + m.right + " " + std::to_string(m.count));
  return lines;
}

std::vector<std::string> pieces_of(const std::vector<Merge>& merges) {
  std::vector<std::string> pieces;
  for (const Merge& m : merges) pieces.push_back(m.piece());
  return pieces;
}

// What SentencePiece learned from the lines beside their characters, in its order.
std::vector<std::string> merged_pieces(const BytePairs& model, std::size_t most) {
  std::vector<std::string> pieces;
  for (int id = special_count; id < model.size() && pieces.size() < most; ++id)
    pieces.push_back(model.piece(id));
  return pieces;
}

Pieces cut_by(const BytePairs& model, const std::string& line) {
  Pieces pieces;
  for (const int id : model.encode(line)) pieces.push_back(model.piece(id));
  return pieces;
}

Pieces cut_by(const std::vector<Merge>& merges, const std::string& line) {
  Pieces pieces;
  for (const std::string_view word : split_words(line))
    for (const std::string& piece : bpe::apply_merges(std::string(space_mark).append(word), merges))
      pieces.push_back(piece);
  return pieces;
}

int characters_of(const WordCounts& words) {
  std::map<std::string, int> seen;
  for (const auto& [word, count] : words)
    for (const std::string& character : code_points(word)) ++seen[character];
  return static_cast<int>(seen.size());
}

}  // namespace

TEST_CASE("bpe by hand: the words of the paper, merge by merge") {
  const WordCounts words = {{"▁low", 5}, {"▁lower", 2}, {"▁newest", 6}, {"▁widest", 3}};
  const std::vector<Merge> merges = bpe::learn_merges(words, 9);
  CHECK(shown(merges) == std::vector<std::string>{"e s 9", "es t 9", "l o 7", "lo w 7", "▁ low 7",
                                                  "e w 6", "▁ n 6", "▁n ew 6", "▁new est 6"});
  CHECK(bpe::apply_merges("▁lowest", merges) == Pieces{"▁low", "est"});
  CHECK(bpe::apply_merges("▁newer", merges) == Pieces{"▁new", "e", "r"});
}

TEST_CASE("bpe by hand: figure 1 of the paper cuts lower into low er") {
  const std::vector<Merge> merges = {{"r", "·", 2}, {"l", "o", 2}, {"lo", "w", 2}, {"e", "r·", 2}};
  CHECK(bpe::apply_merges("lower·", merges) == Pieces{"low", "er·"});
}

TEST_CASE("bpe by hand: of three equal letters, the first two are joined") {
  CHECK(bpe::joined({"a", "a", "a"}, {"a", "a", 1}) == Pieces{"aa", "a"});
  CHECK(bpe::joined({"b", "a", "a", "a", "a"}, {"a", "a", 1}) == Pieces{"b", "aa", "aa"});
  CHECK(bpe::joined({}, {"a", "b", 1}).empty());
}

TEST_CASE("bpe by hand: it ends when every word is one piece") {
  CHECK(shown(bpe::learn_merges({{"ab", 1}, {"abc", 2}}, 100)) ==
        std::vector<std::string>{"a b 3", "ab c 2"});
  CHECK(bpe::learn_merges({}, 5).empty());
  CHECK(bpe::learn_merges({{"a", 3}}, 5).empty());
}

TEST_CASE("bpe by hand: SentencePiece learns the same merges in the same order, and cuts alike") {
  const CorpusSplit split = lesson_07::language_split();
  for (const auto side : {&SentencePair::english, &SentencePair::chinese}) {
    const auto lines_of = [&](const std::vector<SentencePair>& pairs) {
      std::vector<std::string> lines;  // SentencePiece joins no letter with an apostrophe
      for (const SentencePair& pair : pairs) lines.push_back(replaced(pair.*side, "'", " ' "));
      return lines;
    };
    const std::vector<std::string> train = lines_of(split.train);
    const WordCounts words = bpe::count_words(train, space_mark);
    constexpr int most = 200;
    const std::vector<Merge> merges = bpe::learn_merges(words, most);
    REQUIRE(merges.size() == most);
    const BytePairs model = BytePairs::train(train, special_count + characters_of(words) + most);
    CHECK(merged_pieces(model, most) == pieces_of(merges));
    int different = 0;
    for (const std::string& line : lines_of(split.held_out))
      different += cut_by(model, line) != cut_by(merges, line);
    CHECK(different == 0);
  }
}

TEST_CASE("bpe by hand: from bytes, it cuts as the list of merges that GPT-2's files have") {
  const std::vector<Merge> merges = bpe::learn_merges(
      bpe::count_words(lesson_07::parallel_text(lesson_07::language_split().train).source, "Ġ"),
      150);
  std::vector<std::string> tokens;
  const auto add = [&](const std::string& token) {
    if (std::ranges::find(tokens, token) == tokens.end()) tokens.push_back(token);
  };
  for (int byte = 0; byte < 256; ++byte)
    add(ByteMerges::written(std::string(1, static_cast<char>(byte))));
  std::vector<ByteMerges::Pair> list;
  for (const Merge& m : merges) list.emplace_back(m.left, m.right), add(m.piece());
  const ByteMerges published(TokenTable(tokens), list, {}, "test");
  for (const char* word : {" newspapers", " Beijing", " teachers", " unbelievable", " tickets"}) {
    Pieces pieces;
    for (const int id : published.encode(word))
      pieces.push_back(tokens[static_cast<std::size_t>(id)]);
    CHECK(pieces == bpe::apply_merges(ByteMerges::written(word), merges));
  }
}

TEST_CASE("bpe by hand: on real text, as SentencePiece but for what its own rules forbid") {
  const std::string path = shared_data("multi30k/tok/train.lc.norm.tok.en");
  if (path.empty()) return;
  const auto letters_only = [](const std::string& word) {
    return std::ranges::all_of(word, [](char c) { return c >= 'a' && c <= 'z'; });
  };
  std::vector<std::string> lines;
  for (const std::string& line : read_lines(path)) {
    std::string kept;
    for (const std::string_view word : split_words(line))
      if (letters_only(std::string(word))) kept.append(kept.empty() ? "" : " ").append(word);
    if (!kept.empty()) lines.push_back(kept);
    if (lines.size() == 3000) break;
  }
  const WordCounts words = bpe::count_words(lines, space_mark);
  constexpr int most = 500;
  const std::vector<Merge> merges = bpe::learn_merges(words, most);
  const BytePairs model = BytePairs::train(lines, special_count + characters_of(words) + most);
  CHECK(merged_pieces(model, most) == pieces_of(merges));
  int different = 0;
  for (const auto& [word, count] : words)
    different += cut_by(model, word.substr(space_mark.size())) != bpe::apply_merges(word, merges);
  CHECK(different == 0);
}
