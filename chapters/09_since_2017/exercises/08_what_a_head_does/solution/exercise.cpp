#include "exercise.hpp"

namespace xf::exercise {

// The mean of weight(i), i = first ... end - 1.
template <class Weight>
static float mean(int first, int end, const Weight& weight) {
  double sum = 0;
  for (int i = first; i < end; ++i) sum += weight(i);
  return static_cast<float>(sum / (end - first));
}

static int length_of(const Map& map) { return static_cast<int>(map.shape()[0]); }

float on_first(const Map& map) {
  return mean(2, length_of(map), [&](int i) { return map(i, 0); });
}

float on_previous(const Map& map) {
  return mean(2, length_of(map), [&](int i) { return map(i, i - 1); });
}

float induction(const Map& map, int before, int period) {
  const int second = before + period;
  return mean(second, length_of(map), [&](int i) { return map(i, i - period + 1); });
}

float duplicate(const Map& map, int before, int period) {
  const int second = before + period;
  return mean(second, length_of(map), [&](int i) { return map(i, i - period); });
}

Job job_of(const Map& map, int before, int period) {
  if (on_first(map) > 0.5f) return Job::rests;
  if (on_previous(map) > 0.5f) return Job::looks_back;
  if (induction(map, before, period) > 0.5f) return Job::copies;
  if (duplicate(map, before, period) > 0.5f) return Job::finds_duplicates;
  return Job::none;
}

}  // namespace xf::exercise
