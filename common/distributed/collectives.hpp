#pragma once

#include <span>
#include <string>
#include <vector>

#include "distributed/endpoint.hpp"

namespace xf {

// Collective operations, built from messages. All processes must call them, in the same order.

// The bytes of all processes, by rank.
std::vector<std::string> bytes_of_all(Endpoint& self, const std::string& own);
// The bytes of process `root`, returned in every process; those of the others are ignored.
std::string bytes_of(Endpoint& self, int root, const std::string& own);
// The same for numbers, in place.
void numbers_of(Endpoint& self, int root, std::span<float> numbers);

// [first, last)
struct Range {
  std::ptrdiff_t first, last;

  std::ptrdiff_t size() const { return last - first; }
};
// The part of n consecutive items that process `rank` of `ranks` is responsible for.
Range share_of(std::ptrdiff_t n, int rank, int ranks);

// An all-gather: process r has computed the numbers in ranges[r], and receives the others.
void gather_ranges(Endpoint& self, std::span<float> numbers, std::span<const Range> ranges);

// The three classical all-reduce algorithms, after which all of n processes have the sum:
// x_r <- sum_s x_s. Each returns its number of sequential steps; a step costs
// alpha + beta * (bytes of its longest message). N numbers, n processes:
//   to one and back   2 ceil(log2 n) steps (the trees)       of N numbers
//   recursive doubling  ceil(log2 n) steps (+ 1 unless n is a power of two)   of N numbers
//   ring                   2 (n - 1) steps                  of N / n numbers
// (Thakur, Rabenseifner and Gropp 2005; the ring for gradients: Patarasuk and Yuan 2009)
int add_up_tree(Endpoint& self, std::span<float> x);
int add_up_doubling(Endpoint& self, std::span<float> x);
int add_up_ring(Endpoint& self, std::span<float> x);

}  // namespace xf
