#include "exercise.hpp"

#include <numbers>

namespace xf::exercise {

double noam_peak(int d, int warmup) { return 1 / std::sqrt(double(d) * warmup); }

double inverse_root(int t, double peak, int warmup) {
  if (warmup == 0) return peak;
  return peak * std::min(double(t) / warmup, std::sqrt(double(warmup) / t));
}

double cosine(int t, double peak, double low, int warmup, int last) {
  if (t < warmup) return peak * t / warmup;
  if (t > last) return low;
  const double share = double(t - warmup) / (last - warmup);
  return low + (peak - low) / 2 * (1 + std::cos(std::numbers::pi * share));
}

}  // namespace xf::exercise
