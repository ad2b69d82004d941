#pragma once

#include <cmath>
#include <iostream>
#include <limits>
#include <string>

#include "io/printable.hpp"
#include "language/language.hpp"
#include "mine/parts.hpp"
#include "speech/show.hpp"

namespace xf::mine {

// A difference of more than this share of a tensor's largest number is not just rounding.
constexpr double rounding = 1e-3;

inline double largest_difference(const Tensor& a, const Tensor& b) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  if (!a.defined() || !b.defined()) return a.defined() == b.defined() ? 0 : infinite;
  const double most = max_difference(a, b);
  return std::isnan(most) ? infinite : most;
}
inline double largest(const Tensor& x) {
  return x.defined() ? largest_difference(x, Tensor::zeros(x.shape())) : 0;
}

// What differs, and the difference as a share of the largest number in it: what is noted first of
// what differs by more than rounding, otherwise what differs most.
struct Difference {
  std::string what = {};
  double share = 0;

  void note(const std::string& name, double by) {
    if (share <= rounding && by > share) *this = {name, by};
  }
};

inline void say_line(const std::string& line) { std::cout << line << '\n'; }
inline void say_difference(const Difference& d, const std::string& begin) {
  const std::string by = formatted("%.1e", d.share);
  say_line(d.share > rounding
               ? words("{}{}, off by {} of the maximum (not just rounding)", begin, d.what, by)
               : words("{}{}, off by {} of the maximum (just rounding)", begin, d.what, by));
}

struct CompareFlags {
  int updates = 100;
  bool together = false;
  // with --model
  std::string model, prompt = "The capital of France is";
  int length = 20;
};
// A published model with the learner's parts and with the book's: reading a text, and generating
// one. Reports what differs.   returns 1 if a difference is more than rounding
int compare_published(const CompareFlags& f);

}  // namespace xf::mine
