#include "train/progress.hpp"

#include <unistd.h>

#include <cmath>
#include <cstdio>

#include "io/printable.hpp"

namespace xf {

Progress::Progress() : terminal_(isatty(STDOUT_FILENO) == 1) {}

void Progress::update(const std::string& text) {
  const auto now = std::chrono::steady_clock::now();
  const std::chrono::duration<double> since = now - last_;
  if (since.count() < (terminal_ ? 0.2 : 10.0)) return;
  last_ = now;
  if (!terminal_) {
    std::printf("%s\n", text.c_str());
  } else {
    std::printf("\r%-*s", static_cast<int>(width_), text.c_str());
    width_ = text.size();
  }
  std::fflush(stdout);
}

void Progress::line(const std::string& text) {
  if (terminal_) std::printf("\r%-*s\n", static_cast<int>(width_), text.c_str());
  if (!terminal_) std::printf("%s\n", text.c_str());
  width_ = 0;
  std::fflush(stdout);
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

std::string clock_time(double seconds) {
  const long whole = std::lround(std::fmax(0.0, seconds));
  if (whole < 3600) return formatted("%ld:%02ld", whole / 60, whole % 60);
  return formatted("%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
}

}  // namespace xf
