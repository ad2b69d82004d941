#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;

namespace {

using exercise::Mistake;

bool finite(const xt::xtensor<float, 2>& y) {
  return std::all_of(y.begin(), y.end(), [](float each) { return std::isfinite(each); });
}

// 1 if one of the inputs tells this version from the correct one.
Tensor caught(Mistake mistake) {
  bool any = false;
  for (const exercise::Case& each : exercise::cases()) {
    const xt::xtensor<float, 2> right = attention(each, Mistake::none);
    const xt::xtensor<float, 2> other = attention(each, mistake);
    for (std::size_t i = 0; i < right.size(); ++i)
      any = any || !(std::abs(right.data()[i] - other.data()[i]) <= 0.01f);
  }
  return Tensor::full({1}, any ? 1.0f : 0.0f);
}

}  // namespace

TEST_CASE("one to three inputs, for which the correct version is finite") {
  const auto few = [] {
    const std::size_t count = exercise::cases().size();
    return Tensor::full({1}, count >= 1 && count <= 3 ? 1.0f : 0.0f);
  };
  const auto sound = [] {
    bool all = true;
    for (const exercise::Case& each : exercise::cases())
      all = all && finite(attention(each, Mistake::none));
    return Tensor::full({1}, all ? 1.0f : 0.0f);
  };
  COMPARE("there are one to three", Tensor::full({1}, 1), few());
  COMPARE("the correct output is finite", Tensor::full({1}, 1), sound());
}

TEST_CASE("the wrong scales are caught") {
  COMPARE("no_scale is caught", Tensor::full({1}, 1), caught(Mistake::no_scale));
  COMPARE("scale_by_keys is caught", Tensor::full({1}, 1), caught(Mistake::scale_by_keys));
}

TEST_CASE("the wrong softmaxes are caught") {
  COMPARE("softmax_down is caught", Tensor::full({1}, 1), caught(Mistake::softmax_down));
  COMPARE("no_largest is caught", Tensor::full({1}, 1), caught(Mistake::no_largest));
}

TEST_CASE("the wrong masks are caught") {
  COMPARE("mask_after is caught", Tensor::full({1}, 1), caught(Mistake::mask_after));
  COMPARE("mask_is_zero is caught", Tensor::full({1}, 1), caught(Mistake::mask_is_zero));
  COMPARE("no_mask_last is caught", Tensor::full({1}, 1), caught(Mistake::no_mask_last));
}
