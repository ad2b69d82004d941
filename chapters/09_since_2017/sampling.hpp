#pragma once

#include <functional>
#include <vector>

#include "09_since_2017/decoder_only.hpp"
#include "09_since_2017/token_choice.hpp"

namespace xf {

// Continues `prompt`, of at least one token, by up to `length` tokens, one at a time: each step
// reads the new token alone, the rest is in the cache. take(id) says whether to go on.
inline void generate(const DecoderOnly& model, const std::vector<int>& prompt, int length,
                     const TokenChoice& how, Random& random, const std::function<bool(int)>& take) {
  DecoderOnly::Cache cache;
  Ids next({1, static_cast<int>(prompt.size())}, prompt);
  for (int i = 0; i < length; ++i) {
    const int id = chosen(choices(model.next_logits(next, cache).values(), how), random);
    if (!take(id)) return;
    next = Ids({1, 1}, {id});
  }
}

}  // namespace xf
