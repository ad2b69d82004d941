#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ops/matmul/precision.hpp"
#include "train/progress.hpp"

namespace CLI {
class App;
}

namespace xf::bench {

// --precision
void add_precision_flag(CLI::App& app, Precision& precision);
// --peak-size, for sgemm_peak()
void add_peak_flag(CLI::App& app, int& size);

// The milliseconds of each of `runs` calls, after `warmup` calls that are not timed.
template <class Work>
std::vector<double> times_ms(int warmup, int runs, const Work& work) {
  std::vector<double> times;
  for (int i = 0; i < warmup + runs; ++i) {
    const Stopwatch watch;
    work();
    if (i >= warmup) times.push_back(1000 * watch.seconds());
  }
  return times;
}

// GFLOP/s of the product of two (size, size) matrices on all threads, OpenBLAS's or our own, the
// best of five each: the ceiling that a step is compared with. 0 when size is 0.
double sgemm_peak(int size);
// " = 73.5 % of the sgemm peak, 352", in the language of the run. Nothing when the peak is 0.
std::string share_of_peak(double gflops, double peak);

// The largest resident memory of this process so far.
double peak_rss_mb();

// The kernel that OpenBLAS runs ("SkylakeX").
std::string blas_core();
// Reports on stderr when the environment forces a kernel.
void warn_of_forced_blas();

// {"peak_rss_mb":…, "gflops":…, "sgemm_peak":…, "peak_share":…, "blas":…, "threads":…}
nlohmann::ordered_json machine_record(double gflops, double peak);
// With several processes: "processes", and "rss_mb_of_each".   rss: of this process
void add_processes(nlohmann::ordered_json& json, double rss);

}  // namespace xf::bench
