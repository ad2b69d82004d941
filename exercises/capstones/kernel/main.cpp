// Capstone D: measures the machine and the milestones' kernel, and holds one against the other.

#include <CLI/App.hpp>
#include <cmath>
#include <cstring>
#include <ctime>
#include <iostream>
#include <limits>
#include <memory>

#include "kernel/1_machine/exercise.hpp"
#include "kernel/2_kernel/exercise.hpp"
#include "program/program.hpp"
#include "speech/show.hpp"
#include "tensor/parallel.hpp"

namespace xf {

namespace {

using Numbers = std::vector<float>;
using exercise::ResidualNorm;

constexpr double ratio_wanted = 2;  // to the plain loops, in the same run

struct Options : CommonOptions {
  int rows = 16384, columns = 512, runs = 20, cache = 32, mebibytes = 64;
};

void add_flags(CLI::App& app, Options& o) {
  integer_flag(app, "--rows", o.rows, "rows of the matrices", 2);
  integer_flag(app, "--columns", o.columns, "columns of the matrices", 1);
  integer_flag(app, "--runs", o.runs, "how many times each is timed; the least counts", 1);
  integer_flag(app, "--cache", o.cache, "KiB of the cache that is played through", 1);
  integer_flag(app, "--mib", o.mebibytes, "MiB that are read, and written, for the bandwidth", 1);
}

// Processor time of this thread: on a busy machine it is what the work took, without the waiting.
double processor_seconds() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

struct Matrices {
  Numbers x, r, gamma, beta, s, y;
  int columns;

  Matrices(int rows, int columns, std::uint64_t seed) : columns(columns) {
    Random random(seed);
    const auto count = std::size_t(rows) * std::size_t(columns);
    for (Numbers* each : {&x, &r}) {
      each->resize(count);
      for (float& number : *each) number = static_cast<float>(random.uniform(-1, 1));
    }
    gamma.assign(std::size_t(columns), 1.5f);
    beta.assign(std::size_t(columns), 0.25f);
    s.assign(count, 0.0f);
    y.assign(count, 0.0f);
  }
  ResidualNorm all() {
    return {x.data(), r.data(), gamma.data(), beta.data(), s.data(), y.data(), columns, 1e-5f};
  }
};

// How the plain loops come to their numbers: as they are, or noted down.
struct Plainly {
  float load(const float* from) const { return *from; }
  void store(float* to, float number) const { *to = number; }
};
struct Noted {
  std::vector<exercise::Touch> touches = {};

  void note(const float* at, bool write) {
    touches.push_back({std::int64_t(reinterpret_cast<std::intptr_t>(at) / 4), write});
  }
  float load(const float* from) {
    note(from, false);
    return *from;
  }
  void store(float* to, float number) {
    note(to, true);
    *to = number;
  }
};

// What a chain of ops does: each goes over all rows before the next begins.
template <class Memory>
void plain(Memory& memory, const ResidualNorm& of, int rows) {
  const std::ptrdiff_t count = std::ptrdiff_t(rows) * of.columns;
  Numbers means(std::size_t(rows), 0.0f), inverses(std::size_t(rows), 0.0f);
  for (std::ptrdiff_t i = 0; i < count; ++i)
    memory.store(of.s + i, memory.load(of.x + i) + memory.load(of.r + i));
  for (int row = 0; row < rows; ++row) {
    float sum = 0;
    for (int j = 0; j < of.columns; ++j)
      sum += memory.load(of.s + std::ptrdiff_t(row) * of.columns + j);
    means[std::size_t(row)] = sum / float(of.columns);
  }
  for (int row = 0; row < rows; ++row) {
    float squares = 0;
    for (int j = 0; j < of.columns; ++j) {
      const float d =
          memory.load(of.s + std::ptrdiff_t(row) * of.columns + j) - means[std::size_t(row)];
      squares += d * d;
    }
    inverses[std::size_t(row)] = 1 / std::sqrt(squares / float(of.columns) + of.eps);
  }
  for (int row = 0; row < rows; ++row)
    for (int j = 0; j < of.columns; ++j) {
      const std::ptrdiff_t at = std::ptrdiff_t(row) * of.columns + j;
      memory.store(of.y + at, (memory.load(of.s + at) - means[std::size_t(row)]) *
                                      inverses[std::size_t(row)] * memory.load(of.gamma + j) +
                                  memory.load(of.beta + j));
    }
}

// Where a result goes, so that what computes it is not left out.
volatile float result;

exercise::Machine measure_machine(const Options& o) {
  constexpr int steps = 1 << 18;
  const float start = 0.5f + 0 * result;
  const double arithmetic = exercise::least_seconds(
      processor_seconds, o.runs, [&] { result = exercise::multiply_adds(start, 0.5f, steps); });
  const std::ptrdiff_t count = std::ptrdiff_t(o.mebibytes) << 18;
  Numbers from(std::size_t(count), 0.5f), to(std::size_t(count), 0.0f);
  const double memory = exercise::least_seconds(processor_seconds, o.runs, [&] {
    exercise::scaled(from.data(), 1.5f, to.data(), count);
    result = to[std::size_t(count) / 2];
  });
  return {8.0 * double(count) / memory, exercise::operations_of(steps) / arithmetic};
}

// Bytes for each number of x, from so many rows that the cache holds a small part of them.
struct CountedKernel {
  double bytes, operations, plain_bytes;
};
CountedKernel count_kernel(const Options& o) {
  const int lines = o.cache * 16;
  const int rows =
      static_cast<int>(std::min<std::int64_t>(o.rows, 1 + std::int64_t{128} * lines / o.columns));
  Matrices m(rows, o.columns, o.seed);
  exercise::Recorder recorder;
  exercise::Counted::operations = 0;
  exercise::residual_norm(recorder, m.all(), 0, rows);
  std::vector<exercise::Touch> touches;
  for (const exercise::Touched& each : recorder.touches)
    touches.push_back({each.place, each.write});
  Noted noted;
  plain(noted, m.all(), rows);
  const double numbers = double(rows) * o.columns;
  return {double(exercise::bytes_moved(touches, lines)) / numbers,
          double(exercise::Counted::operations) / numbers,
          double(exercise::bytes_moved(noted.touches, lines)) / numbers};
}

int differing_bits(const Numbers& a, const Numbers& b) {
  int count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += std::memcmp(&a[i], &b[i], sizeof(float)) != 0;
  return count;
}

// Milliseconds and the share of the roof.
std::string told(double seconds, const exercise::Machine& machine, const exercise::Work& work) {
  return fixed(1e3 * seconds, 2) + " ms, " + fixed(work.operations / seconds / 1e9, 2) +
         " GFLOP/s, " + fixed(100 * exercise::fraction(machine, work, seconds), 0) +
         "% of the roof\n";
}

int measure(const Options& o) {
  const std::int64_t bytes = 16LL * o.rows * o.columns;
  if (bytes > (std::int64_t(1) << 34))
    throw UserError("--rows: " + std::to_string(o.rows) + " rows of " + std::to_string(o.columns) +
                    " need more than 16 GiB");
  if (o.cache > 1 << 18) throw UserError("--cache: at most 262144 KiB can be played through");
  const CountedKernel counted = count_kernel(o);
  const double numbers = double(o.rows) * o.columns;
  const exercise::Work work{counted.bytes * numbers, counted.operations * numbers};
  exercise::Machine machine = measure_machine(o);

  Matrices m(o.rows, o.columns, o.seed);
  Plainly memory;
  set_threads(1);
  const double slow =
      exercise::least_seconds(processor_seconds, o.runs, [&] { plain(memory, m.all(), o.rows); });
  const Numbers plain_y = m.y;
  const double fast = exercise::least_seconds(processor_seconds, o.runs,
                                              [&] { exercise::residual_norm(m.all(), o.rows); });
  const Numbers one = m.y;
  const exercise::Machine again = measure_machine(o);  // clock and memory vary with other work
  machine = {std::max(machine.bytes_per_second, again.bytes_per_second),
             std::max(machine.operations_per_second, again.operations_per_second)};

  double difference = 0;
  for (std::size_t i = 0; i < one.size(); ++i)
    difference = std::max(difference, std::abs(double(one[i]) - plain_y[i]));
  int differ = 0;
  for (const int threads : {2, 3}) {
    set_threads(threads);
    std::fill(m.y.begin(), m.y.end(), 0.0f);
    exercise::residual_norm(m.all(), o.rows);
    differ += differing_bits(one, m.y);
  }
  const double roof = exercise::roof(machine, work), ratio = slow / fast;
  std::cout << "machine, one thread, processor time, the least of twice " << o.runs
            << " runs: " << fixed(machine.bytes_per_second / 1e9, 1) << " GB/s reading and writing "
            << o.mebibytes << " MiB each, " << fixed(machine.operations_per_second / 1e9, 1)
            << " GFLOP/s in registers\n"
            << "counted for each number, a cache of " << o.cache
            << " KiB: " << fixed(counted.bytes, 2) << " bytes, " << fixed(counted.operations, 2)
            << " operations; plain loops " << fixed(counted.plain_bytes, 2) << " bytes\n"
            << "the roof: " << fixed(roof / 1e9, 2) << " GFLOP/s, by the "
            << (roof < machine.operations_per_second ? "memory" : "arithmetic") << "\n"
            << "plain loops: " << told(slow, machine, work)
            << "kernel: " << told(fast, machine, work)
            << "the largest difference between both: " << small(difference)
            << "; numbers with other bits with 2 and 3 threads: " << differ << "\nratio "
            << fixed(ratio, 2) << (ratio >= ratio_wanted ? ": reached, " : ": not reached, ")
            << fixed(ratio_wanted, 0) << " is wanted" << std::endl;
  return differ == 0 && difference < 1e-3 && ratio >= ratio_wanted ? 0 : 1;
}

}  // namespace

}  // namespace xf

int main(int argc, char** argv) {
  xf::Options options;
  int status = 0;
  const int read = xf::run_lesson(
      argc, argv, "Capstone D: a kernel against the roofline", options, 0,
      [&] { status = xf::measure(options); }, [&](CLI::App& app) { xf::add_flags(app, options); });
  return read ? read : status;
}
