#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;

namespace {

exercise::Text text_of(int length, int words, std::uint64_t seed) {
  Random random(exercise::salted(seed));
  exercise::Text text;
  for (int i = 0; i < length; ++i) text.push_back(random.below(words));
  return text;
}

Tensor numbers(const std::vector<double>& list) {
  return Tensor::from({static_cast<int>(list.size())},
                      std::vector<float>(list.begin(), list.end()));
}

Tensor as_numbers(const Ids& ids) {
  return Tensor::from(ids.shape(), std::vector<float>(ids.begin(), ids.end()));
}

// ---- draw_windows
// --------------------------------------------------------------------------------

void check_windows(const std::string& what, int length_of_text, int batch, int length) {
  const exercise::Text text = text_of(length_of_text, 90, 921);
  Random one(exercise::salted(922)), other = one;
  const auto wanted = [&] {
    std::vector<float> rows;
    for (int b = 0; b < batch; ++b) {
      const int begin = one.below(length_of_text + 1 - length);
      rows.insert(rows.end(), text.begin() + begin, text.begin() + begin + length);
    }
    return Tensor::from({batch, length}, rows);
  };
  COMPARE(what, wanted(), as_numbers(exercise::draw_windows(text, batch, length, other)));
}

// ---- update
// --------------------------------------------------------------------------------------

// 1/n sum over n tokens of |E[token] + b - c|^2, times a size: its gradients are known without a
// tape. U takes no part.
struct Valley {
  int words, width;
  float size;
  Tensor table = parameter(exercise::random({words, width}, 931));
  Tensor bias = parameter(exercise::random({width}, 932));
  Tensor unused = parameter(exercise::random({2, 3}, 933));
  Tensor centre = exercise::random({width}, 934);

  Tensor loss(const Ids& ids) const {
    const Tensor e = add(add(embedding(ids, table), bias), scale(centre, -1));
    return scale(sum(multiply(e, e)), size / static_cast<float>(ids.count()));
  }
  std::vector<NamedParameter> list() {
    return {{"table", &table}, {"bias", &bias}, {"unused", &unused}};
  }
};

// The same in double, by the equations: all numbers in a row, E then b.
struct Reference {
  std::vector<double> p, m, v;
  int steps = 0;

  explicit Reference(const Valley& valley) {
    for (const Tensor* each : {&valley.table, &valley.bias})
      for (float x : each->values()) p.push_back(x);
    m.resize(p.size());
    v.resize(p.size());
  }

  double step(const Valley& valley, const exercise::AdamW& adam, const Ids& ids, double rate) {
    const std::size_t width = std::size_t(valley.width), table = std::size_t(valley.words) * width;
    std::vector<double> g(p.size());
    double loss = 0, squares = 0;
    for (std::int32_t id : ids)
      for (std::size_t i = 0; i < width; ++i) {
        const double e =
            p[std::size_t(id) * width + i] + p[table + i] - valley.centre.values()[int(i)];
        loss += valley.size * e * e / double(ids.count());
        g[std::size_t(id) * width + i] += 2 * valley.size * e / double(ids.count());
        g[table + i] += 2 * valley.size * e / double(ids.count());
      }
    for (double x : g) squares += x * x;
    const double norm = std::sqrt(squares);
    ++steps;
    for (std::size_t i = 0; i < p.size(); ++i) {
      if (norm > adam.clip) g[i] *= adam.clip / norm;
      m[i] = adam.beta1 * m[i] + (1 - adam.beta1) * g[i];
      v[i] = adam.beta2 * v[i] + (1 - adam.beta2) * g[i] * g[i];
      if (i < table) p[i] -= rate * adam.decay * p[i];
      p[i] -= rate * m[i] / (1 - std::pow(adam.beta1, steps)) /
              (std::sqrt(v[i] / (1 - std::pow(adam.beta2, steps))) + adam.eps);
    }
    return loss;
  }
};

void check_updates(const std::string& what, float size, int steps, double decay) {
  Valley valley{exercise::given(4), exercise::given(3), size};
  const double rate = exercise::given(0.1f, 0.05f, 0.15f);
  Reference reference(valley);
  exercise::AdamW adam{.parameters = valley.list(), .eps = 1e-3, .decay = decay, .m = {}, .v = {}};
  std::vector<Ids> batches;
  for (int i = 0; i < steps; ++i) {
    const exercise::Text text = text_of(6, valley.words, 940 + std::uint64_t(i));
    batches.emplace_back(Shape{2, 3}, std::span<const std::int32_t>(text));
  }
  const auto wanted = [&] {
    std::vector<double> losses;
    for (const Ids& batch : batches) losses.push_back(reference.step(valley, adam, batch, rate));
    return numbers(losses);
  };
  const auto own = [&] {
    std::vector<double> losses;
    const exercise::Loss loss = [&](const Ids& tokens) { return valley.loss(tokens); };
    for (const Ids& batch : batches) losses.push_back(exercise::update(adam, loss, batch, rate));
    return numbers(losses);
  };
  const auto now = [&] {
    std::vector<double> all;
    for (const Tensor* each : {&valley.table, &valley.bias})
      for (float x : each->values()) all.push_back(x);
    return numbers(all);
  };
  const Tensor unused = valley.unused.clone();
  COMPARE("losses, " + what, wanted(), own());
  COMPARE("table and bias, " + what, numbers(reference.p), now());
  COMPARE("a parameter that takes no part, " + what, unused, valley.unused);
}

// ---- evaluate
// ------------------------------------------------------------------------------------

// Costs that depend on both tokens and on the place in the row, and all rows that were asked for.
struct Costs {
  std::vector<double> asked;

  static double cost(int place, int token, int next) {
    const std::uint64_t key = std::uint64_t(place) * 10007 + std::uint64_t(token) * 101;
    return double(mix(exercise::salted(key + std::uint64_t(next))) % 1000) / 100;
  }
  Tensor loss(const Ids& row) {
    double total = 0;
    for (int t = 0; t + 1 < row.size(1); ++t) total += cost(t, row.at(0, t), row.at(0, t + 1));
    asked.push_back(row.size(1));
    asked.insert(asked.end(), row.begin(), row.end());
    return Tensor::full({}, static_cast<float>(total / (row.size(1) - 1)));
  }
};

void check_evaluate(const std::string& what, int length, int segment) {
  const exercise::Text text = text_of(length, 50, 961);
  Costs costs;
  const auto own = [&] {
    return numbers(
        {exercise::evaluate([&](const Ids& row) { return costs.loss(row); }, text, segment)});
  };
  const auto wanted = [&] {
    double total = 0;
    for (int i = 0; i + 1 < length; ++i)
      total += Costs::cost(i % segment, text[std::size_t(i)], text[std::size_t(i) + 1]);
    return numbers({total / (length - 1)});
  };
  const auto rows = [&] {
    std::vector<double> list;
    for (int first = 0; first + 1 < length; first += segment) {
      const int end = std::min(first + segment, length - 1);
      list.push_back(end - first + 1);
      list.insert(list.end(), text.begin() + first, text.begin() + end + 1);
    }
    return numbers(list);
  };
  COMPARE("mean loss, " + what, wanted(), own());
  COMPARE("each row's length and tokens, " + what, rows(), numbers(costs.asked));
}

}  // namespace

TEST_CASE("draw_windows: every place that has room") {
  check_windows("B = 6, 5 of 40 tokens", exercise::given(40), 6, exercise::given(5));
  check_windows("B = 20, 4 of 6 tokens", 6, 20, 4);
  check_windows("B = 9, 6 of 7 tokens", 7, 9, 6);
}

TEST_CASE("update: Adam, with decay of the matrices only") {
  check_updates("1 step", 0.01f, 1, 0.1);
  check_updates("4 steps", 0.01f, 4, 0.5);
}

TEST_CASE("update: all gradients are clipped together") {
  check_updates("gradients of norm 1 and more, 3 steps", 20, 3, 0.1);
}

TEST_CASE("evaluate: each token once, the last window with the rest") {
  check_evaluate("13 tokens by 4", 4 * exercise::given(3) + 1, 4);
  check_evaluate("12 tokens by 5", 12, 5);
  check_evaluate("4 tokens by 9", 4, 9);
}
