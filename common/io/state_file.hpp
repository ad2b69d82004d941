#pragma once

#include <string>
#include <vector>

#include "nn/parameters.hpp"

namespace xf {

// A model's parameters under the names and in the order of another program, as one safetensors file
// (a state_dict of PyTorch). One list determines both what is written and what is read.

// Where row r, column c of the other program's tensor is in ours, which has R rows, C columns:
//   same               (r, c)
//   rows_reversed      (R - 1 - r, c)
//   columns_in_halves  (r, 2 c) for c < C / 2, else (r, 2 (c - C / 2) + 1): all sines before all
//                      cosines there, alternating here
enum class StateOrder { same, rows_reversed, columns_in_halves };

// Rows of one of our parameters, or numbers of a vector.
struct StateBlock {
  Tensor* tensor;
  StateOrder order = StateOrder::same;
  int first = 0, rows = -1;  // -1: all
};

// A tensor of the file: blocks stacked on top of one another.
struct StateEntry {
  std::string name;
  std::vector<StateBlock> blocks;
  // Other names of the tensor in the other program; a file may use any of them.
  std::vector<std::string> also = {};
  // Instead of blocks: numbers that the model computes, and that a file may omit.
  Tensor computed = {};
};

// Throws UserError when the file cannot be written.
void save_state(const std::string& path, const std::vector<StateEntry>& entries);
// The inverse. Strict, like load_parameters(): throws UserError naming the file and the tensor that
// is missing, unknown, of another shape, not finite, or different under two names; in that case no
// parameter has changed.
void load_state(const std::string& path, const std::vector<StateEntry>& entries);

}  // namespace xf
