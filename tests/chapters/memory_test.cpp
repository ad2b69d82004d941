#include "08_transformer_xl/memory.hpp"

#include "support/language_models.hpp"

namespace xf::test {

namespace {

// 1, 0 as "1110" for each query.
std::string rows_of(const Mask& mask) {
  std::string text;
  const Ids allowed = mask.allowed();
  for (int i = 0; i < allowed.size(1); ++i) {
    for (int j = 0; j < allowed.size(2); ++j) text += allowed[i * allowed.size(2) + j] ? '1' : '0';
    text += ' ';
  }
  return text;
}

}  // namespace

TEST_CASE("segment_mask: worked by hand") {
  CHECK(rows_of(segment_mask({.query_length = 3, .present_length = 2, .memory_length = 2},
                             false)) == "11100 11110 11111 ");
  CHECK(rows_of(segment_mask({.query_length = 3, .present_length = 2, .memory_length = 2}, true)) ==
        "01100 00110 00011 ");
  // The memory is not full yet: the first queries see fewer keys.
  CHECK(rows_of(segment_mask({.query_length = 3, .present_length = 1, .memory_length = 3}, true)) ==
        "1100 1110 0111 ");
  CHECK(rows_of(segment_mask({.query_length = 2, .present_length = 0, .memory_length = 4}, true)) ==
        "10 11 ");
}

TEST_CASE("remembered: the last states before the extended tokens, worked by hand") {
  const auto span = [](const SegmentLengths& n) {
    const Span kept = remembered(n);
    return std::pair{kept.first, kept.last};
  };
  using Pair = std::pair<int, int>;
  CHECK(span({.query_length = 4, .present_length = 4, .memory_length = 4}) == Pair{4, 8});
  CHECK(span({.query_length = 4, .present_length = 0, .memory_length = 2}) == Pair{2, 4});
  CHECK(span({.query_length = 3, .present_length = 3, .memory_length = 9}) == Pair{0, 6});
  CHECK(span({.query_length = 5, .present_length = 4, .memory_length = 4, .extended_length = 2}) ==
        Pair{3, 7});
  CHECK(span({.query_length = 1, .present_length = 3, .memory_length = 4, .extended_length = 2}) ==
        Pair{0, 3});
  // The published call swaps the first two: it would keep [0, 3).
  CHECK(span({.query_length = 3, .present_length = 1, .memory_length = 4, .extended_length = 2}) ==
        Pair{0, 2});
  CHECK(span({.query_length = 4, .present_length = 4, .memory_length = 0}) == Pair{8, 8});
}

TEST_CASE("memory: holds the embeddings first, and never the last layer's output") {
  for (const std::string norm : {"post", "pre"}) {
    const AnySegmentModel model = lively_model(small(norm), 1);
    const Ids ids = random_ids({2, 3}, 9, 2);
    Memory memory = model.start();
    const Tensor h = model.hidden(ids, memory);
    REQUIRE(memory.layers.size() == 2);
    expect_same("embeddings", memory.layers[0].states, model.embedding(ids));
    const TransformerXl& stack = model.stack.as<TransformerXl>();
    Memory::Layer nothing;
    const Tensor first = stack.stack.layers[0](
        model.embedding(ids), nothing, relative_positions(3, 4), stack.biases[0],
        segment_mask({.query_length = 3, .present_length = 0, .memory_length = 3}, false));
    expect_same("un-normalised output of layer 1", memory.layers[1].states, first);
    CHECK(!difference("last", memory.layers[1].states, h).empty());
  }
}

TEST_CASE("memory: no gradient flows into the segments before") {
  for (const std::string norm : {"post", "pre"}) {
    AnySegmentModel model = lively_model(small(norm), 1);
    // The words 0 1 2 stand in the first segment only, 3 ... 8 in the second.
    const Ids first({1, 3}, {0, 1, 2}), second({1, 3}, {3, 4, 5}), expected({1, 3}, {6, 7, 8});
    const auto gradients_of = [&](Memory memory, bool both_on_one_tape) {
      if (!both_on_one_tape) model.hidden(first, memory);
      Tape tape;
      if (both_on_one_tape) model.hidden(first, memory);
      return tape.backward(model.loss(second, expected, memory));
    };
    const Gradients together = gradients_of(model.start(), true);
    const Gradients alone = gradients_of(model.start(), false);
    for (const NamedParameter& p : parameters(model))
      expect_same(p.name, together.of(*p.tensor), alone.of(*p.tensor));

    // Even if the remembered states are leaves themselves.
    Memory memory = model.start();
    model.hidden(first, memory);
    for (Memory::Layer& layer : memory.layers) layer.states = parameter(layer.states.clone());
    const Memory before = memory;
    Tape tape;
    const Tensor loss = model.loss(second, expected, memory);
    const Gradients gradients = tape.backward(loss);
    for (const Memory::Layer& layer : before.layers) CHECK(!gradients.of(layer.states).defined());

    // And yet the loss does depend on them.
    Memory changed = before;
    changed.layers[0].states = detach(random_leaf(before.layers[0].states.shape(), 7));
    CHECK(std::abs(model.loss(second, expected, changed).item() - loss.item()) > 1e-4);
  }
}

TEST_CASE("memory: an untied table's rows of the segment before have a gradient of exactly 0") {
  TransformerXlConfig config = small("post");
  config.tied = false;
  const AnySegmentModel model = lively_model(config, 1);
  Tape tape;
  Memory memory = model.start();
  model.hidden(Ids({1, 3}, {0, 1, 2}), memory);
  const Tensor loss = model.loss(Ids({1, 3}, {3, 4, 5}), Ids({1, 3}, {6, 7, 8}), memory);
  const Gradients gradients = tape.backward(loss);
  const Tensor& d_table = gradients.of(model.embedding.weight);
  CHECK(largest(slice(d_table, 0, 0, 3)) == 0);
  CHECK(largest(slice(d_table, 0, 3, 3)) > 1e-4);
}

}  // namespace xf::test
