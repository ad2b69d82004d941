#pragma once

#include <chrono>
#include <string>

namespace xf {

// How a long run speaks while it works: a line that is rewritten in place on a terminal (several
// times a second), and printed every ten seconds otherwise, so that logs stay short.
class Progress {
 public:
  Progress();
  // Prints `text` if it is time to.
  void update(const std::string& text);
  // Prints `text` as a line that stays.
  void line(const std::string& text);

 private:
  bool terminal_;
  std::chrono::steady_clock::time_point last_{};
  std::size_t width_ = 0;  // of the text that stands on the terminal's line
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

// "1:05" (minutes and seconds) or "2:01:05".
std::string clock_time(double seconds);

}  // namespace xf
