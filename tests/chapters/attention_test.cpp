#include "02_attention/mask.hpp"
#include "02_attention/multi_head_attention.hpp"
#include "06_decoder/key_value_cache.hpp"
#include "ops/elementwise/elementwise.hpp"
#include "ops/shape/shape_ops.hpp"
#include "support/golden.hpp"
#include "support/grad_check.hpp"
#include "support/xt_reference.hpp"

namespace xf::test {

namespace {

using Numbers = std::vector<std::int32_t>;

// Row t of the (T, D) numbers of head h of sentence b, as a matrix.
Tensor head(const Tensor& x, int b, int h) {
  const Tensor one = slice(slice(x, 0, b, 1), 1, h, 1);
  return one.view({x.size(2), x.size(3)});
}

}  // namespace

TEST_CASE("masks: padding, causal and both, worked by hand") {
  const Ids ids({2, 3}, {5, 6, 0, 7, 0, 0});
  const Mask padding = padding_mask(ids, 0);
  CHECK(padding.allowed().shape() == Shape{2, 1, 3});
  CHECK(padding.allowed().values() == Numbers{1, 1, 0, 1, 0, 0});
  const Mask causal = causal_mask(3, 3);
  CHECK(causal.allowed().shape() == Shape{1, 3, 3});
  CHECK(causal.allowed().values() == Numbers{1, 0, 0, 1, 1, 0, 1, 1, 1});
  CHECK(causal_mask(2, 4, 1).allowed().values() == Numbers{1, 1, 0, 0, 1, 1, 1, 0});
  CHECK(causal_mask(1, 3, 9).allowed().values() == Numbers{1, 1, 1});
  const Mask both = combine(causal, padding);
  CHECK(both.allowed().shape() == Shape{2, 3, 3});
  CHECK(both.allowed().values() == Numbers{1, 0, 0, 1, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0});
  CHECK(combine(padding, causal).allowed().values() == both.allowed().values());
  CHECK(combine({}, causal).allowed().values() == causal.allowed().values());
  CHECK(combine(causal, {}).allowed().values() == causal.allowed().values());
  CHECK_FALSE(combine({}, {}).defined());
}

TEST_CASE("masks: what packed sentences and another mask both allow") {
  const Mask across{Packing{{0, 1, 3}, {0, 2, 4}}}, own{Packing{{0, 2, 3}, {0, 2, 3}}};
  const Mask past{Packing{{0, 2, 3}, {0, 2, 3}, true}};
  CHECK(combine({}, across).packing() == across.packing());
  CHECK(combine(across, {}).packing() == across.packing());
  const Mask both = combine(own, past);  // the same sentences
  REQUIRE(both.packing() != nullptr);
  CHECK(both.packing()->causal);
  CHECK(both.allowed().values() == past.allowed().values());
  CHECK_FALSE(combine(own, own).packing()->causal);
  // A causal mask over the whole row is one within each sentence; padding is padding.
  CHECK(combine(own, causal_mask(3, 3)).allowed().values() == past.allowed().values());
  const Mask padding = padding_mask(Ids({1, 4}, {5, 0, 6, 0}), 0);
  CHECK(combine(padding, across).allowed().values() == Numbers{1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0});
  const Mask others{Packing{{0, 1, 3}, {0, 1, 3}}};  // sentences of other lengths
  CHECK(combine(own, others).allowed().values() == Numbers{1, 0, 0, 0, 1, 0, 0, 0, 1});
  expect_error([&] { combine(own, across); }, {"combine: ", "(1, 3, 3)", "(1, 3, 4)"});
  expect_error([&] { combine(causal_mask(2, 4), across); }, {"combine: ", "(1, 2, 4)"});
}

TEST_CASE("masks: sizes that do not fit are refused with both shapes") {
  expect_error([] { combine(causal_mask(3, 3), causal_mask(3, 4)); },
               {"combine: ", "(1, 3, 3)", "(1, 3, 4)"});
  expect_error([] { combine(causal_mask(3, 3), causal_mask(2, 3)); },
               {"combine: ", "(1, 3, 3)", "(1, 2, 3)"});
}

TEST_CASE("attention: worked by hand") {
  // d_k = 4, so scores are halved; the keys match by 2 ln 3 and 0: weights 3/4 and 1/4.
  const float a = 2 * std::log(3.0f);
  const Tensor q = Tensor::from({1, 1, 1, 4}, {1, 0, 0, 0});
  const Tensor k = Tensor::from({1, 1, 2, 4}, {a, 5, 5, 5, 0, 7, 7, 7});
  const Tensor v = Tensor::from({1, 1, 2, 4}, {4, 0, 8, 0, 0, 4, 0, 8});
  Recorder recorder;
  const Tensor output = attention(q, k, v);
  expect_close("weights", recorder.of("weights"), Tensor::from({1, 1, 1, 2}, {0.75f, 0.25f}));
  expect_close("scores", recorder.of("scores"), Tensor::from({1, 1, 1, 2}, {a, 0}));
  expect_close("output", output, Tensor::from({1, 1, 1, 4}, {3, 1, 6, 2}));
}

TEST_CASE("attention: agrees with the xtensor formula in every sentence and head") {
  const Tensor q = random_leaf({2, 3, 5, 4}, 1);
  const Tensor k = random_leaf({2, 3, 7, 4}, 2), v = random_leaf({2, 3, 7, 4}, 3);
  const Tensor y = attention(q, k, v);
  for (int b = 0; b < 2; ++b)
    for (int h = 0; h < 3; ++h)
      expect_close("head", head(y, b, h),
                   xt_reference::attention(head(q, b, h), head(k, b, h), head(v, b, h)));
}

TEST_CASE("attention: backward matches finite differences, with a mask and dropout") {
  const Tensor q = random_leaf({2, 2, 3, 4}, 4);
  const Tensor k = random_leaf({2, 2, 5, 4}, 5), v = random_leaf({2, 2, 5, 4}, 6);
  const Mask mask{Ids({2, 1, 5}, {1, 1, 1, 0, 0, 1, 1, 1, 1, 1})};
  check_gradients("attention", {{"q", q}, {"k", k}, {"v", v}}, [&] { return attention(q, k, v); });
  check_gradients("attention", {{"q", q}, {"k", k}, {"v", v}}, [&] {
    const Training training(7);
    return attention(q, k, v, mask, 0.3f);
  });
}

TEST_CASE("multi_head_attention: forward and every named gradient agree with PyTorch") {
  auto layer = drawn<MultiHeadAttention>(1, 6, 2, 0.0f);
  for (const std::string name : {"self.none", "self.causal", "cross.padding", "cross.empty"}) {
    const std::string label = "multi_head_attention." + name;
    const Mask mask{layers_golden().ids(label + "/mask")};
    Recorder recorder({"weights"});
    const bool self = name.starts_with("self");
    const auto f = [&](const Inputs& in) { return layer(in[0], in[self ? 0 : 1], mask); };
    const std::vector<std::string> inputs =
        self ? std::vector<std::string>{"x"} : std::vector<std::string>{"x", "memory"};
    check_layer(label, inputs, parameters(layer), f);
    expect_close(label + "/weights", recorder.of("weights"), layers_golden()(label + "/weights"));
  }
}

TEST_CASE("multi_head_attention: backward matches finite differences") {
  auto layer = drawn<MultiHeadAttention>(1, 6, 2, 0.2f);
  auto leaves = random_parameters(layer, 8);
  leaves.emplace_back("x", random_leaf({2, 3, 6}, 9));
  leaves.emplace_back("memory", random_leaf({2, 4, 6}, 10));
  const Tensor x = leaves[8].second, encoded = leaves[9].second;
  const Mask mask{Ids({2, 1, 4}, {1, 1, 1, 1, 1, 0, 1, 0})};
  check_gradients("multi_head_attention", leaves, [&] {
    const Training training(11);
    return layer(x, encoded, mask);
  });
}

TEST_CASE("multi_head_attention: equals h separate heads, concatenated and projected") {
  const int d = 6, heads = 3, d_k = 2;
  auto layer = drawn<MultiHeadAttention>(2, d, heads, 0.0f);
  random_parameters(layer, 12);
  const Tensor x = random_leaf({2, 4, d}, 13), encoded = random_leaf({2, 5, d}, 14);
  Tensor joined;
  for (int h = 0; h < heads; ++h) {
    // Head h has its own three projections: rows [h Dk, (h+1) Dk) of the big ones.
    const auto project = [&](const Linear& big, const Tensor& from) {
      const Tensor y =
          linear(from, slice(big.weight, 0, h * d_k, d_k), slice(big.bias, 0, h * d_k, d_k));
      return reshape(y, {2, 1, from.size(1), d_k});
    };
    const Tensor one =
        attention(project(layer.w_q, x), project(layer.w_k, encoded), project(layer.w_v, encoded));
    const Tensor columns = reshape(one, {2, 4, d_k});
    joined = h == 0 ? columns : concat(joined, columns, 2);
  }
  expect_close("heads", layer(x, encoded, {}), layer.w_o(joined));
}

TEST_CASE("multi_head_attention: no gradient flows through keys and values of detach(x)") {
  const auto layer = drawn<MultiHeadAttention>(2, 6, 3, 0.0f);
  const Tensor x = random_leaf({1, 4, 6}, 13), w = detach(random_leaf({1, 4, 6}, 15));
  const auto gradient = [&](const Tensor& to) {
    Tape tape;
    return tape.backward(weighted_sum(layer(x, to), w)).of(x).clone();
  };
  expect_close("dx", gradient(detach(x)), gradient(detach(x.clone())));
  CHECK(gradient(x).values() != gradient(detach(x)).values());
}

TEST_CASE("multi_head_attention: packed sentences get what their mask, written out, gives") {
  auto layer = drawn<MultiHeadAttention>(2, 6, 3, 0.0f);
  const auto leaves = random_parameters(layer, 12);
  const Tensor x = random_leaf({1, 7, 6}, 13), encoded = random_leaf({1, 8, 6}, 14);
  const Tensor w = detach(random_leaf({1, 7, 6}, 15));
  for (const Packing& packing :
       {Packing{{0, 2, 7}, {0, 5, 8}}, Packing{{0, 4, 7}, {0, 4, 8}, true}}) {
    const Mask packed(packing), written_out(packed.allowed());
    const auto gradients = [&](const Mask& mask) {
      Tape tape;
      return tape.backward(weighted_sum(layer(x, encoded, mask), w));
    };
    expect_close("y", layer(x, encoded, packed), layer(x, encoded, written_out), 2e-6);
    expect_close("y, keys and values given", layer(x, layer.keys_values(encoded), packed),
                 layer(x, encoded, written_out), 2e-6);
    const Gradients got = gradients(packed), want = gradients(written_out);
    for (const auto& [name, leaf] : leaves)
      if (name != "w_k.bias") expect_close(name, got.of(leaf), want.of(leaf), 5e-6);  // that is 0
  }
}

TEST_CASE("attend: wherever the keys and values are, it is what attention() says") {
  const int batch = 2, t = 5, d = 6, heads = 3;
  const Tensor q = random_leaf({batch, t, d}, 31);
  const KeysValues all{random_leaf({batch, t, d}, 32), random_leaf({batch, t, d}, 33)};
  const auto split = [&](const Tensor& x) { return split_heads(x, heads); };
  for (const bool causal : {false, true}) {
    const Mask mask = causal ? causal_mask(t, t) : Mask();
    const Tensor want = merge_heads(attention(split(q), split(all.k), split(all.v), mask));
    expect_same("in tensors", attend(q, all, {.heads = heads, .mask = mask}), want);

    const auto end_to_end = [&](const Tensor& x) { return x.view({1, batch * t, d}); };
    const Packing packing{{0, t, 2 * t}, {0, t, 2 * t}, causal};
    const KeysValues packed{end_to_end(all.k), end_to_end(all.v)};
    expect_close("packed", attend(end_to_end(q), packed, {.heads = heads, .mask = packing}),
                 end_to_end(want), 2e-6);

    KeyValueCache cache;
    cache.layers.resize(1);
    cache.seen.resize(batch);
    const auto at = [](const Tensor& x, int i) { return detach(slice(x, 1, i, 1)); };
    for (int i = 0; i < t; ++i) {
      cache[0].append(at(all.k, i), at(all.v, i));
      if (causal) expect_close("in a cache", attend(at(q, i), cache[0], heads), at(want, i), 2e-6);
    }
    if (!causal) expect_close("in a cache", attend(at(q, 0), cache[0], heads), at(want, 0), 2e-6);
    CHECK(cache.seen == RowLists{{0, 2, 4, 6, 8}, {1, 3, 5, 7, 9}});
  }
}

TEST_CASE("multi_head_attention: permuting the words permutes the output alike") {
  auto layer = drawn<MultiHeadAttention>(3, 6, 2, 0.0f);
  random_parameters(layer, 15);
  const Tensor x = random_leaf({5, 6}, 16);  // five words
  const std::vector<int> order = {3, 0, 4, 1, 2};
  const auto attend = [&](const Tensor& words) {
    const Tensor batch = words.view({1, 5, 6});
    return layer(batch, batch, {}).view({5, 6});
  };
  expect_close("permuted", attend(gather_rows(x, order)), gather_rows(attend(x), order));
}

TEST_CASE("multi_head_attention: a masked key might as well not be there") {
  auto layer = drawn<MultiHeadAttention>(4, 6, 2, 0.0f);
  const Tensor x = random_leaf({1, 3, 6}, 17), encoded = random_leaf({1, 5, 6}, 18);
  const Mask mask{Ids({1, 1, 5}, {1, 1, 1, 0, 0})};
  expect_close("shorter", layer(x, encoded, mask), layer(x, slice(encoded, 1, 0, 3), {}), 1e-6);
  Tensor poisoned = encoded.clone();
  for (int i = 3 * 6; i < 5 * 6; ++i) copy_into(poisoned, {1e6f}, i);
  expect_same("poisoned", layer(x, poisoned, mask), layer(x, encoded, mask));
}

TEST_CASE("multi_head_attention: nothing to attend to gives the output bias") {
  auto layer = drawn<MultiHeadAttention>(5, 6, 2, 0.0f);
  random_parameters(layer, 19);
  const Tensor x = random_leaf({1, 1, 6}, 20), encoded = random_leaf({1, 3, 6}, 21);
  expect_same("bias", layer(x, encoded, {Ids::full({1, 1, 3}, 0)}).view({6}), layer.w_o.bias);
}

TEST_CASE("multi_head_attention: what does not fit is refused") {
  Random random(6);
  expect_error([&] { MultiHeadAttention(6, 4, 0, random); }, {"multi_head_attention: ", "4", "6"});
  expect_error([&] { MultiHeadAttention(6, 0, 0, random); }, {"multi_head_attention: ", "0", "6"});
  const MultiHeadAttention layer(6, 2, 0, random);
  const Tensor x = Tensor::zeros({2, 3, 6}), narrow = Tensor::zeros({2, 4, 5});
  expect_error([&] { layer(x, narrow, {}); }, {"linear: ", "(2, 4, 5)", "(6, 6)"});
  expect_error([&] { layer(x, zeros(3, 4, 6), {}); }, {"matmul: ", "(2, 2, 3, 3)", "(3, 2, 4, 3)"});
  expect_error(
      [&] {
        layer(x, x, {Ids::full({2, 1, 4}, 1)});
      },
      {"softmax: ", "(2, 2, 3, 3)", "(2, 1, 4)"});
}

}  // namespace xf::test
