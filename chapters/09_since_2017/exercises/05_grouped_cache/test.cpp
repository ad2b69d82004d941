#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;

namespace {

// What a text of T positions brings, step by step.
struct Text {
  int heads, groups;
  Tensor q, k, v;  // (T, H, Dk), (T, G, Dk)

  Text(int usual_groups, int usual_shared, int usual_length, std::uint64_t seed,
       float deviation = 1)
      : heads(0), groups(usual_groups) {
    // A long text has few heads, because the time that it takes grows with both.
    const bool is_long = usual_length > 99;
    groups = is_long ? exercise::within(usual_groups, usual_groups, usual_groups + 1)
                     : exercise::given(usual_groups, usual_groups, usual_groups + 1);
    heads = groups * (usual_shared < 3 ? usual_shared : exercise::given(usual_shared));
    const int d_k = exercise::given(4), length = exercise::given(usual_length);
    q = exercise::random({length, heads, d_k}, seed, deviation);
    k = exercise::random({length, groups, d_k}, seed + 1, deviation);
    v = exercise::random({length, groups, d_k}, seed + 2);
  }
};

exercise::Rows at(const Tensor& x, int position) {
  return to_xt<2>(reshape(slice(x, 0, position, 1), {x.size(1), x.size(2)}));
}

// The last position's result of all the text at once, head by head: (H, Dk).
Tensor reference(const Text& text) {
  const int length = text.q.size(0), d_k = text.q.size(2);
  std::vector<float> out;
  for (int h = 0; h < text.heads; ++h) {
    const int g = h * text.groups / text.heads;
    std::vector<double> weights;
    double sum = 0;
    const auto number = [&](const Tensor& x, int heads, int s, int head, int j) {
      return double(x.data(Cpu{})[(s * heads + head) * d_k + j]);
    };
    for (int s = 0; s < length; ++s) {
      double score = 0;
      for (int j = 0; j < d_k; ++j)
        score +=
            number(text.q, text.heads, length - 1, h, j) * number(text.k, text.groups, s, g, j);
      weights.push_back(score / std::sqrt(double(d_k)));
    }
    const double largest = *std::max_element(weights.begin(), weights.end());
    for (double& weight : weights) sum += weight = std::exp(weight - largest);
    for (int j = 0; j < d_k; ++j) {
      double y = 0;
      for (int s = 0; s < length; ++s)
        y += weights[std::size_t(s)] / sum * number(text.v, text.groups, s, g, j);
      out.push_back(float(y));
    }
  }
  return Tensor::from({text.heads, d_k}, out);
}

// The learner's cache after the text, and what its last step returned.
std::pair<Tensor, exercise::Cache> read(const Text& text) {
  exercise::Cache cache;
  Tensor y;
  for (int t = 0; t < text.q.size(0); ++t)
    y = from_xt(exercise::step(at(text.q, t), at(text.k, t), at(text.v, t), cache));
  return {y, cache};
}

void check(const std::string& what, const Text& text) {
  COMPARE(what, reference(text), read(text).first);
}

Tensor number(std::int64_t value) { return Tensor::from({1}, {float(value)}); }

void check_planned(int layers, int groups, int d_k, int positions, int bytes) {
  std::string call;
  for (const int each : {layers, groups, d_k, positions, bytes})
    call += (call.empty() ? "planned_bytes(" : ", ") + std::to_string(each);
  COMPARE(call + ")", number(std::int64_t{layers} * 2 * groups * d_k * positions * bytes),
          number(exercise::planned_bytes(layers, groups, d_k, positions, bytes)));
}

}  // namespace

TEST_CASE("the first token sees itself, and its group's value") {
  Text text(2, 2, 1, 921);
  text.q = slice(text.q, 0, 0, 1), text.k = slice(text.k, 0, 0, 1), text.v = slice(text.v, 0, 0, 1);
  check("y of one position", text);
}

TEST_CASE("three query heads share one key head") {
  check("y of the last position, R = 3", Text(2, 3, 5, 924));
  check("y of the last position, R = 2", Text(3, 2, 4, 927));
  check("y behind 300 positions", Text(2, 2, 300, 943));
}

TEST_CASE("a key head for each query head, or one for all") {
  check("y, G = H", Text(3, 1, 4, 930));
  check("y, one head of keys", Text(1, 4, 4, 933));
}

TEST_CASE("large scores stay finite") {
  check("y, scores of several hundred", Text(2, 2, 4, 939, 15));
  check("y, scores of a hundred, G = H", Text(3, 1, 4, 946, 11));
  check("y, scores of a hundred, one head of keys", Text(1, 4, 4, 949, 11));
}

TEST_CASE("the bytes that the cache takes") {
  const Text text(2, 3, 5, 936);
  COMPARE("bytes", number(std::int64_t{8} * text.k.count()), number(bytes_of(read(text).second)));
  COMPARE("bytes of an empty cache", number(0), number(bytes_of(exercise::Cache{})));
}

TEST_CASE("the bytes that a model will need") {
  const int layers = exercise::given(24), groups = exercise::given(2),
            d_k = 16 * exercise::given(4);
  const int positions = 1024 * exercise::given(4);
  for (const int bytes : {4, 2, exercise::given(1, 3, 9)})
    check_planned(layers, groups, d_k, positions, bytes);
  check_planned(exercise::given(80), 8, 128, 1024 * 1024 * exercise::given(1), 2);
}
