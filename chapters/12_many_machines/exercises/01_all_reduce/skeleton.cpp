#include "exercise.hpp"

namespace xf::exercise {

void to_one_and_back(Endpoint& self, std::span<float> x) { TODO("12-01: my/12-01_all_reduce.cpp"); }

void around_the_ring(Endpoint& self, std::span<float> x) { TODO("12-01: my/12-01_all_reduce.cpp"); }

}  // namespace xf::exercise
