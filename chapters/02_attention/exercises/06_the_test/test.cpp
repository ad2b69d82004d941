#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;

namespace {

using exercise::Mistake;

bool finite(const xt::xtensor<float, 2>& y) {
  return std::all_of(y.begin(), y.end(), [](float each) { return std::isfinite(each); });
}

// Throws std::invalid_argument for an input whose shapes do not fit.
std::vector<exercise::Case> fitting(const std::vector<exercise::Case>& all) {
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

// Does one of the inputs tell this version from the correct one?
bool caught(const std::vector<exercise::Case>& cases, Mistake mistake) {
  bool any = false;
  for (const exercise::Case& each : cases) {
    const xt::xtensor<float, 2> right = attention(each, Mistake::none);
    const xt::xtensor<float, 2> other = attention(each, mistake);
    for (std::size_t i = 0; i < right.size(); ++i)
      any = any || !(std::abs(right.data()[i] - other.data()[i]) <= 0.01f);
  }
  return any;
}

// Is every number of every input one?
bool all_numbers(const std::vector<exercise::Case>& cases) {
  return std::all_of(cases.begin(), cases.end(), [](const exercise::Case& each) {
    return finite(each.q) && finite(each.k) && finite(each.v) && finite(each.may);
  });
}

// Is a key seen or not, and nothing in between?
bool seen_or_not(const std::vector<exercise::Case>& cases) {
  return std::all_of(cases.begin(), cases.end(), [](const exercise::Case& each) {
    return std::all_of(each.may.begin(), each.may.end(),
                       [](float may) { return may == 0 || may == 1; });
  });
}

bool all_finite(const std::vector<exercise::Case>& cases) {
  return std::all_of(cases.begin(), cases.end(), [](const exercise::Case& each) {
    return finite(attention(each, Mistake::none));
  });
}

// In one of the inputs: two rows of v are not the same.
bool values_differ(const std::vector<exercise::Case>& cases) {
  bool any = false;
  for (const auto& [q, k, v, may] : cases)
    for (std::size_t s = 1; s < v.shape(0); ++s) any = any || xt::row(v, s) != xt::row(v, 0);
  return any;
}

// In one of the inputs some query weighs two keys, one more than the other.
bool weighs(const std::vector<exercise::Case>& cases) {
  bool any = false;
  for (exercise::Case each : cases) {
    each.v = xt::eye<float>(each.k.shape(0));  // the output is the weights
    const xt::xtensor<float, 2> weights = attention(each, Mistake::none);
    for (std::size_t i = 0; i < weights.shape(0); ++i) {
      float most = 0, least = 1;  // of those that are not nearly nothing
      for (std::size_t j = 0; j < weights.shape(1); ++j)
        if (weights(i, j) > 0.001f) {
          most = std::max(most, weights(i, j));
          least = std::min(least, weights(i, j));
        }
      any = any || most - least > 0.001f;
    }
  }
  return any;
}

enum class Claim { some, few, numbers, masks, finite, differ, weigh, caught };

// What all is claimed of: the inputs that came first.
void want_the_same(const std::vector<exercise::Case>& inputs) {
  std::string all;
  for (const auto& [q, k, v, may] : inputs)
    for (const auto* m : {&q, &k, &v, &may}) {
      all += std::to_string(m->shape(0)) + "x" + std::to_string(m->shape(1));
      all.append(reinterpret_cast<const char*>(m->data()), m->size() * sizeof(float));
    }
  static const std::string first = all;
  if (all != first) throw std::invalid_argument("cases() must return the same inputs every time");
}

Tensor holds(Claim claim, Mistake mistake) {
  const std::vector<exercise::Case> all = fitting(exercise::cases());
  want_the_same(all);
  const bool holds = claim == Claim::some      ? !all.empty()
                     : claim == Claim::few     ? all.size() <= 3
                     : claim == Claim::numbers ? all_numbers(all)
                     : claim == Claim::masks   ? seen_or_not(all)
                     : claim == Claim::finite  ? all_finite(all)
                     : claim == Claim::differ  ? values_differ(all)
                     : claim == Claim::weigh   ? weighs(all)
                                               : caught(all, mistake);
  return Tensor::full({1}, holds ? 1.0f : 0.0f);
}

void check(const std::string& what, Claim claim, Mistake mistake = Mistake::none) {
  COMPARE(what, Tensor::full({1}, 1), holds(claim, mistake));
}

}  // namespace

TEST_CASE("one to three inputs on which the correct version's output is finite") {
  check("there is at least one", Claim::some);
  check("there are at most three", Claim::few);
  check("the numbers of the inputs are finite", Claim::numbers);
  check("may is 1 or 0 everywhere", Claim::masks);
  check("the correct output is finite", Claim::finite);
  check("the values differ in one of them", Claim::differ);
  check("in one of them, a query weighs two keys, one more than the other", Claim::weigh);
}

TEST_CASE("the wrong scales are caught") {
  check("no_scale is caught", Claim::caught, Mistake::no_scale);
  check("scale_by_keys is caught", Claim::caught, Mistake::scale_by_keys);
}

TEST_CASE("the wrong softmaxes are caught") {
  check("softmax_down is caught", Claim::caught, Mistake::softmax_down);
  check("no_largest is caught", Claim::caught, Mistake::no_largest);
}

TEST_CASE("the wrong masks are caught") {
  check("mask_after is caught", Claim::caught, Mistake::mask_after);
  check("mask_is_zero is caught", Claim::caught, Mistake::mask_is_zero);
  check("no_mask_last is caught", Claim::caught, Mistake::no_mask_last);
}
