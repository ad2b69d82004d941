#include "ops/attention/packed_attention.hpp"

#include <cmath>

#include "autograd/recorder.hpp"
#include "ops/dropout/dropout.hpp"
#include "ops/heads/heads.hpp"
#include "ops/matmul/matmul.hpp"
#include "ops/shape/shape_ops.hpp"
#include "ops/softmax/softmax.hpp"
#include "support/golden.hpp"
#include "support/grad_check.hpp"
#include "support/xt_reference.hpp"

namespace xf::test {

namespace {

// The readable way: heads apart, all weights, those between sentences masked.
Tensor with_a_mask(const Tensor& q, const Tensor& k, const Tensor& v, const Packing& packing,
                   int heads) {
  const float scale = 1 / std::sqrt(static_cast<float>(q.size(2) / heads));
  const Tensor scores = matmul(split_heads(q, heads), split_heads(k, heads), Transpose::yes);
  const Tensor weights = softmax(scores, {.scale = scale, .mask = packing});
  return merge_heads(matmul(weights, split_heads(v, heads)));
}

const Packing causal{{0, 3, 4, 8}, {0, 3, 4, 8}, true};
const Packing across{{0, 3, 4, 8}, {0, 2, 7, 8}, false};
// Sentences long enough for general products, among short ones; in the last one, keys unseen.
const Packing long_causal{{0, 150, 153, 190}, {0, 150, 153, 190}, true};
const Packing long_across{{0, 70, 75, 107}, {0, 40, 120, 152}, false};
const Packing long_unseen{{0, 40}, {0, 110}, true};
// Short ones that fill vectors and tiles exactly, or not quite; in the last one, keys unseen.
const Packing filled_causal{{0, 15, 31, 48, 112}, {0, 15, 31, 48, 112}, true};
const Packing filled_across{{0, 14, 29, 61, 62}, {0, 16, 33, 97, 112}, false};
const Packing filled_unseen{{0, 5, 33}, {0, 31, 95}, true};

}  // namespace

TEST_CASE("packed_attention: worked by hand") {
  // A sentence of one word sees itself; of two words, the second looks at both, 2 * 1 and 2 * 3.
  const Tensor q = Tensor::from({1, 3, 1}, {5, 1, 2}), k = Tensor::from({1, 3, 1}, {4, 1, 3}),
               v = Tensor::from({1, 3, 1}, {10, 20, 30});
  const double a = std::exp(2), b = std::exp(6);
  expect_close("y", packed_attention(q, k, v, {{0, 1, 3}, {0, 1, 3}, true}, 1),
               Tensor::from({1, 3, 1}, {10, 20, float((20 * a + 30 * b) / (a + b))}));
}

TEST_CASE("packed_attention: agrees with the xtensor formula in every sentence and head") {
  const Packing packing = filled_across;
  const int queries = packing.queries.back(), keys = packing.keys.back(), d_k = 16;
  const Tensor q = random_leaf({1, queries, 2 * d_k}, 1), k = random_leaf({1, keys, 2 * d_k}, 2),
               v = random_leaf({1, keys, 2 * d_k}, 3);
  const Tensor y = packed_attention(q, k, v, packing, 2);
  for (std::size_t i = 0; i + 1 < packing.queries.size(); ++i)
    for (int h : {0, 1}) {
      const auto part = [&](const Tensor& x, const std::vector<int>& starts) {
        const int count = starts[i + 1] - starts[i];
        return reshape(slice(slice(x, 1, starts[i], count), 2, h * d_k, d_k), {count, d_k});
      };
      expect_close("sentence", part(y, packing.queries),
                   xt_reference::attention(part(q, packing.queries), part(k, packing.keys),
                                           part(v, packing.keys)));
    }
}

TEST_CASE("packed_attention: forward and gradients agree with PyTorch") {
  for (const bool own : {true, false})
    check_case(ops_golden(), own ? "packed_attention.causal" : "packed_attention.across",
               {"q", "k", "v"}, [&](const Inputs& in) {
                 return packed_attention(in[0], in[1], in[2], own ? causal : across, 2);
               });
}

TEST_CASE("packed_attention: forward and gradients equal attention with the mask written out") {
  for (const Packing& packing : {causal, across, long_causal, long_across, long_unseen,
                                 filled_causal, filled_across, filled_unseen})
    for (int d_k : {3, 16, 32, 48, 64}) {
      const int width = 2 * d_k, queries = packing.queries.back(), keys = packing.keys.back();
      const Tensor q = random_leaf({1, queries, width}, 1), k = random_leaf({1, keys, width}, 2),
                   v = random_leaf({1, keys, width}, 3),
                   w = detach(random_leaf({1, queries, width}, 4));
      std::vector<Tensor> found[2];
      for (int way : {0, 1}) {
        Tape tape;
        const Tensor y =
            way == 0 ? packed_attention(q, k, v, packing, 2) : with_a_mask(q, k, v, packing, 2);
        const Gradients gradients = tape.backward(weighted_sum(y, w));
        found[way] = {detach(y), gradients.of(q), gradients.of(k), gradients.of(v)};
      }
      const std::string size = " of " + std::to_string(queries) + " x " + std::to_string(keys) +
                               ", heads of " + std::to_string(d_k);
      for (std::size_t i = 0; i < 4; ++i)
        expect_close("yqkv"[i] + size, found[0][i], found[1][i], 5e-6);
    }
}

TEST_CASE("packed_attention: a recorder gets the weights of the mask written out") {
  for (const Packing& packing : {causal, across, long_causal, long_unseen, filled_across})
    for (int d_k : {3, 32}) {
      const int width = 2 * d_k, queries = packing.queries.back(), keys = packing.keys.back();
      const Tensor q = random_leaf({1, queries, width}, 1), k = random_leaf({1, keys, width}, 2);
      const Training training(1);  // the weights are those before dropout
      const Tensor scores = matmul(split_heads(q, 2), split_heads(k, 2), Transpose::yes);
      const float scale = 1 / std::sqrt(static_cast<float>(d_k));
      Recorder recorder;
      packed_attention(q, k, k, packing, 2, 0.3f);
      expect_close("weights", recorder.of("weights"),
                   softmax(scores, {.scale = scale, .mask = packing}), 5e-6);
    }
}

TEST_CASE("packed_attention: backward matches finite differences, dropout included") {
  for (int d_k : {3, 16})
    for (const Packing& packing : {causal, across}) {
      const Tensor q = random_leaf({1, 8, 2 * d_k}, 5), k = random_leaf({1, 8, 2 * d_k}, 6),
                   v = random_leaf({1, 8, 2 * d_k}, 7);
      check_gradients("packed_attention", {{"q", q}, {"k", k}, {"v", v}}, [&] {
        const Training training(8);
        return packed_attention(q, k, v, packing, 2, 0.3f);
      });
    }
}

TEST_CASE("packed_attention: a sentence never sees another, nor its own future") {
  for (int width : {4, 32}) {
    const Tensor q = detach(random_leaf({1, 8, width}, 9)),
                 k = detach(random_leaf({1, 8, width}, 10));
    const Tensor y = packed_attention(q, k, k, causal, 2);
    for (int changed = 0; changed < 8; ++changed) {
      Tensor other = k.clone();
      for (int i = 0; i < width; ++i)
        copy_into(other, {other.values()[changed * width + i] + 1}, changed * width + i);
      const Tensor z = packed_attention(q, other, other, causal, 2);
      const int end = changed < 3 ? 3 : changed < 4 ? 4 : 8;
      for (int row = 0; row < 8; ++row)
        CHECK((z.values()[row * width] != y.values()[row * width]) ==
              (row >= changed && row < end));
    }
  }
}

TEST_CASE("packed_attention: what does not fit is refused") {
  const Tensor x = Tensor::zeros({1, 8, 6});
  const int many = 46341;  // its square is above 2^31
  const Packing unequal{{0, 8}, {0, 3, 8}}, shorter{{0, 7}, {0, 8}}, lengthy{{0, many}, {0, many}};
  expect_error([&] { packed_attention(x, x, x, causal, 4); }, {"packed_attention: ", "4 heads"});
  expect_error([&] { packed_attention(zeros(2, 4, 6), x, x, causal, 2); },
               {"packed_attention: ", "(2, 4, 6)"});
  expect_error([&] { packed_attention(x, x, x, unequal, 2); },
               {"packed_attention: ", "as many sentences"});
  expect_error([&] { packed_attention(x, x, x, shorter, 2); }, {"packed_attention: ", "end at 8"});
  const Tensor row = zeros(1, many, 1);
  expect_error([&] { packed_attention(row, row, row, lengthy, 1); },
               {"packed_attention: ", "2147998032 weights"});
  expect_error([&] { packed_attention(x, x, x, causal, 2, 1.0f); }, {"dropout: ", "1.0"});
}

}  // namespace xf::test
