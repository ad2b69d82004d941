#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace xf {

// How many threads the program uses in total. Set once at the start (--threads); the default
// is the number of cores. OpenBLAS itself always runs on one thread: independent work is split
// here, so that two thread pools never compete for the cores. Throws
// std::invalid_argument below 1, UserError when the system cannot start so many.
void set_threads(int count);
int threads();

// Runs work(0) ... work(tasks - 1), task i on thread i (task 0 on the caller), and returns when
// all are done. The workers persist, so thread-local pools stay warm. Work inside a task that
// calls run_parallel again runs serially. The first exception is rethrown here.
void run_parallel(int tasks, const std::function<void(int)>& work);

// The results of work(0) ... work(tasks - 1), computed by run_parallel().
template <class Work>
auto each_in_parallel(int tasks, const Work& work) {
  std::vector<decltype(work(0))> results(static_cast<std::size_t>(tasks));
  run_parallel(tasks, [&](int i) { results[static_cast<std::size_t>(i)] = work(i); });
  return results;
}

// Splits [0, count) into one contiguous range per thread and calls body(first, last) on each;
// runs only on the caller when count is less than twice `grain`.
void parallel_for(std::ptrdiff_t count, std::ptrdiff_t grain,
                  const std::function<void(std::ptrdiff_t, std::ptrdiff_t)>& body);

}  // namespace xf
