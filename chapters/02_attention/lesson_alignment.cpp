// Lesson 2, section 12: a recurrent translator with one vector, and with attention.

#include <algorithm>

#include "01_embedding/positional_encoding.hpp"
#include "02_attention/lesson.hpp"
#include "02_attention/recurrent.hpp"
#include "autograd/recorder.hpp"
#include "io/files.hpp"
#include "nn/parameters.hpp"
#include "ops/cross_entropy/cross_entropy.hpp"
#include "ops/embedding/embedding.hpp"
#include "ops/reduce/reduce.hpp"
#include "plot/heatmap.hpp"
#include "plot/lines.hpp"
#include "speech/show.hpp"
#include "train/adam.hpp"

namespace xf::lesson_02 {
namespace {

constexpr int letters = 20, width = 32;  // of both alphabets; of every state
constexpr int shortest = 2, longest = 16, batch = 32, updates = 400;
constexpr std::int32_t bos = letters;  // fed in before the translation's first letter

struct Model {
  Tensor source, target;  // (V, D), (V + 1, D)
  RecurrentTranslator translator;

  Model(bool attends, Random& random)
      : source(normal({letters, width}, 0.3, random)),
        target(normal({letters + 1, width}, 0.3, random)),
        translator(letters, width, attends, random) {}

  // Letter by letter into another alphabet, with teacher forcing.
  //   ids: (B, S)   returns logits (B, S, V)
  Tensor operator()(const Ids& ids) const {
    Ids before = Ids::full(ids.shape(), bos);
    for (int i = 0; i < ids.count(); ++i)
      if (i % ids.shape()[1] != 0) before[i] = ids[i - 1];
    return translator(add_positions(embedding(ids, source)),
                      add_positions(embedding(before, target)));
  }

  template <class Visitor>
  void visit(Visitor&& v) {
    v("source", source);
    v("target", target);
    v("translator", translator);
  }
};

Ids random_letters(int count, int length, Random& random) {
  Ids ids = Ids::full({count, length}, 0);
  std::generate_n(ids.begin(), ids.count(), [&] { return random.below(letters); });
  return ids;
}

Model trained(bool attends, std::uint64_t seed) {
  Random random(seed, 12);
  Model model(attends, random);
  const std::vector<NamedParameter> list = parameters(model);
  Adam adam(list, {.beta2 = 0.99});
  for (int update = 0; update < updates; ++update) {
    const Ids ids = random_letters(batch, shortest + random.below(longest - shortest + 1), random);
    Tape tape;
    Gradients gradients = tape.backward(cross_entropy_in_place(model(ids), ids));
    GradientSums sums = sum_of(list, gradients);
    clip(sums, 1);
    adam.step(sums, 0.01 * (1 - double(update) / updates));
  }
  return model;
}

// The share of the letters of 100 new sentences of this length that are translated correctly.
double accuracy(const Model& model, int length, std::uint64_t seed) {
  Random random(seed, 13);
  const Ids ids = random_letters(100, length, random);
  const std::vector<int> best = argmax(model(ids));
  double right = 0;
  for (int i = 0; i < ids.count(); ++i) right += best[std::size_t(i)] == ids[i];
  return right / double(ids.count());
}

// alpha for one new sentence: a row for each letter written, a column for each letter read.
Heatmap alignment_of(const Model& model, std::uint64_t seed) {
  Random random(seed, 14);
  const Ids ids = random_letters(1, 10, random);
  Recorder recorder({"weights"});
  model(ids);
  Heatmap map;
  map.row_count = map.column_count = 10;
  map.row_title = "written";
  map.column_title = "read";
  for (int i = 0; i < ids.count(); ++i) {
    map.rows.push_back(std::string(1, char('A' + ids[i])));
    map.columns.push_back(std::string(1, char('a' + ids[i])));
  }
  for (const Tensor& row : recorder.all("weights"))  // (1, 1, 1, S) each
    for (float weight : row.values()) map.values.push_back(weight);
  return map;
}

}  // namespace

void alignment(const Options& options) {
  section("What does attention give to a recurrent translator?");
  say("One recurrent network reads a sentence of letters. A second one, h_t = tanh(U h_{t-1} + "
      "y_{t-1}), starts from the last state of the first and writes the sentence in another "
      "alphabet, each letter from tanh(h_t + C c_t). What c_t holds of the source is either that "
      "last state again, a single vector of 32 numbers for any sentence, or the result of "
      "attention, with the writer's state as the query and the reader's states as keys and values. "
      "Both networks know the positions, and both pairs are trained for 400 updates on sentences "
      "of 2 to 16 random letters out of 20. The table gives the share of letters of 100 new "
      "sentences that are right, each after the correct letters before it:");
  const std::vector<int> lengths = {2, 4, 8, 12, 16};
  Table table({"length of the sentence", "2", "4", "8", "12", "16"});
  std::vector<Series> lines;
  std::vector<std::vector<double>> rows;
  double on_its_own = 0;
  std::string map_path = output_path(options, "alignment.svg");
  for (const bool attends : {false, true}) {
    const Model model = trained(attends, options.seed);
    const Words name = attends ? "attention" : "one vector";
    std::vector<Phrase> cells = {name};
    Series line = {name};
    rows.emplace_back();
    for (const int length : lengths) {
      rows.back().push_back(accuracy(model, length, options.seed));
      cells.push_back(fixed(100 * rows.back().back(), 1) + " %");
      line.add(length, 100 * rows.back().back());
    }
    table.row(cells);
    lines.push_back(line);
    if (!attends) continue;
    Heatmap map = alignment_of(model, options.seed);
    for (int t = 0; t < map.row_count; ++t)
      on_its_own += double(map.values[std::size_t(t * map.column_count + t)]) / map.row_count;
    map.title =
        words("On average {} of alpha is on the letter that is translated", fixed(on_its_own, 2));
    write_file_atomically(map_path, heatmap_svg(map));
  }
  table.print();
  write_picture(
      options, "by_length.svg",
      line_chart_svg(
          {.title = words("Of 16 letters, {} % are right with one vector, {} % with attention",
                          fixed(100 * rows[0].back(), 0), fixed(100 * rows[1].back(), 0)),
           .x_title = "length of the sentence",
           .y_title = "letters translated correctly, %",
           .series = lines}));
  picture(map_path);
  const std::vector<double>&vector = rows[0], &attention = rows[1];
  claim(vector.front() > vector.back() + 0.2,
        "one vector: the longer the sentence, the fewer letters are right");
  claim(attention.back() > vector.back() + 0.3,
        "in long sentences attention gets more letters right");
  claim(attention.back() > attention[1] - 0.1, "with attention the length costs nothing");
  claim(on_its_own > 0.5, "most of alpha is on the letter that is being translated");
  say("One vector has to hold the whole sentence, whatever its length. With attention, every "
      "letter that is written has a context of its own: on average, {} of the weight is on the "
      "letter that it translates. Nobody has told the network which letter belongs to which.",
      fixed(on_its_own, 2));
  finding(
      "A recurrent translator gets {} % of 16 letters right with one vector, {} % with attention",
      fixed(100 * vector.back(), 0), fixed(100 * attention.back(), 0));
}

}  // namespace xf::lesson_02
