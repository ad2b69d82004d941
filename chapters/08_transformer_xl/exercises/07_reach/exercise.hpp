#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "support/kit.hpp"

namespace xf::exercise {

// What a model keeps from one segment for the next; empty at the start of a text. Nobody but the
// model looks inside.
using State = std::shared_ptr<const void>;

struct Step {
  std::vector<double> losses;  // -log p(targets[i])
  State state;                 // for the next segment
};

// A language model with memory that reads a text segment by segment.
struct Model {
  int layers, segment, memory;  // N, T, M
  // It has read `inputs`, at most T tokens, behind `before`: what does it say of `targets`, as
  // many?
  std::function<Step(const std::vector<int>& inputs, const std::vector<int>& targets,
                     const State& before)>
      read;
};

// -log p of text[1], text[2], …, each from all that the model has of the tokens before it. It reads
// text[0], text[1], … in segments of T, the last of which may be shorter, and hands its state on.
//   returns one number fewer than the text has
std::vector<double> losses(const Model& model, const std::vector<int>& text);

// How much the prediction behind text[at] depends on what stands d = 0, 1, …, `furthest` tokens
// before: by how much -log p of text[at + 1] changes, its amount, if text[at - d] becomes the next
// id, of the last 0.   words: how many ids there are   furthest <= at < text.size() - 1
std::vector<double> influence(const Model& model, const std::vector<int>& text, int at,
                              int furthest, int words);

// The largest d with influences[d] > share max(influences); -1 where all are 0.
int reach(const std::vector<double>& influences, double share);

// From how far back anything could come to position `at`, if a text begins at 0: the distance of
// the first position that text[at]'s state after N layers can depend on. A layer reads its own
// segment up to the position, and the M states before the segment; each of those was made, by the
// layer below, when its own segment was read.
int possible(int at, const Model& model);

}  // namespace xf::exercise
