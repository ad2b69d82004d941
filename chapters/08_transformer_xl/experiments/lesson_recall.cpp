// Lesson 8, sections 4 and 5: an answer from before the segment.

#include <cmath>
#include <functional>

#include "08_transformer_xl/experiments/lesson.hpp"
#include "08_transformer_xl/experiments/recall.hpp"
#include "08_transformer_xl/program/maps.hpp"
#include "io/files.hpp"
#include "io/utf8.hpp"
#include "plot/heatmap.hpp"
#include "speech/show.hpp"
#include "train/progress.hpp"

namespace xf::lesson_08 {
namespace {

constexpr int segment = 8, updates = 600, tested = 4096;

double accuracy(const Tensor& scores, const Episodes& e) {
  return double(e.right(scores)) / e.second.size(0);
}

// `watcher` is called at the start and every 100 updates.
void train(AnySegmentModel& model, const char* name, std::uint64_t seed,
           const std::function<void(int)>& watcher = {}) {
  RecallTraining training(model, seed, updates);
  Progress progress;
  if (watcher) watcher(0);
  for (int update = 1; update <= updates; ++update) {
    const double loss = training.step();
    if (update % 200 == 0)
      progress.line(std::string(name) + "  update " + std::to_string(update) + "  loss " +
                    fixed(loss));
    if (watcher && update % 100 == 0) watcher(update);
  }
}

// The layer and head whose attention from "?" to the capital is largest, in one episode.
Heatmap attention_map(const AnySegmentModel& model, const Episodes& e) {
  Memory memory = model.start();
  model.hidden(e.first, memory);
  Recorder recorder({"weights"});
  model(e.second, memory);
  const std::vector<Tensor> weights = recorder.all("layers.*.attention.weights");
  std::vector<std::string> columns = Episodes::names(e.first), rows = Episodes::names(e.second);
  columns.insert(columns.end(), rows.begin(), rows.end());
  Heatmap best;
  float most = -1;
  for (std::size_t layer = 0; layer < weights.size(); ++layer)
    for (int head = 0; head < weights[layer].size(1); ++head) {
      const Tensor map = slice(weights[layer], 1, head, 1);  // (1, 1, T, S)
      const float seen = map.values()[e.asked[0] * 2 * segment + e.secrets[0]];
      if (seen <= most) continue;
      most = seen;
      best = {.title = words("Layer {}, head {}: left of the line is the memory", layer, head),
              .rows = rows,
              .columns = columns,
              .values = map.values(),
              .row_count = segment,
              .column_count = 2 * segment,
              .row_title = "query, in the segment",
              .column_title = "key, in [memory, segment]; 0: masked, 0.00: below a hundredth",
              .boundary_column = segment,
              .first_column = -segment};
    }
  claim(most > 0.5, "a head looks from the question to the capital letter in the memory");
  say("From \"?\", the head in the picture puts {}% of its weight on the capital letter, which is "
      "left of the dashed line, in the memory.",
      fixed(100 * most, 1));
  return best;
}

}  // namespace

void recall(const CommonOptions& options) {
  section("Can it recall what lies beyond the segment?");
  Random random(options.seed, 5);
  const Episodes example(1, random, segment);
  say("This is a task of our own, with two segments of 8 tokens. The first contains one capital "
      "letter. In the second there is a \"?\", and the capital must follow it. The second segment "
      "alone does not show which of the 8 it is. The positions of both change from episode to "
      "episode:");
  Table shown({"segment 1", "segment 2"});
  shown.row(
      {joined(Episodes::names(example.first), " "), joined(Episodes::names(example.second), " ")});
  shown.print();

  Random draw(options.seed, 6);
  const TransformerXlConfig sizes = recall_sizes(segment);
  AnySegmentModel xl(sizes, draw), vanilla(as_vanilla(vanilla_equal(sizes)), draw);
  say("Transformer-XL ({} parameters) and the vanilla model ({}) get {} updates of {} episodes "
      "each. Only the answer counts in the loss:",
      parameter_count(parameters(xl)), parameter_count(parameters(vanilla)), updates,
      RecallTraining::batch);
  Explorer page{.title = "Transformer-XL recalls a capital letter",
                .sentence = {joined(Episodes::names(example.first), " "),
                             joined(Episodes::names(example.second), " ")},
                .checkpoints = {},
                .views = {}};
  std::vector<std::int32_t> both = example.first.values();
  for (const std::int32_t id : example.second.values()) both.push_back(id);
  train(xl, "Transformer-XL", options.seed, [&](int update) {
    language::look(xl, both, Episodes::name_of, "update " + std::to_string(update), page);
  });
  train(vanilla, "vanilla       ", options.seed);

  const Episodes held_out(tested, random, segment);
  const double with = accuracy(held_out.logits(xl), held_out);
  Memory none = xl.start();
  const double without = accuracy(xl(held_out.second, none), held_out);
  const double alone = accuracy(held_out.logits(vanilla), held_out);
  Table table({words("{} new episodes", tested), "right answers"});
  const auto percent = [](double share) { return fixed(100 * share, 1) + "%"; };
  table.row({"chance, 1 of 8", "12.5%"});
  table.row({"vanilla, the segment alone", percent(alone)});
  table.row({"Transformer-XL, its memory taken away", percent(without)});
  table.row({"Transformer-XL, with the memory", percent(with)});
  table.print();
  const double chance = 1.0 / Episodes::letters;
  const double spread = std::sqrt(chance * (1 - chance) / tested);  // of a guess's share
  claim(std::abs(alone - chance) < 5 * spread, "the vanilla model is at chance");
  claim(with >= 0.99, "Transformer-XL is right in at least 99%");
  claim(without < 0.5, "the memory has the answer");
  finding("Beyond the segment, vanilla gets {} right (chance 12.5%), Transformer-XL {}",
          percent(alone), percent(with));

  section("Where does it look?");
  const Heatmap map = attention_map(xl, example);
  write_picture(options, "memory.svg", heatmap_svg(map));
  const std::string explorer = output_path(options, "attention.html");
  write_file_atomically(explorer, explorer_html(page));
  say("attention.html shows all layers and heads for both segments, every 100 updates: move "
      "the slider to see the model learn to use its memory.");
  picture(explorer);
  finding(
      "At the question mark, one head puts {}% of its weight on the letter in the memory",
      fixed(100 * map.values[std::size_t(example.asked[0] * 2 * segment + example.secrets[0])], 1));
}

}  // namespace xf::lesson_08
