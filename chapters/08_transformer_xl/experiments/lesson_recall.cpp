// Lesson 8, sections 4 and 5: an answer that lies beyond the segment.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>

#include "08_transformer_xl/experiments/lesson.hpp"
#include "08_transformer_xl/program/maps.hpp"
#include "08_transformer_xl/segment_model.hpp"
#include "io/files.hpp"
#include "io/show.hpp"
#include "ops/reduce/reduce.hpp"
#include "plot/heatmap.hpp"
#include "train/adam.hpp"
#include "train/data_parallel.hpp"
#include "train/progress.hpp"
#include "train/schedule.hpp"

namespace xf::lesson_08 {
namespace {

constexpr int segment = 8, letters = 8, batch = 32, updates = 600, tested = 4096;
constexpr std::int32_t first_noise = 4, first_secret = first_noise + letters,
                       ask = first_secret + letters, vocabulary = ask + 1;

// Two segments of 8 tokens. The first holds one capital letter among small ones; in the second
// comes "?", and the next token is that capital: 8 to choose from, seen in the other segment only.
struct Episodes {
  Ids first, second;         // (B, T)
  Ids expected;              // (B, T): the answer after "?", -1 elsewhere
  std::vector<int> asked;    // per row: where "?" stands
  std::vector<int> secrets;  // per row: where the capital stands in the first segment

  Episodes(int rows, Random& random)
      : first(Ids::full({rows, segment}, 0)),
        second(Ids::full({rows, segment}, 0)),
        expected(Ids::full({rows, segment}, -1)) {
    for (int i = 0; i < rows * segment; ++i) {
      first[i] = first_noise + random.below(letters);
      second[i] = first_noise + random.below(letters);
    }
    for (int row = 0; row < rows; ++row) {
      const std::int32_t secret = first_secret + random.below(letters);
      secrets.push_back(random.below(segment));
      asked.push_back(random.below(segment - 1));
      first[row * segment + secrets.back()] = secret;
      second[row * segment + asked.back()] = ask;
      second[row * segment + asked.back() + 1] = secret;
      expected[row * segment + asked.back()] = secret;
    }
  }
};

std::string name_of(std::int32_t id) {
  if (id == ask) return "?";
  return id >= first_secret ? std::string(1, static_cast<char>('A' + id - first_secret))
                            : std::string(1, static_cast<char>('a' + id - first_noise));
}
std::vector<std::string> names(const Ids& ids) {
  std::vector<std::string> list;
  for (std::int32_t id : ids) list.push_back(name_of(id));
  return list;
}

TransformerXlConfig sizes() {
  return {.vocabulary = vocabulary,
          .d_model = 32,
          .d_ff = 64,
          .heads = 2,
          .layers = 2,
          .segment = segment,
          .memory = segment,
          .dropout = 0,
          .attention_dropout = 0};
}

// The second segment of the episodes after the first one, which a vanilla model forgets.
Tensor logits(const SegmentModel& model, const Episodes& e) {
  Memory memory = model.start();
  model.hidden(e.first, memory);
  return model(e.second, memory);
}

// The share of the answers that are right.
double accuracy(const Tensor& scores, const Episodes& e) {
  int right = 0;
  const int rows = e.second.size(0);
  const std::vector<int> best = argmax(scores);
  for (int row = 0; row < rows; ++row) {
    const int place = row * segment + e.asked[static_cast<std::size_t>(row)];
    right += best[place] == e.expected[place];
  }
  return double(right) / rows;
}

// `watcher` sees the model at the beginning and every 100 updates.
void train(SegmentModel& model, const char* name, std::uint64_t seed,
           const std::function<void(int)>& watcher = {}) {
  Adam adam(parameters(model), {.beta2 = 0.999, .epsilon = 1e-8, .clip = 1});
  const Schedule schedule{.kind = ScheduleKind::linear, .peak = 3e-3, .warmup = 50};
  Random random(seed, 4);
  DataParallel parallel;
  Progress progress;
  if (watcher) watcher(0);
  for (int update = 1; update <= updates; ++update) {
    const Episodes halves[] = {Episodes(batch, random), Episodes(batch, random)};
    const double loss = parallel.run(2, seed + static_cast<std::uint64_t>(update), [&](int i) {
      return cross_entropy(logits(model, halves[i]), halves[i].expected, {.divisor = 2 * batch});
    });
    adam.step(parallel.gradients(), schedule(update, double(update) / updates));
    if (update % 200 == 0)
      progress.line(std::string(name) + "  update " + std::to_string(update) + "  loss " +
                    fixed(loss));
    if (watcher && update % 100 == 0) watcher(update);
  }
}

// The layer and head that looks most at the capital from "?", of one episode.
Heatmap attention_map(const SegmentModel& model, const Episodes& e) {
  Memory memory = model.start();
  model.hidden(e.first, memory);
  Recorder recorder({"weights"});
  model(e.second, memory);
  const std::vector<Tensor> weights = recorder.all("layers.*.attention.weights");
  std::vector<std::string> columns = names(e.first), rows = names(e.second);
  columns.insert(columns.end(), rows.begin(), rows.end());
  Heatmap best;
  float most = -1;
  for (std::size_t layer = 0; layer < weights.size(); ++layer)
    for (int head = 0; head < weights[layer].size(1); ++head) {
      const Tensor map = slice(weights[layer], 1, head, 1);  // (1, 1, T, S)
      const float seen = map.values()[e.asked[0] * 2 * segment + e.secrets[0]];
      if (seen <= most) continue;
      most = seen;
      best = {.title = "Layer " + std::to_string(layer + 1) + ", head " + std::to_string(head + 1) +
                       ": left of the line is the memory",
              .rows = rows,
              .columns = columns,
              .values = map.values(),
              .row_count = segment,
              .column_count = 2 * segment,
              .row_title = "query, in the segment",
              .column_title = "key, in [memory, segment]",
              .boundary_column = segment};
    }
  claim(most > 0.5, "a head looks from the question to the capital letter in the memory");
  const std::string cell = fixed(100 * most, 1);
  say("From \"?\" the head of the picture looks with " + cell + "% at the capital letter, which " +
      "stands left of the dashed line, in the memory.");
  return best;
}

}  // namespace

void recall(const CommonOptions& options) {
  section("Can it recall what lies beyond the segment?");
  Random random(options.seed, 5);
  const Episodes example(1, random);
  say("A task of our own: two segments of 8 tokens. One capital letter hides in the first; in the "
      "second stands \"?\", and the capital must follow. The segment itself does not tell which of "
      "the 8 it is. Where both stand changes from episode to episode:");
  Table shown({"segment 1", "segment 2"});
  const auto joined = [](const std::vector<std::string>& words) {
    std::string line;
    for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
    return line;
  };
  shown.row({joined(names(example.first)), joined(names(example.second))});
  shown.print();

  Random draw(options.seed, 6);
  SegmentModel xl(sizes(), draw), vanilla(as_vanilla(vanilla_equal(sizes())), draw);
  say("Transformer-XL (" + std::to_string(parameter_count(parameters(xl))) +
      " parameters) and the vanilla model (" +
      std::to_string(parameter_count(parameters(vanilla))) + "), " + std::to_string(updates) +
      " updates of " + std::to_string(2 * batch) + " episodes each; only the answer counts:");
  Explorer page{.title = "Transformer-XL recalls a capital letter",
                .sentence = {joined(names(example.first)), joined(names(example.second))},
                .checkpoints = {},
                .views = {}};
  std::vector<std::int32_t> both = example.first.values();
  for (const std::int32_t id : example.second.values()) both.push_back(id);
  train(xl, "Transformer-XL", options.seed, [&](int update) {
    language::look(xl, both, name_of, "update " + std::to_string(update), page);
  });
  train(vanilla, "vanilla       ", options.seed);

  const Episodes held_out(tested, random);
  const double with = accuracy(logits(xl, held_out), held_out);
  Memory none = xl.start();
  const double without = accuracy(xl(held_out.second, none), held_out);
  const double alone = accuracy(logits(vanilla, held_out), held_out);
  Table table({std::to_string(tested) + " new episodes", "right answers"});
  const auto percent = [](double share) { return fixed(100 * share, 1) + "%"; };
  table.row({"chance, 1 of 8", "12.5%"});
  table.row({"vanilla, the segment alone", percent(alone)});
  table.row({"Transformer-XL, its memory taken away", percent(without)});
  table.row({"Transformer-XL, with the memory", percent(with)});
  table.print();
  const double chance = 1.0 / letters;
  const double spread = std::sqrt(chance * (1 - chance) / tested);  // of a guess's share
  claim(std::abs(alone - chance) < 5 * spread, "the vanilla model is at chance");
  claim(with >= 0.99, "Transformer-XL is right in at least 99%");
  claim(without < 0.5, "it is the memory that tells");
  finding("An answer beyond the segment: vanilla " + percent(alone) + " right (chance 12.5%), " +
          "Transformer-XL " + percent(with));

  section("Where does it look?");
  const std::string path = output_path(options, "memory.svg");
  write_file_atomically(path, heatmap_svg(attention_map(xl, example)));
  picture(path);
  const std::string explorer = output_path(options, "attention.html");
  write_file_atomically(explorer, explorer_html(page));
  say("attention.html shows all layers and heads of both segments to touch, and how they came "
      "about, every 100 updates: move the slider and see the memory being found.");
  picture(explorer);
}

}  // namespace xf::lesson_08
