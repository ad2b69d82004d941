#include "support/test.hpp"
#include "05_encoder/equations.hpp"
#include "exercise.hpp"

using namespace xf;
using equations::Matrix;

namespace {

// A model whose biases and gammas are drawn, too.
exercise::LanguageModel drawn(const exercise::LanguageModelSizes& sizes, std::uint64_t seed) {
  Random random(exercise::salted(seed));
  exercise::LanguageModel model(sizes, random);
  for (const NamedParameter& each : parameters(model))
    replace_each(*each.tensor, [&](float x) { return x + 0.1 * random.normal(); });
  return model;
}

Ids tokens_of(int batch, int length, int words, std::uint64_t seed) {
  Random random(exercise::salted(seed));
  Ids ids = Ids::full({batch, length}, 0);
  for (std::int32_t& id : ids) id = random.below(words);
  return ids;
}

// The equations, for row b of the ids: (T, V).
Matrix scores(const exercise::LanguageModel& model, const Ids& ids, int b) {
  const std::size_t length = static_cast<std::size_t>(ids.size(1));
  const Matrix table = to_xt<2>(model.embedding.weight);
  const double d = double(table.shape(1));
  Matrix x = xt::zeros<float>({length, table.shape(1)}), mask = xt::zeros<float>({length, length});
  for (std::size_t t = 0; t < length; ++t) {
    for (std::size_t i = 0; i < table.shape(1); ++i) {
      const double angle = double(t) / std::pow(10000.0, double(i - i % 2) / d);
      const std::size_t id = static_cast<std::size_t>(ids.at(b, static_cast<int>(t)));
      x(t, i) = static_cast<float>(std::sqrt(d) * table(id, i) +
                                   (i % 2 ? std::cos(angle) : std::sin(angle)));
    }
    for (std::size_t s = 0; s <= t; ++s) mask(t, s) = 1;
  }
  for (const EncoderLayer& layer : model.layers.layers)
    x = equations::encoder_layer(x, mask, layer);
  const Matrix h = equations::layer_norm(x, model.layers.final_norm);
  return equations::linear(h, table, to_xt<1>(model.bias));
}

Tensor all_scores(const exercise::LanguageModel& model, const Ids& ids) {
  const int words = model.embedding.weight.size(0);
  std::vector<float> numbers;
  for (int b = 0; b < ids.size(0); ++b) {
    const Matrix row = scores(model, ids, b);
    numbers.insert(numbers.end(), row.begin(), row.end());
  }
  return Tensor::from({ids.size(0), ids.size(1), words}, numbers);
}

// -log p(token), one after the other, the mean of all but the first of each row.
double cost(const exercise::LanguageModel& model, const Ids& tokens) {
  double total = 0;
  for (int b = 0; b < tokens.size(0); ++b) {
    const Matrix z = scores(model, tokens, b);  // the last row predicts what is not there
    for (int t = 0; t + 1 < tokens.size(1); ++t) {
      double sum = 0;
      for (std::size_t v = 0; v < z.shape(1); ++v) sum += std::exp(double(z(std::size_t(t), v)));
      total += std::log(sum) - z(std::size_t(t), std::size_t(tokens.at(b, t + 1)));
    }
  }
  return total / (double(tokens.size(0)) * (tokens.size(1) - 1));
}

// The gradient of the loss: all tokens are read, and the scores of the last are left out.
Tensor gradient(const exercise::LanguageModel& model, const Tensor& weight, const Ids& tokens) {
  const int batch = tokens.size(0), length = tokens.size(1) - 1, words = model.bias.size(0);
  Ids next = Ids::full({batch, length}, 0);
  for (int i = 0; i < batch * length; ++i) next[i] = tokens.at(i / length, i % length + 1);
  Tape tape;
  const Tensor x = add_positions(model.embedding(tokens));
  const Tensor h = model.layers(x, causal_mask(length + 1, length + 1));
  const Tensor all = matmul(reshape(h, {batch * (length + 1), h.size(2)}), model.embedding.weight,
                            Transpose::yes) +
                     model.bias;
  const Tensor z = slice(reshape(all, {batch, length + 1, words}), 1, 0, length);
  const Gradients gradients = tape.backward(cross_entropy(z, next));
  return gradients.of(weight);
}

Tensor number(double x) { return Tensor::full({}, static_cast<float>(x)); }

}  // namespace

TEST_CASE("logits: the equations of chapters 1 to 5") {
  const int words = exercise::given(7), layers = exercise::given(2, 1, 3);
  const exercise::LanguageModel model = drawn({words, 8, 12, 2, layers}, 901);
  const Ids ids = tokens_of(3, exercise::given(5), words, 902);
  COMPARE("logits", all_scores(model, ids), exercise::logits(model, ids));
}

TEST_CASE("logits: no token changes the scores before it") {
  const exercise::LanguageModel model = drawn({9, 6, 10, 3, 2}, 903);
  const Ids ids = tokens_of(2, 6, 9, 904);
  Ids other = Ids::full({2, 6}, 0);
  for (int i = 0; i < 12; ++i) other[i] = i % 6 < 3 ? ids[i] : (ids[i] + 1) % 9;
  COMPARE("logits of the first 3 of 6", slice(all_scores(model, ids), 1, 0, 3),
          slice(exercise::logits(model, other), 1, 0, 3));
}

TEST_CASE("loss: every token from those before it") {
  const exercise::LanguageModel model = drawn({8, 6, 10, 2, 1}, 905);
  const Ids tokens = tokens_of(3, exercise::given(6), 8, 906);
  COMPARE("loss of 3 rows", number(cost(model, tokens)), exercise::loss(model, tokens));
  const Ids shortest = tokens_of(2, 2, 8, 907);
  COMPARE("loss of 2 rows of 2 tokens", number(cost(model, shortest)),
          exercise::loss(model, shortest));
}

TEST_CASE("loss: the table learns as input and as output") {
  const exercise::LanguageModel model = drawn({5, 6, 8, 2, 1}, 908);
  const Ids tokens = tokens_of(2, 5, 5, 909);
  const auto own = [&](const Tensor& weight) {
    Tape tape;
    const Gradients gradients = tape.backward(exercise::loss(model, tokens));
    return gradients.of(weight);
  };
  const Tensor &table = model.embedding.weight, &bias = model.bias;
  COMPARE_GRADIENT("gradient of the table", gradient(model, table, tokens), own(table));
  COMPARE_GRADIENT("gradient of the bias", gradient(model, bias, tokens), own(bias));
}

TEST_CASE("hidden_units: as many parameters as asked for") {
  using exercise::given, exercise::hidden_units, exercise::LanguageModelSizes;
  // One parameter more each time, over more than one hidden unit: what is counted wrongly moves
  // the place where the result grows. With an odd number of layers, no two are equally near.
  const LanguageModelSizes sizes{given(13, 11, 17), 4, 1, 2, exercise::either(true) ? 5 : 3};
  std::vector<std::int64_t> asked = {100};
  for (int i = 0; i < 60; ++i) asked.push_back(800 + i);
  const auto nearest = [&] {
    std::vector<std::int64_t> counts;  // of models with 1, 2, ... hidden units
    for (int units = 1; units < 60; ++units) {
      Random random(1);
      LanguageModelSizes wider = sizes;
      wider.d_ff = units;
      exercise::LanguageModel model(wider, random);
      counts.push_back(parameter_count(parameters(model)));
    }
    std::vector<float> units;
    for (const std::int64_t wanted : asked) {
      const auto best =
          std::min_element(counts.begin(), counts.end(), [&](std::int64_t one, std::int64_t other) {
            return std::abs(one - wanted) < std::abs(other - wanted);
          });
      units.push_back(static_cast<float>(best - counts.begin() + 1));
    }
    return Tensor::from({static_cast<int>(units.size())}, units);
  };
  const auto own = [&] {
    std::vector<float> units;
    for (const std::int64_t wanted : asked)
      units.push_back(static_cast<float>(hidden_units(sizes, wanted)));
    return Tensor::from({static_cast<int>(units.size())}, units);
  };
  COMPARE("d_ff for 100 parameters, then for 800 and one more each time", nearest(), own());

  const LanguageModelSizes large{50'000, 8192, 1, 64, 40};
  const std::int64_t many = 10'000'000'000 * given(3, 2, 4);
  const auto of_large = [&] {  // matrix by matrix
    const double d = large.d_model, ends = large.vocabulary * (d + 1) + 2 * d;
    double layer = 0;
    for (int projection = 0; projection < 4; ++projection) layer += d * d + d;
    for (int norm = 0; norm < 2; ++norm) layer += 2 * d;
    const double unit = d + 1 + d;
    return number(std::round(((double(many) - ends) / large.layers - layer - d) / unit));
  };
  COMPARE("d_ff for a few 10^10 parameters", of_large(), number(hidden_units(large, many)));
}
