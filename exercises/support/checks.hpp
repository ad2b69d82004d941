#pragma once

// What tests call. Separate from kit.hpp, so that its own source compiles without xtensor.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tensor/random.hpp"
#include "tensor/tensor.hpp"

namespace xf::exercise {

// Stops a function that is still to be written. `where` is the exercise and its file.
[[noreturn]] void TODO(const char* where);

// The inputs of a test. They are the same on every machine; with XF_SALT, which `./learn grade`
// sets, they are other numbers of the same kind, so that no answer can be hard-coded.
//
// Normally distributed numbers.
Tensor random(const Shape& shape, std::uint64_t seed, float deviation = 1);
// The seed for a test's own Random.
std::uint64_t salted(std::uint64_t seed);
// These numbers; with XF_SALT, multiplied by a random factor below one.
Tensor given(const Shape& shape, const std::vector<float>& values);
// This number; with XF_SALT, one of low to high; with a single argument, of usual to usual + 4.
// Grading uses three salts, and one of them gives a size far above `high`: up to about three times
// as large. The same arguments give the same number everywhere.
int given(int usual, int low, int high);
int given(int usual);
// The same, never above `high`: for an index, or a number with a meaning only up to there.
int within(int usual, int low, int high);
float given(float usual, float low, float high);
// This value; with XF_SALT, a random one.
bool either(bool usual);
// These ids, (B, S); with XF_SALT, others from 0 to words - 1. If there is a padding id, each row
// ends in some of it.
Ids given(const Ids& usual, int words, int padding = -1);
// Words to predict, where padding does not count; with XF_SALT, others from 0 to words - 1, with
// another padding id in the same places.
struct Targets {
  std::vector<int> ids;
  int padding;
};
Targets given(const std::vector<int>& usual, int words, int padding);
// These rows, such as a mask's; with XF_SALT, the numbers within each are shuffled.
Ids shuffled(const Ids& usual);

// 0 to count - 1; with XF_SALT, shuffled.
std::vector<int> order(int count, std::uint64_t seed);

// The message of the std::invalid_argument that `call` throws; nothing if it throws nothing. An
// exception of another type ends the test with a message that names both types.
std::optional<std::string> refusal(const std::function<void()>& call);

// What test.hpp's COMPARE sends: the judge's program the expected numbers, the learner's program
// the actual ones. `kind` is "tensor" or "gradient".
void send_expected(const std::string& name, const std::string& kind, const Tensor& expected);
void send_actual(const std::string& name, const Tensor& actual);

}  // namespace xf::exercise
