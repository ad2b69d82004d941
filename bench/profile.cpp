#include "profile.hpp"

#include <chrono>

namespace xf::bench {

namespace {

using Clock = std::chrono::steady_clock;
thread_local Clock::time_point last_call;

double seconds_since_last_call() {
  const Clock::time_point now = Clock::now();
  const double seconds = std::chrono::duration<double>(now - last_call).count();
  last_call = now;
  return seconds;
}

// linear and matmul compute count(y) dot products as long as the first input has columns.
double product_flops(const std::string& op, const Tensor& y, const Tensor& x) {
  return op == "linear" || op == "matmul" ? 2.0 * double(y.count()) * x.size(-1) : 0;
}

}  // namespace

void Profile::begin() { last_call = Clock::now(); }

void Profile::forward(const Op& op, Tensor& y, std::initializer_list<const Tensor*> inputs) {
  if (!y.node.tape) return;
  const double seconds = seconds_since_last_call();
  std::lock_guard lock(mutex_);
  Row& sum = row(op, y);
  ++sum.calls;
  sum.forward += seconds;
  sum.flops += product_flops(op.name, y, **inputs.begin());
}

void Profile::backward(const Op& op, const Tensor& dy) {
  const double seconds = seconds_since_last_call();
  std::lock_guard lock(mutex_);
  row(op, dy).backward += seconds;
}

Profile::Row& Profile::row(const Op& op, const Tensor& output) {
  return rows_[by_shape_ ? std::string(op.name) + " " + output.shape().str() : op.name];
}

}  // namespace xf::bench
