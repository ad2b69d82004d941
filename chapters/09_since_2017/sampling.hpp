#pragma once

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "09_since_2017/decoder_only.hpp"
#include "09_since_2017/token_choice.hpp"

namespace xf {

// What a model has read: the tokens, and their keys and values in the cache.
struct TextSoFar {
  std::vector<int> ids;
  DecoderOnly::Cache cache;
};

// Keeps the longest beginning that `prompt` shares with what has been read. Returns the rest of
// `prompt`, which must still be read: at least its last token, whose logits are needed.
inline std::vector<int> rest_of(const std::vector<int>& prompt, TextSoFar& read) {
  const auto most = std::min(prompt.size() - 1, read.ids.size());
  const auto end = prompt.begin() + static_cast<std::ptrdiff_t>(most);
  const auto differs = std::mismatch(prompt.begin(), end, read.ids.begin()).first;
  read.ids.assign(prompt.begin(), differs);
  std::vector<int> kept(read.ids.size());
  std::iota(kept.begin(), kept.end(), 0);
  for (GroupedCache& layer : read.cache) layer.k.keep(kept), layer.v.keep(kept);
  return {differs, prompt.end()};
}

// Reads `next` and returns the logits of the token after it: (1, 1, V).
inline Tensor read_on(const DecoderOnly& model, const std::vector<int>& next, TextSoFar& read) {
  read.ids.insert(read.ids.end(), next.begin(), next.end());
  return model.next_logits(Ids({1, static_cast<int>(next.size())}, next), read.cache);
}

// Continues `prompt`, of at least one token, by up to `length` tokens, one at a time: each step
// reads only the new token, the rest is in the cache. The beginning of `prompt` that has been read
// before is not read again. take(id) says whether to continue.
inline void generate(const DecoderOnly& model, const std::vector<int>& prompt, int length,
                     const TokenChoice& how, Random& random, const std::function<bool(int)>& take,
                     TextSoFar& read) {
  std::vector<int> next = rest_of(prompt, read);
  for (int i = 0; i < length; ++i) {
    const int id = chosen(choices(read_on(model, next, read).values(), how), random);
    if (!take(id)) return;
    next = {id};
  }
}

inline void generate(const DecoderOnly& model, const std::vector<int>& prompt, int length,
                     const TokenChoice& how, Random& random, const std::function<bool(int)>& take) {
  TextSoFar read;
  generate(model, prompt, length, how, random, take, read);
}

}  // namespace xf
