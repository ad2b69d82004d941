#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;
using exercise::Curves, exercise::Run;

namespace {

constexpr int inputs = 30, held_out = 150;

struct Examples {
  std::vector<double> x;  // (N, inputs)
  std::vector<int> y;     // (N)
};

// Answers of a teacher, which is another classifier; one in five is drawn at random.
Examples examples(int count, int classes, const std::vector<double>& teacher, Random& random) {
  Examples drawn;
  for (int n = 0; n < count; ++n) {
    std::vector<double> scores(std::size_t(classes), 0.0);
    for (int i = 0; i < inputs; ++i) {
      drawn.x.push_back(random.normal());
      for (int c = 0; c < classes; ++c)
        scores[std::size_t(c)] += teacher[std::size_t(c * inputs + i)] * drawn.x.back();
    }
    const auto best = std::max_element(scores.begin(), scores.end()) - scores.begin();
    drawn.y.push_back(random.below(5) == 0 ? random.below(classes) : int(best));
  }
  return drawn;
}

// The mean of -log p, and, where wanted, its gradient with respect to the weights (classes,
// inputs).
double loss(const Examples& set, const std::vector<double>& w, int classes,
            std::vector<double>* gradient) {
  double total = 0;
  const std::size_t count = set.y.size();
  for (std::size_t n = 0; n < count; ++n) {
    const double* x = &set.x[n * inputs];
    double p[9], sum = 0, largest = -1e300;
    for (int c = 0; c < classes; ++c) {
      p[c] = 0;
      for (int i = 0; i < inputs; ++i) p[c] += w[std::size_t(c * inputs + i)] * x[i];
      largest = std::max(largest, p[c]);
    }
    for (int c = 0; c < classes; ++c) sum += std::exp(p[c] - largest);
    total += largest + std::log(sum) - p[set.y[n]];
    if (!gradient) continue;
    for (int c = 0; c < classes; ++c) {
      const double d = std::exp(p[c] - largest) / sum - (c == set.y[n]);
      for (int i = 0; i < inputs; ++i)
        (*gradient)[std::size_t(c * inputs + i)] += d * x[i] / double(count);
    }
  }
  return total / double(count);
}

Curves trained(Run kind, int classes, int epochs, std::uint64_t seed) {
  Random random(exercise::salted(seed));
  std::vector<double> teacher;
  for (int i = 0; i < classes * inputs; ++i) teacher.push_back(random.normal());
  Examples train = examples(kind == Run::few_examples ? 40 : 400, classes, teacher, random);
  const Examples valid = examples(held_out, classes, teacher, random);
  if (kind == Run::shuffled_targets) random.shuffle(train.y.begin(), train.y.end());
  const double rate = kind == Run::rate_too_small ? 2e-4 : kind == Run::rate_too_large ? 60 : 0.7;
  std::vector<double> w(teacher.size(), 0.0);
  Curves curves;
  for (int epoch = 0; epoch <= epochs; ++epoch) {
    std::vector<double> gradient(w.size(), 0.0);
    curves.train.push_back(loss(train, w, classes, &gradient));
    curves.valid.push_back(loss(valid, w, classes, nullptr));
    for (std::size_t i = 0; i < w.size(); ++i) w[i] -= rate * gradient[i];
  }
  return curves;
}

Tensor numbers(const std::vector<Run>& runs) {
  std::vector<float> list;
  for (Run run : runs) list.push_back(static_cast<float>(run));
  return Tensor::from({static_cast<int>(list.size())}, list);
}

std::vector<Run> order_of(std::uint64_t seed) {
  std::vector<Run> order = {Run::healthy, Run::rate_too_small, Run::rate_too_large,
                            Run::few_examples, Run::shuffled_targets};
  Random random(exercise::salted(seed));
  random.shuffle(order.begin(), order.end());
  return order;
}

void check(const std::string& what, int usual_classes, int seed) {
  // How far a training gets depends on both, and so does what tells the five apart.
  const int classes = exercise::within(usual_classes, 4, 7), epochs = exercise::within(60, 50, 70);
  const auto found = [&] {
    std::vector<Curves> runs;
    for (Run kind : order_of(std::uint64_t(seed)))
      runs.push_back(trained(kind, classes, epochs, std::uint64_t(seed) + 1 + std::uint64_t(kind)));
    return exercise::which(runs, classes);
  };
  COMPARE("0 healthy, 1 small rate, 2 large rate, 3 few, 4 shuffled: " + what,
          numbers(order_of(std::uint64_t(seed))), numbers(found()));
}

}  // namespace

TEST_CASE("five training runs, 5 classes") { check("V = 5", 5, 8100); }

TEST_CASE("five further runs") {
  check("V = 5, other numbers", 5, 8200);
  check("V = 7", 7, 8300);
}

TEST_CASE("few classes") { check("V = 4", 4, 8400); }
