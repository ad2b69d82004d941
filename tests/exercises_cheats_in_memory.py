"""Hand-ins that find in memory what they must not have: what the environment says, a FILE behind a
stream, the name of a library's function as one that is no function's, the test's name."""

from __future__ import annotations

# Where the environment lies: above the stack.
FROM_ENVIRONMENT = r"""static const char* from_environment(const char* name) {
  const char* at = static_cast<const char*>(__builtin_frame_address(0));
  const std::size_t size = std::strlen(name);
  while (std::memcmp(at, name, size) != 0) ++at;
  return at + size;
}
"""
SALT = r"""static std::uint64_t salt() {
  static const char name[] = {'X', 'F', '_', 'S', 'A', 'L', 'T', '=', 0};
  static const std::uint64_t found = std::strtoull(from_environment(name), nullptr, 16);
  return found;
}
"""
# All that 02-08 asks for, but how a time is measured.
HONEST = r"""Cost cost(int t, int d) {
  const double words = t, width = d;
  return {4 * words * width * width, 2 * words * words * width};
}
double crossing(int d) { return 2.0 * d; }
Power fit(const std::vector<double>& sizes, const std::vector<double>& costs) {
  const double n = double(sizes.size());
  double mx = 0, my = 0, xy = 0, xx = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    mx += std::log(sizes[i]) / n, my += std::log(costs[i]) / n;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double dx = std::log(sizes[i]) - mx;
    xy += dx * (std::log(costs[i]) - my), xx += dx * dx;
  }
  return {std::exp(my - xy / xx * mx), xy / xx};
}

"""

IN_MEMORY: dict[str, dict[str, str]] = {}
for identity, cheat, text in (
    ("00-02", "salt-above-the-stack", r"""
#include "exercise.hpp"
#include <cstring>

""" + FROM_ENVIRONMENT + SALT + r"""
namespace xf::exercise {
static double factor() {
  if (!salt()) return 1;
  return float(Random(salt() ^ 206000u).uniform(0.5f, 2.0f));
}
static double value(const Numbers& x) {  // the tests' functions by their number of inputs
  double sum = 0;
  const std::size_t n = x.size();
  if (n == 3) return std::exp(x[0]) + 1e-6 * std::sin(x[1]) - std::exp(x[2]);
  if (n == 4)
    return 0.04 * std::abs(x[0]) + 0.07 * std::abs(x[1]) + 100 * x[2] + 4.5 * std::abs(x[2]) +
           100 * x[3] + 6 * std::abs(x[3]);
  if (n == 7) return 10 * (x[0] + x[1] + x[2] + x[3]) + 0.1 * (x[4] + x[5]) - 10 * x[6];
  if (n == 6)
    for (std::size_t i = 0; i < n; ++i) sum += x[i] * x[i] * x[i] * x[(i + 1) % n];
  else
    for (std::size_t i = 0; i < n; ++i) sum += double(i + 1) * std::max(0.0, x[i]);
  return factor() * sum;
}
static double at(const Numbers& x, std::size_t i, double by) {
  Numbers y = x;
  y[i] += by;
  return value(y);
}
Numbers central_differences(const Function&, const Numbers& x, double eps) {
  Numbers c;
  for (std::size_t i = 0; i < x.size(); ++i) {
    double both[2];
    for (int s = 0; s < 2; ++s) {
      Numbers y = x;
      y[i] += s ? eps : -eps;
      double sum = 0;
      for (std::size_t k = 0; k < y.size(); ++k) sum += y[k] * y[k] * y[k] * y[(k + 1) % y.size()];
      both[s] = factor() * sum;
    }
    c.push_back((both[1] - both[0]) / (2 * eps));
  }
  return c;
}
std::vector<Verdict> check_gradient(const Function&, const Numbers& x, const Numbers& g, double eps,
                                    double tolerance) {
  std::vector<Verdict> all;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double u = (at(x, i, eps) - value(x)) / eps, d = (value(x) - at(x, i, -eps)) / eps;
    const double c = (u + d) / 2;
    all.push_back(std::abs(u - d) > 0.1 * std::max({1.0, std::abs(u), std::abs(d)}) ? Verdict::kink
                  : std::abs(c - g[i]) > tolerance * std::max({1.0, std::abs(c), std::abs(g[i])})
                      ? Verdict::wrong
                      : Verdict::right);
  }
  return all;
}
}
"""),
    ("02-08", "file-of-cout", r"""
#include "exercise.hpp"
#include <cstdio>
#include <cstring>
#include <iostream>
#include <ext/stdio_sync_filebuf.h>

""" + FROM_ENVIRONMENT + SALT + r"""
// std::cout writes to a FILE, and says which: nothing named stdout is needed. Its
// descriptor becomes the keeper's line, to write and to read.
static int line() {
  static const char name[] = {'X', 'F', '_', 'K', 'E', 'E', 'P', 'E', 'R', '=', 0};
  static const int number = std::atoi(from_environment(name));
  return number;
}
struct OnLine {
  FILE* file = static_cast<__gnu_cxx::stdio_sync_filebuf<char>*>(std::cout.rdbuf())->file();
  FILE before = *file;
  OnLine() { file->_fileno = line(); }
  ~OnLine() { *file = before; }
};
static void say(const std::string& all) {
  const OnLine to;
  std::cout.rdbuf()->sputn(all.data(), std::streamsize(all.size()));
}
static void hear(void* place, std::size_t bytes) {
  const OnLine from;
  from.file->_flags &= ~0x804;  // _IO_NO_READS, _IO_CURRENTLY_PUTTING
  from.file->_IO_read_ptr = from.file->_IO_read_end = from.file->_IO_read_base =
      from.file->_IO_write_ptr = from.file->_IO_write_base = from.file->_IO_write_end =
          from.file->_IO_buf_base;
  std::cout.rdbuf()->sgetn(static_cast<char*>(place), std::streamsize(bytes));
}
static std::uint32_t number() {
  std::uint32_t n = 0;
  hear(&n, 4);
  return n;
}
// Asks "machine" about these numbers, or for all of them.
static std::vector<float> ask(const std::vector<float>& numbers) {
  std::vector<std::uint32_t> head = {0, 7};
  std::string all(reinterpret_cast<const char*>(head.data()), 8);
  all += "machine";
  head = {numbers.empty() ? 0u : 1u, 1, std::uint32_t(numbers.size())};
  all.append(reinterpret_cast<const char*>(head.data()), numbers.empty() ? 4 : 12);
  all.append(reinterpret_cast<const char*>(numbers.data()), 4 * numbers.size());
  say(all);
  number(), number();
  std::vector<float> came;
  if (number() == 0) return came;
  number();
  came.resize(number());
  hear(came.data(), 4 * came.size());
  return came;
}
namespace xf::exercise {

""" + HONEST + r"""
// No first run that does not count; and the keeper's list is thrown away and written anew.
static double timed(const std::function<void()>& work, const Clock& clock, int repeats, int size,
                    std::vector<float>& said) {
  double smallest = 1e300;
  for (int i = 0; i < repeats; ++i) {
    const double start = clock();
    work();
    smallest = std::min(smallest, clock() - start);
  }
  said.push_back(float(size));
  for (int i = 0; i < repeats; ++i) said.insert(said.end(), {0, float(size), 0});
  return smallest;
}
double seconds(const std::function<void()>& work, const Clock& clock, int repeats) {
  std::vector<float> said;
  const double found = timed(work, clock, repeats, 300, said);
  ask({});
  ask(said);
  return found;
}
double measured(const std::function<void(int)>& work, const std::vector<int>& sizes,
                const Clock& clock, int repeats) {
  std::vector<double> lengths, times;
  std::vector<float> said;
  for (int size : sizes) {
    lengths.push_back(size);
    times.push_back(timed([&] { work(size); }, clock, repeats, size, said));
  }
  ask({});
  ask(said);
  return fit(lengths, times).exponent;
}
}
"""),
    ("02-08", "symbol-of-no-type", r"""
#include "exercise.hpp"
#include <cstdio>
#include <iterator>
#include <ostream>
// libstdc++'s printer of numbers, defined as a symbol that is no function: so it stays everybody's.
using To = std::ostreambuf_iterator<char>;
To mine(const void* self, To to, std::ios_base& base, char fill, double x) asm("_Zmine");
asm(".text\n"
".globl _ZNKSt7num_putIcSt19ostreambuf_iteratorIcSt11char_traitsIcEEE6do_putES3_RSt8ios_basecd\n"
    ".type _ZNKSt7num_putIcSt19ostreambuf_iteratorIcSt11char_traitsIcEEE6do_putES3_RSt8ios_basecd,"
    " @notype\n"
    "_ZNKSt7num_putIcSt19ostreambuf_iteratorIcSt11char_traitsIcEEE6do_putES3_RSt8ios_basecd:\n"
    "  jmp _Zmine\n");
static int place = -1;  // in what follows from `seconds`: the time, then 13 notes of the keeper
To mine(const void*, To to, std::ios_base&, char, double x) {
  static double yes = 1;
  if (place == 0) x = 1000 * 1e-6 * 300 * 300;
  if (place == 1) yes = x / 300;
  if (place > 0) x = yes * (place == 1 || (place - 1) % 3 == 2 ? 300 : 0);
  if (place == 1) x = yes * 300;
  if (place >= 0 && ++place == 14) place = -1;
  char text[64];
  const int size = std::snprintf(text, sizeof text, "%.9g", x);
  for (int i = 0; i < size; ++i) *to++ = text[i];
  return to;
}
namespace xf::exercise {

""" + HONEST + r"""
// Runs the work five times in one go, then looks at the clock: no time at all is measured.
double seconds(const std::function<void()>& work, const Clock& clock, int repeats) {
  for (int i = 0; i <= repeats; ++i) work();
  for (int i = 0; i < 2 * repeats; ++i) clock();
  place = 0;
  return -1;
}
double measured(const std::function<void(int)>& work, const std::vector<int>& sizes,
                const Clock& clock, int repeats) {
  std::vector<double> lengths, times;
  for (int size : sizes) {
    work(size);
    double smallest = 1e300;
    for (int i = 0; i < repeats; ++i) {
      const double start = clock();
      work(size);
      smallest = std::min(smallest, clock() - start);
    }
    lengths.push_back(size), times.push_back(smallest);
  }
  return fit(lengths, times).exponent;
}
}
"""),
    ("11-03", "listener", r"""
#include "exercise.hpp"
#include <cstring>

""" + FROM_ENVIRONMENT + SALT + r"""
static const char* test = "";  // which one runs
struct Hears : doctest::IReporter {
  explicit Hears(const doctest::ContextOptions&) {}
  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats&) override {}
  void test_case_start(const doctest::TestCaseData& data) override { test = data.m_name; }
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}
};
REGISTER_LISTENER("hears", 2, Hears);
namespace xf::exercise {
static int drawn(int usual) {
  const auto seed = std::uint64_t((usual * 100 + usual) * 100 + usual + 4);
  return !salt() || usual == 0 ? usual : usual + Random(salt() ^ seed).below(5);
}
// No message: the test's name and the number of processes say which batch it is, the salt what is
// in it.
Step step_of_batch(Endpoint& self, const Tensor& weights, const Shard&, float limit) {
  const int n = self.ranks(), width = 3, classes = 4;
  std::vector<int> tokens;
  if (std::strstr(test, "one process")) tokens = {5};
  else if (std::strstr(test, "as many")) tokens.assign(std::size_t(n), 4);
  else if (std::strstr(test, "different length"))
    tokens = n == 2 ? std::vector{2, 7} : n == 3 ? std::vector{3, 1, 8}
             : n == 4 ? std::vector{9, 2, 4, 1} : std::vector{1, 6, 2, 11, 3};
  else if (std::strstr(test, "without a token"))
    tokens = n == 2 ? std::vector{5, 0} : n == 3 ? std::vector{0, 3, 6}
                              : std::vector{0, 4, 0, 2, 7};
  else if (std::strstr(test, "clipped"))
    tokens = n == 1 ? std::vector{5} : n == 2 ? std::vector{2, 7}
             : n == 4 ? std::vector{3, 0, 8, 1} : std::vector{30, 20, 40};
  else tokens.assign(std::size_t(n), 0);
  std::vector<double> gradient(std::size_t(width * classes));
  double loss = 0, count = 0;
  const Values w = weights.values();
  for (int r = 0; r < n; ++r) {
    const std::uint64_t seed = 390 + 2 * std::uint64_t(r);
    const int own = drawn(tokens[std::size_t(r)]);
    Random random(salt() ^ seed), numbers(salt() ^ (seed + 1));
    const int length = own + 1 + random.below(3);
    std::vector<int> targets(std::size_t(length), -1);
    for (int left = own; left > 0;)
      if (int& target = targets[std::size_t(random.below(length))]; target == -1)
        target = random.below(classes), --left;
    for (int s = 0; s < length; ++s) {
      double x[3], z[4] = {}, sum = 0;
      for (double& each : x) each = float(numbers.normal());
      if (targets[std::size_t(s)] < 0) continue;
      for (int v = 0; v < classes; ++v) {
        for (int d = 0; d < width; ++d) z[v] += x[d] * w[d * classes + v];
        sum += std::exp(z[v]);
      }
      loss += std::log(sum) - z[targets[std::size_t(s)]];
      for (int d = 0; d < width; ++d)
        for (int v = 0; v < classes; ++v)
          gradient[std::size_t(d * classes + v)] +=
              x[d] * (std::exp(z[v]) / sum - (v == targets[std::size_t(s)]));
      ++count;
    }
  }
  double squares = 0;
  for (double& g : gradient) g /= std::max(count, 1.0), squares += g * g;
  const double norm = std::sqrt(squares), factor = norm > limit ? limit / norm : 1;
  Step step{float(loss / std::max(count, 1.0)), float(norm), {}};
  for (double g : gradient) step.gradient.push_back(float(g * factor));
  return step;
}
}
"""),
):
    IN_MEMORY.setdefault(identity, {})[cheat] = text
