#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;

// These rows and columns, down and across a number of times.
static Ids repeated(const Ids& once, int down, int across) {
  const int rows = once.size(0), columns = once.size(1);
  Ids all = Ids::full({down * rows, across * columns}, 0);
  for (int i = 0; i < all.count(); ++i) {
    const int row = i / (across * columns) % rows, column = i % columns;
    all[i] = once.at(row, column);
  }
  return all;
}

// Of the first test; the last one has the other.
static bool training_first() {
  static const bool first = exercise::either(true);
  return first;
}

static void check(const std::string& name, float usual_p, bool training, const Ids& usual_keep) {
  const float p = usual_p > 0 ? exercise::given(usual_p, 0.1f, 0.85f) : 0;
  const int down = exercise::given(1), across = exercise::given(1, 2, 5);
  const Ids kept = exercise::shuffled(repeated(usual_keep, down, across));
  const Tensor keep = Tensor::from(kept.shape(), std::vector<float>(kept.begin(), kept.end()));
  const Tensor x = exercise::random(keep.shape(), 71);
  const auto wanted = [&] { return training ? x * keep * (1 / (1 - p)) : x; };
  COMPARE(name, wanted(), exercise::dropout(to_xt<2>(x), to_xt<2>(keep), p, training));
}

TEST_CASE("in training, what is kept is scaled up to preserve the mean") {
  check("y, p = 0.25", 0.25f, training_first(), {{2, 4}, {1, 0, 1, 1, 1, 1, 1, 0}});
  check("y, p = 0", 0, true, {{2, 3}, {1, 1, 1, 1, 1, 1}});
}

TEST_CASE("the less often a number is kept, the larger it is made") {
  check("y, p = 0.8", 0.8f, exercise::either(true), {{3, 2}, {0, 1, 0, 0, 0, 0}});
}

TEST_CASE("at inference nothing is dropped and nothing is scaled") {
  check("y, not training", 0.4f, !training_first(), {{2, 3}, {1, 0, 1, 1, 1, 0}});
}

// Of every hundred numbers, 100 p become 0 and the others x / (1 - p).
TEST_CASE("how much the results scatter") {
  const float p = exercise::given(0.3f, 0.1f, 0.85f);
  const Tensor x =
      exercise::random({exercise::given(2, 2, 9), exercise::given(3, 3, 20)}, 72, 2.0f);
  const auto wanted = [&] {
    std::vector<float> spread;
    for (float each : x.values()) {
      const float kept = each / (1 - p), mean = (1 - p) * kept;
      spread.push_back(p * mean * mean + (1 - p) * (kept - mean) * (kept - mean));
    }
    return Tensor::from(x.shape(), spread);
  };
  COMPARE("variance, p = 0.3", wanted(), exercise::variance(to_xt<2>(x), p));
  COMPARE("variance, p = 0", Tensor::zeros(x.shape()), exercise::variance(to_xt<2>(x), 0));
}

TEST_CASE("what the missing division does after several layers") {
  const float p = exercise::given(0.1f, 0.1f, 0.5f);
  const auto wanted = [](int layers, float share) {
    double trained = 1, used = 1;  // the mean of a number in training, and at inference
    for (int layer = 0; layer < layers; ++layer) trained *= 1 - double(share);
    return Tensor::full({1}, static_cast<float>(used / trained));
  };
  for (int layers : {1, 6, exercise::given(12, 20, 40)})
    COMPARE("too large by, p = 0.1, layers: " + std::to_string(layers), wanted(layers, p),
            Tensor::full({1}, static_cast<float>(exercise::too_large(layers, p))));
  const float most = exercise::given(0.8f, 0.6f, 0.95f);
  for (int layers : {1, exercise::given(4)})
    COMPARE("too large by, p = 0.8, layers: " + std::to_string(layers), wanted(layers, most),
            Tensor::full({1}, static_cast<float>(exercise::too_large(layers, most))));
}
