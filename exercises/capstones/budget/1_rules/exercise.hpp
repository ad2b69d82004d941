#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/kit.hpp"

namespace xf::exercise {

// A Transformer-XL as chapter 8 has it, pre-norm, and how it reads.
struct Plan {
  int vocabulary, d_model, d_ff, layers;  // V, D, F, N
  int segment, memory, batch;             // T tokens of each of B streams, M states before them
};

// The numbers that are trained:
//   V D + V            the table, which is the output's too, and the output's bias
//   2 D                u and v, shared by all layers
//   N (5 D^2 + 4 D)    a layer's W_q, W_kE, W_v, W_kR, W_o without biases, and its two norms
//   N (2 D F + F + D)  its feed-forward network with both biases
//   2 D                the norm at the end
std::int64_t count_parameters(const Plan& plan);

// The multiply-adds of all matrix products of one forward pass, the memory full: S = M + T keys.
// The layer's products, with (rows x inner x columns) of each stream:
//   W_q, W_o (T x D x D)    W_kE, W_v (S x D x D)    W_kR (S x D x D), once for all streams
//   contents, distances and the sum of the values (T x D x S each)   feed-forward (T x D x F,
//   twice)
// and at the end the scores of all words (T x D x V). What no product does is not counted.
std::int64_t multiply_adds(const Plan& plan);

// How many updates a budget of multiply-adds pays for. An update costs three forward passes, as
// backward has two products for each of forward's. The first segment's missing memory counts as if
// it were there.
std::int64_t affordable_updates(const Plan& plan, std::int64_t budget);

// A text in three: what is trained on, what choices are made by, and what is looked at once, in
// this order in the text. `valid` and `test` are percentages. A part ends with a line: from where
// the percentage puts it (rounded down), a cut moves on until it stands behind a line break or at
// the end; it stays where it is behind one already.
struct Parts {
  std::string train, valid, test;
};
Parts split(const std::string& text, int valid, int test);

// A row of the table of results. Bits are per character.
struct Run {
  std::string setting;  // what was chosen; equal settings differ only in the seed
  int seed;
  std::int64_t parameters, multiply_adds;
  double valid;
  double test = 0;  // 0: the test text was not looked at
};

// What is wrong with each row, the first that applies; so a table can be believed or not:
//   over_budget   more parameters or multiply-adds than allowed
//   repeated      its setting and seed stand further above already
//   peeked        it has a test result, though its setting is not the chosen one: that with the
//                 lowest mean of `valid` over all its rows that are none of the two above
enum class Fault { none, over_budget, repeated, peeked };
std::vector<Fault> faults(const std::vector<Run>& table, std::int64_t most_parameters,
                          std::int64_t budget);

// By how much `other` is worse than `one`, in bits of `valid`, seed by seed: over the n seeds that
// both have, the mean of the differences d, and how far to both sides of it the true one may lie in
// 19 of 20 such experiments:
//   mean +- t sqrt(sum (d - mean)^2 / (n - 1) / n),   t = student[n - 1]                Student
//   1908
// Each seed stands once in a setting. Throws std::invalid_argument with fewer than 2 seeds, or more
// than 10.
struct Difference {
  double mean, margin;
  int seeds;
};
constexpr double student[] = {0, 12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26};
Difference difference(const std::vector<Run>& table, const std::string& one,
                      const std::string& other);

}  // namespace xf::exercise
