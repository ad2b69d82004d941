#include "live/by_hand.hpp"

#include <cmath>

#include "02_attention/attention.hpp"
#include "io/printable.hpp"
#include "ops/elementwise/elementwise.hpp"

namespace xf::live {

namespace {

constexpr int most = 8;          // words, and numbers per word
constexpr float largest = 1000;  // of a number's size

// The rows of numbers under this name in the request.   returns (1, 1, T, D)
Tensor vectors(Fields& request, const char* name) {
  const auto refuse = [&] {
    request.fail(
        formatted("\"%s\" must be 1 to %d rows of as many numbers each, 1 to %d from %g "
                  "to %g",
                  name, most, most, -largest, largest));
  };
  const Json& rows = request.list(name);
  const auto fits = [](std::size_t count) { return count >= 1 && count <= most; };
  if (!fits(rows.size()) || !rows[0].is_array() || !fits(rows[0].size())) refuse();
  std::vector<float> numbers;
  for (const Json& row : rows) {
    if (!row.is_array() || row.size() != rows[0].size()) refuse();
    for (const Json& number : row) {
      if (!number.is_number() || !(std::abs(number.get<double>()) <= largest)) refuse();
      numbers.push_back(number.get<float>());
    }
  }
  return Tensor::from({1, 1, static_cast<int>(rows.size()), static_cast<int>(rows[0].size())},
                      numbers);
}

}  // namespace

Json by_hand(Fields& request) {
  const Tensor q = vectors(request, "q"), k = vectors(request, "k"), v = vectors(request, "v");
  request.done();
  if (q.size(3) != k.size(3) || k.size(2) != v.size(2))
    request.fail("a key has as many numbers as a query, and each key has a value");
  Recorder recorder({"scores", "weights"});
  const Tensor output = attention(q, k, v), scores = recorder.of("scores");
  return {{"scores", matrix(scores)},
          {"scaled", matrix(scale(scores, 1 / std::sqrt(static_cast<float>(q.size(3)))))},
          {"weights", matrix(recorder.of("weights"))},
          {"output", matrix(output)}};
}

}  // namespace xf::live
