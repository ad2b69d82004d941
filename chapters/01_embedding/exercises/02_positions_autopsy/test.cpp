#include "01_embedding/positional_encoding.hpp"

#include "exercise.hpp"
#include "support/test.hpp"

using namespace xf;
using namespace xf::exercise;

static void check(const std::string& name, int rows, int pairs) {
  const int width = 2 * pairs;
  COMPARE(name, sinusoidal_positions(rows, width), positions(rows, width));
}

TEST_CASE("sin and cos take turns, from fast waves to slow ones") {
  check("PE", given(5, 3, 100), given(4, 1, 60));
}

TEST_CASE("the smallest encoding has one pair") { check("PE, D = 2", given(3, 3, 100), given(1)); }

TEST_CASE("far positions are told apart") {
  check("PE of 40 positions", given(40, 260, 300), given(3, 50, 60));
}
