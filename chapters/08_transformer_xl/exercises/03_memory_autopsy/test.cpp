#include "support/test.hpp"
#include "08_transformer_xl/memory.hpp"
#include "exercise.hpp"

using namespace xf;

// The chapter's memory and the exercise's, over the segments of a text: B = 2, T = 4, D = 3. With
// XF_SALT, others, and a memory that may be longer than two segments.
static void check(const std::string& name, int usual_segments, int usual_memory,
                  int usual_extended) {
  const int segments = usual_segments == 1 ? 1 : exercise::given(usual_segments);
  const int memory_length =
      usual_memory == 0 ? 0 : exercise::given(usual_memory, usual_memory, 3 * usual_memory);
  const int extended_length = exercise::given(usual_extended, 0, 3);
  const int batch = exercise::given(2), length = exercise::given(4, 5, 8);
  const auto segment = [&](int s) {
    return exercise::random({batch, length, 3}, 131 + static_cast<std::uint64_t>(s));
  };
  const auto wanted = [&] {
    Memory memory{
        .memory_length = memory_length, .extended_length = extended_length, .layers = {{}}};
    for (int s = 0; s < segments; ++s)
      memory.layers[0].update(segment(s), remembered(memory.lengths(length)));
    return memory.layers[0].states;
  };
  const auto own = [&] {
    Tensor memory;
    for (int s = 0; s < segments; ++s)
      memory = exercise::next_memory(memory, segment(s), memory_length, extended_length);
    return memory;
  };
  COMPARE(name, wanted(), own());
}

TEST_CASE("the first segment: its extended tokens are not remembered") {
  check("memory after 1 segment, memory_length 2, extended_length 2", 1, 2, 2);
  check("memory after 1 segment, memory_length 3, extended_length 2", 1, 3, 2);
}

TEST_CASE("the memory grows over the segments, then its oldest states go") {
  check("memory after 2 segments, memory_length 7, extended_length 0", 2, 7, 0);
  check("memory after 3 segments, memory_length 5, extended_length 1", 3, 5, 1);
  check("memory after 2 segments, memory_length 0, extended_length 0", 2, 0, 0);
}

TEST_CASE("a segment that is repeated in full leaves the memory unchanged") {
  const int batch = exercise::given(2), m = exercise::given(3), t = exercise::given(4, 4, 6);
  const Tensor memory = exercise::random({batch, m, 3}, 138);
  const Tensor h = exercise::random({batch, t, 3}, 139);
  COMPARE("memory, M = 3, T = 4, memory_length 3, extended_length 6", memory,
          exercise::next_memory(memory, h, m, t + exercise::given(2, 0, 6)));
  COMPARE("memory, M = 3, T = 4, memory_length 9, extended_length 4", memory,
          exercise::next_memory(memory, h, m + exercise::given(6, 1, 9), t));
  COMPARE("memory, M = 3, T = 4, memory_length 3, extended_length 9", memory,
          exercise::next_memory(memory, h, m, t + exercise::given(5, 1, 9)));
}

// The loss reads an old memory, the segment, and what is remembered of both, whether all tokens are
// or the last come again. From what is remembered no gradient may arrive.
static void check_gradients(const std::string& when, bool first) {
  const Tensor x = parameter(exercise::random({2, 4, 3}, 135));
  const Tensor m = parameter(exercise::random({2, 2, 3}, 134));
  const Tensor of_memory = exercise::random({2, 5, 3}, 136);
  const Tensor of_segment = exercise::random({2, 4, 3}, 137);
  const auto gradients = [&] {
    Tape tape;
    const Tensor h = 2.0f * x, old = 3.0f * m;
    Tensor loss = weighted_sum(h, of_segment) + weighted_sum(old, slice(of_memory, 1, 0, 2));
    for (int extended_length : {0, exercise::within(1, 1, 3)}) {
      const Tensor memory = exercise::next_memory(first ? Tensor() : old, h, 5, extended_length);
      loss = loss + weighted_sum(memory, slice(of_memory, 1, 0, memory.size(1)));
    }
    return tape.backward(loss);
  };
  COMPARE_GRADIENT("dh" + when, 2.0f * of_segment, gradients().of(x));
  COMPARE_GRADIENT("dmemory" + when, 3.0f * slice(of_memory, 1, 0, 2), gradients().of(m));
}

TEST_CASE("no gradient flows into the memory") {
  check_gradients(", first segment", true);
  check_gradients(", later segment", false);
}
