#include "08_transformer_xl/memory.hpp"
#include "exercise.hpp"

using namespace xf;

// The chapter's memory and the exercise's, over the segments of a text: B = 2, T = 4, D = 3.
static void check(const std::string& name, int segments, int memory_length, int extended_length) {
  Memory wanted{.memory_length = memory_length, .extended_length = extended_length};
  Tensor own;
  for (int s = 0; s < segments; ++s) {
    const Tensor h = exercise::random({2, 4, 3}, 131 + static_cast<std::uint64_t>(s));
    wanted.update({h});
    own = exercise::next_memory(own, h, memory_length, extended_length);
  }
  exercise::compare(name, wanted.states[0], own);
}

TEST_CASE("the first segment: its extended tokens are not remembered") {
  check("memory after 1 segment, memory_length 2, extended_length 2", 1, 2, 2);
}

TEST_CASE("the memory grows over the segments, then its oldest states go") {
  check("memory after 2 segments, memory_length 7, extended_length 0", 2, 7, 0);
  check("memory after 3 segments, memory_length 5, extended_length 1", 3, 5, 1);
}

TEST_CASE("no gradient flows into the memory") {
  const Tensor x = parameter(exercise::random({2, 4, 3}, 135));
  const Tensor of_memory = exercise::random({2, 3, 3}, 136);
  const Tensor of_segment = exercise::random({2, 4, 3}, 137);
  Tape tape;
  const Tensor h = 2.0f * x;
  const Tensor memory = exercise::next_memory({}, h, 3, 0);
  const Tensor loss = weighted_sum(h, of_segment) + weighted_sum(memory, of_memory);
  exercise::compare("dx", 2.0f * of_segment, tape.backward(loss).of(x));
}
