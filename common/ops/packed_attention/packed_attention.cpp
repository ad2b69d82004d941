#include "ops/packed_attention/packed_attention.hpp"

#include <algorithm>
#include <limits>

#include "ops/check.hpp"
#include "ops/dropout/dropout.hpp"
#include "ops/dropout/kernels.hpp"
#include "ops/packed_attention/kernels.hpp"
#include "tensor/parallel.hpp"

namespace xf {

namespace {

bool are_starts(const std::vector<int>& starts, int count) {
  return !starts.empty() && starts.front() == 0 && starts.back() == count &&
         std::is_sorted(starts.begin(), starts.end());
}

void check(const Tensor& q, const Tensor& k, const Tensor& v, const Packing& packing, int heads) {
  const bool fits = q.rank() == 3 && k.rank() == 3 && q.size(0) == 1 && k.size(0) == 1 &&
                    q.size(2) == k.size(2) && k.shape() == v.shape() && heads > 0 &&
                    q.size(2) % heads == 0;
  require(fits, "packed_attention", [&] {
    return "q (1, N, D), k and v (1, M, D), and heads that divide D wanted: q is " +
           q.shape().str() + ", k is " + k.shape().str() + ", v is " + v.shape().str() + ", " +
           std::to_string(heads) + " heads";
  });
  require(are_starts(packing.queries, q.size(1)) && are_starts(packing.keys, k.size(1)) &&
              packing.queries.size() == packing.keys.size(),
          "packed_attention", [&] {
            return "as many sentences of queries as of keys wanted, which end at " +
                   std::to_string(q.size(1)) + " and " + std::to_string(k.size(1));
          });
}

// Where the weights of each sentence begin: those of its heads follow one another.
std::vector<std::ptrdiff_t> weight_starts(const Packing& p, int heads) {
  std::vector<std::ptrdiff_t> starts = {0};
  for (std::size_t i = 0; i + 1 < p.queries.size(); ++i)
    starts.push_back(starts.back() + std::ptrdiff_t(heads) * (p.queries[i + 1] - p.queries[i]) *
                                         (p.keys[i + 1] - p.keys[i]));
  return starts;
}

// Calls body(head, offset of its queries, of its keys, of its weights) for every head of every
// sentence; sentences side by side on the threads.
template <class Body>
void for_each_head(const Packing& p, int heads, int width, const Body& body) {
  const std::vector<std::ptrdiff_t> weights = weight_starts(p, heads);
  const auto sentences = static_cast<std::ptrdiff_t>(p.queries.size()) - 1;
  parallel_for(sentences, 4, [&](std::ptrdiff_t first, std::ptrdiff_t last) {
    for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
      const int queries = p.queries[i + 1] - p.queries[i], keys = p.keys[i + 1] - p.keys[i];
      const kernel::Head head{queries, keys, width / heads, width, p.causal};
      for (std::ptrdiff_t h = 0; h < heads; ++h)
        body(head, std::ptrdiff_t(p.queries[i]) * width + h * head.d_k,
             std::ptrdiff_t(p.keys[i]) * width + h * head.d_k, weights[i] + h * queries * keys);
    }
  });
}

}  // namespace

Tensor packed_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Packing& packing,
                        int heads, float dropout_rate) {
  check(q, k, v, packing, heads);
  const int width = q.size(2);
  const std::ptrdiff_t all_weights = weight_starts(packing, heads).back();
  require(all_weights <= std::numeric_limits<int>::max(), "packed_attention",
          [&] { return std::to_string(all_weights) + " weights are more than a tensor holds"; });
  const auto weight_count = static_cast<int>(all_weights);
  const std::uint64_t key = dropout_key(dropout_rate);
  const auto dropped = [=](const Tensor& x) {
    if (key == 0) return x;
    Tensor y = Tensor::empty(x.shape(), x.device());
    dispatch(x.device(), [&](auto on) {
      kernel::dropout(on, x.data(), dropout_rate, key, y.data(), x.count());
    });
    return y;
  };
  Tensor weights = Tensor::empty({weight_count}, q.device()), y = Tensor::empty(q.shape());
  dispatch(q.device(), [&](auto on) {
    for_each_head(packing, heads, width, [&](const kernel::Head& head, auto at, auto from, auto w) {
      kernel::head_weights(on, head, q.data() + at, k.data() + from, weights.data() + w);
    });
    const Tensor kept = dropped(weights);
    for_each_head(packing, heads, width, [&](const kernel::Head& head, auto at, auto from, auto w) {
      kernel::head_output(on, head, kept.data() + w, v.data() + from, y.data() + at);
    });
  });
  return record("packed_attention", y, {&q, &k, &v}, [=](InputGradients& inputs, const Tensor& dy) {
    Tensor dq = Tensor::empty(q.shape()), dk = Tensor::empty(k.shape()),
           dv = Tensor::empty(v.shape()), dweights = Tensor::empty({weight_count});
    dispatch(dy.device(), [&](auto on) {
      const Tensor kept = dropped(weights);
      for_each_head(
          packing, heads, width, [&](const kernel::Head& head, auto at, auto from, auto w) {
            kernel::head_output_backward(on, head, kept.data() + w, v.data() + from, dy.data() + at,
                                         dweights.data() + w, dv.data() + from);
          });
      Tensor dp = dropped(dweights);
      for_each_head(packing, heads, width,
                    [&](const kernel::Head& head, auto at, auto from, auto w) {
                      kernel::head_weights_backward(on, head, weights.data() + w, q.data() + at,
                                                    k.data() + from, dp.data() + w, dq.data() + at,
                                                    dk.data() + from);
                    });
    });
    inputs.add(0, std::move(dq));
    inputs.add(1, std::move(dk));
    inputs.add(2, std::move(dv));
  });
}

}  // namespace xf
