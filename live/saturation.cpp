#include "live/saturation.hpp"

#include "02_attention/saturation.hpp"
#include "nn/init.hpp"
#include "ops/elementwise/elementwise.hpp"
#include "ops/matmul/matmul.hpp"
#include "ops/shape/shape_ops.hpp"

namespace xf::live {

namespace {

constexpr int queries = 256, keys = 16, widest = 1024;

std::vector<float> first_row(const Tensor& x) {
  return {x.values().begin(), x.values().begin() + x.size(1)};
}

// scores, upstream: (queries, keys)
Json described(const Tensor& scores, const Tensor& upstream) {
  const Saturation found = Saturation::of(scores, upstream);
  return {{"scores", first_row(scores)},  {"weights", first_row(softmax(scores))},
          {"deviation", found.deviation}, {"entropy", found.entropy},
          {"largest", found.largest},     {"gradient", found.gradient},
          {"median", found.median}};
}

}  // namespace

Json saturation(Fields& request) {
  Random random(static_cast<std::uint64_t>(request.integer("seed", 0, 1 << 30, 1)));
  request.done();
  const Tensor q = normal({queries, widest}, 1, random), k = normal({keys, widest}, 1, random);
  const Tensor upstream = normal({queries, keys}, 1, random);
  Json answer = {{"d_k", Json::array()},
                 {"raw", Json::array()},
                 {"scaled", Json::array()},
                 {"divided", Json::array()}};
  for (int d_k = 1; d_k <= widest; d_k *= 2) {
    const Tensor scores = matmul(slice(q, 1, 0, d_k), slice(k, 1, 0, d_k), Transpose::yes);
    answer["d_k"].push_back(d_k);
    answer["raw"].push_back(described(scores, upstream));
    answer["scaled"].push_back(
        described(scale(scores, 1 / std::sqrt(static_cast<float>(d_k))), upstream));
    answer["divided"].push_back(described(scale(scores, 1 / static_cast<float>(d_k)), upstream));
  }
  return answer;
}

}  // namespace xf::live
