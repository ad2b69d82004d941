#pragma once

#include "08_transformer_xl/baselines/any_stack.hpp"
#include "support/grad_check.hpp"
#include "support/kinds.hpp"

namespace xf::test {

// Columns [first, last) of a (B, N) stream.
inline Ids columns(const Ids& stream, int first, int last) {
  Ids cut = Ids::full({stream.size(0), last - first}, 0);
  for (int b = 0; b < stream.size(0); ++b)
    std::copy_n(stream.begin() + b * stream.size(1) + first, last - first,
                cut.begin() + b * (last - first));
  return cut;
}

inline Ids random_ids(const Shape& shape, int vocabulary, std::uint64_t seed) {
  Random random(seed);
  Ids ids = Ids::full(shape, 0);
  for (std::ptrdiff_t i = 0; i < ids.count(); ++i) ids[i] = random.below(vocabulary);
  return ids;
}

// A model whose parameters are large enough that everything matters.
inline AnySegmentModel lively_model(const TransformerXlConfig& c, std::uint64_t seed) {
  auto model = drawn<AnySegmentModel>(seed, c);
  random_parameters(model, seed);
  return model;
}

// The gradients of the second of two segments, with the memory that the first one leaves held still
// while the probes change what it came from: SG. Layer norms over 4 numbers bend fast.
inline void check_second_segment(const std::string& what, AnySegmentModel& model,
                                 const Ids& ids = random_ids({2, 3}, 9, 3)) {
  Memory start = model.start();
  model.hidden(random_ids({2, 3}, 9, 2), start);
  const Ids expected({2, 3}, {0, 3, 4, 5, 8, 1});
  check_gradients(what, leaves_of(model),
                  [&] {
                    const Training training(3);  // without dropout it does nothing
                    Memory memory = start;
                    return model.loss(ids, expected, memory);
                  },
                  {.h = 1.0 / 128});
}

inline TransformerXlConfig small(const std::string& norm,
                                 ModelKind kind = ModelKind::transformer_xl) {
  TransformerXlConfig c{.vocabulary = 9, .d_model = 4, .d_ff = 6, .heads = 2, .layers = 2};
  c.segment = 3;
  c.memory = kind == ModelKind::vanilla || kind == ModelKind::lstm ? 0 : 3;
  c.kind = kind;
  c.dropout = c.attention_dropout = 0;
  c.norm = named<NormOrder>(norm);
  c.activation = Activation::silu;
  return c;
}

}  // namespace xf::test
