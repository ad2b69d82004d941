#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;

namespace {

using exercise::Mistake;

bool finite(const xt::xtensor<float, 2>& y) {
  return std::all_of(y.begin(), y.end(), [](float each) { return std::isfinite(each); });
}

// The learner's inputs, whose shapes fit. Throws std::invalid_argument for one whose do not.
std::vector<exercise::Case> fitting_cases() {
  const std::vector<exercise::Case> all = exercise::cases();
  const auto text = [](const xt::xtensor<float, 2>& m) {
    return Shape{static_cast<int>(m.shape(0)), static_cast<int>(m.shape(1))}.str();
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& [q, k, v, may] = all[i];
    const auto want = [&](bool holds, const std::string& what) {
      if (!holds)
        throw std::invalid_argument("case " + std::to_string(i + 1) + ": " + what + "; q is " +
                                    text(q) + ", k " + text(k) + ", v " + text(v) + ", may " +
                                    text(may));
    };
    want(q.size() > 0 && k.size() > 0 && v.size() > 0, "q, k and v must hold numbers");
    want(k.shape(1) == q.shape(1), "k must be (S, d_k), as wide as q");
    want(v.shape(0) == k.shape(0), "v must be (S, d_v), with as many rows as k");
    want(may.shape(0) == q.shape(0) && may.shape(1) == k.shape(0),
         "may must be (T, S), a row for each query and a column for each key");
  }
  return all;
}

Tensor one_if(bool holds) { return Tensor::full({1}, holds ? 1.0f : 0.0f); }

// 1 if one of the inputs tells this version from the correct one.
Tensor caught(Mistake mistake) {
  bool any = false;
  for (const exercise::Case& each : fitting_cases()) {
    const xt::xtensor<float, 2> right = attention(each, Mistake::none);
    const xt::xtensor<float, 2> other = attention(each, mistake);
    for (std::size_t i = 0; i < right.size(); ++i)
      any = any || !(std::abs(right.data()[i] - other.data()[i]) <= 0.01f);
  }
  return one_if(any);
}

}  // namespace

TEST_CASE("one to three inputs, for which the correct version is finite") {
  const auto sound = [] {
    bool all = true;
    for (const exercise::Case& each : fitting_cases())
      all = all && finite(attention(each, Mistake::none));
    return one_if(all);
  };
  const auto differ = [] {  // in one of the inputs: two rows of v are not the same
    bool any = false;
    for (const auto& [q, k, v, may] : fitting_cases())
      for (std::size_t s = 1; s < v.shape(0); ++s) any = any || xt::row(v, s) != xt::row(v, 0);
    return one_if(any);
  };
  COMPARE("there is at least one", one_if(true), one_if(!fitting_cases().empty()));
  COMPARE("there are at most three", one_if(true), one_if(fitting_cases().size() <= 3));
  COMPARE("the correct output is finite", one_if(true), sound());
  COMPARE("the values differ in one of them", one_if(true), differ());
}

TEST_CASE("the wrong scales are caught") {
  COMPARE("no_scale is caught", one_if(true), caught(Mistake::no_scale));
  COMPARE("scale_by_keys is caught", one_if(true), caught(Mistake::scale_by_keys));
}

TEST_CASE("the wrong softmaxes are caught") {
  COMPARE("softmax_down is caught", one_if(true), caught(Mistake::softmax_down));
  COMPARE("no_largest is caught", one_if(true), caught(Mistake::no_largest));
}

TEST_CASE("the wrong masks are caught") {
  COMPARE("mask_after is caught", one_if(true), caught(Mistake::mask_after));
  COMPARE("mask_is_zero is caught", one_if(true), caught(Mistake::mask_is_zero));
  COMPARE("no_mask_last is caught", one_if(true), caught(Mistake::no_mask_last));
}
