#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tensor/tensor.hpp"

namespace xf {

// One number for each of the L x H heads, layer by layer. The page can draw maps with these names:
// first, last, previous, next, itself, same, induction, duplicate, removed.
struct HeadMap {
  std::string name;
  std::vector<double> values;
};

// The attention of every head over one text.
struct SeenText {
  std::string name;                        // "text" or "twice", which the page knows
  std::vector<std::string> queries, keys;  // the tokens
  std::vector<Tensor> weights;             // one per layer, (1, H, T, S)
  bool causal = true;                      // query i sees only the keys 0 ... i
};

// The heads of a stack of layers.
struct HeadsView {
  std::string name;  // "decoder", "encoder" or "cross"
  int layers, heads;
  std::vector<HeadMap> maps;
  std::vector<SeenText> texts;
};

struct HeadsPage {
  std::string title, text;
  std::vector<HeadsView> views;
  // Other measurements: names that the page knows, with their numbers.
  std::vector<std::pair<std::string, std::vector<double>>> facts = {};
};

// A single-file page with maps, one cell for each layer and head, and the attention of the selected
// head. Weights are stored as bytes, to 1/510. Throws std::invalid_argument when counts and shapes
// do not agree.
std::string heads_html(const HeadsPage& page);

// How many tokens of a causal text the page can show with less than 3 MB of weights; at most 32, at
// least 2.
int tokens_that_fit(int layers, int heads);

}  // namespace xf
