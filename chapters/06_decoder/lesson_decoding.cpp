// Lesson 6, sections 8 and 9: training compared with decoding, and when decoding ends.

#include "02_attention/mask.hpp"
#include "06_decoder/lesson.hpp"
#include "language/language.hpp"
#include "nn/parameters.hpp"
#include "ops/cross_entropy/cross_entropy.hpp"
#include "ops/reduce/reduce.hpp"
#include "ops/shape/shape_ops.hpp"
#include "speech/show.hpp"
#include "train/adam.hpp"

namespace xf::lesson_06 {
namespace {

// The counting task: the source is a start and a step, the target the next five numbers modulo 10,
// so that each word follows from the one before. Ids: number n is first_number + n.
constexpr int first_number = 3, words = first_number + 10, count = 5, d_model = 32;

struct Counter {
  TokenEmbedding source_table, target_table;
  Decoder decoder;
  Linear output;  // (V, D)

  explicit Counter(Random& random)
      : source_table(words, d_model, random),
        target_table(words, d_model, random),
        decoder(1, {.d_model = d_model, .d_ff = 64, .heads = 2, .norm = NormOrder::pre}, random),
        output(d_model, words, random) {}

  // There is no encoder in this chapter: the embedded source takes the place of its output.
  Tensor encoded(const Ids& source) const { return add_positions(source_table(source)); }

  // source: (B, 2)   input: (B, T)   returns logits (B, T, V)
  Tensor operator()(const Ids& source, const Ids& input) const {
    const int length = input.size(1);
    const Tensor x = add_positions(target_table(input));
    return output(decoder(x, encoded(source), causal_mask(length, length), {}));
  }

  template <class Visitor>
  void visit(Visitor&& v) {
    v("source_table", source_table);
    v("target_table", target_table);
    v("decoder", decoder);
    v("output", output);
  }
};

struct Batch {
  Ids source, input, expected;  // (B, 2), (B, T), (B, T)
};
// All 100 pairs of a start and a step.
Batch all_pairs() {
  const int length = count + 1;
  Batch batch{Ids::full({100, 2}, 0), Ids::full({100, length}, bos), Ids::full({100, length}, eos)};
  for (int pair = 0; pair < 100; ++pair) {
    batch.source[2 * pair] = first_number + pair / 10;
    batch.source[2 * pair + 1] = first_number + pair % 10;
    for (int t = 0; t < count; ++t) {
      const std::int32_t word = first_number + (pair / 10 + t * (pair % 10)) % 10;
      batch.input[pair * length + t + 1] = word;
      batch.expected[pair * length + t] = word;
    }
  }
  return batch;
}

// Teacher forcing: the most likely word after every prefix of the GIVEN sentence.
Ids forced(const Counter& model, const Batch& batch) {
  const Tensor logits = model(batch.source, batch.input);  // (B, T, V)
  return Ids(batch.input.shape(), argmax(logits));
}

// Greedy decoding: each prediction is the next input. Every sentence runs for `limit` steps;
// anything after its <eos> is ignored.   source: (B, 2)   returns (B, limit)
Ids decoded(const Counter& model, const Ids& source, int limit) {
  const int batch = source.size(0);
  DecoderCache cache = model.decoder.start(model.encoded(source), {});
  Ids last = Ids::full({batch, 1}, bos), result = Ids::full({batch, limit}, 0);
  for (int t = 0; t < limit; ++t) {
    const Tensor x = add_positions(model.target_table(last), t);  // (B, 1, D)
    const Tensor logits = model.output(model.decoder(x, cache));  // (B, 1, V)
    last = Ids({batch, 1}, argmax(logits));
    for (int b = 0; b < batch; ++b) result[b * limit + t] = last[b];
  }
  return result;
}

double share_right(const Ids& predicted, const Ids& expected) {
  int right = 0;
  for (std::ptrdiff_t i = 0; i < expected.count(); ++i) right += predicted[i] == expected[i];
  return 100.0 * right / static_cast<double>(expected.count());
}

std::string text_of(const Ids& ids, int b) {
  std::string text;
  for (int t = 0; t < ids.size(1); ++t) {
    const std::int32_t id = ids.at(b, t);
    const std::string word = id == eos   ? "<eos>"
                             : id == bos ? "<bos>"
                             : id == pad ? "<pad>"
                                         : std::to_string(id - first_number);
    text += (t ? " " : "") + word;
  }
  return text;
}

// The logits for the true prefixes, step by step through the cache.
Tensor stepped_on_truth(const Counter& model, const Batch& batch) {
  DecoderCache cache = model.decoder.start(model.encoded(batch.source), {});
  Tensor logits;
  for (int t = 0; t < batch.input.size(1); ++t) {
    Ids column = Ids::full({batch.input.size(0), 1}, 0);
    for (int b = 0; b < batch.input.size(0); ++b) column[b] = batch.input.at(b, t);
    const Tensor x = add_positions(model.target_table(column), t);
    const Tensor row = model.output(model.decoder(x, cache));
    logits = logits.defined() ? concat(logits, row, 1) : row;
  }
  return logits;  // (B, T, V)
}

}  // namespace

void teacher_forcing(std::uint64_t seed) {
  section("Training reads the true words, decoding its own: does it matter?");
  say("In training the whole translation is known. One pass predicts every word from the TRUE "
      "words before it (teacher forcing): T predictions at once, thanks to the causal mask. In "
      "decoding, the preceding words are the model's own, mistakes included.");
  say("In this task each word follows from the last: the source '7 2' (start, step) becomes '7 9 1 "
      "3 5'. There is one layer with D = 32; the embedded source takes the place of the encoder's "
      "output. All 100 pairs are used.");
  Random random(seed, 6);
  Counter model(random);
  const Batch batch = all_pairs();
  agree("one teacher-forced pass, and T steps fed with the true words",
        model(batch.source, batch.input), stepped_on_truth(model, batch));

  Table table({"updates", "loss", "words right, true prefix", "words right, own prefix"});
  Adam adam(parameters(model));
  double widest_gap = 0, forced_then = 0, own_then = 0, own = 0;
  int example = 0;
  std::string truth, from_truth, from_own;
  for (int update = 0; update <= 390; ++update) {
    if (update % 30 == 0 && (update <= 120 || update == 390)) {
      const Ids predicted = forced(model, batch), free = decoded(model, batch.source, count + 1);
      const double with_truth = share_right(predicted, batch.expected);
      own = share_right(free, batch.expected);
      const double loss = cross_entropy(model(batch.source, batch.input), batch.expected).item();
      table.row(
          {std::to_string(update), fixed(loss), fixed(with_truth, 1) + " %", fixed(own, 1) + " %"});
      if (with_truth - own > widest_gap) {
        widest_gap = with_truth - own, forced_then = with_truth, own_then = own;
        int most = -1;
        for (int b = 0; b < 100; ++b) {
          int difference = 0;
          for (int t = 0; t <= count; ++t) {
            difference += predicted.at(b, t) == batch.expected.at(b, t);
            difference -= free.at(b, t) == batch.expected.at(b, t);
          }
          if (difference > most) most = difference, example = b;
        }
        truth = text_of(batch.expected, example);
        from_truth = text_of(predicted, example), from_own = text_of(free, example);
      }
    }
    Tape tape;
    Gradients gradients =
        tape.backward(cross_entropy_in_place(model(batch.source, batch.input), batch.expected));
    // From update 200 on the rate decays, so that no large last step decides the final accuracy.
    adam.step(gradients, 3e-3 * (update < 200 ? 1 : (391 - update) / 191.0));
  }
  table.print();
  claim(widest_gap > 2, "teacher forcing flatters a model that is not finished");
  claim(own > 95, "on its own the finished model gets 19 of 20 words right");
  say("When the gap was widest, the pair '{}':", text_of(batch.source, example));
  equation("expected           {}\nfrom true words    {}\nfrom its own       {}", truth, from_truth,
           from_own);
  say("After its first mistake, the decoder continues from a wrong word. A test that feeds in the "
      "true translation (often seen) reports the column 'true prefix' and never decodes.");
  finding("{} % of the words were right with teacher forcing, {} % in decoding: test by decoding",
          fixed(forced_then, 1), fixed(own_then, 1));
}

void when_to_stop(std::uint64_t seed) {
  section("When does decoding stop?");
  say("At <eos>, and, because nothing forces a model to write <eos>, at a maximum length. 200 "
      "untrained decoders, one source each, up to 60 steps:");
  const int limit = 60;
  int endless = 0;
  std::string example;
  for (int trial = 0; trial < 200; ++trial) {
    Random random(seed, 100 + static_cast<std::uint64_t>(trial));
    const Counter fresh(random);
    const Ids out = decoded(fresh, Ids({1, 2}, {first_number + 7, first_number + 2}), limit);
    if (std::find(out.begin(), out.end(), eos) != out.end()) continue;
    ++endless;
    if (example.empty()) example = text_of(out, 0);
  }
  say("{} of 200 did not write <eos> within 60 steps. The first of them:", endless);
  quote(example.substr(0, 60) + " …");
  claim(endless > 0, "a decoder may never stop by itself");
  say("A usual limit is a multiple of the source's length plus a constant. A batch is finished "
      "when each of its sentences is; what follows the <eos> of a sentence does not count. A "
      "search should also forbid <pad> and <bos>, which this one does not.");
  finding(
      "Stop at <eos> OR at a maximum length: {} of 200 untrained decoders write no <eos> in 60 "
      "steps",
      endless);
}

}  // namespace xf::lesson_06
