// Lesson 5, sections 4 and 5: padding does not leak, and a padding test that hides real words.

#include <tuple>

#include "05_encoder/lesson.hpp"
#include "ops/reduce/reduce.hpp"
#include "ops/shape/shape_ops.hpp"
#include "speech/show.hpp"

namespace xf::lesson_05 {
namespace {

constexpr LayerSizes sizes{.d_model = 16, .d_ff = 32, .heads = 2, .norm = NormOrder::post};

// The outputs at the real positions of sentence 0.   y: (B, S, D)   returns (1, real, D)
Tensor real_part(const Tensor& y, int real) { return slice(slice(y, 0, 0, 1), 1, 0, real); }

// |d loss / d x| at the padding, for a loss that reads the real positions of sentence 0.
double gradient_at_padding(const Encoder& encoder, const Tensor& input, const Mask& mask, int real,
                           Random& random) {
  const Tensor x = parameter(input.clone());  // (B, S, D)
  const Tensor weights = normal({1, real, x.size(2)}, 1.0, random);
  Tape tape;
  Gradients gradients = tape.backward(weighted_sum(real_part(encoder(x, mask), real), weights));
  const Tensor dx = slice(slice(gradients.of(x), 0, 0, 1), 1, real, x.size(1) - real);
  return max_difference(dx, Tensor::zeros(dx.shape()));
}

}  // namespace

void padding_stays_out(std::uint64_t seed) {
  section("\"The encoder needs no mask\": what happens to a short sentence in a batch?");
  say("The encoder needs no CAUSAL mask: every word may look at every word. But sentences in a "
      "batch differ in length, the short ones are filled up with <pad>, and no word may look "
      "there.");
  const int real = 4, length = 8;
  const Ids batch({2, length}, {4, 5, 10, eos, pad, pad, pad, pad, 4, 5, 6, 7, 8, 9, 10, eos});
  show("ids, (B, S): 'I like Games <eos>' and 'I like the 2022 Beijing Winter Games <eos>'", batch);
  const Mask mask = padding_mask(batch, pad);
  show("padding_mask(ids), (B, 1, S): 1 = may be attended to", mask.allowed());

  Random random(seed, 4);
  const TokenEmbedding table(static_cast<int>(vocabulary.size()), sizes.d_model, random);
  const Encoder encoder(2, sizes, random);
  const auto encode = [&](const Ids& ids, const Mask& allowed) {
    return real_part(encoder(embedded(ids, table), allowed), real);
  };
  const Ids alone({1, real}, {4, 5, 10, eos});
  Ids other_padding = Ids(batch.shape(), batch.values());
  for (int t = real; t < length; ++t) other_padding[t] = 4 + t % 7;
  const Ids more_padding({1, 12}, {4, 5, 10, eos, pad, pad, pad, pad, pad, pad, pad, pad});

  say("Three experiments on the first sentence, two layers, D = 16. The table compares the outputs "
      "at its 4 real positions, max |difference|:");
  const std::vector<std::tuple<Words, Tensor, Tensor>> rows = {
      {"alone (1, 4), instead of in the batch (2, 8)", encode(alone, {}), encode(alone, {})},
      {"real words in the place of <pad>, same mask", encode(other_padding, mask),
       encode(other_padding, {})},
      {"8 pad tokens instead of 4", encode(more_padding, padding_mask(more_padding, pad)),
       encode(more_padding, {})}};
  Table table_of_differences({"experiment", "with the mask", "without"});
  double worst = 0, least = 1e9;
  for (const auto& [what, masked, unmasked] : rows) {
    const double with_mask = max_difference(masked, encode(batch, mask));
    const double without = max_difference(unmasked, encode(batch, {}));
    table_of_differences.row({what, small(with_mask), fixed(without, 2)});
    worst = std::max(worst, with_mask);
    least = std::min(least, without);
  }
  const Tensor x = embedded(batch, table);
  const double closed = gradient_at_padding(encoder, x, mask, real, random);
  const double open = gradient_at_padding(encoder, x, {}, real, random);
  table_of_differences.row(
      {"largest |gradient| that reaches a <pad> vector", small(closed), fixed(open, 2)});
  table_of_differences.print();
  claim(worst <= 1e-5 && closed == 0, "padding does not leak through the mask");
  claim(least > 1e-3 && open > 1e-3, "without the mask padding leaks");
  finding("With padding masked, real words' outputs stay ({}); unmasked, they move by {} or more",
          small(worst), fixed(least, 2));
  say("The rows at <pad> themselves hold numbers that mean nothing. Whatever reads the encoder's "
      "output (cross attention, a mean, a loss) has to apply the same mask again.");
}

void a_real_word_with_id_0(std::uint64_t seed) {
  section("What if the padding test hides a real word?");
  say("A lesson found on the web numbers its words from 0 and calls id 0 padding. Its sentence 'I "
      "like the 2022 Beijing Winter Games' has these ids (three words share one):");
  const Ids source({1, 7}, {0, 1, 2, 3, 4, 4, 4});
  const std::vector<std::string> words = {"I", "like", "the", "2022", "Beijing", "Winter", "Games"};
  show("ids", source, {.rows = {}, .columns = words});
  show("padding_mask(ids, 0)", padding_mask(source, 0).allowed(), {.rows = {}, .columns = words});
  say("No word may attend to 'I', not even 'I' itself. To prove it, give 'I' another embedding and "
      "see which of the other words' outputs change.");
  Random random(seed, 5);
  const TokenEmbedding table(11, sizes.d_model, random);
  const Encoder encoder(2, sizes, random);
  const auto others_change = [&](const Ids& ids, const Mask& mask, std::int32_t id) {
    TokenEmbedding replaced = table;
    replaced.weight = table.weight.clone();
    copy_into(replaced.weight, std::vector<float>(sizes.d_model, 1.0f), id * sizes.d_model);
    const auto others = [&](const TokenEmbedding& from) {
      return slice(encoder(embedded(ids, from), mask), 1, 1, 6);
    };
    return max_difference(others(table), others(replaced));
  };
  const double hidden = others_change(source, padding_mask(source, 0), 0);
  const Ids repaired({1, 7}, {4, 5, 6, 7, 8, 9, 10});
  const double seen = others_change(repaired, padding_mask(repaired, pad), 4);
  show("ids with <pad> = 0 reserved", repaired, {.rows = {}, .columns = words});
  show("padding_mask(ids, 0)", padding_mask(repaired, pad).allowed(),
       {.rows = {}, .columns = words});
  say("The other six words' outputs change by {} with 'I' = 0, and by {} with a reserved padding "
      "id.",
      small(hidden), fixed(seen, 2));
  claim(hidden == 0 && seen > 1e-3, "a word with the padding id is invisible");
  finding("A real word with the padding id is invisible to all others: padding needs its own id");
}

}  // namespace xf::lesson_05
