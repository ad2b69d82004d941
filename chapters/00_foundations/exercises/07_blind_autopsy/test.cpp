// What follows is what your tests are to find: do not read on before they have.

#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;
using exercise::Build, exercise::Matrix;

namespace {

double log_of_sum(const Matrix& logits, std::size_t row) {
  double largest = -1e300, total = 0;
  for (std::size_t c = 0; c < logits.shape(1); ++c)
    largest = std::max(largest, double(logits(row, c)));
  for (std::size_t c = 0; c < logits.shape(1); ++c) total += std::exp(logits(row, c) - largest);
  return largest + std::log(total);
}

std::vector<double> softmax_of(const Matrix& logits, std::size_t row) {
  std::vector<double> p;
  for (std::size_t c = 0; c < logits.shape(1); ++c)
    p.push_back(std::exp(logits(row, c) - log_of_sum(logits, row)));
  return p;
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
using Answers = const std::vector<int>&;

// Puts this in the place of a part.
template <auto part>
constexpr auto in = [](auto faulty) { return Change([=](Build& b) { b.*part = faulty; }); };

// One number is too large by 1, and nobody knows which.
Matrix all_but_one(Matrix m) {
  if (m.size() > 0) m.data()[exercise::salted(75) % 1009 % m.size()] += 1;
  return m;
}

// 0.1 to 0.4, and nobody knows it.
double somewhat(std::uint64_t seed) { return Random(exercise::salted(seed)).uniform(0.1, 0.4); }

// Each is what a training had once.
const std::vector<std::vector<Change>>& faults() {
  constexpr auto loss = in<&Build::loss>;
  constexpr auto loss_gradient = in<&Build::loss_gradient>;
  constexpr auto weight_gradient = in<&Build::weight_gradient>;
  constexpr auto step = in<&Build::step>;
  constexpr auto batches = in<&Build::batches>;
  static const Build r = right();
  static const std::vector<std::vector<Change>> all = {
      {loss([](const Matrix& z, Answers y) {  // the sum
         return r.loss(z, y) * double(y.size());
       }),
       loss([](const Matrix& z, Answers y) {  // exp of what is large
         float total = 0;
         for (std::size_t n = 0; n < y.size(); ++n) {
           float sum = 0;
           for (std::size_t c = 0; c < z.shape(1); ++c) sum += std::exp(z(n, c));
           total += std::log(sum) - z(n, std::size_t(y[n]));
         }
         return double(total) / double(y.size());
       }),
       loss([](const Matrix& z, Answers y) {  // of the likeliest class
         double total = 0;
         for (std::size_t n = 0; n < y.size(); ++n) {
           float largest = z(n, 0);
           for (std::size_t c = 1; c < z.shape(1); ++c) largest = std::max(largest, z(n, c));
           total += log_of_sum(z, n) - largest;
         }
         return total / double(y.size());
       }),
       loss([](const Matrix& z, Answers y) {  // every answer is the first one's
         return r.loss(z, std::vector<int>(y.size(), y[0]));
       }),
       // too large by a factor, too small by a number
       loss([](const Matrix& z, Answers y) { return r.loss(z, y) * (1 + somewhat(76)); }),
       loss([](const Matrix& z, Answers y) { return r.loss(z, y) - somewhat(77); })},
      {loss_gradient([](const Matrix& z, Answers y) {  // not divided by N
         return Matrix(r.loss_gradient(z, y) * float(y.size()));
       }),
       loss_gradient([](const Matrix& z, Answers y) {  // class 0 is taken for padding
         Matrix d = r.loss_gradient(z, y);
         for (std::size_t n = 0; n < y.size(); ++n)
           for (std::size_t c = 0; c < z.shape(1); ++c) d(n, c) *= y[n] != 0;
         return d;
       }),
       loss_gradient([](const Matrix& z, Answers y) {  // the sign
         return Matrix(-r.loss_gradient(z, y));
       }),
       loss_gradient([](const Matrix& z, Answers y) {  // only what is right is pushed up
         Matrix d = r.loss_gradient(z, y);
         for (std::size_t n = 0; n < y.size(); ++n)
           for (std::size_t c = 0; c < z.shape(1); ++c) d(n, c) *= int(c) == y[n];
         return d;
       }),
       loss_gradient([](const Matrix& z, Answers y) {  // every answer is the first one's
         return r.loss_gradient(z, std::vector<int>(y.size(), y[0]));
       }),
       loss_gradient([](const Matrix& z, Answers y) {  // one number is wrong
         return all_but_one(r.loss_gradient(z, y));
       })},
      {weight_gradient([](const Matrix& x, const Matrix& d) {  // = for +=
         Matrix g = xt::zeros<float>({d.shape(1), x.shape(1)});
         for (std::size_t n = 0; n < x.shape(0); ++n)
           for (std::size_t c = 0; c < d.shape(1); ++c)
             for (std::size_t i = 0; i < x.shape(1); ++i) g(c, i) = d(n, c) * x(n, i);
         return g;
       }),
       weight_gradient([](const Matrix& x, const Matrix& d) {  // divided by N once more
         return Matrix(r.weight_gradient(x, d) / float(x.shape(0)));
       }),
       weight_gradient([](const Matrix& x, const Matrix& d) {  // the last column is forgotten
         Matrix g = r.weight_gradient(x, d);
         for (std::size_t c = 0; c < g.shape(0); ++c) g(c, g.shape(1) - 1) = 0;
         return g;
       }),
       weight_gradient([](const Matrix& x, const Matrix& d) {  // the classes in another order
         return r.weight_gradient(x, Matrix(xt::flip(d, 1)));
       }),
       weight_gradient([](const Matrix& x, const Matrix& d) {  // one number is wrong
         return all_but_one(r.weight_gradient(x, d));
       })},
      {step([](Matrix& w, Matrix& v, const Matrix& g, float rate) {  // the velocity is forgotten
         v = g;
         w = w - rate * v;
       }),
       step([](Matrix& w, Matrix& v, const Matrix& g, float rate) {  // the last velocity
         w = w - rate * v;
         v = 0.9f * v + g;
       }),
       // the velocity is not kept, the rate is forgotten, one rate for all
       step([](Matrix& w, Matrix& v, const Matrix& g, float rate) { w -= rate * (0.9f * v + g); }),
       step([](Matrix& w, Matrix& v, const Matrix& g, float) { r.step(w, v, g, 1); }),
       step([](Matrix& w, Matrix& v, const Matrix& g, float) {
         r.step(w, v, g, float(1 - somewhat(79)));
       }),
       step([](Matrix& w, Matrix& v, const Matrix& g, float rate) {  // uphill
         v = 0.9f * v + g;
         w = w + rate * v;
       }),
       step([](Matrix& w, Matrix& v, const Matrix& g, float rate) {  // one weight is wrong
         r.step(w, v, g, rate), w = all_but_one(w);
       }),
       step([](Matrix& w, Matrix& v, const Matrix& g, float rate) {  // one velocity is wrong
         r.step(w, v, g, rate), v = all_but_one(v);
       })},
      {batches([](int examples, int size, int epoch) {  // the last one is dropped
         std::vector<std::vector<int>> all = r.batches(examples, size, epoch);
         if (int(all.back().size()) < size) all.pop_back();
         return all;
       }),
       // one order for all epochs, one example too many in a batch
       batches([](int examples, int size, int) { return r.batches(examples, size, 0); }),
       batches([](int n, int size, int epoch) { return r.batches(n, size + 1, epoch); }),
       batches([](int examples, int size, int epoch) {  // drawn with replacement
         Random random(exercise::salted(73), std::uint64_t(epoch));
         std::vector<int> order;
         for (int i = 0; i < examples; ++i) order.push_back(random.below(examples));
         order[0] = order.back();
         return cut(order, size);
       }),
       batches([](int examples, int size, int epoch) {  // the last example is never used
         std::vector<std::vector<int>> all = r.batches(examples, size, epoch);
         for (std::vector<int>& batch : all)
           for (int& i : batch) i = i == examples - 1 ? 0 : i;
         return all;
       }),
       batches([](int examples, int size, int epoch) {  // one example somewhere is another's double
         std::vector<int> order = order_of(examples, epoch, 71);
         const std::uint64_t place = exercise::salted(78) % 1009 % order.size();
         order[place] = order[(place + 1) % order.size()];
         return cut(order, size);
       }),
       batches([](int examples, int size, int epoch) {  // the first one gives one to the second
         std::vector<std::vector<int>> all = r.batches(examples, size, epoch);
         if (all.size() < 2) return all;
         all[1].push_back(all[0].back());
         all[0].pop_back();
         return all;
       })}};
  return all;
}

// The build at a place is 0, 1: right, or one of the faulty ones that follow. Who is tested knows
// its place alone.
constexpr int right_builds = 2, faulty_builds = 32;
int build_at(int place) {
  static const std::vector<int> order = exercise::order(right_builds + faulty_builds, 74);
  return order.at(std::size_t(place));
}

// The part that is faulty, and which of its faults it is.
std::pair<std::size_t, std::size_t> fault_of(int build) {
  auto number = std::size_t(build - right_builds);
  std::size_t part = 0;
  for (; number >= faults().at(part).size(); ++part) number -= faults()[part].size();
  return {part, number};
}

const Build& made(int place) {
  static std::vector<Build> all = {right(), right_too()};
  for (int number = int(all.size()) - right_builds; number < faulty_builds; ++number) {
    all.push_back(exercise::either(number % 2 == 0) ? right() : right_too());
    const auto [part, i] = fault_of(right_builds + number);
    faults()[part][i](all.back());
  }
  return all.at(std::size_t(build_at(place)));
}

// Which of the five tests pass.
Tensor verdicts(int place) {
  const Build& build = made(place);
  return Tensor::from(
      {5}, {float(exercise::loss_is_right(build)), float(exercise::loss_gradient_is_right(build)),
            float(exercise::weight_gradient_is_right(build)), float(exercise::step_is_right(build)),
            float(exercise::batches_are_right(build))});
}

// All pass but that of the faulty part.
Tensor wanted(int place) {
  Tensor passes = Tensor::full({5}, 1);
  if (const int build = build_at(place); build >= right_builds)
    copy_into(passes, {0.0f}, std::ptrdiff_t(fault_of(build).first));
  return passes;
}

void check(const std::string& build, int place) {
  COMPARE("loss, its gradient, that of the weights, step, batches: " + build, wanted(place),
          verdicts(place));
}

// Every third faulty one, from `first` on.
void check_third(int first) {
  for (int number = first; number < faulty_builds; number += 3)
    check("build " + std::to_string(number + 1), right_builds + number);
}

}  // namespace

TEST_CASE("correct builds pass all five tests") {
  check("a right build", 0);
  check("another right build", 1);
}

TEST_CASE("a third of the faulty builds: only the test of the faulty part fails") {
  check_third(0);
}

TEST_CASE("another third of the faulty builds") { check_third(1); }

TEST_CASE("the last third of the faulty builds") { check_third(2); }
