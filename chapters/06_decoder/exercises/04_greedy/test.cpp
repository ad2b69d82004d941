#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;

namespace {

using Sentences = std::vector<std::vector<int>>;

// ---- the models, which write down what they are asked -------------------------------------------

struct Model {
  int words;
  std::uint64_t seed;
  float eos_bonus;
  // Its scores are 0 to 5, of which some are equal; else normal numbers, less a drawn 5 to 500.
  bool whole = true;
};
// Those of the tests, by number.
const std::vector<Model> models = {{7, 141, 0.5f}, {5, 142, 1.5f}, {9, 143, 1.5f},
                                   {6, 144, -9},   {8, 145, 9},    {12, 146, 0.5f, false}};

// With XF_SALT, of more words.
Model model_of(int number) {
  Model model = models[std::size_t(number)];
  model.words = exercise::given(model.words, model.words, model.words + 20);
  return model;
}

struct Asked {
  int calls = 0;
  std::vector<float> rows;  // each behind its length, and a -1 behind each call
};
Asked& asked() {
  static Asked since_the_start;
  return since_the_start;
}

// Scores that depend on every word of the row: a model that never learned, and likes to end.
Tensor scored(const Model& model, const Tensor& words) {
  if (words.rank() != 2)
    throw std::invalid_argument("the decoder reads words of shape (B, t + 1), these are " +
                                words.shape().str());
  const int batch = words.size(0), length = words.size(1);
  const std::vector<float> ids = words.values();
  xt::xtensor<float, 2> scores = xt::zeros<float>({batch, model.words});
  const double below = Random(exercise::salted(model.seed)).uniform(5, 500);
  for (int b = 0; b < batch; ++b) {
    const auto begin = ids.begin() + b * length;
    asked().rows.push_back(static_cast<float>(length));
    asked().rows.insert(asked().rows.end(), begin, begin + length);
    std::uint64_t state = exercise::salted(model.seed) + std::uint64_t(b);
    for (int t = 0; t < length; ++t) state = mix(state ^ std::uint64_t(std::int64_t(begin[t]) + 1));
    for (int v = 0; v < model.words; ++v) {
      const std::uint64_t drawn = mix(state + std::uint64_t(v));
      const float score = model.whole ? float(drawn % 6) : float(Random(drawn).normal() - below);
      scores(b, v) = score + (v == 2 ? model.eos_bonus : 0);
    }
  }
  asked().rows.push_back(-1);
  ++asked().calls;
  return from_xt(scores);
}

// What was asked since this was called before: how often, and each row.
std::pair<Tensor, Tensor> all_asked() {
  const auto [calls, rows] = std::exchange(asked(), {});
  return {Tensor::full({}, float(calls)), Tensor::from({static_cast<int>(rows.size())}, rows)};
}

// ---- the learner's search -----------------------------------------------------------------------

Tensor numbers(const Ids& ids) {
  return Tensor::from(ids.shape(), std::vector<float>(ids.begin(), ids.end()));
}

Sentences wanted(const Model& model, int batch, int limit) {
  Sentences rows(static_cast<std::size_t>(batch), std::vector<int>{1});
  const auto ended = [](const std::vector<int>& row) {
    return std::find(row.begin(), row.end(), 2) != row.end();
  };
  for (int t = 0; t < limit && !std::all_of(rows.begin(), rows.end(), ended); ++t) {
    Ids ids = Ids::full({batch, t + 1}, 0);
    for (int b = 0; b < batch; ++b)
      std::copy(rows[b].begin(), rows[b].end(), ids.begin() + b * (t + 1));
    const auto scores = to_xt<2>(scored(model, numbers(ids)));
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

void check(const std::string& what, int model, int usual_batch, int usual_limit) {
  const int batch = exercise::given(usual_batch, usual_batch, usual_batch + 9);
  const int limit = exercise::given(usual_limit, usual_limit, usual_limit + 12);
  const auto own = [&] {
    all_asked();  // what a test that ended early has left
    const auto decoder = [&](const Ids& words) {
      return to_xt<2>(scored(model_of(model), numbers(words)));
    };
    return exercise::greedy(decoder, batch, limit);
  };
  std::pair<Tensor, Tensor> given;
  const auto called = [&] { return given = all_asked(), given.first; };
  COMPARE("each length, then the words, " + what, flat(wanted(model_of(model), batch, limit)),
          flat(own()));
  COMPARE("calls of the decoder, " + what, called(), called());
  COMPARE("rows given to the decoder (length first, -1 after each call), " + what, given.second,
          given.second);
}

}  // namespace

TEST_CASE("a single sentence until its eos") {
  check("B = 1, V = 7", 0, 1, 30);
  check("B = 1, V = 5", 1, 1, 30);
}

TEST_CASE("each sentence ends at its own time") { check("B = 4, V = 9", 2, 4, 40); }

TEST_CASE("all scores are below 0, and close to each other") { check("B = 4, V = 12", 5, 4, 40); }

TEST_CASE("a model that never ends is stopped at the limit") { check("B = 3, limit = 5", 3, 3, 5); }

TEST_CASE("a model that ends at once writes nothing") { check("B = 2, limit = 4", 4, 2, 4); }
