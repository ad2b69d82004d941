#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;
using exercise::as_processes, exercise::given, exercise::Once, exercise::Shard, exercise::within;

namespace {

constexpr int padding = -1;
const int width = given(3), classes = given(4);
constexpr float no_limit = 1e9f;

Tensor weights() { return exercise::random({width, classes}, 381); }

// A batch in shards that have as many tokens in a try; another one in each run.
struct Batch {
  std::vector<int> tokens;
  int run;
  int times = 1;  // all x are multiplied by it
};

// A sentence of `tokens` tokens and some padding, in any place.
Shard shard(int tokens, std::uint64_t seed, int times) {
  Random random(exercise::salted(seed));
  const int length = tokens + 1 + random.below(3);
  Ids targets = Ids::full({length}, padding);
  for (int left = tokens; left > 0;)
    if (std::int32_t& target = targets[random.below(length)]; target == padding) {
      target = random.below(classes);
      --left;
    }
  return {float(times) * exercise::random({length, width}, seed + 1), targets};
}

// Some may have up to four tokens more: all as many, where all have as many.
std::vector<Shard> shards(const Batch& batch) {
  const std::vector<int>& tokens = batch.tokens;
  const bool alike = std::count(tokens.begin(), tokens.end(), tokens[0]) == std::ssize(tokens);
  const std::uint64_t first = 1000 + 100 * std::uint64_t(batch.run);
  std::vector<Shard> all;
  for (const int usual : tokens) {
    const std::uint64_t seed = first + 4 * all.size();
    const int more = exercise::order(5, alike ? first + 2 : seed + 2).at(0);
    all.push_back(shard(usual == 0 ? 0 : usual + more, seed, batch.times));
  }
  return all;
}

// A shard in a row: how long it is, its targets, its x; behind it, room for what comes of it.
const int answer = width * classes + 2;
std::vector<float> row_of(const Shard& shard, int length) {
  std::vector<float> row{float(shard.x.size(0))};
  for (const std::int32_t target : shard.targets) row.push_back(float(target));
  for (const float x : shard.x.values()) row.push_back(x);
  row.resize(std::size_t(std::max(answer, 1 + length * (1 + width))));
  return row;
}
Shard shard_of(std::span<const float> row) {
  const auto length = std::size_t(row[0]);
  Ids targets = Ids::full({int(length)}, padding);
  for (std::size_t s = 0; s < length; ++s) targets[int(s)] = std::int32_t(row[1 + s]);
  const std::span<const float> x = row.subspan(1 + length, length * std::size_t(width));
  return {Tensor::from({int(length), width}, {x.begin(), x.end()}), targets};
}

Tensor rows_of(const Batch& batch) {
  int longest = 0;
  const std::vector<Shard> all = shards(batch);
  for (const Shard& shard : all) longest = std::max(longest, shard.x.size(0));
  std::vector<float> rows;
  for (const Shard& shard : all)
    for (const float each : row_of(shard, longest)) rows.push_back(each);
  const int n = int(all.size());
  return Tensor::from({n, int(rows.size()) / n}, rows);
}

// A row a process: the gradient, the loss and the norm.
Tensor own(const Batch& batch, float limit) {
  const int n = int(batch.tokens.size()), count = width * classes;
  const auto step = [&](Endpoint& self, std::span<float> row) {
    const Tensor w = parameter(weights());
    const exercise::Step step = exercise::step_of_batch(self, w, shard_of(row), limit);
    for (int i = 0; i < count; ++i) row[std::size_t(i)] = step.gradient.at(std::size_t(i));
    row[std::size_t(count)] = step.loss;
    row[std::size_t(count + 1)] = step.norm;
  };
  return as_processes(
             n, [&] { return rows_of(batch); }, Delivery::boxes, step)
      .numbers;
}

// The same of one process that has all of it; from the equation, in double.
Tensor whole(const std::vector<Shard>& batch, float limit) {
  const Tensor w = weights();
  std::vector<double> gradient(std::size_t(width * classes));
  double loss = 0, tokens = 0;
  for (const Shard& shard : batch)
    for (int s = 0; s < shard.x.size(0); ++s) {
      if (shard.targets[s] == padding) continue;
      std::vector<double> logits(std::size_t(classes), 0.0);
      double sum = 0;
      for (int v = 0; v < classes; ++v) {
        for (int d = 0; d < width; ++d)
          logits[std::size_t(v)] +=
              double(shard.x.values()[s * width + d]) * w.values()[d * classes + v];
        sum += std::exp(logits[std::size_t(v)]);
      }
      loss += std::log(sum) - logits[std::size_t(shard.targets[s])];
      for (int d = 0; d < width; ++d)
        for (int v = 0; v < classes; ++v)
          gradient[std::size_t(d * classes + v)] +=
              shard.x.values()[s * width + d] *
              (std::exp(logits[std::size_t(v)]) / sum - (v == shard.targets[s] ? 1 : 0));
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

void check(const Batch& batch, float limit = no_limit) {
  const int count = width * classes;
  Once rows([&] { return own(batch, limit); });
  const auto wanted = [&] { return whole(shards(batch), limit); };
  COMPARE("loss at each process" + name(batch.tokens), columns(wanted(), count, 1),
          columns(*rows, count, 1));
  COMPARE("norm at each process" + name(batch.tokens), columns(wanted(), count + 1, 1),
          columns(*rows, count + 1, 1));
  COMPARE("gradient at each process" + name(batch.tokens), columns(wanted(), 0, count),
          columns(*rows, 0, count));
}

}  // namespace

TEST_CASE("one process") { check({{5}, 0}); }

TEST_CASE("shards with equally many tokens") {
  for (int n = 2; n <= 5; ++n) check({std::vector<int>(std::size_t(n), 4), n});
  check({std::vector<int>(std::size_t(within(8, 8, 12)), 4), 6});
}

TEST_CASE("shards of different lengths") {
  check({{2, 7}, 10});
  check({{3, 1, 8}, 11});
  check({{9, 2, 4, 1}, 12});
  check({{1, 6, 2, 11, 3}, 13});
  check({{4, 2, 7, 1, 5, 3, 6}, 14});
}

TEST_CASE("a shard without tokens") {
  check({{5, 0}, 20});
  check({{0, 3, 6}, 21});
  check({{0, 4, 0, 2, 7}, 22});
}

TEST_CASE("clipped by the norm of the whole batch's gradient") {
  check({{5}, 30}, given(0.125f, 0.05f, 0.15f));
  check({{2, 7}, 31}, given(0.125f, 0.05f, 0.15f));
  check({{3, 0, 8, 1}, 32}, given(0.0625f, 0.02f, 0.08f));
  // The limit lies between the norm, about 0.5, and its square.
  check({{30, 20, 40}, 33}, given(0.35f, 0.32f, 0.38f));
  // x times 5: the norm is some 2 to 10, with a limit above 1 below it, and one above it.
  check({{5, 8}, 34, 5}, given(1.5f, 1.1f, 2.0f));
  check({{6, 0, 9}, 35, 5}, given(30.0f, 20.0f, 40.0f));
}

TEST_CASE("no tokens anywhere") {
  check({{0}, 40});
  check({{0, 0, 0}, 41});
}
