#include "support/test.hpp"
#include "exercise.hpp"

#include "05_encoder/encoder_layer.hpp"

using namespace xf;

namespace {

// 1 where a key may be looked at: (B, 1, S).
Tensor numbers_of(const Mask& mask) {
  if (!mask.allowed().defined()) return {};
  const Ids allowed = mask.allowed();
  return Tensor::from(allowed.shape(), std::vector<float>(allowed.begin(), allowed.end()));
}

// An encoder layer reads the batch with the exercise's mask, and each sentence alone without its
// padding: at the real words the outputs must be equal. What stands in the padding is made larger.
void check(const Ids& usual, std::int32_t usual_pad, std::uint64_t seed, float larger = 1) {
  const int ids_below = exercise::given(10, 20, 300);
  const std::int32_t pad = exercise::within(usual_pad, 0, ids_below - 1);
  Ids all = Ids::full({exercise::given(usual.size(0)), exercise::given(usual.size(1), 4, 20)}, 0);
  for (int i = 0; i < all.count(); ++i) all[i] = usual[i % usual.count()];
  const Ids ids = exercise::given(all, ids_below, pad);
  Tensor x = exercise::random({ids.size(0), ids.size(1), 6}, seed);  // (B, S, D)
  for (int i = 0; i < x.count(); ++i)
    if (ids[i / 6] == pad) copy_into(x, {larger * x.values()[i]}, i);
  Random random(101);
  const EncoderLayer layer({.d_model = 6, .d_ff = 4, .heads = 3}, random);
  COMPARE("the mask, (B, 1, S)", numbers_of(padding_mask(ids, pad)),
          numbers_of(exercise::padding_mask(ids, pad)));
  Ids turned = Ids::full(ids.shape(), 0);
  for (int b = 0; b < ids.size(0); ++b) {
    const std::int32_t* row = ids.begin() + b * ids.size(1);
    std::reverse_copy(row, row + ids.size(1), turned.begin() + b * ids.size(1));
  }
  const Ids anywhere = exercise::shuffled(turned);
  COMPARE("the mask, the padding in front", numbers_of(padding_mask(turned, pad)),
          numbers_of(exercise::padding_mask(turned, pad)));
  COMPARE("the mask, the padding anywhere", numbers_of(padding_mask(anywhere, pad)),
          numbers_of(exercise::padding_mask(anywhere, pad)));
  Ids empty = Ids::full(ids.shape(), pad);  // one sentence is padding alone
  const int none = exercise::within(0, 0, ids.size(0) - 1);
  for (int i = 0; i < ids.count(); ++i)
    if (i / ids.size(1) != none) empty[i] = ids[i];
  COMPARE("the mask, a sentence of padding alone", numbers_of(padding_mask(empty, pad)),
          numbers_of(exercise::padding_mask(empty, pad)));
  const auto batch = [&] { return layer(x, exercise::padding_mask(ids, pad)); };
  for (int b = 0; b < ids.size(0); ++b) {
    const std::int32_t* row = ids.begin() + b * ids.size(1);
    const int words = static_cast<int>(std::find(row, row + ids.size(1), pad) - row);
    const auto real = [&](const Tensor& h) { return slice(slice(h, 0, b, 1), 1, 0, words); };
    COMPARE("sentence " + std::to_string(b), layer(real(x), {}), real(batch()));
  }
}

}  // namespace

TEST_CASE("a sentence gives the same result alone and with a longer one") {
  check({{2, 5}, {4, 7, 2, 1, 1, 5, 3, 8, 9, 2}}, 1, 102);
}

TEST_CASE("what the padding holds does not matter") {
  check({{2, 4}, {6, 2, 9, 9, 3, 8, 2, 9}}, 9, 103, 50);
}

TEST_CASE("a word whose id is 0 is a word") {
  check({{3, 5}, {0, 7, 0, 2, 3, 5, 2, 3, 3, 3, 8, 0, 1, 2, 3}}, 3, 104);
}
