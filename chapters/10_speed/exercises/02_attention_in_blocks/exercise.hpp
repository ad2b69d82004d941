#pragma once

#include "support/kit.hpp"

namespace xf::exercise {

// The keys and values of S words. They are far away, as in a GPU's slow memory, and are read one
// block of words at a time. The reads are counted.
class Blocks {
 public:
  Blocks(int words, int block, int d_v, int number)
      : words(words), block(block), d_v(d_v), number_(number) {}

  int words;  // S
  int block;  // words per block; the last block may have fewer
  int d_v;

  struct Block {
    xt::xtensor<float, 2> k, v;  // (n, d_k), (n, d_v)
  };
  // Block b, that is, the words b * block, b * block + 1 ..., where b counts from 0. Throws
  // std::invalid_argument if there is no such block.
  Block read(int b) const;

 private:
  int number_;  // among the inputs of the test
};

// softmax(q k^T / sqrt(d_k)) v, computed one block of keys at a time. With `causal`, query i sees
// the keys j <= i + S - T, and a block without such a key is not read. The result of a query that
// sees no key is 0.                                                        Dao et al. 2022, 3.1
//   q: (T, d_k)   returns (T, d_v)
xt::xtensor<float, 2> attention_in_blocks(const xt::xtensor<float, 2>& q, const Blocks& of_words,
                                          bool causal);

}  // namespace xf::exercise
