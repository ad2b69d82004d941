#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "support/kit.hpp"

namespace xf::exercise {

using Text = std::vector<std::int32_t>;  // token after token

// What an update reads.
struct Segment {
  Ids ids, expected;  // (B, T) each; expected is the token behind each of ids
  bool begins;        // is it the first of its streams? Then nothing is remembered.
};

// The segment that update `step` (0, 1, 2, …) reads. The N tokens make `streams` streams of
// (N - 1) / streams predictions each, rounded down, that follow one another in the text; a stream
// is read in whole segments, one after the other, and begins again behind the last one. What fills
// no stream and no segment is left out.
Segment segment_of(const Text& text, int streams, int segment, int step);

// What a layer will remember: the last `length` states of [past ; h], through which no gradient
// flows; fewer, while there are no more.
//   past: (B, M, D), or undefined where nothing is remembered   h: (B, T, D)
//   returns (B, min(length, M + T), D); undefined for a length of 0
Tensor carried(const Tensor& past, const Tensor& h, int length);

// h^n = layer(h^(n-1), memory^n), with memory^n the earlier states h^(n-1) that went into it.
using Layer = std::function<Tensor(const Tensor& h, const Tensor& past)>;
// Through all layers, and each memory moves on by this segment.
//   h: (B, T, D)   memory: of each layer; empty at the start of a text   returns (B, T, D)
//                                                                  Dai et al. 2019, 3.2
Tensor through(const std::vector<Layer>& layers, Tensor h, std::vector<Tensor>& memory, int length);

// The mean of -log p(expected) over a segment; moves the memory on.
using Model = std::function<Tensor(const Ids& ids, const Ids& expected, std::vector<Tensor>& memory,
                                   int length)>;

// Bits per character of all of a text but its first token. It is read as a single stream from its
// beginning, in segments of `segment` predictions, the last one of those that are left; the memory
// holds up to `length` states, which may be more than in training. No tape is needed.
double evaluate(const Model& model, const Text& text, int segment, int length);

// Bits for each of `lengths`, and the shortest whose bits are not more than `slack` above the
// lowest: what a longer memory does not pay for is left out.
struct Choice {
  std::vector<double> bits;
  int length;
};
Choice choose_length(const Model& model, const Text& text, int segment,
                     const std::vector<int>& lengths, double slack);

}  // namespace xf::exercise
