// Lesson 6, sections 6 and 7: the key/value cache gives the same numbers with less work.

#include <algorithm>

#include "02_attention/mask.hpp"
#include "06_decoder/lesson.hpp"
#include "ops/shape/shape_ops.hpp"
#include "plot/lines.hpp"
#include "speech/show.hpp"
#include "tensor/parallel.hpp"
#include "train/progress.hpp"

namespace xf::lesson_06 {
namespace {

// The median of up to 9 times around step t (counted from 1).
double around(const std::vector<double>& times, int t) {
  const auto first = times.begin() + std::max(0, t - 5);
  return median({first, std::min(first + 9, times.end())});
}

// The total time of steps 1 to `count`, each taken as the median around it.
double sum_of_first(const std::vector<double>& times, int count) {
  double sum = 0;
  for (int t = 1; t <= count; ++t) sum += around(times, t);
  return sum;
}

// The last output row of the decoder for the first t positions, computed without a cache.
Tensor recomputed(const Decoder& decoder, const Tensor& x, int t, const Tensor& encoded,
                  const Mask& source_mask) {
  const Tensor all = decoder(slice(x, 1, 0, t), encoded, causal_mask(t, t), source_mask);
  return slice(all, 1, t - 1, 1);  // (B, 1, D)
}

// The error of a step whose cache has lost its oldest position.
double difference_when_forgetting(std::uint64_t seed) {
  Random random(seed, 4);
  const Decoder decoder(2, {.d_model = 16, .d_ff = 32, .heads = 2}, random);
  const Tensor encoded = normal({1, 5, 16}, 1.0, random), x = normal({1, 8, 16}, 1.0, random);
  DecoderCache cache = decoder.start(encoded, {});
  for (int t = 1; t < 8; ++t) decoder(slice(x, 1, t - 1, 1), cache);
  for (std::vector<int>& rows : cache.past.seen) rows.erase(rows.begin());
  return max_difference(decoder(slice(x, 1, 7, 1), cache), recomputed(decoder, x, 8, encoded, {}));
}

}  // namespace

void cache_equals_recomputation(const Options& options) {
  section("Decoding word by word: must everything be computed again at each step?");
  say("No. The causal mask makes the past independent of what follows, so its keys and values "
      "can be kept. A step projects one new position, appends its key and value, and attends to "
      "the cache. The keys and values of the encoder's output are projected once, before the first "
      "step.");
  equation(
      "step t:  K = concat(K, x_t W_K^T),  V = concat(V, x_t W_V^T)       (B, H, t, Dk)\n"
      "         out_t = Attention(x_t W_Q^T, K, V)                        no mask needed");
  cache_steps(options);
  say("B = 2, D = 16, 2 layers, 2 heads, S = 5 with padding in the second sentence. The new row, "
      "computed step by step, is compared with that of the whole decoder on the first t positions, "
      "max |difference|:");
  Table table({"step", "cached keys, (B t, D)", "post-norm", "pre-norm"});
  const Mask source_mask = padding_mask(Ids({2, 5}, {4, 5, 6, 7, eos, 4, 5, eos, pad, pad}), pad);
  constexpr int steps = 8;
  double worst = 0;
  std::vector<std::vector<Phrase>> cells(steps);
  for (const NormOrder order : {NormOrder::post, NormOrder::pre}) {
    Random random(options.seed, 4);
    const Decoder decoder(2, {.d_model = 16, .d_ff = 32, .heads = 2, .norm = order}, random);
    const Tensor encoded = normal({2, 5, 16}, 1.0, random), x = normal({2, steps, 16}, 1.0, random);
    DecoderCache cache = decoder.start(encoded, source_mask);
    for (int t = 1; t <= steps; ++t) {
      const Tensor stepped = decoder(slice(x, 1, t - 1, 1), cache);
      const double difference =
          max_difference(stepped, recomputed(decoder, x, t, encoded, source_mask));
      worst = std::max(worst, difference);
      std::vector<Phrase>& row = cells[static_cast<std::size_t>(t - 1)];
      if (row.empty()) row = {std::to_string(t), cache.past.layers[0].k.shape().str()};
      row.push_back(small(difference));
    }
  }
  for (const std::vector<Phrase>& row : cells) table.row(row);
  table.print();
  claim(worst <= 1e-5, "the cache gives what recomputation gives");
  const double control = difference_when_forgetting(options.seed);
  claim(control > 1e-3, "a cache that has lost a position gives something else");
  say("The control: drop the oldest key and value from the cache, and step 8 is off by {}.",
      fixed(control, 2));
  finding("Key/value cache and full recomputation agree at every step, to within {}", small(worst));
}

void cost_of_a_step(const Options& options) {
  section("What does a step cost, with and without the cache?");
  say("At step t the cache leaves one position to compute, which attends to t keys, so the cost "
      "has a constant part and one that grows with t. Recomputation has t positions, each with t "
      "scores, so one part grows with t and one with t^2. Measured on one thread, the best of 3 "
      "runs: 2 layers, D = 64, Dff = 128, 4 heads, S = 16, batch 1. (Times differ from run to run; "
      "--no-timing leaves them out.)");
  Random random(options.seed, 5);
  constexpr int longest = 256, d_model = 64;
  const Decoder decoder(2, {.d_model = d_model, .d_ff = 128, .heads = 4}, random);
  const Tensor encoded = normal({1, 16, d_model}, 1.0, random);
  const Tensor x = normal({1, longest, d_model}, 1.0, random);
  std::vector<double> with_cache(longest, 1e9), without(longest, 1e9);  // the best of 3 runs
  const int usual_threads = threads();
  set_threads(1);
  for (int run = 0; run < 3; ++run) {
    DecoderCache cache = decoder.start(encoded, {});
    for (int t = 1; t <= longest; ++t) {
      const auto step = [&] { decoder(slice(x, 1, t - 1, 1), cache); };
      const auto everything = [&] { recomputed(decoder, x, t, encoded, {}); };
      const auto at = static_cast<std::size_t>(t - 1);
      with_cache[at] = std::min(with_cache[at], fastest_ms(1, step));
      without[at] = std::min(without[at], fastest_ms(1, everything));
    }
  }
  set_threads(usual_threads);
  Table table({"t", "step, cache (ms)", "step, no cache (ms)", "all t, cache (ms)",
               "all t, no cache (ms)", "gain"});
  for (const int t : {16, 32, 64, 128, 256}) {
    const double cached = sum_of_first(with_cache, t), plain = sum_of_first(without, t);
    table.row({std::to_string(t), fixed(around(with_cache, t), 3), fixed(around(without, t), 3),
               fixed(cached, 1), fixed(plain, 1), fixed(plain / cached, 1) + "x"});
  }
  table.print();

  LineChart chart{.title = "One decoding step, with and without the cache",
                  .x_title = "step t",
                  .y_title = "ms",
                  .series = {{"full recomputation"}, {"key/value cache"}},
                  .log_x = true,
                  .log_y = true};
  for (int t = 4; t <= longest; t += 4)
    for (std::size_t i = 0; i < 2; ++i)
      chart.series[i].add(t, around(i == 0 ? without : with_cache, t));
  write_picture(options, "step_cost.svg", line_chart_svg(chart));
  const double gain = sum_of_first(without, longest) / sum_of_first(with_cache, longest);
  claim(gain > 1, "the cache saves time");
  finding("Step t computes one position with the cache, and all t without it");
  finding(
      "Decoding 256 words with the key/value cache is {} times faster than recomputing (measured)",
      fixed(gain, 0));
}

}  // namespace xf::lesson_06
