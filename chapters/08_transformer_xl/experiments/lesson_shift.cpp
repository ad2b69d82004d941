// Lesson 8, sections 1 to 3 and 6: the shift, the four terms, and the stop-gradient.

#include <limits>
#include <numeric>

#include "08_transformer_xl/equations.hpp"
#include "08_transformer_xl/experiments/lesson.hpp"
#include "08_transformer_xl/transformer_xl.hpp"
#include "ops/reduce/reduce.hpp"
#include "speech/show.hpp"
#include "train/progress.hpp"

namespace xf::lesson_08 {
namespace {

const Labels by_key{.rows = {"query 0", "query 1", "query 2"},
                    .columns = {"key 0", "key 1", "key 2", "key 3", "key 4"}};

// x: (1, H, T, S)   returns x with `value` in every cell that the mask forbids
Tensor with_garbage(const Tensor& x, const Mask& mask, float value) {
  const Ids allowed = mask.allowed();
  Tensor y = x.clone();
  for (std::ptrdiff_t n = 0; n < y.count(); ++n)
    if (allowed[n % allowed.count()] == 0) copy_into(y, {value}, n);
  return y;
}

// The inputs of one attention layer: T queries, S = M + T keys.
struct Scores {
  GlobalBiases bias;
  Tensor q, k, w_r;  // (1, T, D), (1, H, S, Dk), (D, D)

  Scores(int t, int s, int d_model, int heads, Random& random)
      : bias(d_model, heads, random),
        q(normal({1, t, d_model}, 1.0, random)),
        k(split_heads(normal({1, s, d_model}, 1.0, random), heads)),
        w_r(normal({d_model, d_model}, 0.3, random)) {
    bias.u = normal({heads, d_model / heads}, 1.0, random);
    bias.v = normal({heads, d_model / heads}, 1.0, random);
  }
  RelativeTerms by_definition() const {
    return relative_scores_by_definition(split_heads(q, k.size(1)), k, w_r, bias);
  }
  Tensor by_shift() const {  // (1, H, T, S)
    const int heads = k.size(1), s = k.size(2);
    // W_kR R_{S-1} … W_kR R_0: S products
    const Tensor positions = linear(relative_positions(s, w_r.size(1)), w_r, {});  // (S, D)
    const Tensor r = split_heads(reshape(positions, {1, s, w_r.size(0)}), heads);  // (1, H, S, Dk)
    return relative_scores(q, k, r, bias);
  }
};

// The scores with the cells j > M + i set to 0, to compare only what attention sees.
Tensor seen_only(const Tensor& scores) {
  const int t = scores.size(2), m = scores.size(3) - t;
  const SegmentLengths lengths{.query_length = t, .present_length = m, .memory_length = m};
  return with_garbage(scores, segment_mask(lengths, false), 0);
}

}  // namespace

void the_shift(const CommonOptions& options) {
  section("What does the shift do to a 3 x 5 matrix?");
  say("With three queries and two remembered states, T = 3, M = 2, and there are S = 5 keys. Query "
      "i is at position M + i, so its distance to key j is M + i - j. The product q_i . W_kR R_d "
      "is computed for all distances 4 ... 0, so that a column is the same distance in every row. "
      "A cell that shows "
      "xy comes from row x, column y:");
  const Tensor x =
      Tensor::from({1, 1, 3, 5}, {0, 1, 2, 3, 4, 10, 11, 12, 13, 14, 20, 21, 22, 23, 24});
  show("by distance, (1, 1, T, S)", x,
       {.rows = by_key.rows, .columns = {"d=4", "d=3", "d=2", "d=1", "d=0"}});
  const Tensor y = relative_shift(x);
  say("To move row i left by T-1-i, put a column of zeros in front, read the numbers as (S+1, T), "
      "drop the first row, and read the rest as (T, S). Now column j belongs to key j:");
  show("by key, (1, 1, T, S)", y, by_key);
  claim(y.values() == std::vector<float>({2, 3, 4, 0, 10, 11, 12, 13, 14, 0, 20, 21, 22, 23, 24}),
        "the shifted matrix is that of the equation, garbage included");
  say("Above the diagonal j = M + i there is garbage: zeros from the padding, and 10, which is the "
      "beginning of query 1's row. These are not scores, since those keys are the future. The mask "
      "must exclude these cells BEFORE the softmax. Setting them to 0 would not do, because exp(0) "
      "= 1 is a weight too:");
  const Mask mask =
      segment_mask({.query_length = 3, .present_length = 2, .memory_length = 2}, false);
  draw_shift(x, y, mask, options);
  const SoftmaxOptions masked{.scale = 0.5f, .mask = mask};
  const Tensor weights = softmax(y, masked);
  show("softmax(y / 2), masked", weights, by_key);
  const Tensor zeroed = softmax(with_garbage(y, mask, 0), {.scale = 0.5f});
  const float nan = std::numeric_limits<float>::quiet_NaN();
  agree("weights with NaN in the garbage", softmax(with_garbage(y, mask, nan), masked), weights, 0);
  const double leaked = zeroed.values()[3] + zeroed.values()[4];
  claim(leaked > 0.01, "zeros instead of the mask give weight to the future");
  finding(
      "The shift leaves garbage in the future's cells; masked NaN is harmless, two zeros take {}%",
      fixed(100 * leaked, 1));
}

void four_terms(const CommonOptions& options) {
  section("Four terms by definition, and by the shift: the same?");
  equation(
      "Z_ij = q_i . k_j          (a) content\n     + q_i . W_kR R_d     (b) the distance that this "
      "query looks for,  d = M + i - j\n     + u . k_j            (c) how much the key matters to "
      "any query\n     + v . W_kR R_d       (d) how much the distance matters to any query");
  Random random(options.seed, 2);
  const Scores few(3, 5, 8, 1, random);
  const RelativeTerms terms = few.by_definition();
  show("(a) by definition, (1, 1, T, S)", terms.a, by_key);
  show("(b)", terms.b, by_key);
  show("(c): the same in every row that sees the key", terms.c, by_key);
  show("(d): the same along every diagonal", terms.d, by_key);
  draw_terms(terms, options);
  agree("(a)+(b)+(c)+(d) by definition, and by the shift", terms.sum(), seen_only(few.by_shift()),
        1e-4);

  say("What does it cost? The definition computes W_kR R_d for every pair of query and key, T S "
      "products. The shift computes it only once for every distance, S products. D = 32, M = T:");
  Table table({"T", "S", "products, definition", "products, shift", "definition", "shift"});
  for (int t : {16, 32, 64}) {
    const Scores many(t, 2 * t, 32, 2, random);
    Tensor slow, fast;
    const double definition = fastest_ms(5, [&] { slow = many.by_definition().sum(); });
    const double shift = fastest_ms(5, [&] { fast = many.by_shift(); });
    claim(max_difference(slow, seen_only(fast)) < 1e-3, "both give the same scores");
    table.row({std::to_string(t), std::to_string(2 * t), std::to_string(t * (t + 1) / 2 + t * t),
               std::to_string(2 * t), fixed(definition, 2) + " ms", fixed(shift, 2) + " ms"});
  }
  table.print();
  finding(
      "(q + u) k + shift((q + v) R) is the sum of the four terms, with S instead of T S products");
}

void no_gradient_into_memory(const CommonOptions& options) {
  section("Does a gradient flow into the memory?");
  Random random(options.seed, 3);
  const int t = 3, m = 2, d_model = 8;
  const TransformerXlLayer layer({.d_model = d_model, .d_ff = 16, .heads = 2}, 0, random);
  const GlobalBiases bias(d_model, 2, random);
  const Tensor memory = parameter(normal({1, m, d_model}, 1.0, random));
  const Tensor x = parameter(normal({1, t, d_model}, 1.0, random));
  const Tensor r = relative_positions(m + t, d_model);
  const Mask mask =
      segment_mask({.query_length = t, .present_length = m, .memory_length = m}, false);
  const Tensor direction = normal({1, t, d_model}, 1.0, random);
  const auto largest = [](const Tensor& g) {
    return g.defined() ? max_difference(g, Tensor::zeros(g.shape())) : 0.0;
  };
  Tape tape;
  const RelativeAttention& attention = layer.attention;
  const auto gradients = [&](const Tensor& read) {  // of the attention alone
    const auto keys = attention.keys(concat(read, x, 1), r);
    return tape.backward(weighted_sum(attention(x, keys, bias, mask), direction));
  };
  const Gradients stopped = gradients(detach(memory)), open = gradients(memory);
  const auto output = [&](const Tensor& states) {  // of the whole layer
    Memory::Layer past{.states = states};
    return layer(x, past, r, bias, mask);
  };
  const Gradients whole = tape.backward(weighted_sum(output(memory), direction));
  Table table({"largest gradient", "of the segment x", "of the memory"});
  table.row(
      {"[SG(memory) ; x]", small(largest(stopped.of(x))), small(largest(stopped.of(memory)))});
  table.row({"[memory ; x], no SG", small(largest(open.of(x))), small(largest(open.of(memory)))});
  table.print();
  claim(!stopped.of(memory).defined() && !whole.of(memory).defined(),
        "no gradient reaches the memory, neither in the attention nor in the whole layer");
  claim(max_difference(stopped.of(x), open.of(x)) < 1e-6, "the segment's gradient stays the same");
  claim(largest(stopped.of(x)) > 0 && largest(open.of(memory)) > 0,
        "everywhere else a gradient arrives");
  Tensor other = memory.clone();
  copy_into(other, {other.values()[0] + 1}, 0);
  const double moved = max_difference(output(other), output(memory));
  claim(moved > 0, "the output depends on the memory all the same");
  say("The output does depend on the memory (changing one number by 1 moves it by {}), but "
      "training does not look back. A step costs the same, however long the text was.",
      small(moved));
  draw_reach(options);
  finding("The memory is read, but gradients stop at it: its gradient is exactly 0");
}

void windows(const CommonOptions& options) {
  section("How many keys does each query see?");
  say("Take a segment of T = 3 with a memory of M = 2, in the middle of a text. By the rule j <= M "
      "+ i the window grows along the segment, so that its last token has an easier task than its "
      "first. With --same-length every query sees the last M keys, its own included:");
  const SegmentLengths middle{.query_length = 3, .present_length = 2, .memory_length = 2};
  show("as it is", segment_mask(middle, false).allowed(), by_key);
  show("--same-length", segment_mask(middle, true).allowed(), by_key);
  say("This is how many keys the queries of a segment of 4 see as the memory fills up:");
  Table table({"memory at most", "present", "keys, query 0 to 3", "with --same-length"});
  const auto counts = [](const SegmentLengths& n, bool same) {
    const Ids allowed = segment_mask(n, same).allowed();
    std::string text;
    for (int i = 0; i < allowed.size(1); ++i) {
      const std::int32_t* row = allowed.begin() + std::ptrdiff_t(i) * allowed.size(2);
      text += (i > 0 ? " " : "") + std::to_string(std::accumulate(row, row + allowed.size(2), 0));
    }
    return text;
  };
  for (const auto& [most, present] : {std::pair{4, 0}, {4, 4}, {16, 4}, {16, 16}}) {
    const SegmentLengths n{.query_length = 4, .present_length = present, .memory_length = most};
    table.row({std::to_string(most), std::to_string(present), counts(n, false), counts(n, true)});
  }
  table.print();
  claim(
      counts({.query_length = 4, .present_length = 16, .memory_length = 16}, true) == "16 16 16 16",
      "with a full memory every window is equally long");
  draw_layers_reach(options);
  finding(
      "Query i sees M + i + 1 keys, with --same-length at most a full memory's. Compare equal "
      "windows");
}

}  // namespace xf::lesson_08
