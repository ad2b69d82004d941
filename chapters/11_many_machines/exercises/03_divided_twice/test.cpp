#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;
using exercise::as_processes, exercise::columns_that_differ, exercise::given, exercise::Shard;

namespace {

constexpr int padding = -1, width = 3, classes = 4;
constexpr float no_limit = 1e9f;

Tensor weights() { return exercise::random({width, classes}, 381); }

// A sentence of `tokens` tokens and some padding, in any place.
Shard shard(int tokens, std::uint64_t seed) {
  Random random(exercise::salted(seed));
  const int length = tokens + 1 + random.below(3);
  Ids targets = Ids::full({length}, padding);
  for (int left = tokens; left > 0;)
    if (std::int32_t& target = targets[random.below(length)]; target == padding) {
      target = random.below(classes);
      --left;
    }
  return {exercise::random({length, width}, seed + 1), targets};
}

std::vector<Shard> shards(const std::vector<int>& tokens) {
  std::vector<Shard> all;
  for (int count : tokens) all.push_back(shard(count, 390 + 2 * all.size()));
  return all;
}

// Away from the others' in memory.
Shard alone(const Shard& shard) { return {shard.x.clone(), shard.targets}; }

// A row a process: the gradient, the loss and the norm.
Tensor own(const std::vector<Shard>& batch, float limit) {
  const int n = int(batch.size()), count = width * classes;
  return as_processes(Tensor::zeros({n, count + 2}), Delivery::boxes,
                      [&](Endpoint& self, std::span<float> row) {
                        const Tensor w = parameter(weights());
                        const Shard own = alone(batch[std::size_t(self.rank())]);
                        const exercise::Step step = exercise::step_of_batch(self, w, own, limit);
                        for (int i = 0; i < count; ++i)
                          row[std::size_t(i)] = step.gradient.at(std::size_t(i));
                        row[std::size_t(count)] = step.loss;
                        row[std::size_t(count + 1)] = step.norm;
                      })
      .numbers;
}

// The same of one process that has all of it; from the equation, in double.
Tensor whole(const std::vector<Shard>& batch, float limit) {
  const Tensor w = weights();
  std::vector<double> gradient(width * classes);
  double loss = 0, tokens = 0;
  for (const Shard& shard : batch)
    for (int s = 0; s < shard.x.size(0); ++s) {
      if (shard.targets[s] == padding) continue;
      double logits[classes] = {}, sum = 0;
      for (int v = 0; v < classes; ++v) {
        for (int d = 0; d < width; ++d)
          logits[v] += double(shard.x.values()[s * width + d]) * w.values()[d * classes + v];
        sum += std::exp(logits[v]);
      }
      loss += std::log(sum) - logits[shard.targets[s]];
      for (int d = 0; d < width; ++d)
        for (int v = 0; v < classes; ++v)
          gradient[std::size_t(d * classes + v)] +=
              shard.x.values()[s * width + d] *
              (std::exp(logits[v]) / sum - (v == shard.targets[s] ? 1 : 0));
      ++tokens;
    }
  double squares = 0;
  for (double& g : gradient) g /= std::max(tokens, 1.0), squares += g * g;
  const double norm = std::sqrt(squares), scale = norm > limit ? limit / norm : 1;
  std::vector<float> rows;
  for (std::size_t r = 0; r < batch.size(); ++r) {
    for (double g : gradient) rows.push_back(float(g * scale));
    rows.push_back(float(loss / std::max(tokens, 1.0)));
    rows.push_back(float(norm));
  }
  return Tensor::from({int(batch.size()), width * classes + 2}, rows);
}

Tensor columns(const Tensor& all, int first, int count) { return slice(all, 1, first, count); }

std::string name(const std::vector<int>& usual) {
  std::string text = ", tokens:";
  for (int count : usual) text += " " + std::to_string(count);
  return text;
}

void check(const std::vector<int>& usual, const std::vector<int>& tokens, float limit = no_limit) {
  const std::vector<Shard> batch = shards(tokens);
  constexpr int count = width * classes;
  COMPARE("loss at each process" + name(usual), columns(whole(batch, limit), count, 1),
          columns(own(batch, limit), count, 1));
  COMPARE("norm at each process" + name(usual), columns(whole(batch, limit), count + 1, 1),
          columns(own(batch, limit), count + 1, 1));
  COMPARE("gradient at each process" + name(usual), columns(whole(batch, limit), 0, count),
          columns(own(batch, limit), 0, count));
}
void check(const std::vector<int>& usual, float limit = no_limit) {
  std::vector<int> tokens;
  for (int count : usual) tokens.push_back(count == 0 ? 0 : given(count));
  check(usual, tokens, limit);
}

}  // namespace

TEST_CASE("one process") { check({5}); }

TEST_CASE("shards with as many tokens each") {
  for (int n = 2; n <= 5; ++n)
    check(std::vector<int>(std::size_t(n), 4), std::vector<int>(std::size_t(n), given(4)));
}

TEST_CASE("shards of different length") {
  check({2, 7});
  check({3, 1, 8});
  check({9, 2, 4, 1});
  check({1, 6, 2, 11, 3});
}

TEST_CASE("a shard without a token") {
  check({5, 0});
  check({0, 3, 6});
  check({0, 4, 0, 2, 7});
}

TEST_CASE("clipped by the norm of the whole batch's gradient") {
  check({5}, given(0.125f, 0.05f, 0.15f));
  check({2, 7}, given(0.125f, 0.05f, 0.15f));
  check({3, 0, 8, 1}, given(0.0625f, 0.02f, 0.08f));
  // The limit lies between the norm, about 0.5, and its square.
  check({30, 20, 40}, given(0.35f, 0.32f, 0.38f));
}

TEST_CASE("no token anywhere") {
  check({0});
  check({0, 0, 0});
}
