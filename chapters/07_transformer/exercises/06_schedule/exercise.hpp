#pragma once

#include "support/kit.hpp"

namespace xf::exercise {

// The largest rate of d^-0.5 min(t^-0.5, t warmup^-1.5).     Vaswani et al. 2017, eq. 3
double noam_peak(int d, int warmup);

// peak min(t / warmup, sqrt(warmup / t)); without warm-up, the peak.   t: update, from 1 on
double inverse_root(int t, double peak, int warmup);

// A straight rise from 0 to the peak at update `warmup`, half a cosine down to `low` at update
// `last`, and `low` from there on.                               Loshchilov and Hutter 2017
double cosine(int t, double peak, double low, int warmup, int last);

}  // namespace xf::exercise
