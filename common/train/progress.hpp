#pragma once

#include <algorithm>
#include <chrono>
#include <limits>
#include <mutex>
#include <string>
#include <vector>

namespace xf {

// Progress output of a long run: a line that is rewritten in place on a terminal (several times a
// second), and printed every ten seconds otherwise, so that logs stay short.
class Progress {
 public:
  Progress();
  // Prints `text` if enough time has passed.
  void update(const std::string& text);
  // Prints `text` as a permanent line.
  void line(const std::string& text);

 private:
  bool terminal_;
  std::chrono::steady_clock::time_point last_{};
  std::size_t width_ = 0;  // of the text on the terminal's line
};

// Progress of a command that prints its result at the end, on standard error if that is a terminal:
// from the third second on, it shows how much is done, "1200000 of 2000000 tokens  0:04 left", and
// erases this at the end. Any thread may call add(); with several processes, nothing is shown.
class Meanwhile {
 public:
  // The number of units in total; 0: unknown.
  Meanwhile(double all, std::string unit);
  ~Meanwhile();
  Meanwhile(const Meanwhile&) = delete;
  Meanwhile& operator=(const Meanwhile&) = delete;
  void add(double count);

 private:
  bool speaks_;
  double all_, done_ = 0;
  std::string unit_;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now(), next_;
  std::size_t width_ = 0;  // of the text on the terminal's line
};

// Seconds since construction.
class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// The time of the fastest of `calls` calls, in milliseconds.
template <class Work>
double fastest_ms(int calls, const Work& work) {
  double least = std::numeric_limits<double>::infinity();
  for (int call = 0; call < calls; ++call) {
    const Stopwatch watch;
    work();
    least = std::min(least, 1000 * watch.seconds());
  }
  return least;
}

// The median of the values, which must not be empty.
double median(std::vector<double> values);

// "1:05" (minutes and seconds) or "2:01:05".
std::string clock_time(double seconds);

}  // namespace xf
