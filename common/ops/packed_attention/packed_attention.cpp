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

std::ptrdiff_t sentences(const Packing& p) {
  return static_cast<std::ptrdiff_t>(p.queries.size()) - 1;
}

// Each head of sentence i.
kernel::Head head_of(const Packing& p, int heads, std::ptrdiff_t width, std::ptrdiff_t i) {
  const auto at = static_cast<std::size_t>(i);
  return {p.queries[at + 1] - p.queries[at], p.keys[at + 1] - p.keys[at], int(width) / heads, width,
          p.causal};
}

std::ptrdiff_t weight_count(const kernel::Head& head) {
  return std::ptrdiff_t(head.queries) * head.weight_stride();
}

// Where the weights of each sentence begin: those of its heads follow one another.
std::vector<std::ptrdiff_t> weight_starts(const Packing& p, int heads, std::ptrdiff_t width) {
  std::vector<std::ptrdiff_t> starts = {0};
  for (std::ptrdiff_t i = 0; i < sentences(p); ++i)
    starts.push_back(starts.back() + heads * weight_count(head_of(p, heads, width, i)));
  return starts;
}

// Asks for a part of the numbers first ... last of x, which are needed soon.
void ask_for(const float* x, std::ptrdiff_t first, std::ptrdiff_t last, std::ptrdiff_t part,
             int parts) {
  const std::ptrdiff_t line = 16, from = first + (last - first) * part / parts,
                       to = first + (last - first) * (part + 1) / parts;
  for (std::ptrdiff_t i = from; i < to; i += line) __builtin_prefetch(x + i, 0, 2);
}

// Calls body(head, offset of its queries, of its keys, of its weights) for every head of every
// sentence; sentences side by side on the threads. Meanwhile the next sentence's rows of `queries`
// and `keys` are asked for, a part with each head: a head reads a little of each of many rows, and
// what comes next the processor does not foresee.
template <class Body>
void for_each_head(const Packing& p, int heads, std::ptrdiff_t width, const Tensor& queries,
                   const Tensor& keys, const Body& body) {
  const std::vector<std::ptrdiff_t> weights = weight_starts(p, heads, width);
  parallel_for(sentences(p), 4, [&](std::ptrdiff_t first, std::ptrdiff_t last) {
    for (std::ptrdiff_t i = first; i < last; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const kernel::Head head = head_of(p, heads, width, i);
      for (std::ptrdiff_t h = 0; h < heads; ++h) {
        if (i + 1 < last) {
          ask_for(queries.data(), p.queries[at + 1] * width, p.queries[at + 2] * width, h, heads);
          ask_for(keys.data(), p.keys[at + 1] * width, p.keys[at + 2] * width, h, heads);
        }
        body(head, p.queries[at] * width + h * head.d_k, p.keys[at] * width + h * head.d_k,
             weights[at] + h * weight_count(head));
      }
    }
  });
}

}  // namespace

Tensor packed_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Packing& packing,
                        int heads, float dropout_rate) {
  check(q, k, v, packing, heads);
  const int width = q.size(2);
  const std::ptrdiff_t all_weights = weight_starts(packing, heads, width).back();
  require(all_weights <= std::numeric_limits<int>::max(), "packed_attention",
          [&] { return std::to_string(all_weights) + " weights are more than a tensor holds"; });
  const Shape weight_shape = {static_cast<int>(all_weights)};
  const std::uint64_t key = dropout_key(dropout_rate);
  const auto drop = [=](const Tensor& from, Tensor to) {
    dispatch(from.device(), [&](auto on) {
      kernel::dropout(on, from.data(), dropout_rate, key, to.data(), to.count());
    });
  };
  Tensor weights = Tensor::empty(weight_shape, q.device()),
         kept = key == 0 ? weights : Tensor::empty(weight_shape, q.device()),
         y = Tensor::empty(q.shape(), q.device());
  dispatch(q.device(), [&](auto on) {
    for_each_head(packing, heads, width, q, k, [&](const auto& head, auto at, auto from, auto w) {
      kernel::head_weights(on, head, q.data() + at, k.data() + from, weights.data() + w);
    });
    if (key != 0) drop(weights, kept);
    for_each_head(packing, heads, width, y, v, [&](const auto& head, auto at, auto from, auto w) {
      kernel::head_output(on, head, kept.data() + w, v.data() + from, y.data() + at);
    });
  });
  return record("packed_attention", y, {&q, &k, &v}, [=](InputGradients& inputs, const Tensor& dy) {
    Tensor dq = Tensor::empty(q.shape()), dk = Tensor::empty(k.shape()),
           dv = Tensor::empty(v.shape()), dp = Tensor::empty(weight_shape);
    dispatch(dy.device(), [&](auto on) {
      for_each_head(packing, heads, width, dy, v,
                    [&](const auto& head, auto at, auto from, auto w) {
                      kernel::head_output_backward(on, head, kept.data() + w, v.data() + from,
                                                   dy.data() + at, dp.data() + w, dv.data() + from);
                    });
      if (key != 0) drop(dp, dp);
      for_each_head(packing, heads, width, q, k, [&](const auto& head, auto at, auto from, auto w) {
        kernel::head_weights_backward(on, head, weights.data() + w, q.data() + at, k.data() + from,
                                      dp.data() + w, dq.data() + at, dk.data() + from);
      });
    });
    inputs.add(0, std::move(dq));
    inputs.add(1, std::move(dk));
    inputs.add(2, std::move(dv));
  });
}

}  // namespace xf
