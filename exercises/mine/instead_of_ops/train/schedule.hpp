#pragma once

#define Schedule ScheduleOfTheBook
#include "common/train/schedule.hpp"
#undef Schedule

namespace xf {

struct Schedule {
  ScheduleKind kind = ScheduleKind::noam;
  double peak = 1e-3;
  int warmup = 0;

  double operator()(int t, double progress = 0) const;
};

}  // namespace xf
