// What follows is what your tests are to find: do not read on before they have.

#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;
using exercise::Build, exercise::Matrix;

namespace {

std::vector<double> softmax_of(const Matrix& logits, std::size_t row) {
  std::vector<double> p;
  double largest = -1e300, total = 0;
  for (std::size_t c = 0; c < logits.shape(1); ++c)
    largest = std::max(largest, double(logits(row, c)));
  for (std::size_t c = 0; c < logits.shape(1); ++c) {
    p.push_back(std::exp(logits(row, c) - largest));
    total += p.back();
  }
  for (double& each : p) each /= total;
  return p;
}

double log_of_sum(const Matrix& logits, std::size_t row) {
  double largest = -1e300, total = 0;
  for (std::size_t c = 0; c < logits.shape(1); ++c)
    largest = std::max(largest, double(logits(row, c)));
  for (std::size_t c = 0; c < logits.shape(1); ++c) total += std::exp(logits(row, c) - largest);
  return largest + std::log(total);
}

std::vector<std::vector<int>> cut(const std::vector<int>& order, int size) {
  std::vector<std::vector<int>> batches;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i % std::size_t(size) == 0) batches.emplace_back();
    batches.back().push_back(order[i]);
  }
  return batches;
}

std::vector<int> order_of(int examples, int epoch, std::uint64_t seed) {
  std::vector<int> order;
  for (int i = 0; i < examples; ++i) order.push_back(i);
  Random random(exercise::salted(seed), std::uint64_t(epoch));
  random.shuffle(order.begin(), order.end());
  return order;
}

Build right() {
  Build build;
  build.loss = [](const Matrix& logits, const std::vector<int>& targets) {
    double total = 0;
    for (std::size_t n = 0; n < targets.size(); ++n)
      total += log_of_sum(logits, n) - logits(n, std::size_t(targets[n]));
    return total / double(targets.size());
  };
  build.loss_gradient = [](const Matrix& logits, const std::vector<int>& targets) {
    Matrix d = xt::zeros<float>(logits.shape());
    for (std::size_t n = 0; n < targets.size(); ++n) {
      const std::vector<double> p = softmax_of(logits, n);
      for (std::size_t c = 0; c < p.size(); ++c)
        d(n, c) = float((p[c] - (int(c) == targets[n] ? 1 : 0)) / double(targets.size()));
    }
    return d;
  };
  build.weight_gradient = [](const Matrix& x, const Matrix& d) {
    Matrix g = xt::zeros<float>({d.shape(1), x.shape(1)});
    for (std::size_t n = 0; n < x.shape(0); ++n)
      for (std::size_t c = 0; c < d.shape(1); ++c)
        for (std::size_t i = 0; i < x.shape(1); ++i) g(c, i) += d(n, c) * x(n, i);
    return g;
  };
  build.step = [](Matrix& w, Matrix& velocity, const Matrix& gradient, float rate) {
    for (std::size_t i = 0; i < w.size(); ++i) {
      velocity.data()[i] = 0.9f * velocity.data()[i] + gradient.data()[i];
      w.data()[i] -= rate * velocity.data()[i];
    }
  };
  build.batches = [](int examples, int size, int epoch) {
    return cut(order_of(examples, epoch, 71), size);
  };
  return build;
}

// As right, in another order and with other rounding.
Build right_too() {
  Build build = right();
  build.loss = [](const Matrix& logits, const std::vector<int>& targets) {
    float total = 0;
    for (std::size_t n = targets.size(); n-- > 0;) {
      const std::size_t target = std::size_t(targets[n]);
      total += float(log_of_sum(logits, n)) - logits(n, target);
    }
    return double(total / float(targets.size())) * (1 + 3e-6);
  };
  const Build exact = right();
  build.loss_gradient = [exact](const Matrix& logits, const std::vector<int>& targets) {
    const Matrix d = exact.loss_gradient(logits, targets) * 1.000004f;
    return d;
  };
  build.weight_gradient = [](const Matrix& x, const Matrix& d) {
    const Matrix one = xt::linalg::dot(xt::transpose(d), x), g = one * 0.999997f;
    return g;
  };
  build.step = [](Matrix& w, Matrix& velocity, const Matrix& gradient, float rate) {
    const Matrix faster = 0.9f * velocity + gradient;
    w = w - rate * faster * 1.000002f;
    velocity = faster;
  };
  build.batches = [](int examples, int size, int epoch) {
    return cut(order_of(examples, epoch + 5, 72), size);
  };
  return build;
}

using Change = std::function<void(Build&)>;

// Each is what a training had once.
const std::vector<std::vector<Change>>& faults() {
  static const Build r = right();
  static const std::vector<std::vector<Change>> all = {
      {                // the loss
       [](Build& b) {  // the sum
         b.loss = [](const Matrix& z, const std::vector<int>& y) {
           return r.loss(z, y) * double(y.size());
         };
       },
       [](Build& b) {  // exp of what is large
         b.loss = [](const Matrix& z, const std::vector<int>& y) {
           float total = 0;
           for (std::size_t n = 0; n < y.size(); ++n) {
             float sum = 0;
             for (std::size_t c = 0; c < z.shape(1); ++c) sum += std::exp(z(n, c));
             total += std::log(sum) - z(n, std::size_t(y[n]));
           }
           return double(total) / double(y.size());
         };
       },
       [](Build& b) {  // of the likeliest class
         b.loss = [](const Matrix& z, const std::vector<int>& y) {
           double total = 0;
           for (std::size_t n = 0; n < y.size(); ++n) {
             float largest = z(n, 0);
             for (std::size_t c = 1; c < z.shape(1); ++c) largest = std::max(largest, z(n, c));
             total += log_of_sum(z, n) - largest;
           }
           return total / double(y.size());
         };
       },
       [](Build& b) {  // every answer is the first one's
         b.loss = [](const Matrix& z, const std::vector<int>& y) {
           return r.loss(z, std::vector<int>(y.size(), y[0]));
         };
       }},
      {                // its gradient
       [](Build& b) {  // not divided by N
         b.loss_gradient = [](const Matrix& z, const std::vector<int>& y) {
           const Matrix d = r.loss_gradient(z, y) * float(y.size());
           return d;
         };
       },
       [](Build& b) {  // class 0 is taken for padding
         b.loss_gradient = [](const Matrix& z, const std::vector<int>& y) {
           Matrix d = r.loss_gradient(z, y);
           for (std::size_t n = 0; n < y.size(); ++n)
             for (std::size_t c = 0; c < z.shape(1); ++c) d(n, c) *= y[n] != 0;
           return d;
         };
       },
       [](Build& b) {  // the sign
         b.loss_gradient = [](const Matrix& z, const std::vector<int>& y) {
           const Matrix d = -r.loss_gradient(z, y);
           return d;
         };
       },
       [](Build& b) {  // only what is right is pushed up
         b.loss_gradient = [](const Matrix& z, const std::vector<int>& y) {
           Matrix d = r.loss_gradient(z, y);
           for (std::size_t n = 0; n < y.size(); ++n)
             for (std::size_t c = 0; c < z.shape(1); ++c) d(n, c) *= int(c) == y[n];
           return d;
         };
       }},
      {                // the gradient of the weights
       [](Build& b) {  // = for +=
         b.weight_gradient = [](const Matrix& x, const Matrix& d) {
           Matrix g = xt::zeros<float>({d.shape(1), x.shape(1)});
           for (std::size_t n = 0; n < x.shape(0); ++n)
             for (std::size_t c = 0; c < d.shape(1); ++c)
               for (std::size_t i = 0; i < x.shape(1); ++i) g(c, i) = d(n, c) * x(n, i);
           return g;
         };
       },
       [](Build& b) {  // divided by N once more
         b.weight_gradient = [](const Matrix& x, const Matrix& d) {
           const Matrix g = r.weight_gradient(x, d) / float(x.shape(0));
           return g;
         };
       },
       [](Build& b) {  // the last column is forgotten
         b.weight_gradient = [](const Matrix& x, const Matrix& d) {
           Matrix g = r.weight_gradient(x, d);
           for (std::size_t c = 0; c < g.shape(0); ++c) g(c, g.shape(1) - 1) = 0;
           return g;
         };
       }},
      {                // the step
       [](Build& b) {  // the velocity is forgotten
         b.step = [](Matrix& w, Matrix& v, const Matrix& g, float rate) {
           v = g;
           w = w - rate * v;
         };
       },
       [](Build& b) {  // with the velocity of the last step
         b.step = [](Matrix& w, Matrix& v, const Matrix& g, float rate) {
           w = w - rate * v;
           v = 0.9f * v + g;
         };
       },
       [](Build& b) {  // the velocity is not kept
         b.step = [](Matrix& w, Matrix& v, const Matrix& g, float rate) {
           const Matrix faster = 0.9f * v + g;
           w = w - rate * faster;
         };
       },
       [](Build& b) {  // uphill
         b.step = [](Matrix& w, Matrix& v, const Matrix& g, float rate) {
           v = 0.9f * v + g;
           w = w + rate * v;
         };
       }},
      {                // the batches
       [](Build& b) {  // the last one is dropped
         b.batches = [](int examples, int size, int epoch) {
           std::vector<std::vector<int>> all = r.batches(examples, size, epoch);
           if (int(all.back().size()) < size) all.pop_back();
           return all;
         };
       },
       [](Build& b) {  // one order for all epochs
         b.batches = [](int examples, int size, int) { return r.batches(examples, size, 0); };
       },
       [](Build& b) {  // drawn with replacement
         b.batches = [](int examples, int size, int epoch) {
           Random random(73, std::uint64_t(epoch));
           std::vector<int> order;
           for (int i = 0; i < examples; ++i) order.push_back(random.below(examples));
           order[0] = order.back();
           return cut(order, size);
         };
       },
       [](Build& b) {  // the last example is never used
         b.batches = [](int examples, int size, int epoch) {
           std::vector<std::vector<int>> all = r.batches(examples, size, epoch);
           for (std::vector<int>& batch : all)
             for (int& i : batch) i = i == examples - 1 ? 0 : i;
           return all;
         };
       }}};
  return all;
}

// Which of the five tests pass.
Tensor verdicts(const Build& build) {
  return Tensor::from(
      {5}, {float(exercise::loss_is_right(build)), float(exercise::loss_gradient_is_right(build)),
            float(exercise::weight_gradient_is_right(build)), float(exercise::step_is_right(build)),
            float(exercise::batches_are_right(build))});
}

// All pass but this one.
Tensor all_but(std::size_t part) {
  Tensor passes = Tensor::full({5}, 1);
  copy_into(passes, {0.0f}, std::ptrdiff_t(part));
  return passes;
}

// Every third fault, from `first` on: one part is faulty and four are right.
void check(std::size_t first) {
  std::size_t number = 0;
  for (std::size_t part = 0; part < faults().size(); ++part)
    for (std::size_t i = 0; i < faults()[part].size(); ++i, ++number) {
      if (number % 3 != first) continue;
      Build build = exercise::either(number % 2 == 0) ? right() : right_too();
      faults()[part][i](build);
      COMPARE("loss, its gradient, that of the weights, step, batches: build " +
                  std::to_string(number + 1),
              all_but(part), verdicts(build));
    }
}

}  // namespace

TEST_CASE("right builds pass all five tests") {
  COMPARE("loss, its gradient, that of the weights, step, batches: a right build",
          Tensor::full({5}, 1), verdicts(right()));
  COMPARE("loss, its gradient, that of the weights, step, batches: another right build",
          Tensor::full({5}, 1), verdicts(right_too()));
}

TEST_CASE("a third of the faulty builds: one test fails, that of the faulty part") { check(0); }

TEST_CASE("another third of the faulty builds") { check(1); }

TEST_CASE("the last third of the faulty builds") { check(2); }
