#include "train/progress.hpp"

#include <unistd.h>

#include <cmath>
#include <cstdio>

#include "distributed/processes.hpp"
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

Meanwhile::Meanwhile(double all, std::string unit)
    : speaks_(isatty(STDERR_FILENO) == 1 && !several_processes()),
      all_(all),
      unit_(std::move(unit)),
      next_(begin_ + std::chrono::seconds(2)) {}

Meanwhile::~Meanwhile() {
  if (width_ > 0) std::fprintf(stderr, "\r%*s\r", static_cast<int>(width_), "");
}

void Meanwhile::add(double count) {
  const std::lock_guard lock(mutex_);
  done_ += count;
  const auto now = std::chrono::steady_clock::now();
  if (!speaks_ || now < next_) return;
  next_ = now + std::chrono::milliseconds(200);
  std::string text = formatted("%.0f %s", done_, unit_.c_str());
  if (all_ > 0) {
    const double seconds = std::chrono::duration<double>(now - begin_).count();
    text = formatted("%.0f of %.0f %s  %s left", done_, all_, unit_.c_str(),
                     clock_time(seconds * (all_ / done_ - 1)).c_str());
  }
  std::fprintf(stderr, "\r%-*s", static_cast<int>(width_), text.c_str());
  width_ = std::max(width_, text.size());
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
