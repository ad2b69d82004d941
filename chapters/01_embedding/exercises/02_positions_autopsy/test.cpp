#include "01_embedding/positional_encoding.hpp"

#include "exercise.hpp"

using namespace xf;
using namespace xf::exercise;

TEST_CASE("sin and cos take turns, from fast waves to slow ones") {
  compare("PE", sinusoidal_positions(5, 8), positions(5, 8));
}

TEST_CASE("the smallest encoding has one pair") {
  compare("PE, D = 2", sinusoidal_positions(3, 2), positions(3, 2));
}

TEST_CASE("far positions are told apart") {
  compare("PE of 40 positions", sinusoidal_positions(40, 6), positions(40, 6));
}
