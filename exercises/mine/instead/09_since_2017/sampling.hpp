#pragma once

#include "09_since_2017/decoder_only.hpp"
#include "09_since_2017/token_choice.hpp"
#define generate generate_of_the_book
#include "chapters/09_since_2017/sampling.hpp"
#undef generate

namespace xf {

// Also reports, before it starts, how long a token takes, and afterwards which parts took it.
void generate(const DecoderOnly& model, const std::vector<int>& prompt, int length,
              const TokenChoice& how, Random& random, const std::function<bool(int)>& take);

}  // namespace xf
