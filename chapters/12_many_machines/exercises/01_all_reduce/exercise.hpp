#pragma once

#include "support/processes.hpp"

namespace xf::exercise {

// Every process r has N numbers x_r, and in the end every process has their sum: x <- sum_r x_r.
// N is the same in every process. It may be smaller than the number n of processes, and need not
// be a multiple of n.

// All numbers go to process 0, which adds them up and sends the sum back. Process 0 receives and
// sends (n - 1) N numbers.
void to_one_and_back(Endpoint& self, std::span<float> x);

// The numbers go around the ring in n parts. Each process sends 2 (n - 1) parts of at most
// ceil(N / n) numbers, and in the end all processes have the same bits.
void around_the_ring(Endpoint& self, std::span<float> x);

}  // namespace xf::exercise
