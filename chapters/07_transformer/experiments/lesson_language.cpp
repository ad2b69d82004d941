// Lesson 7, sections 4 to 6: a translator for the language of corpus.hpp.

#include <algorithm>
#include <cmath>

#include "07_transformer/experiments/lesson.hpp"
#include "07_transformer/experiments/own_language.hpp"
#include "07_transformer/program/maps.hpp"
#include "language/language.hpp"
#include "nn/parameters.hpp"
#include "plot/lines.hpp"
#include "speech/show.hpp"
#include "train/progress.hpp"
#include "train/schedule.hpp"

namespace xf::lesson_07 {

namespace {

void show_language(const CorpusSplit& split) {
  section("A language of our own: what must a translator of it know?");
  say("{} sentence pairs to learn from, and {} others to test on, none of which occurs in training "
      "on either side. Times and places move, nouns need measure words, and questions keep the "
      "word order of statements:",
      split.train.size(), split.held_out.size());
  Table table({"English", "Chinese"});
  for (std::size_t i : {0u, 1u, 2u, 3u, 4u, 5u})
    table.row({split.held_out[i].english, split.held_out[i].chinese});
  table.print();
  finding("{} pairs teach moved times and places, measure words and questions; {} others test it",
          split.train.size(), split.held_out.size());
}

// The learning rate at each update: of this training, and with the other schedules.
void draw_rates(const RunOptions& run, const CommonOptions& options) {
  std::vector<Series> lines;
  double highest = 0, last = 0;
  for (const auto& [kind, name] : {std::pair{ScheduleKind::linear, Phrase("linear, as here")},
                                   std::pair{ScheduleKind::noam, Phrase("noam, the paper's")},
                                   std::pair{ScheduleKind::constant, Phrase("constant")}}) {
    Series line{.name = name, .x = {}, .y = {}};
    const Schedule rate{.kind = kind, .peak = run.lr, .warmup = run.warmup};
    for (int k = 1; k <= run.updates; ++k) {
      line.x.push_back(k);
      line.y.push_back(rate(k, double(k) / run.updates));
    }
    highest = std::max(highest, *std::ranges::max_element(line.y));
    if (kind == ScheduleKind::noam) last = line.y.back();
    lines.push_back(std::move(line));
  }
  write_picture(options, "rates.svg",
                line_chart_svg({.title = "The learning rate, update by update",
                                .x_title = "update k",
                                .y_title = "rate(k)",
                                .series = std::move(lines)}));
  claim(highest == run.lr &&
            std::abs(last - run.lr * std::sqrt(double(run.warmup) / run.updates)) < 1e-12,
        "no schedule exceeds its peak; the paper's has fallen to sqrt(warm-up / updates) of it");
}

Translator train(const ParallelText& text, const CommonOptions& options) {
  section("Training: how long does it take?");
  Translator translator = fresh_translator(language_sizes(), text, options.seed);
  const std::string directory = options.out + "/model";
  const TrainingOptions training = language_training();
  save_description(directory, translator);
  say("d = 64, 2 + 2 layers, post-norm, {} parameters; {} updates of about 50 sentences. The rate "
      "is the lower of two lines, one rising to 0.004 in 200 updates, the other falling straight "
      "from 0.004 to 0. Label smoothing is 0.1.",
      parameter_count(parameters(translator.model)), training.run.updates);
  draw_rates(training.run, options);
  const Stopwatch watch;
  train_translator(translator, {.train = text, .valid = {}}, training, directory, options.seed,
                   false);
  say("Trained in {} s. The model:", fixed(watch.seconds(), 0));
  quote(directory);
  finding("{} parameters are trained in {} updates; the rate first rises, then falls to 0",
          parameter_count(parameters(translator.model)), training.run.updates);
  return translator;
}

void test(const Translator& translator, const CorpusSplit& split) {
  section("Does it translate sentences that it has never seen?");
  const ParallelText text = parallel_text(split.held_out);
  const std::vector<std::string> translations = translate_lines(translator, text.source, {});
  int right = 0;
  std::string wrong;
  for (std::size_t i = 0; i < translations.size(); ++i) {
    if (translations[i] == text.target[i])
      ++right;
    else
      wrong += (wrong.empty() ? "" : "\n") + text.source[i] + "\n   " + Words("right:").str() +
               "  " + text.target[i] + "\n   " + Words("wrong:").str() + "  " + translations[i];
  }
  const double percent = 100.0 * right / static_cast<double>(translations.size());
  say("{} of {} held-out sentences are right, word for word. The wrong ones:", right,
      translations.size());
  if (!wrong.empty()) quote(wrong);
  claim(percent >= 99.0, "at least 99% of the held-out sentences are translated exactly");
  claim(translations[0] == games_pair.chinese, "the Winter Games sentence is translated exactly");
  finding("{}% of {} unseen sentences translated exactly, the Winter Games as {}",
          fixed(percent, 1), translations.size(), translations[0]);
}

void look_inside(const Translator& translator, const CommonOptions& options) {
  section("Where does it look?");
  say("The pictures show every layer and head for one sentence, each map with its own two lists of "
      "words. In the cross attention of the last layer, follow how the row of a Chinese word finds "
      "its English word, although the word order differs. attention.html is an interactive "
      "version, with the stages from score to weight, the attention during training, and the beam "
      "step by step.");
  const std::string english = "they watched the match in Beijing last Sunday";
  const std::string chinese = translate_lines(translator, {english}, {}).front();
  quote(english + "  ->  " + chinese);
  for (const std::string& path : draw_attention(translator, options.out + "/model", english,
                                                chinese, {.beam = 4}, false, options))
    picture(path);
}

}  // namespace

void own_language(const CommonOptions& options) {
  const CorpusSplit split = language_split();
  show_language(split);
  const Translator translator = train(parallel_text(split.train), options);
  test(translator, split);
  look_inside(translator, options);
  over_checkpoints(parallel_text(split.held_out), options);
  what_games_reads(translator);
}

}  // namespace xf::lesson_07
