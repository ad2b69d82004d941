#include "07_transformer/experiments/corpus.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "support/errors.hpp"

namespace {

using xf::SentencePair;

std::vector<std::string> words(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> found;
  for (std::string word; stream >> word;) found.push_back(word);
  return found;
}

std::string joined(const std::vector<std::string>& tokens) {
  std::string line;
  for (const std::string& token : tokens) line += (line.empty() ? "" : " ") + token;
  return line;
}

// English to Chinese over several corpora, large enough for every rule to be used.
const std::map<std::string, std::string>& sample() {
  static const auto translations = [] {
    std::map<std::string, std::string> all;
    for (const SentencePair& pair : xf::generate_corpus(200000, 1))
      all[pair.english] = pair.chinese;
    return all;
  }();
  return translations;
}

}  // namespace

TEST_CASE("corpus: the same seed gives the same distinct pairs, another seed gives others") {
  const auto first = xf::generate_corpus(5000, 7), again = xf::generate_corpus(5000, 7);
  const auto other = xf::generate_corpus(5000, 8);
  REQUIRE(first.size() == 5000);
  std::set<std::string> english;
  int equal = 0;
  for (int i = 0; i < 5000; ++i) {
    CHECK(first[i].english == again[i].english);
    CHECK(first[i].chinese == again[i].chinese);
    equal += first[i].english == other[i].english;
    english.insert(first[i].english);
  }
  CHECK(english.size() == 5000);
  CHECK(equal < 50);
}

TEST_CASE("corpus: English to Chinese is a function, across seeds") {
  int met_again = 0;
  for (std::uint64_t seed : {2, 3, 4})
    for (const SentencePair& pair : xf::generate_corpus(50000, seed)) {
      const auto known = sample().find(pair.english);
      if (known == sample().end()) continue;
      ++met_again;
      CHECK_MESSAGE(known->second == pair.chinese, pair.english);
    }
  CHECK(met_again > 1000);
}

TEST_CASE("corpus: the Winter Games sentences are in the language, word for word") {
  CHECK(sample().at("I like the 2022 Beijing Winter Games") == "我 爱 2022 北京 冬 奥会");
  CHECK(sample().at("she likes the 2022 Beijing Winter Games") == "她 爱 2022 北京 冬 奥会");
  CHECK(sample().at("he does not like the 2022 Beijing Winter Games") ==
        "他 不 爱 2022 北京 冬 奥会");
}

TEST_CASE("corpus: sentences have 4 to 14 tokens and single spaces") {
  for (const auto& [english, chinese] : sample())
    for (const std::string& line : {english, chinese}) {
      const auto tokens = words(line);
      CHECK_MESSAGE((4 <= tokens.size() && tokens.size() <= 14), line);
      CHECK(joined(tokens) == line);
    }
}

TEST_CASE("corpus: at least 120 words a side, and 10,000 pairs show every one of them") {
  std::set<std::string> all[2], seen[2];
  for (const auto& [english, chinese] : sample()) {
    for (const std::string& word : words(english)) all[0].insert(word);
    for (const std::string& word : words(chinese)) all[1].insert(word);
  }
  for (const SentencePair& pair : xf::generate_corpus(10000, 1)) {
    for (const std::string& word : words(pair.english)) seen[0].insert(word);
    for (const std::string& word : words(pair.chinese)) seen[1].insert(word);
  }
  CHECK(all[0].size() >= 120);
  CHECK(all[1].size() >= 120);
  CHECK(seen[0] == all[0]);
  CHECK(seen[1] == all[1]);
}

TEST_CASE("corpus: an article agrees with the sound that follows it") {
  int seen = 0;
  for (const auto& pair : sample()) {
    const std::string& english = pair.first;
    const auto tokens = words(english);
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
      if (tokens[i] != "a" && tokens[i] != "an") continue;
      const bool vowel = std::string("aeiou").find(tokens[i + 1][0]) != std::string::npos;
      CHECK_MESSAGE((tokens[i] == "an") == vowel, english);
      ++seen;
    }
  }
  CHECK(seen > 10000);
}

TEST_CASE("corpus: the verb agrees with its subject") {
  const std::map<std::string, std::string> auxiliaries = {{"I", "do am"},    {"you", "do are"},
                                                          {"we", "do are"},  {"they", "do are"},
                                                          {"he", "does is"}, {"she", "does is"}};
  const std::set<std::string> finite = {"do", "does", "am", "is", "are"};
  int seen = 0;
  for (const auto& pair : sample()) {
    const std::string& english = pair.first;
    const auto tokens = words(english);
    const auto rule = auxiliaries.find(tokens[0]);
    if (rule == auxiliaries.end() || !finite.contains(tokens[1])) continue;
    const auto allowed = words(rule->second);
    CHECK_MESSAGE(std::find(allowed.begin(), allowed.end(), tokens[1]) != allowed.end(), english);
    ++seen;
  }
  CHECK(seen > 1000);
}

TEST_CASE("corpus: time and place move before the Chinese verb, question words stay in place") {
  const std::map<std::string, std::string> expected = {
      {"they watched the match in Beijing last Sunday", "他们 上周日 在 北京 看 了 比赛"},
      {"tomorrow I can swim in Beijing", "明天 我 能 在 北京 游泳"},
      {"yesterday she did not skate in Beijing", "昨天 她 没 在 北京 滑冰"},
      {"you like to drink coffee at home", "你 爱 在 家 里 喝 咖啡"},
      {"who likes this magazine", "谁 爱 这 本 杂志"},
      {"what is she reading now", "她 现在 正在 读 什么"},
      {"where do you often work", "你 经常 在 哪里 工作"},
      {"I cannot swim because I am very sleepy", "因为 我 很 困 所以 我 不 能 游泳"},
      {"is there a white rabbit under the table", "桌子 下面 有 白 兔子 吗"},
      {"there are two cats in the park", "公园 里 有 两 只 猫"}};
  for (const auto& pair : expected) {
    const std::string& english = pair.first;
    REQUIRE_MESSAGE(sample().contains(english), english);
    CHECK(sample().at(english) == pair.second);
  }
}

TEST_CASE("corpus: no side of a held-out pair occurs in training") {
  const auto pairs = xf::generate_corpus(9000, 5);
  const xf::CorpusSplit split = xf::split_corpus(pairs, 1000);
  CHECK(split.held_out.size() == 1000);
  CHECK(split.train.size() > 7900);
  std::set<std::string> english, chinese;
  for (const SentencePair& pair : split.held_out) {
    english.insert(pair.english);
    chinese.insert(pair.chinese);
  }
  for (const SentencePair& pair : split.train) {
    CHECK_FALSE(english.contains(pair.english));
    CHECK_FALSE(chinese.contains(pair.chinese));
  }
}

TEST_CASE("corpus: a training pair that shares one side with a held-out pair is left out") {
  const std::vector<SentencePair> pairs = {{"where is my book", "我 的 书 在 哪里"},
                                           {"where are my books", "我 的 书 在 哪里"},
                                           {"where is my book", "another side"},
                                           {"where is my cat", "我 的 猫 在 哪里"}};
  const xf::CorpusSplit split = xf::split_corpus(pairs, 1);
  REQUIRE(split.held_out.size() == 1);
  CHECK(split.held_out[0].english == "where is my book");
  REQUIRE(split.train.size() == 1);
  CHECK(split.train[0].english == "where is my cat");
}

TEST_CASE("corpus: sizes that cannot be served are refused") {
  CHECK(xf::test::error_of([&] { xf::generate_corpus(-1, 1); }) ==
        "generate_corpus: count must be within [0, 1000000], is -1");
  CHECK(xf::test::error_of([&] { xf::split_corpus(xf::generate_corpus(10, 1), 11); }) ==
        "split_corpus: held_out must be within [0, 10], is 11");
}
