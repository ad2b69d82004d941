#include "exercise.hpp"

#include "05_encoder/encoder_layer.hpp"

using namespace xf;

namespace {

// An encoder layer reads the batch with the exercise's mask, and each sentence alone without its
// padding: at the real words the outputs must be equal.   x: (B, S, D)
void check(const Ids& ids, std::int32_t pad, const Tensor& x) {
  Random random(101);
  const EncoderLayer layer({.d_model = 6, .d_ff = 4, .heads = 3}, random);
  const Tensor all = layer(x, exercise::padding_mask(ids, pad));
  for (int b = 0; b < ids.size(0); ++b) {
    const std::int32_t* row = ids.data() + b * ids.size(1);
    const int words = static_cast<int>(std::find(row, row + ids.size(1), pad) - row);
    const auto real = [&](const Tensor& h) { return slice(slice(h, 0, b, 1), 1, 0, words); };
    exercise::compare("sentence " + std::to_string(b), layer(real(x), {}), real(all));
  }
}

}  // namespace

TEST_CASE("a sentence gives the same alone and beside a longer one") {
  check({{2, 5}, {4, 7, 2, 1, 1, 5, 3, 8, 9, 2}}, 1, exercise::random({2, 5, 6}, 102));
}

TEST_CASE("what stands in the padding does not matter") {
  Tensor x = exercise::random({2, 4, 6}, 103);
  for (int i = 2 * 6; i < 4 * 6; ++i) x.data()[i] *= 50;
  check({{2, 4}, {6, 2, 1, 1, 3, 8, 2, 1}}, 1, x);
}

TEST_CASE("a word whose id is 0 is a word") {
  check({{2, 5}, {0, 7, 0, 2, 1, 5, 2, 1, 1, 1}}, 1, exercise::random({2, 5, 6}, 104));
}
