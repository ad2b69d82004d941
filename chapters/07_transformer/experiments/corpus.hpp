#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace xf {

// English sentences with their Chinese translations, from a small synchronous grammar: every rule
// builds both sides at once, so that no translation is ever guessed. Three of them:
//
//   I like the 2022 Beijing Winter Games            我 爱 2022 北京 冬 奥会
//   they watched the match in Beijing last Sunday   他们 上周日 在 北京 看 了 比赛
//   is there a white rabbit under the table         桌子 下面 有 白 兔子 吗
//
// Tokens are separated by one space, without punctuation; 4 to 14 tokens a side. Each English
// sentence has one translation ("like" is always 爱); several may share a translation, because
// Chinese has no plural ("my book", "my books": 我 的 书).
struct SentencePair {
  std::string english;
  std::string chinese;
};

// `count` pairs with distinct English sides, the same ones for the same seed on every machine.
// The grammar has over a million sentences; throws std::invalid_argument if count is not within
// [0, 1000000].
std::vector<SentencePair> generate_corpus(int count, std::uint64_t seed);

struct CorpusSplit {
  std::vector<SentencePair> train;
  std::vector<SentencePair> held_out;
};

// The first `held_out` pairs are held out. The others are for training, except those that share
// their English or their Chinese side with a held-out pair. Throws std::invalid_argument if
// held_out is not within [0, pairs.size()].
CorpusSplit split_corpus(const std::vector<SentencePair>& pairs, int held_out);

}  // namespace xf
