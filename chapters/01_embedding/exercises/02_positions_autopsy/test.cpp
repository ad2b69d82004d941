#include "01_embedding/positional_encoding.hpp"

#include "exercise.hpp"
#include "support/test.hpp"

using namespace xf;
using namespace xf::exercise;

static void check(const std::string& name, int usual_rows, int usual_pairs) {
  const int rows = given(usual_rows, 3, 100), width = 2 * given(usual_pairs, 1, 60);
  COMPARE(name, sinusoidal_positions(rows, width), positions(rows, width));
}

TEST_CASE("sin and cos take turns, from fast waves to slow ones") { check("PE", 5, 4); }

TEST_CASE("the smallest encoding has one pair") { check("PE, D = 2", 3, 1); }

TEST_CASE("far positions are told apart") { check("PE of 40 positions", 40, 3); }
