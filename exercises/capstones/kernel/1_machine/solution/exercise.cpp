#include "exercise.hpp"

#include <list>
#include <unordered_map>

namespace xf::exercise {

double least_seconds(const Clock& clock, int runs, const std::function<void()>& work) {
  work();
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < runs; ++i) {
    const double start = clock();
    work();
    least = std::min(least, clock() - start);
  }
  return least;
}

float multiply_adds(float start, float factor, int steps) {
  const kernel::Vector f = kernel::Vector{} + factor;
  kernel::Vector x[chains];
  for (int c = 0; c < chains; ++c) x[c] = kernel::Vector{} + (start + static_cast<float>(c));
  for (int i = 0; i < steps; ++i)
#pragma GCC unroll 12
    for (int c = 0; c < chains; ++c) x[c] = x[c] * f + f;
  float sum = 0;
  for (int c = 0; c < chains; ++c) sum += x[c][0];
  return sum;
}

double operations_of(int steps) { return 2.0 * steps * chains * kernel::lanes; }

void scaled(const float* from, float factor, float* to, std::ptrdiff_t count) {
#pragma omp simd
  for (std::ptrdiff_t i = 0; i < count; ++i) to[i] = factor * from[i];
}

std::int64_t bytes_moved(const std::vector<Touch>& touches, int lines) {
  struct Line {
    std::int64_t number;
    bool dirty;
  };
  std::list<Line> cache;  // the one touched last in front
  std::unordered_map<std::int64_t, std::list<Line>::iterator> at;
  std::int64_t moved = 0;  // lines
  for (const Touch& touch : touches) {
    const std::int64_t number = touch.place / 16;
    const auto found = at.find(number);
    if (found == at.end()) {
      if (!touch.write) ++moved;
      if (static_cast<int>(cache.size()) == lines) {
        if (cache.back().dirty) ++moved;
        at.erase(cache.back().number);
        cache.pop_back();
      }
      cache.push_front({number, touch.write});
      at[number] = cache.begin();
    } else {
      cache.splice(cache.begin(), cache, found->second);
      if (touch.write) cache.front().dirty = true;
    }
  }
  for (const Line& line : cache)
    if (line.dirty) ++moved;
  return 64 * moved;
}

double roof(const Machine& machine, const Work& work) {
  return std::min(machine.operations_per_second,
                  machine.bytes_per_second * work.operations / work.bytes);
}

double fraction(const Machine& machine, const Work& work, double seconds) {
  return work.operations / seconds / roof(machine, work);
}

}  // namespace xf::exercise
