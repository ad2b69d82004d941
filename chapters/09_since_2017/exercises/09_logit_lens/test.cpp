#include "support/test.hpp"
#include "exercise.hpp"
#include "ops/rms_norm/rms_norm.hpp"

using namespace xf;

namespace {

struct Model {
  Tensor gamma, table;
  float eps;

  Model(int words, int d, std::uint64_t seed, float usual_eps = 0.2f)
      : gamma(exercise::random({d}, seed)),
        table(exercise::random({words, d}, seed + 1)),
        eps(exercise::given(usual_eps, usual_eps, 2 * usual_eps)) {}
  exercise::Output output() const { return {to_xt<1>(gamma), eps, to_xt<2>(table)}; }
};

int sized(int usual) { return exercise::given(usual, usual, usual + 12); }
Tensor number(double value) { return Tensor::from({1}, {float(value)}); }

void check_lens(const std::string& what, float deviation, std::uint64_t seed) {
  const Model model(sized(7), sized(4), seed);
  const Tensor x = exercise::random({sized(3), model.gamma.size(0)}, seed + 2, deviation);
  COMPARE(what, matmul(rms_norm(x, model.gamma, model.eps), transpose(model.table)),
          from_xt(exercise::lens(to_xt<2>(x), model.output())));
}

void check_nats(const std::string& what, int length, float deviation, std::uint64_t seed) {
  const int words = sized(6);
  const Tensor logits = exercise::random({length, words}, seed, deviation);
  Random random(exercise::salted(seed + 1));
  std::vector<int> ids;
  for (int t = 0; t < length; ++t) ids.push_back(random.below(words));
  const auto wanted = [&] {
    double nats = 0;
    for (int t = 1; t < length; ++t) {
      const float* const row = logits.data(Cpu{}) + (t - 1) * words;
      const double largest = double(*std::max_element(row, row + words));
      double sum = 0;
      for (int v = 0; v < words; ++v) sum += std::exp(double(row[v]) - largest);
      nats += largest + std::log(sum) - double(row[ids[std::size_t(t)]]);
    }
    return number(nats / (length - 1));
  };
  COMPARE(what, wanted(), number(exercise::mean_nats(to_xt<2>(logits), ids)));
}

// Streams whose last rows say these tokens: the token's own row of an orthogonal table. The rows
// before say the token behind that one, and the next.
struct Said {
  int words;
  std::vector<int> tokens;

  exercise::Output output() const {
    return {to_xt<1>(Tensor::from({words}, std::vector<float>(std::size_t(words), 1))), 1e-5f,
            to_xt<2>(table())};
  }
  Tensor table() const {
    Tensor all = Tensor::zeros({words, words});
    for (int v = 0; v < words; ++v) copy_into(all, {1}, v * words + v);
    return all;
  }
  std::vector<exercise::Rows> streams() const {
    std::vector<exercise::Rows> all;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      Tensor x = exercise::random({3, words}, 970 + i, 0.1f);
      copy_into(x, {20.0f + float(i)}, (tokens[i] + 2) % words);
      copy_into(x, {40.0f + float(i)}, words + (tokens[i] + 1) % words);
      copy_into(x, {9.0f + 30 * float(i)}, 2 * words + tokens[i]);
      all.push_back(to_xt<2>(x));
    }
    return all;
  }
};

void check_decided(const std::string& what, std::vector<int> tokens, int answer, int expected) {
  const Said said{exercise::given(5), std::move(tokens)};
  COMPARE(what, number(expected),
          number(exercise::decided_at(said.streams(), said.output(), answer)));
}

}  // namespace

TEST_CASE("the logits of a stream of states") {
  check_lens("logits", 1, 971);
  const Model one(sized(5), 1, 974);
  const Tensor x = exercise::random({2, 1}, 977);
  COMPARE("logits, D = 1", matmul(rms_norm(x, one.gamma, one.eps), transpose(one.table)),
          from_xt(exercise::lens(to_xt<2>(x), one.output())));
}

TEST_CASE("a stream of any size is read") {
  check_lens("logits, states of several hundred", 500, 981);
  check_lens("logits, states near 0", 0.01f, 984);
  check_lens("logits, states of 0", 0, 987);
}

TEST_CASE("what the next tokens cost") {
  check_nats("nats", sized(5), 1, 991);
  check_nats("nats of two tokens", 2, 1, 993);
}

TEST_CASE("large logits stay finite") { check_nats("nats, large logits", sized(4), 150, 995); }

TEST_CASE("the layer from which the answer stays") {
  check_decided("it says so from the third stream on", {0, 1, 2, 2, 2}, 2, 2);
  check_decided("it said so before, and changed its mind", {2, 2, 1, 2, 2}, 2, 3);
  check_decided("the last one alone", {0, 0, 3}, 3, 2);
  check_decided("all of them", {1, 1, 1}, 1, 0);
  check_decided("the last one says another", {4, 4, 0}, 4, 3);
  check_decided("only the position before says so", {0, 1, 2, 2, 2}, 3, 5);
  check_decided("only the first position says so", {0, 1, 2, 2, 2}, 4, 5);
}
