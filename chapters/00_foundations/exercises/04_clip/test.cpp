#include "support/test.hpp"
#include "exercise.hpp"

#include <cstring>

using namespace xf;

namespace {

using exercise::Tensors;

Tensors tensors(std::uint64_t seed, float deviation) {
  const int rows = exercise::given(2), columns = exercise::given(3),
            more = exercise::given(0, 1, 4);
  Tensors all = {exercise::random_xt<2>({rows, columns}, seed, deviation),
                 exercise::random_xt<2>({1, exercise::given(5, 5, 12)}, seed + 1, 3 * deviation),
                 exercise::random_xt<2>({exercise::given(4), 1}, seed + 2, deviation / 2)};
  for (int i = 0; i < more; ++i)
    all.push_back(
        exercise::random_xt<2>({columns, rows}, seed + 200 + std::uint64_t(i), deviation));
  return all;
}

Tensor flat(const Tensors& all) {
  std::vector<float> numbers;
  for (const auto& each : all) numbers.insert(numbers.end(), each.begin(), each.end());
  return Tensor::from({static_cast<int>(numbers.size())}, numbers);
}

double norm_of(const Tensors& all) {
  long double squares = 0;
  for (float g : flat(all).values()) squares += static_cast<long double>(g) * g;
  return static_cast<double>(std::sqrt(squares));
}

Tensors scaled(Tensors all, double limit) {
  const double norm = norm_of(all);
  if (norm > limit && norm < 1e300)
    for (auto& each : all)
      for (float& g : each) g = static_cast<float>(g * limit / norm);
  return all;
}

// How many numbers have other bits than before.
Tensor changed(const Tensors& before, const Tensors& after) {
  const std::vector<float> old = flat(before).values(), now = flat(after).values();
  float count = now.size() == old.size() ? 0.0f : -1.0f;
  for (std::size_t i = 0; i < std::min(old.size(), now.size()); ++i)
    count += std::memcmp(&old[i], &now[i], sizeof(float)) != 0;
  return Tensor::full({1}, count);
}

void check(const std::string& what, const Tensors& gradients, float usual_limit) {
  const float limit = exercise::given(usual_limit, 0.8f * usual_limit, 1.25f * usual_limit);
  Tensors clipped = gradients;
  COMPARE("norm before, " + what, Tensor::full({1}, static_cast<float>(norm_of(gradients))),
          Tensor::full({1}, exercise::clip(clipped, limit)));
  COMPARE("gradients after, " + what, flat(scaled(gradients, limit)), flat(clipped));
}

// Gradients whose norm is below the limit, 0 or not finite.
void check_untouched(const std::string& what, const Tensors& gradients, float limit) {
  const auto own = [&] {
    Tensors clipped = gradients;
    (void)exercise::clip(clipped, limit);
    return changed(gradients, clipped);
  };
  COMPARE("numbers that clip has changed, " + what, Tensor::full({1}, 0), own());
}

void check_step(const std::string& what, const Tensors& gradients, bool moves) {
  const Tensors before = tensors(71, 1);
  const float rate = exercise::given(0.25f, 0.1f, 0.4f), limit = exercise::given(2.0f, 1.5f, 3.0f);
  const auto wanted = [&] {
    Tensors after = before;
    const Tensors steps = scaled(gradients, limit);
    for (std::size_t i = 0; i < after.size() && moves; ++i) after[i] -= rate * steps[i];
    return flat(after);
  };
  Tensors after = before, own = gradients;
  COMPARE("1 if step returns true, " + what, Tensor::full({1}, moves ? 1.0f : 0.0f),
          Tensor::full({1}, exercise::step(after, own, rate, limit) ? 1.0f : 0.0f));
  COMPARE("parameters, " + what, wanted(), flat(after));
}

}  // namespace

TEST_CASE("all tensors share one norm") {
  check("limit 2", tensors(61, 2), 2);
  check("limit 0.5", tensors(64, 1), 0.5f);
  check("limit 0.05", tensors(85, 1), 0.05f);
  check("limit just below the norm", scaled(tensors(66, 1), 0.7), 0.6f);
  Tensors many = tensors(82, 1);
  for (int i = exercise::given(2); i > 0; --i)
    many.push_back(exercise::random_xt<2>({3, 2}, 90 + std::uint64_t(i)));
  check("limit 2, more tensors", many, 2);
}

TEST_CASE("what is short enough stays as it is") {
  check("limit 50", tensors(67, 1), 50);
  check("just below the limit", scaled(tensors(65, 1), 2.2), 3);
  const Tensors zero = {xt::zeros<float>({2, 2}), xt::zeros<float>({1, 3})};
  check("all 0", zero, 1);
  check_untouched("limit 50", tensors(67, 1), 50);
  check_untouched("just below the limit", scaled(tensors(65, 1), 2.2), 2.3f);
  check_untouched("all 0", zero, 1);
}

TEST_CASE("large numbers do not overflow on the way") {
  check("numbers of 1e25", tensors(68, 1e25f), 4);
}

TEST_CASE("the step is taken with the clipped gradients") {
  check_step("long gradients", tensors(74, 5), true);
  check_step("short gradients", tensors(77, 0.01f), true);
}

TEST_CASE("a norm that is not finite moves nothing") {
  for (const float bad : {std::numeric_limits<float>::infinity(), std::nanf("")}) {
    Tensors gradients = tensors(80, 1);
    gradients[1](0, 2) = bad;
    const std::string what = std::isnan(bad) ? "NaN" : "inf";
    check_step(what, gradients, false);
    check_untouched(what, gradients, 2);
  }
}
