#include "exercise.hpp"

using namespace xf;

// d sum(w * softmax(scale x)) / dx, by the engine's op and by the exercise's.
static void check(const std::string& name, const Shape& shape, float scale) {
  const Tensor x = parameter(exercise::random(shape, 21));
  const Tensor weights = exercise::random(shape, 22);
  Tape engine;
  const Tensor wanted = engine.backward(weighted_sum(softmax(x, {.scale = scale}), weights)).of(x);
  Tape own;
  exercise::compare_gradient(
      name, wanted, own.backward(weighted_sum(exercise::my_softmax(x, scale), weights)).of(x));
}

TEST_CASE("one row: dx matches the engine's") { check("dx", {1, 3}, 1.0f); }

TEST_CASE("many rows: no row knows of another") { check("dx of 4 rows", {4, 3}, 1.0f); }

TEST_CASE("the scale is part of the derivative") { check("dx, scale 0.5", {2, 5}, 0.5f); }
