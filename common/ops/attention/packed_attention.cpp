#include "ops/attention/packed_attention.hpp"

#include <algorithm>
#include <limits>

#include "autograd/recorder.hpp"
#include "ops/attention/kernels.hpp"
#include "ops/check.hpp"
#include "ops/dropout/dropout.hpp"

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

// The weights as (1, H, N, M), with 0 between sentences.
Tensor written_out(const kernel::PackedHeads& all, const Tensor& weights, const Tensor& dropped,
                   const Tensor& q, const Tensor& k) {
  Tensor whole = Tensor::zeros({1, all.heads, q.size(1), k.size(1)}, q.device());
  dispatch(q.device(), [&](auto on) {
    kernel::packed_written_out(on, all, {weights.data(on), dropped.data(on)}, q.data(on),
                               k.data(on), whole.data(on));
  });
  return whole;
}

}  // namespace

Tensor packed_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Packing& packing,
                        int heads, float dropout_rate) {
  check(q, k, v, packing, heads);
  const kernel::PackedHeads all(packing, heads, q.size(2));
  require(all.weight_count() <= std::numeric_limits<int>::max(), "packed_attention", [&] {
    return std::to_string(all.weight_count()) + " weights are more than a tensor holds";
  });
  const kernel::PackedDropout dropout{dropout_rate, dropout_key(dropout_rate)};
  const Device device = common_device("packed_attention", q, k, v);
  const kernel::PackedSizes sizes =
      dispatch(device, [&](auto on) { return kernel::packed_sizes(on, all, dropout); });
  const auto room = [=](std::ptrdiff_t count) {
    return Tensor::empty({static_cast<int>(count)}, device);
  };
  Tensor weights = room(sizes.weights),
         dropped = sizes.dropped == 0 ? weights : room(sizes.dropped),
         y = Tensor::empty(q.shape(), device);
  dispatch(device, [&](auto on) {
    kernel::attend_packed(on, all, dropout, q.data(on), k.data(on), v.data(on), weights.data(on),
                          dropped.data(on), y.output(on));
  });
  if (watched("weights")) watch("weights", written_out(all, weights, dropped, q, k));
  constexpr Op op{"packed_attention", "softmax(q k^T / sqrt(d_k)) v, within each sentence",
                  "through v, the softmax, and the product of the scores"};
  return record(op, y, {&q, &k, &v}, [=](InputGradients& inputs, const Tensor& dy) {
    Tensor dq = Tensor::empty(q.shape(), q.device()), dk = Tensor::empty(k.shape(), k.device()),
           dv = Tensor::empty(v.shape(), v.device());
    dispatch(dy.device(), [&](auto on) {
      kernel::attend_packed_backward(on, all, dropout, {weights.data(on), dropped.data(on)},
                                     {q.data(on), k.data(on), v.data(on), y.data(on), dy.data(on)},
                                     {dq.output(on), dk.output(on), dv.output(on)});
    });
    inputs.add(0, std::move(dq));
    inputs.add(1, std::move(dk));
    inputs.add(2, std::move(dv));
  });
}

}  // namespace xf
