#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;

namespace {

using Matrix = xt::xtensor<float, 2>;

Tensor whole(const Tensor& q, const Tensor& k, const Tensor& v, bool causal) {
  const int t = q.size(0), s = k.size(0), columns = v.size(1);
  std::vector<float> output;
  for (int i = 0; i < t; ++i) {
    std::vector<double> weights(static_cast<std::size_t>(s), 0.0);
    double largest = -1e300, total = 0;
    const int visible = causal ? std::max(0, i + s - t + 1) : s;
    for (int j = 0; j < visible; ++j) {
      double dot = 0;
      for (int d = 0; d < q.size(1); ++d)
        dot += double(q.values()[i * q.size(1) + d]) * k.values()[j * q.size(1) + d];
      weights[std::size_t(j)] = dot / std::sqrt(double(q.size(1)));
      largest = std::max(largest, weights[std::size_t(j)]);
    }
    for (int j = 0; j < visible; ++j)
      total += weights[std::size_t(j)] = std::exp(weights[std::size_t(j)] - largest);
    for (int d = 0; d < columns; ++d) {
      double sum = 0;
      for (int j = 0; j < visible; ++j)
        sum += weights[std::size_t(j)] * v.values()[j * columns + d];
      output.push_back(visible == 0 ? 0 : static_cast<float>(sum / total));
    }
  }
  return Tensor::from({t, columns}, output);
}

float blocks(int t, int s, int block, bool causal) {
  int count = 0;
  for (int i = 0; i < t; ++i)
    for (int first = 0; first < s; first += block) count += !causal || first <= i + s - t;
  return static_cast<float>(count);
}

void check(const std::string& what, const Tensor& q, const Tensor& k, int usual_columns,
           int usual_block, bool usual_causal) {
  const int columns = exercise::given(usual_columns), block = exercise::given(usual_block);
  const bool causal = exercise::either(usual_causal);
  const Tensor v = exercise::random({k.size(0), columns}, 253);
  const auto own = [&] {
    return exercise::attention_in_blocks(to_xt<2>(q), to_xt<2>(k), to_xt<2>(v), block, causal);
  };
  COMPARE("output, " + what, whole(q, k, v, causal), from_xt(own().output));
  COMPARE("blocks read, " + what, Tensor::full({1}, blocks(q.size(0), k.size(0), block, causal)),
          Tensor::full({1}, static_cast<float>(own().blocks_read)));
}

}  // namespace

TEST_CASE("blocks of any size give the same") {
  const Tensor q = exercise::random({3, 4}, 251, 2), k = exercise::random({7, 4}, 252);
  for (const int block : {1, 3, 7, 20})
    check("T = 3, S = 7, blocks of " + std::to_string(block), q, k, 5, block, false);
}

TEST_CASE("scores that rise or fall from block to block") {
  Tensor k = exercise::given({6, 1}, {-3, -2, 0, 1, 3, 5});
  const Tensor q = exercise::given({2, 1}, {1.5f, -1.5f});
  check("keys -3 to 5, queries 1.5 and -1.5", q, k, 2, 2, false);
}

TEST_CASE("large scores stay finite") {
  check("queries of about 200", exercise::random({2, 5}, 254, 200), exercise::random({8, 5}, 255),
        3, 3, false);
}

TEST_CASE("scores that are all far below 0") {
  check("keys 196 to 204, a query of -1", exercise::given({1, 1}, {-1}),
        exercise::given({5, 1}, {200, 202, 196, 204, 199}), 3, 2, false);
}

TEST_CASE("causal: the future is not seen, and its blocks are not read") {
  check("T = 4, S = 9, blocks of 2", exercise::random({4, 3}, 256), exercise::random({9, 3}, 257),
        2, 2, true);
  check("T = S = 5, blocks of 3", exercise::random({5, 2}, 258), exercise::random({5, 2}, 259), 4,
        3, true);
}

TEST_CASE("a query that sees no key gets 0") {
  check("T = 5, S = 3, blocks of 2", exercise::random({5, 4}, 260), exercise::random({3, 4}, 261),
        2, 2, true);
}
