#include "autograd/recorder.hpp"
#include "ops/attention/attend_relative.hpp"
#include "ops/attention/attend_rows.hpp"
#include "ops/attention/packed_attention.hpp"
#include "support/devices.hpp"

namespace xf::test {

namespace {

// The weights that a recorder gets while `compute` runs, on the host.
template <class Compute>
Tensor recorded(const Compute& compute) {
  Recorder recorder({"weights"});
  compute();
  return recorder.of("weights").to(Device::cpu);
}

// Short and long sentences, an empty one, queries that see only some keys, or none.
const Packing packings[] = {
    {{0, 3, 4, 8}, {0, 3, 4, 8}, true},    {{0, 3, 4, 8}, {0, 2, 7, 8}, false},
    {{0, 3, 3, 20}, {0, 3, 3, 40}, false}, {{0, 37, 40, 73}, {0, 37, 40, 73}, true},
    {{0, 5, 12}, {0, 31, 71}, true},       {{0, 3, 5, 8}, {0, 3, 3, 8}, false},
    {{0, 2, 35}, {0, 0, 33}, true}};
// Rows that fill a tile of 32 or two exactly, lack one or have one too many, and columns that do so
// with a strip of 64; one query or one key alone; keys that no query sees.
const Packing tiled[] = {{{0, 1, 33, 96, 161}, {0, 1, 33, 96, 161}, true},
                         {{0, 32, 33, 97}, {0, 1, 66, 129}, false},
                         {{0, 31}, {0, 65}, true},
                         {{0, 65}, {0, 31}, true}};

// x on another device, as an op: its gradient is moved back.
Tensor moved(const Tensor& x, Device device) {
  constexpr xf::Op op{"moved", "x on another device", "dy on the device of x"};
  return record(op, x.to(device), {&x},
                [from = x.device()](InputGradients& inputs, const Tensor& dy) {
                  inputs.add(0, dy.to(from));
                });
}

struct Case {
  int batch, heads, t, s, r_rows, d_k;
};
const Case cases[] = {{2, 3, 4, 9, 9, 2},
                      {1, 2, 5, 6, 8, 3},
                      {2, 2, 4, 4, 4, 2},
                      {3, 1, 1, 5, 7, 2},
                      {1, 1, 1, 1, 1, 2},
                      {2, 2, 65, 90, 101, 16},
                      // rows of several warps, and of more than one chunk of a block
                      {2, 2, 3, 600, 600, 2},
                      {2, 1, 3, 2100, 2103, 2}};

Mask seen(const Case& c) {
  Ids allowed = Ids::full({1, c.t, c.s}, 0);
  for (int i = 0; i < c.t; ++i)
    for (int j = 0; j <= i + c.s - c.t; ++j) allowed[i * c.s + j] = (i + j) % 5 > 0;
  return {allowed};
}

}  // namespace

TEST_CASE("cuda: attention among packed sentences") {
  for (const Packing& packing : packings)
    for (int d_k : {3, 16})
      for (float dropout : {0.0f, 0.3f}) {
        const Inputs inputs = packed_inputs(packing, 2 * d_k);
        expect_agreement("packed attention", inputs, [&](const Inputs& in) {
          return packed_attention(in[0], in[1], in[2], packing, 2, dropout);
        });
        const auto weights = [&](Device device) {
          const Inputs in = moved_to(device, inputs);
          return recorded([&] { packed_attention(in[0], in[1], in[2], packing, 2); });
        };
        expect_close("weights", weights(Device::cuda), weights(Device::cpu));
      }
}

TEST_CASE("cuda: packed attention in tiles that are full, and nearly so") {
  for (const Packing& packing : tiled)
    for (int d_k : {1, 63, 64, 65, 130}) {
      const float dropout = d_k == 65 ? 0.3f : 0.0f;
      expect_agreement("packed attention", packed_inputs(packing, d_k), [&](const Inputs& in) {
        return packed_attention(in[0], in[1], in[2], packing, 1, dropout);
      });
    }
}

TEST_CASE("cuda: outside of training attention drops nothing") {
  const Tensor q = random({1, 8, 4}, 1), k = random({1, 8, 4}, 2), v = random({1, 8, 4}, 3);
  const auto packed = [&](float dropout) {
    return packed_attention(q.to(Device::cuda), k.to(Device::cuda), v.to(Device::cuda),
                            {{0, 3, 8}, {0, 3, 8}, true}, 2, dropout);
  };
  expect_close("packed", packed(0.5f).to(Device::cpu), packed(0).to(Device::cpu));
  const Case c{2, 3, 4, 9, 9, 2};
  const auto relative = [&](float dropout) {
    const auto there = [](const Shape& shape, std::uint64_t seed) {
      return random(shape, seed).to(Device::cuda);
    };
    const RelativeAttentionOptions options{.mask = seen(c), .dropout = dropout};
    return attend_relative(there({2, 3, 4, 2}, 1), there({2, 3, 4, 2}, 2), there({2, 3, 9, 2}, 3),
                           there({2, 3, 9, 2}, 4), there({1, 3, 9, 2}, 5), options);
  };
  expect_close("relative", relative(0.5f).to(Device::cpu), relative(0).to(Device::cpu));
}

TEST_CASE("cuda: packed attention, worked by hand") {
  // A sentence of one word sees itself; of two words, the second looks at both, 2 * 1 and 2 * 3.
  const Tensor q = Tensor::from({1, 3, 1}, {5, 1, 2}), k = Tensor::from({1, 3, 1}, {4, 1, 3}),
               v = Tensor::from({1, 3, 1}, {10, 20, 30});
  const double a = std::exp(2), b = std::exp(6);
  const Packing packing{{0, 1, 3}, {0, 1, 3}, true};
  const auto attend = [&] {
    return packed_attention(q.to(Device::cuda), k.to(Device::cuda), v.to(Device::cuda), packing, 1);
  };
  under_schedules([&] {
    expect_close("y", attend().to(Device::cpu),
                 Tensor::from({1, 3, 1}, {10, 20, float((20 * a + 30 * b) / (a + b))}));
    const auto share = [=](double x) { return static_cast<float>(x / (a + b)); };
    expect_close("weights", recorded(attend),
                 Tensor::from({1, 1, 3, 3}, {1, 0, 0, 0, 1, 0, 0, share(a), share(b)}));
  });
}

TEST_CASE("cuda: packed attention with scores far from 0") {
  // e^score is more than a float holds, or less; the largest comes last, in the second tile.
  for (float far : {-300.0f, 300.0f}) {
    std::vector<float> queries{1, far, -1, far}, keys;
    for (int s = 0; s < 40; ++s) keys.insert(keys.end(), {static_cast<float>(s) / 4, 1});
    // A score of 220 is rounded by 2^-17, as are the logarithm of the sum and their difference:
    // a weight by less than 2^-15 of it. A query's gradient is a sum over the keys; that of values
    // which rise with them is about a quarter of its terms' sizes or more. (Of random values, a GPU
    // once found 2.6 times 2^-15: there, terms of 4 cancelled each other to 0.05.)
    const Tensor rising = Tensor::from({1, 40, 2}, keys);
    expect_agreement(
        "packed attention", {Tensor::from({1, 2, 2}, queries), rising, rising.clone()},
        [](const Inputs& in) {
          return packed_attention(in[0], in[1], in[2], {{0, 2}, {0, 40}, false}, 1);
        },
        std::exp2(-13));
  }
}

TEST_CASE("cuda: packed attention of queries whose scores are far from one another's") {
  // Of every two, four and eight neighbours some have scores near 212, the others near -212.
  std::vector<float> queries, keys;
  for (int t = 0; t < 32; ++t) {
    const bool low = (t ^ (t >> 1) ^ (t >> 2) ^ (t >> 3)) % 2 == 1;
    queries.insert(queries.end(), {1, low ? -300.0f : 300.0f});
  }
  for (int s = 0; s < 40; ++s) keys.insert(keys.end(), {static_cast<float>(s) / 4, 1});
  const Tensor q = Tensor::from({1, 32, 2}, queries), rising = Tensor::from({1, 40, 2}, keys);
  const auto attend = [&](Device device) {
    const Tensor there = rising.to(device);
    return packed_attention(q.to(device), there, there, {{0, 32}, {0, 40}, false}, 1)
        .to(Device::cpu);
  };
  const Tensor want = attend(Device::cpu);
  // As above, a weight is rounded by less than 2^-15 of it, and y is a mean of values.
  under_schedules([&] { expect_close("y", attend(Device::cuda), want, std::exp2(-14)); });
}

#ifdef XF_WATCHED  // ten seconds, and no access that those of packed sentences do not make
constexpr bool is_watched = true;
#else
constexpr bool is_watched = false;
#endif

TEST_CASE("cuda: packed attention's gradients match finite differences, dropout included" *
          doctest::skip(is_watched)) {
  for (int d_k : {3, 16})
    for (const Packing& packing : {packings[0], packings[1]}) {
      const Tensor q = random_leaf({1, 8, 2 * d_k}, 5), k = random_leaf({1, 8, 2 * d_k}, 6),
                   v = random_leaf({1, 8, 2 * d_k}, 7);
      check_gradients("packed_attention", {{"q", q}, {"k", k}, {"v", v}}, [&] {
        const Training training(8);
        const auto there = [](const Tensor& x) { return moved(x, Device::cuda); };
        return moved(packed_attention(there(q), there(k), there(v), packing, 2, 0.3f), Device::cpu);
      });
    }
}

TEST_CASE("cuda: relative attention") {
  for (const Case& c : cases)
    for (float dropout : {0.0f, 0.3f}) {
      const Shape queries{c.batch, c.heads, c.t, c.d_k}, keys{c.batch, c.heads, c.s, c.d_k};
      const Inputs inputs{random(queries, 1), random(queries, 2), random(keys, 3), random(keys, 4),
                          random({1, c.heads, c.r_rows, c.d_k}, 5)};
      const RelativeAttentionOptions options{.scale = 0.6f, .mask = seen(c), .dropout = dropout};
      expect_agreement("relative attention", inputs, [&](const Inputs& in) {
        return attend_relative(in[0], in[1], in[2], in[3], in[4], options);
      });
      const auto weights = [&](Device device) {
        const Inputs in = moved_to(device, inputs);
        return recorded([&] { attend_relative(in[0], in[1], in[2], in[3], in[4], options); });
      };
      expect_close("weights", weights(Device::cuda), weights(Device::cpu));
    }
}

TEST_CASE("cuda: relative attention whose queries are one tensor, and without a tape") {
  const Case c{2, 2, 5, 8, 8, 4};
  const Inputs inputs{random({2, 2, 5, 4}, 1), random({2, 2, 8, 4}, 2), random({1, 2, 8, 4}, 3)};
  const RelativeAttentionOptions options{.mask = seen(c)};
  const auto attend = [&](const Inputs& in) {
    return attend_relative(in[0], in[0], in[1], in[1], in[2], options);
  };
  expect_agreement("relative attention", inputs, attend);
  expect_close("without a tape", attend(moved_to(Device::cuda, inputs)).to(Device::cpu),
               attend(inputs));
}

TEST_CASE("cuda: attention to rows of a cache, which grows and shrinks") {
  const RowLists lists{{0, 2, 3}, {}, {1}, {3, 3, 0, 1}};
  for (int d_k : {3, 32, 40}) {
    const int width = 2 * d_k;
    const auto attend = [&](Device device) {
      GrowingRows keys(random({5, width}, 1).to(device)), values(random({5, width}, 2).to(device));
      for (GrowingRows* rows : {&keys, &values}) {
        rows->append(random({40, width}, 3).to(device));
        rows->keep(std::vector<int>{0, 2, 7, 44});
      }
      return attend_rows(random({4, 1, width}, 4).to(device), keys, values, lists, 2);
    };
    const Tensor want = attend(Device::cpu);
    const Tensor weights = recorded([&] { attend(Device::cpu); });
    under_schedules([&] {
      expect_close("y", attend(Device::cuda).to(Device::cpu), want);
      expect_close("weights", recorded([&] { attend(Device::cuda); }), weights);
    });
  }
}

}  // namespace xf::test
