#include "support/test.hpp"
#include "03_layer_norm/lesson_stack.hpp"
#include "exercise.hpp"

#include <memory>

using namespace xf;
using exercise::TrainingRun;

namespace {

Tensor list(const std::vector<double>& numbers) {
  return Tensor::from({static_cast<int>(numbers.size())},
                      std::vector<float>(numbers.begin(), numbers.end()));
}

double wanted_rate(int update, int warm_up, double peak) {
  return warm_up == 0 ? peak : peak * std::min(1.0, double(update) / warm_up);
}

// A loss that falls by what it has moved, and stops at `floor`.
TrainingRun falling(std::vector<double>& rates, double start, double floor) {
  return {20, [&rates, start, floor](double rate) {
            double way = 0;
            for (double each : rates) way += each;
            rates.push_back(rate);
            return std::max(floor, start - way);
          }};
}

// Some of the seeds learn, and some do so only if the first step is short.
exercise::Maker draws(const exercise::Notes& asked) {
  return [&asked](std::uint64_t seed) {
    asked.note({float(seed % 1000)});
    auto first = std::make_shared<double>(0);
    auto count = std::make_shared<int>(0);
    return TrainingRun{8 + int(seed % 3), [=](double rate) {
                         if (++*count == 1) *first = rate;
                         const bool learns = seed % 3 == 0 || *first * double(seed % 5) < 0.02;
                         return learns ? 2.5 / *count : 2.5 + 0.01 * double(seed % 7);
                       }};
  };
}

struct Draw {
  double last, learned;
};

Draw wanted_draw(const exercise::Notes& asked, const std::vector<std::uint64_t>& seeds, int updates,
                 int warm_up, double peak) {
  Draw draw{0, 0};
  for (std::uint64_t seed : seeds) {
    const TrainingRun training = draws(asked)(seed);
    double last = 0;
    for (int update = 1; update <= updates; ++update) {
      const double loss = training.update(wanted_rate(update, warm_up, peak));
      if (update > updates - 10) last += loss / 10;
    }
    draw.last += last / double(seeds.size());
    draw.learned += last < std::log(double(training.words)) / 2;
  }
  return draw;
}

// Six layers of width 16 that learn to repeat 8 of 12 words, by Adam.
struct Stack {
  lesson_03::BlockModel model;
  Random random;
  std::vector<NamedParameter> named;
  std::vector<std::vector<float>> mean, square;
  float power_1 = 1, power_2 = 1;

  Stack(lesson_03::Block order, std::uint64_t seed) : Stack(order, Random(seed)) {}
  Stack(lesson_03::Block order, Random&& source)
      : model(12, 16, 6, order, source), random(source), named(parameters(model)) {
    for (const NamedParameter& each : named)
      mean.emplace_back(each.tensor->count()), square.emplace_back(each.tensor->count());
  }

  double update(double rate) {
    Ids ids = Ids::full({4, 8}, 0);
    for (int& id : ids) id = random.below(12);
    Tape tape;
    const Tensor loss = cross_entropy(model(ids), ids);
    const Gradients gradients = tape.backward(loss);
    power_1 *= 0.9f, power_2 *= 0.98f;
    for (std::size_t p = 0; p < named.size(); ++p) {
      const Values g = gradients.of(*named[p].tensor).values();
      std::vector<float> w = named[p].tensor->values();
      float *m = mean[p].data(), *s = square[p].data(), *x = w.data();
      const float step = float(rate) / (1 - power_1), root = 1 / (1 - power_2);
      for (std::size_t i = 0; i < w.size(); ++i) {
        m[i] = 0.9f * m[i] + 0.1f * g[std::ptrdiff_t(i)];
        s[i] = 0.98f * s[i] + 0.02f * g[std::ptrdiff_t(i)] * g[std::ptrdiff_t(i)];
        x[i] -= step * m[i] / (std::sqrt(s[i] * root) + 1e-9f);
      }
      copy_into(*named[p].tensor, w);
    }
    return loss.item();
  }
};

exercise::Maker stacks(lesson_03::Block order) {
  return [order](std::uint64_t seed) {
    auto stack = std::make_shared<Stack>(order, seed);
    return TrainingRun{12, [stack](double rate) { return stack->update(rate); }};
  };
}

}  // namespace

TEST_CASE("the rate of each update") {
  const int warm_up = exercise::given(40, 30, 60);
  const double peak = exercise::given(0.003f, 0.001f, 0.009f);
  const auto rates = [&](const auto& of, int w, double peak) {
    std::vector<double> all;
    for (int update : {1, 2, w / 2 + 1, w, w + 1, 500}) all.push_back(1000 * of(update, w, peak));
    return list(all);
  };
  COMPARE("rates times 1000, warm_up = 40", rates(wanted_rate, warm_up, peak),
          rates(exercise::rate, warm_up, peak));
  COMPARE("rates times 1000, warm_up = 4000", rates(wanted_rate, 4000, peak),
          rates(exercise::rate, 4000, peak));
  COMPARE("rates times 1000, warm_up = 1", rates(wanted_rate, 1, 0.02),
          rates(exercise::rate, 1, 0.02));
  COMPARE("rates times 1000, warm_up = 0", rates(wanted_rate, 0, 0.02),
          rates(exercise::rate, 0, 0.02));
}

TEST_CASE("a training run, update by update") {
  const int updates = exercise::given(12, 10, 40), warm_up = exercise::given(5, 4, 8);
  const double peak = exercise::given(0.1f, 0.05f, 0.15f);
  std::vector<double> rates;
  const auto own = [&] {
    const TrainingRun training = falling(rates, 3, 2.5);
    return list(exercise::losses(training, updates, warm_up, peak));
  };
  const auto wanted = [&] {
    std::vector<double> all;
    double way = 0;
    for (int update = 1; update <= updates; ++update) {
      all.push_back(std::max(2.5, 3 - way));
      rates.push_back(wanted_rate(update, warm_up, peak));
      way += rates.back();
    }
    return list(all);
  };
  COMPARE("losses", wanted(), own());
  COMPARE("rates of the updates", list(rates), list(rates));
}

TEST_CASE("which training run learned") {
  const int words = exercise::within(16, 12, 40);  // below the 100 further down
  const double half = std::log(double(words)) / 2;
  const auto n = static_cast<std::size_t>(exercise::given(30, 12, 60));
  std::vector<double> late(n, 2.8), lucky(n, 2.8), near(n, 2.8), some(n, 2.8), most(n, 2.8);
  for (std::size_t i = n - 10; i < n; ++i) {
    late[i] = i < n - 6 ? half + 1 : half - 0.8;  // the mean of ten is below
    near[i] = half + 0.01;
    some[i] = i < n - 4 ? half + 0.5 : half - 1;  // four of ten, which the mean is below, too
    most[i] = i < n - 7 ? half + 1 : half - 0.2;  // seven of ten, and the mean is above
  }
  lucky[n - 1] = 0.1;
  const auto answers = [&](const auto& of) {
    return list({of(late), of(near), of(lucky), of(some), of(most)});
  };
  COMPARE("learned late, not quite, one lucky batch, by four of ten, not by seven of ten",
          list({1, 0, 0, 1, 0}),
          answers([=](const auto& all) { return exercise::learned(all, words) ? 1.0 : 0.0; }));
  COMPARE("the same losses among 100 words", list({1, 1, 0, 1, 1}),
          answers([](const auto& all) { return exercise::learned(all, 100) ? 1.0 : 0.0; }));
}

TEST_CASE("several seeds") {
  std::vector<std::uint64_t> seeds = {11, 21, 31, 47, 58, 64};
  for (int i = exercise::given(0, 1, 4); i > 0; --i) seeds.push_back(64 + 7 * std::uint64_t(i));
  for (std::uint64_t& seed : seeds) seed += exercise::salted(0) % 500;
  const int updates = exercise::given(30, 20, 50), short_warm_up = exercise::given(10, 6, 15);
  const double peak = exercise::given(0.012f, 0.011f, 0.019f);
  const exercise::Notes asked;
  const auto own = [&](int warm_up) {
    const exercise::Row row = exercise::over_seeds(draws(asked), seeds, updates, warm_up, peak);
    return list({row.last, double(row.learned)});
  };
  const auto wanted = [&](int warm_up) {
    const Draw draw = wanted_draw(asked, seeds, updates, warm_up, peak);
    return list({draw.last, draw.learned});
  };
  COMPARE("mean of the last ten losses and how many learned, no warm-up", wanted(0), own(0));
  COMPARE("mean of the last ten losses and how many learned, warm_up = 10", wanted(short_warm_up),
          own(short_warm_up));
  COMPARE("the seeds", asked.all(), asked.all());
}

TEST_CASE("real stacks, three seeds each") {
  const auto measured = [] {
    const std::vector<std::uint64_t> seeds = {exercise::salted(1), exercise::salted(2),
                                              exercise::salted(3)};
    const auto of = [&](const char* name, lesson_03::Block order, int warm_up) {
      const exercise::Row row = exercise::over_seeds(stacks(order), seeds, 80, warm_up, 0.013);
      std::printf("%-14s last losses %.2f, learned %d of 3\n", name, row.last, row.learned);
      return row.last;
    };
    std::printf("guessing among 12 words costs %.2f\n", std::log(12.0));
    const double post = of("post", lesson_03::Block::post, 0);
    const double warmed = of("post, warm-up", lesson_03::Block::post, 40);
    const double pre = of("pre", lesson_03::Block::pre, 0);
    return list({double(post - warmed > 0.4), double(pre < 1)});
  };
  COMPARE("1: warm-up lowers the loss of post-norm by more than 0.4; pre-norm is below 1 without",
          list({1, 1}), measured());
}

TEST_CASE("the numbers in your written answer") {
  const auto first_step = [](double g) { return 0.1 * g / 0.1 / std::sqrt(0.02 * g * g / 0.02); };
  const auto way = [](int warm_up) {
    double total = 0;
    for (int update = 1; update <= 40; ++update) total += wanted_rate(update, warm_up, 1);
    return total;
  };
  COMPARE("first step for a small and a large gradient", list({first_step(0.001), first_step(10)}),
          list({exercise::written().step_of_small, exercise::written().step_of_large}));
  COMPARE("way without warm-up", list({way(0)}), list({exercise::written().way_without}));
  COMPARE("way with warm-up", list({way(40)}), list({exercise::written().way_with}));
  COMPARE(
      "post-norm needs it, pre-norm needs it", list({1, 0}),
      list({double(exercise::written().post_needs_it), double(exercise::written().pre_needs_it)}));
}
