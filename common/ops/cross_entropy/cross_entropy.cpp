#include "ops/cross_entropy/cross_entropy.hpp"

#include <algorithm>

#include "autograd/tape.hpp"
#include "ops/check.hpp"
#include "ops/cross_entropy/kernels.hpp"
#include "ops/elementwise/kernels.hpp"

namespace xf {

namespace {

constexpr Op loss_op{"cross_entropy", "-log softmax(x)[expected], the mean",
                     "dx = (softmax(x) - onehot(expected)) dy / count"};
constexpr Op log_softmax_op{"log_softmax", "x - log sum_k exp(x_k)"};

void check(const char* op, const Tensor& logits, const Ids& targets, std::int32_t ignore) {
  require(logits.rank() >= 1 && targets.count() == logits.shape().rows(), op, [&] {
    return "one target per row wanted: logits are " + logits.shape().str() + ", targets are " +
           targets.shape().str();
  });
  const std::int32_t vocabulary = logits.size(-1);
  for (std::ptrdiff_t i = 0; i < targets.count(); ++i) {
    const std::int32_t target = targets[i];
    require(target == ignore || (target >= 0 && target < vocabulary), op, [&] {
      return "target " + std::to_string(target) + " is not in a vocabulary of " +
             std::to_string(vocabulary);
    });
  }
}

Tensor log_sum_exp(const Tensor& x) {
  Tensor sums = Tensor::empty({x.shape().rows()}, x.device());
  dispatch(x.device(), [&](auto on) {
    kernel::log_sum_exp(on, x.data(on), sums.data(on), x.shape().rows(), x.size(-1));
  });
  return sums;
}

// The divisor of the sum over the rows.
double divisor_of(const Ids& targets, const CrossEntropyOptions& options) {
  const auto ignored = std::count(targets.begin(), targets.end(), options.ignore);
  return options.divisor > 0 ? options.divisor
                             : std::max(1.0, double(targets.count()) - double(ignored));
}

}  // namespace

Tensor cross_entropy(const Tensor& logits, const Ids& targets, const CrossEntropyOptions& options) {
  check("cross_entropy", logits, targets, options.ignore);
  const int rows = logits.shape().rows(), columns = logits.size(-1);
  const double divisor = divisor_of(targets, options);
  const Tensor sums = log_sum_exp(logits);
  Tensor loss = Tensor::empty({}, logits.device());
  dispatch(logits.device(), [&](auto on) {
    kernel::cross_entropy(on, logits.data(on), targets.data(on), sums.data(on), options.ignore,
                          options.smoothing, divisor, loss.data(on), rows, columns);
  });
  return record(loss_op, loss, {&logits}, [=](InputGradients& inputs, const Tensor& dloss) {
    Tensor dlogits = reuse(logits);
    dispatch(logits.device(), [&](auto on) {
      kernel::cross_entropy_backward(on, logits.data(on), targets.data(on), sums.data(on),
                                     options.ignore, options.smoothing, divisor, dloss.data(on),
                                     dlogits.data(on), rows, columns);
    });
    inputs.add(0, std::move(dlogits));
  });
}

Tensor cross_entropy_in_place(Tensor&& logits, const Ids& targets,
                              const CrossEntropyOptions& options) {
  if (!logits.sole_owner() || logits.leaf || !tracked({&logits}))
    return cross_entropy(logits, targets, options);
  check("cross_entropy", logits, targets, options.ignore);
  const double divisor = divisor_of(targets, options);
  Tensor loss = Tensor::empty({}, logits.device());
  dispatch(logits.device(), [&](auto on) {
    kernel::cross_entropy_in_place(on, logits.data(on), targets.data(on), options.ignore,
                                   options.smoothing, divisor, loss.data(on), logits.shape().rows(),
                                   logits.size(-1));
  });
  const Tensor gradient = detach(logits);  // for dloss = 1
  return record(loss_op, loss, {&logits}, [gradient](InputGradients& inputs, const Tensor& dloss) {
    Tensor dlogits = gradient;
    dispatch(dlogits.device(), [&](auto on) {
      float* const to = dlogits.data(on);
      kernel::scale_by(on, to, dloss.data(on), to, dlogits.count());
    });
    inputs.add(0, std::move(dlogits));
  });
}

std::vector<float> log_likelihood(const Tensor& logits, const Ids& targets, std::int32_t ignore) {
  check("log_likelihood", logits, targets, ignore);
  const int rows = logits.shape().rows(), columns = logits.size(-1);
  const Tensor sums = log_sum_exp(logits);
  Tensor result = Tensor::empty({rows}, logits.device());
  dispatch(logits.device(), [&](auto on) {
    kernel::log_likelihood(on, logits.data(on), targets.data(on), sums.data(on), ignore,
                           result.data(on), rows, columns);
  });
  constexpr Op op{"log_likelihood", "log softmax(x)[expected], of each row"};
  return report(op, result, {&logits}).values();
}

namespace {

// log softmax(x) into y, which may be x.
void log_softmax_into(const Tensor& x, Tensor& y) {
  const Tensor sums = log_sum_exp(x);
  dispatch(x.device(), [&](auto on) {
    kernel::subtract_from_rows(on, x.data(on), sums.data(on), y.data(on), x.shape().rows(),
                               x.size(-1));
  });
}

}  // namespace

Tensor log_softmax(const Tensor& x) {
  Tensor y = Tensor::empty(x.shape(), x.device());
  log_softmax_into(x, y);
  return report(log_softmax_op, y, {&x});
}

Tensor log_softmax_in_place(Tensor&& x) {
  if (!x.sole_owner() || x.leaf || tracked({&x})) return log_softmax(x);
  log_softmax_into(x, x);
  const Tensor y = std::move(x);
  return report(log_softmax_op, y, {&y});
}

}  // namespace xf
