#pragma once

#include <string>
#include <vector>

#include "nn/parameters.hpp"

namespace xf {

// A model's parameters under the names and in the order of another program, as one safetensors file
// (a state_dict of PyTorch). What is written and what is read come from one list.

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

// A tensor of the file: blocks one below the other.
struct StateEntry {
  std::string name;
  std::vector<StateBlock> blocks;
  // The other program's names of the tensor; a file may have it under any of them.
  std::vector<std::string> also = {};
  // Instead of blocks: numbers that the model computes, and that a file may leave out.
  Tensor computed = {};
};

// Throws UserError when the file cannot be written.
void save_state(const std::string& path, const std::vector<StateEntry>& entries);
// The reverse. Strict, as load_parameters(): UserError names the file and the tensor that is
// missing, unknown, of another shape, not finite, or not the same under two names; then no
// parameter has changed.
void load_state(const std::string& path, const std::vector<StateEntry>& entries);

}  // namespace xf
