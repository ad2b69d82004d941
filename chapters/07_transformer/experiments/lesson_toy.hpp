#pragma once

#include <string>
#include <vector>

#include "07_transformer/transformer.hpp"

namespace xf::lesson_07 {

// One English-Chinese sentence pair and one way to train on it, as a published lesson did it or
// with some of its mistakes repaired. The weights are initialised as in PyTorch.
struct ToyRun {
  bool own_ids = false;         // every word and <pad> its own id; else three words share one
  bool true_positions = false;  // 0 ... T-1; else 1 ... T-1, 0 and T, 1 ... T-1
  bool scaled = false;          // embeddings times sqrt(D)
  NormOrder norm = NormOrder::post;
  int warmup = 0;  // updates of linear warm-up
  double lr = 1e-3;
  int updates = 20;
};

struct ToyResult {
  std::vector<double> losses;           // before each update, and after the last
  std::vector<std::string> forced;      // the best word at each position, given the correct prefix
  std::vector<std::string> translated;  // greedy search from <bos>, fed its own output
  // Head 0 of the last layer at the end: the encoder's, the decoder's and the cross attention,
  // (1, 1, T, S) each, and the words on their axes.
  std::vector<Tensor> attention;
  std::vector<std::string> source, target;
};

ToyResult run_toy(const ToyRun& run, std::uint64_t seed);

}  // namespace xf::lesson_07
