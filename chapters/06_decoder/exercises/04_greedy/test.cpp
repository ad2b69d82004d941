#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;

namespace {

using Sentences = std::vector<std::vector<int>>;
using Matrix = xt::xtensor<float, 2>;

// Scores that depend on every word of the row: a model that never learned, and likes to end.
struct Untrained {
  int words;
  std::uint64_t seed;
  float eos_bonus;
  std::vector<std::vector<int>> asked;  // the rows of all calls, with a -1 behind each call

  Matrix operator()(const Ids& ids) {
    const std::size_t rows = static_cast<std::size_t>(ids.size(0));
    Matrix scores = xt::zeros<float>({rows, static_cast<std::size_t>(words)});
    for (int b = 0; b < ids.size(0); ++b) {
      asked.emplace_back(ids.begin() + b * ids.size(1), ids.begin() + (b + 1) * ids.size(1));
      std::uint64_t state = exercise::salted(seed) + std::uint64_t(b);
      for (int id : asked.back()) state = mix(state ^ std::uint64_t(id + 1));
      for (int v = 0; v < words; ++v)  // few different scores: some are equal
        scores(b, v) = float(mix(state + std::uint64_t(v)) % 6) + (v == 2 ? eos_bonus : 0);
    }
    asked.push_back({-1});
    return scores;
  }
};

Sentences reference(Untrained& model, int batch, int limit) {
  Sentences rows(static_cast<std::size_t>(batch), std::vector<int>{1});
  const auto ended = [](const std::vector<int>& row) {
    return std::find(row.begin(), row.end(), 2) != row.end();
  };
  for (int t = 0; t < limit && !std::all_of(rows.begin(), rows.end(), ended); ++t) {
    Ids ids = Ids::full({batch, t + 1}, 0);
    for (int b = 0; b < batch; ++b)
      std::copy(rows[b].begin(), rows[b].end(), ids.begin() + b * (t + 1));
    const Matrix scores = model(ids);
    for (int b = 0; b < batch; ++b) {
      int best = 2;
      for (int v = 3; v < model.words; ++v) best = scores(b, v) > scores(b, best) ? v : best;
      rows[b].push_back(ended(rows[b]) ? 0 : best);
    }
  }
  for (std::vector<int>& row : rows) {
    row.erase(row.begin());
    row.erase(std::find(row.begin(), row.end(), 2), row.end());
  }
  return rows;
}

// Lists of different lengths in one row of numbers, each behind its length.
Tensor flat(const Sentences& lists) {
  std::vector<float> numbers;
  for (const std::vector<int>& each : lists) {
    numbers.push_back(static_cast<float>(each.size()));
    numbers.insert(numbers.end(), each.begin(), each.end());
  }
  return Tensor::from({static_cast<int>(numbers.size())}, numbers);
}

void check(const std::string& what, Untrained model, int usual_batch, int usual_limit) {
  const int batch = exercise::given(usual_batch), limit = exercise::given(usual_limit);
  Untrained other = model;
  const auto own = [&] {
    return exercise::greedy([&](const Ids& words) { return other(words); }, batch, limit);
  };
  const auto count = [](const Untrained& m) {
    return static_cast<float>(std::count(m.asked.begin(), m.asked.end(), std::vector<int>{-1}));
  };
  COMPARE("each length and the words, " + what, flat(reference(model, batch, limit)), flat(own()));
  COMPARE("calls of the decoder, " + what, Tensor::full({1}, count(model)),
          Tensor::full({1}, count(other)));
  COMPARE("each length and the row given, " + what, flat(model.asked), flat(other.asked));
}

}  // namespace

TEST_CASE("a single sentence until its eos") {
  check("B = 1, V = 7", {7, 141, 0.5f, {}}, 1, 30);
  check("B = 1, V = 5", {5, 142, 1.5f, {}}, 1, 30);
}

TEST_CASE("each sentence ends at its own time") {
  check("B = 4, V = 9", {9, 143, 1.5f, {}}, 4, 40);
}

TEST_CASE("a model that never ends is stopped at the limit") {
  check("B = 3, limit 5", {6, 144, -9, {}}, 3, 5);
}

TEST_CASE("a model that ends at once writes nothing") {
  check("B = 2, limit 4", {8, 145, 9, {}}, 2, 4);
}
