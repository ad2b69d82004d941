#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;

// d sum(w * softmax(scale x)) / dx, by the engine's op and by the exercise's.
static void check(const std::string& name, const Shape& usual, float usual_scale) {
  const Shape shape = {usual[0] == 1 ? 1 : exercise::given(usual[0], usual[0], usual[0] + 12),
                       exercise::given(usual[1], usual[1], usual[1] + 30)};
  const float scale = exercise::given(usual_scale, 0.3f * usual_scale, 1.7f * usual_scale);
  const Tensor x = parameter(exercise::random(shape, 21));
  const Tensor weights = exercise::random(shape, 22);
  const auto gradient = [&](const auto& y) {
    Tape tape;
    return tape.backward(weighted_sum(y(), weights)).of(x);
  };
  COMPARE_GRADIENT(name, gradient([&] { return softmax(x, {.scale = scale}); }),
                   gradient([&] { return exercise::my_softmax(x, scale); }));
}

TEST_CASE("one row: dx matches the engine's") { check("dx", {1, 3}, 1.0f); }

TEST_CASE("many rows: no row affects another") { check("dx of 4 rows", {4, 3}, 1.0f); }

TEST_CASE("the scale is part of the derivative") {
  check("dx, scale 0.5", {2, 5}, 0.5f);
  check("dx, scale 0.125", {3, 4}, 0.125f);
}
