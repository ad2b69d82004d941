#pragma once

// What tests call. Apart from kit.hpp, so that its own source compiles without xtensor.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tensor/random.hpp"
#include "tensor/tensor.hpp"

namespace xf::exercise {

// Ends a function that is still to be written. `where` is the exercise and its file.
[[noreturn]] void TODO(const char* where);

// What a test takes in. It is the same on every machine; when XF_SALT is set, which `./learn grade`
// does, it is other numbers of the same kind, so that none can be learned by heart.
//
// Normal numbers.
Tensor random(const Shape& shape, std::uint64_t seed, float deviation = 1);
// The seed of a Random of the test's own.
std::uint64_t salted(std::uint64_t seed);
// These numbers; with XF_SALT, a part of each.
Tensor given(const Shape& shape, const std::vector<float>& values);
// This number; with XF_SALT, one of low to high; with a single argument, of usual to usual + 4.
// Whoever is graded gets three salts, and with one of them a size far above `high`: up to about
// three times of it. The same arguments draw the same number everywhere.
int given(int usual, int low, int high);
int given(int usual);
// The same, never above `high`: what is an index, or has a meaning below it alone.
int within(int usual, int low, int high);
float given(float usual, float low, float high);
// This one; with XF_SALT, one of both.
bool either(bool usual);
// These ids, (B, S); with XF_SALT, others of 0 to words - 1. Where one is padding, each row ends in
// some of it.
Ids given(const Ids& usual, int words, int padding = -1);
// Words to predict, of which padding counts nothing; with XF_SALT, others of 0 to words - 1,
// another padding at the same rows.
struct Targets {
  std::vector<int> ids;
  int padding;
};
Targets given(const std::vector<int>& usual, int words, int padding);
// These rows, such as a mask's; with XF_SALT, the numbers of each in another order.
Ids shuffled(const Ids& usual);

// 0 to count - 1; with XF_SALT, in another order.
std::vector<int> order(int count, std::uint64_t seed);

// What the std::invalid_argument says that `call` throws; nothing where it throws nothing. What is
// thrown of another type ends the test, which then names both types.
std::optional<std::string> refusal(const std::function<void()>& call);

// What test.hpp's COMPARE sends: the judge's program its own numbers, that of the learner's code
// what came out of it. `kind` is "tensor" or "gradient".
void send_expected(const std::string& name, const std::string& kind, const Tensor& expected);
void send_actual(const std::string& name, const Tensor& actual);

}  // namespace xf::exercise
