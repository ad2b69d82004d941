// Lesson 5, sections 8 and 11: the attention of an encoder that has learned something, and of one
// whose heads started out identical.

#include <algorithm>
#include <cmath>

#include "05_encoder/lesson_tagger.hpp"
#include "ops/cross_entropy/cross_entropy.hpp"
#include "ops/reduce/reduce.hpp"
#include "ops/shape/shape_ops.hpp"
#include "plot/heatmap.hpp"
#include "speech/show.hpp"
#include "train/adam.hpp"

namespace xf::lesson_05 {
namespace {

constexpr int length = 7, heads = Tagger::heads, first_word = 4, word_count = 7;

struct Example {
  Ids sentence, mirrored;  // (B, S) each
};
Example random_example(int batch, Random& random) {
  Example example{Ids::full({batch, length}, 0), Ids::full({batch, length}, 0)};
  for (int b = 0; b < batch; ++b)
    for (int t = 0; t < length; ++t) {
      const std::int32_t word = first_word + random.below(word_count);
      example.sentence[b * length + t] = word;
      example.mirrored[b * length + length - 1 - t] = word;
    }
  return example;
}

void train(Tagger& model, int updates, Random& random) {
  Adam adam(parameters(model));
  for (int update = 0; update < updates; ++update) {
    const Example example = random_example(32, random);
    Tape tape;
    Gradients gradients =
        tape.backward(cross_entropy_in_place(model(example.sentence), example.mirrored));
    adam.step(gradients, 3e-3);
  }
}

// The share of positions where the most likely word is the right one.
double accuracy(const Tagger& model, const Example& example) {
  const std::vector<int> best = argmax(model(example.sentence));
  int right = 0;
  for (std::size_t row = 0; row < best.size(); ++row) right += best[row] == example.mirrored[row];
  return static_cast<double>(right) / static_cast<double>(best.size());
}

// The mean weight that head h puts on the mirrored position.   weights: (1, H, S, S)
double on_the_mirror(const Tensor& weights, int head) {
  double sum = 0;
  for (int t = 0; t < length; ++t)
    sum += weights.values()[(head * length + t) * length + length - 1 - t];
  return sum / length;
}

// Gives the second head the first one's rows of W_q, W_k and W_v, and its columns of W_o.
void copy_first_head(Tagger& model) {
  MultiHeadAttention& attention = model.encoder.layers[0].self_attention;
  const int d = attention.w_q.weight.size(0), half = d / heads;
  for (Linear* in : {&attention.w_q, &attention.w_k, &attention.w_v}) {
    const Tensor first = slice(in->weight, 0, 0, half);  // (D / 2, D)
    copy_into(in->weight, concat(first, first, 0).values());
  }
  const Tensor first = slice(attention.w_o.weight, 1, 0, half);  // (D, D / 2)
  copy_into(attention.w_o.weight, concat(first, first, 1).values());
}

// max |weight of head 0 - weight of head 1|.   weights: (1, 2, S, S)
double heads_apart(const Tensor& weights) {
  const Values values = weights.values();
  double most = 0;
  for (int i = 0; i < length * length; ++i)
    most = std::max(most, std::abs(double(values[i]) - values[length * length + i]));
  return most;
}

Heatmap heatmap_of(const Tensor& weights, int head, const std::vector<std::string>& words,
                   const Words& when) {
  const Values values = weights.values();
  const float* first = values.begin() + head * length * length;
  return {.title = xf::words("{}, head {}", when, head),
          .rows = words,
          .columns = words,
          .values = {first, first + length * length},
          .row_count = length,
          .column_count = length,
          .row_title = "query",
          .column_title = "key",
          .range = std::pair{0.0f, 1.0f}};
}

}  // namespace

void attention_pictures(const CommonOptions& options) {
  section("Does the attention show what an encoder has learned?");
  say("A task that needs attention: read 7 words and name, at every position, the word at the "
      "mirrored position. One pre-norm layer, D = 32, 2 heads, 400 updates with 32 random "
      "sentences each.");
  Random random(options.seed, 8);
  Tagger model(random);
  const Ids sentence({1, length}, {4, 5, 6, 7, 8, 9, 10});
  const std::vector<std::string> words = words_of(sentence, 0, vocabulary);
  const Tensor fresh = weights_of(model, sentence);
  const Example unseen = random_example(200, random);
  const double before = accuracy(model, unseen);
  train(model, 400, random);
  const double after = accuracy(model, unseen);
  const Tensor trained = weights_of(model, sentence);

  Table table({"", "fresh", "trained"});
  table.row({"right words in 200 new sentences", fixed(100 * before, 1) + " %",
             fixed(100 * after, 1) + " %"});
  double best = 0;
  int best_head = 0;
  for (int head = 0; head < heads; ++head) {
    const double weight = on_the_mirror(trained, head);
    table.row({xf::words("mean weight on the mirrored word, head {}", head),
               fixed(on_the_mirror(fresh, head), 2), fixed(weight, 2)});
    if (weight > best) best = weight, best_head = head;
  }
  table.row({"(if all words had the same weight)", fixed(1.0 / length, 2), fixed(1.0 / length, 2)});
  table.print();
  const Words name = xf::words("head {}", best_head);
  show(xf::words("the trained weights of {}, (S, S), a row for each query", name),
       slice(trained, 1, best_head, 1).view({length, length}), {.rows = words, .columns = words});

  std::vector<Heatmap> maps;
  for (int head = 0; head < heads; ++head) maps.push_back(heatmap_of(fresh, head, words, "fresh"));
  for (int head = 0; head < heads; ++head)
    maps.push_back(heatmap_of(trained, head, words, "trained"));
  write_picture(options, "attention.svg",
                heatmap_grid_svg("Attention of an encoder that mirrors its sentence", maps, heads));
  claim(after > 0.95, "the encoder learns to mirror");
  claim(best > 0.4, "a head attends to the mirrored position");
  finding("Trained to mirror sentences, {} puts {} of its weight on the mirrored word (even: 0.14)",
          name, fixed(best, 2));
}

void heads_that_begin_alike(std::uint64_t seed) {
  section("What if two heads begin with the same numbers?");
  say("The encoder of section 8 is trained twice more, once as it was, with two heads that each "
      "begin with their own random numbers, and once with the first head's numbers copied to the "
      "second (W_q, W_k, W_v and its columns of W_o):");
  const Ids sentence({1, length}, {4, 5, 6, 7, 8, 9, 10});
  Table table({"the heads begin", "apart, fresh", "apart, trained", "right words"});
  std::vector<double> apart;
  for (const bool alike : {false, true}) {
    Random random(seed, 8);
    Tagger model(random);
    if (alike) copy_first_head(model);
    const Example unseen = random_example(200, random);
    const double before = heads_apart(weights_of(model, sentence));
    train(model, 400, random);
    apart.push_back(heads_apart(weights_of(model, sentence)));
    table.row({alike ? "alike" : "with numbers of their own", fixed(before, 4),
               fixed(apart.back(), 4), fixed(100 * accuracy(model, unseen), 1) + " %"});
  }
  table.print();
  say("\"Apart\" is the largest difference between their attention weights in one sentence. Heads "
      "that begin alike get the same gradient in every update, so they stay copies, and the second "
      "one adds nothing. What makes heads look for different things is that they begin with "
      "different numbers.");
  claim(apart[1] == 0, "heads that begin alike stay alike");
  claim(apart[0] > 0, "heads that begin with different numbers stay different");
  finding("Heads that begin alike differ by {} after training, those with their own numbers by {}",
          fixed(apart[1], 2), fixed(apart[0], 2));
}

}  // namespace xf::lesson_05
