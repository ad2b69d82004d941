#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;
using exercise::Fault;

namespace {

using Matrix = xt::xtensor<float, 2>;

constexpr int d_k = 64;

float scale_of(Fault fault) {
  if (fault == Fault::no_scale) return 1;
  return fault == Fault::divided_twice ? 1.0f / d_k : 0.125f;  // sqrt(64) is 8
}

// May query i see key j, before the softmax?
bool seen(Fault fault, int i, int j) {
  if (fault == Fault::no_mask || fault == Fault::mask_after) return true;
  return j <= i + (fault == Fault::mask_late);
}

Matrix weights(Fault fault, int t, std::uint64_t seed) {
  const Matrix q = to_xt<2>(exercise::random({t, d_k}, seed));
  const Matrix k = to_xt<2>(exercise::random({t, d_k}, seed + 50));
  Matrix w = xt::linalg::dot(q, xt::transpose(k));
  const bool down = fault == Fault::softmax_down;
  const auto at = [&](int one, int other) -> float& {
    return down ? w(other, one) : w(one, other);
  };
  for (int one = 0; one < t; ++one) {
    float total = 0;
    for (int other = 0; other < t; ++other) {  // of a softmax, no score is above 88
      const bool kept = down ? seen(fault, other, one) : seen(fault, one, other);
      at(one, other) = kept ? std::exp(std::min(80.0f, at(one, other) * scale_of(fault))) : 0;
      total += at(one, other);
    }
    for (int other = 0; other < t; ++other) at(one, other) /= total;
  }
  if (fault == Fault::mask_after)
    for (int i = 0; i < t; ++i)
      for (int j = i + 1; j < t; ++j) w(i, j) = 0;
  return w;
}

Tensor numbers(const std::vector<Fault>& faults) {
  std::vector<float> list;
  for (Fault fault : faults) list.push_back(static_cast<float>(fault));
  return Tensor::from({static_cast<int>(list.size())}, list);
}

std::vector<Fault> order_of(std::uint64_t seed) {
  std::vector<Fault> order = {Fault::healthy,      Fault::no_scale, Fault::divided_twice,
                              Fault::softmax_down, Fault::no_mask,  Fault::mask_late,
                              Fault::mask_after};
  Random random(exercise::salted(seed));
  random.shuffle(order.begin(), order.end());
  return order;
}

void check(const std::string& what, int usual, int low, int high, int seed) {
  // What tells the maps apart, such as how large a weight is, depends on their size.
  const int t = exercise::within(usual, low, high);
  const auto found = [&] {
    std::vector<Matrix> maps;
    for (Fault fault : order_of(std::uint64_t(seed)))
      maps.push_back(weights(fault, t, std::uint64_t(seed) + 1 + std::uint64_t(fault)));
    return exercise::which(maps);
  };
  COMPARE("0 healthy, 1 no scale, 2 twice, 3 down, 4 no mask, 5 late, 6 after: " + what,
          numbers(order_of(std::uint64_t(seed))), numbers(found()));
}

}  // namespace

TEST_CASE("seven maps of 14 words") { check("T = 14", 14, 12, 16, 2700); }

TEST_CASE("seven maps of other sentences") {
  check("T = 16", 16, 14, 20, 2800);
  check("T = 24", 24, 20, 28, 2900);
}

TEST_CASE("seven maps of a long sentence") { check("T = 40", 40, 36, 48, 3000); }
