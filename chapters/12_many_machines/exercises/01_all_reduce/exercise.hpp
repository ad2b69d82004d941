#pragma once

#include "support/processes.hpp"

namespace xf::exercise {

// Every process has N numbers x, and at the end all have the sum of all: x <- sum_r x_r. N is the
// same at every process; it may be smaller than their number n, and need not be a multiple of it.

// To process 0, which adds up, and back. It receives and sends (n - 1) N numbers.
void to_one_and_back(Endpoint& self, std::span<float> x);

// Around the ring, in n parts. Each process sends 2 (n - 1) parts of at most ceil(N / n) numbers,
// and all have the same bits at the end.
void around_the_ring(Endpoint& self, std::span<float> x);

}  // namespace xf::exercise
