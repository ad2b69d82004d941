#pragma once

#include "support/kit.hpp"

namespace xf::exercise {

// The keys and values of S words. They lie far away, as in a GPU's slow memory, and come a block of
// words at a time; each block that is read is counted.
class Blocks {
 public:
  Blocks(int words, int block, int d_v, int number)
      : words(words), block(block), d_v(d_v), number_(number) {}

  int words;  // S
  int block;  // words in a block; the last one has what is left
  int d_v;

  struct Block {
    xt::xtensor<float, 2> k, v;  // (n, d_k), (n, d_v)
  };
  // Block b, from 0 on: words b * block, b * block + 1 ... Throws std::invalid_argument for one
  // that there is not.
  Block read(int b) const;

 private:
  int number_;  // among the inputs of the test
};

// softmax(q k^T / sqrt(d_k)) v, a block of keys at a time, (T, d_v). With `causal`, query i sees
// the keys j <= i + S - T, and a block without one of these is not read; no key: 0.  Dao et al.
// 2022, 3.1
//   q: (T, d_k)
xt::xtensor<float, 2> attention_in_blocks(const xt::xtensor<float, 2>& q, const Blocks& of_words,
                                          bool causal);

}  // namespace xf::exercise
