#pragma once

#include <algorithm>
#include <array>
#include <cmath>

namespace xf {

// The learning rate; t counts the updates from 1.
enum class ScheduleKind {
  constant,  // peak, after a linear warm-up
  noam,      // peak * min(t / warmup, sqrt(warmup / t))          Vaswani et al. 2017, eq. 3
  linear,    // peak, after a linear warm-up falling to 0 at the end of the training
};

constexpr std::array<const char*, 3> names_of(ScheduleKind) {
  return {"constant", "noam", "linear"};
}

// The peak of the paper's formula lrate = d^-0.5 min(t^-0.5, t w^-1.5), reached at t = w.
inline double noam_peak(int d_model, int warmup) {
  return 1 / std::sqrt(double(d_model) * std::max(1, warmup));
}

struct Schedule {
  ScheduleKind kind = ScheduleKind::noam;
  double peak = 1e-3;
  int warmup = 0;  // updates

  // progress: the share of the training that is done, in [0, 1]; only `linear` uses it.
  double operator()(int t, double progress = 0) const {
    const double rise = warmup > 0 ? std::min(1.0, double(t) / warmup) : 1.0;
    switch (kind) {
      case ScheduleKind::constant:
        return peak * rise;
      case ScheduleKind::linear:
        return peak * std::min(rise, std::max(0.0, 1 - progress));
      case ScheduleKind::noam:
        break;
    }
    return peak * std::min(rise, std::sqrt(double(std::max(1, warmup)) / t));
  }
};

}  // namespace xf
