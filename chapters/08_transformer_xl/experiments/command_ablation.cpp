#include <CLI/App.hpp>
#include <iostream>
#include <memory>

#include "08_transformer_xl/experiments/ablation.hpp"
#include "08_transformer_xl/program/commands.hpp"
#include "io/config.hpp"
#include "io/files.hpp"
#include "program/config_flags.hpp"
#include "speech/show.hpp"
#include "tensor/parallel.hpp"
#include "train/train_command.hpp"
#include "train/training_directory.hpp"

namespace xf::language {

namespace {

struct AblationFlags {
  std::string text, valid;
  int vocab = 0, min_count = 1;
  bool resume = false;
  AblationOptions options;
  TransformerXlConfig config{
      .d_model = 64, .d_ff = 128, .heads = 4, .layers = 3, .segment = 16, .memory = 32};
  TrainingOptions training{.run = {.updates = 2000,
                                   .schedule = ScheduleKind::linear,
                                   .lr = 3e-3,
                                   .warmup = 50,
                                   .clip = 0.25},
                           .batch = 16};
};

// Fields that differ between the four models or have no meaning in an ablation.
const std::vector<std::string> not_for_an_ablation = {
    "kind",    "vocabulary",  "extended", "same_length", "clamp",  "untie", "epochs",
    "minutes", "valid_every", "average",  "patience",    "d_head", "vocab", "min_count"};

// Throws UserError naming the flag, before anything is read.
void check(const AblationFlags& f) {
  as_flags([&] {
    require_least("seeds", 1, f.options.seeds);
    require_least("positions", 1, f.options.positions);
    require_least("step", 0, f.options.step);
    require_least("memory", 1, f.config.memory);
    require_least("updates", 1, f.training.run.updates);
    check_options(f.training);
    attention_lengths(f.options, f.config.memory);
  });
  check_sizes(f.config, f.training.batch);
  TransformerXlConfig longest = f.config;
  longest.memory = attention_lengths(f.options, f.config.memory).back();
  check_fits(longest, f.training.batch, false, "--attention");
}

// Throws UserError unless the checkpoint in `directory` is of this model and these options.
void check_same(const std::string& directory, const TransformerXlConfig& config,
                const TrainingOptions& options) {
  const LanguageModel saved = load_description(directory, checkpoint_path(directory));
  const auto before =
      from_json<TrainingOptions>(saved_run(directory).options, checkpoint_path(directory));
  if (to_json(saved.model.config) != to_json(config) || to_json(before) != to_json(options))
    throw UserError("--resume: {} was trained with other settings", directory);
}

// The models of one seed, in the order of the cells; none when it was interrupted (Ctrl-C).
std::vector<AnySegmentModel> train_models(const AblationFlags& f, const std::vector<Cell>& cells,
                                          const Tokenizer& tokenizer, const TrainingData& data,
                                          const std::string& out, std::uint64_t seed) {
  std::vector<AnySegmentModel> models;
  for (const Cell& cell : cells) {
    LanguageModel model = make_model(cell.config, tokenizer, Random(seed));
    const std::string directory = out + "/models/" + cell.file() + "_" + std::to_string(seed);
    const TrainingDirectory held(directory);
    const bool begun = exists(checkpoint_path(directory));
    if (begun) check_same(directory, model.model.config, f.training);
    say("seed {}: {}", seed, cell.name());
    if (!begun) save_description(directory, model);
    if (!train_model(model, data, f.training, directory, seed, begun)) return {};
    models.push_back(std::move(model.model));
  }
  return models;
}

// Every model's loss at every attention length, several at a time.
void measure_lengths(Ablation& a, const std::vector<std::vector<AnySegmentModel>>& models,
                     const LanguageText& text) {
  const std::size_t lengths = a.lengths.size(), seeds = models.size();
  a.nats.assign(a.cells.size(), {seeds, std::vector<double>(lengths)});
  for (std::size_t cell = 0; cell < a.cells.size(); ++cell) {
    parallel_for(static_cast<std::ptrdiff_t>(seeds * lengths), 1, [&](auto first, auto last) {
      for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i)
        a.nats[cell][i / lengths][i % lengths] =
            loss_at(models[i / lengths][cell], text, a.lengths[i % lengths]).per_token();
    });
    std::cout << "evaluated: " << a.cells[cell].name() << std::endl;
  }
}

// The contexts of growing lengths, in steps. Throws UserError where the text is too short for them.
std::vector<int> contexts_of(const AblationFlags& f, const Ablation& a, const LanguageText& text) {
  const int step = f.options.step > 0 ? f.options.step : std::max(1, f.config.memory / 2);
  if (std::ptrdiff_t{2} * step > text.predictions())
    throw UserError("--step: {} tokens, too few for contexts of {}", text.predictions(),
                    std::ptrdiff_t{2} * step);
  std::vector<int> contexts;
  for (int context = step; context <= a.lengths.back() || contexts.size() < 2; context += step)
    contexts.push_back(context);
  return contexts;
}

// Every model's loss at the same positions, from exact contexts of growing lengths.
void measure_contexts(Ablation& a, const std::vector<std::vector<AnySegmentModel>>& models,
                      const LanguageText& text, const AblationFlags& f) {
  const int step = a.contexts.front();
  const std::ptrdiff_t first = a.contexts.back() - 1, left = text.predictions() - first;
  const std::ptrdiff_t count = std::min<std::ptrdiff_t>(f.options.positions, left);
  std::vector<std::ptrdiff_t> places;
  for (std::ptrdiff_t i = 0; i < count; ++i) places.push_back(first + i * left / count);
  const std::size_t contexts = a.contexts.size(), cells = a.cells.size();
  for (const std::vector<AnySegmentModel>& of_seed : models) {
    a.by_context.emplace_back(cells, LossesByContext(contexts));
    parallel_for(static_cast<std::ptrdiff_t>(cells * contexts), 1, [&](auto begin, auto end) {
      for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
        a.by_context.back()[i / contexts][i % contexts] =
            losses_with_context(of_seed[i / contexts], text, places, a.contexts[i % contexts]);
    });
    std::cout << "evaluated: " << a.by_context.size() << " of " << models.size() << " seeds on "
              << count << " tokens from contexts of " << step << " to " << a.contexts.back()
              << std::endl;
  }
}

int ablate(AblationFlags f, const CommonOptions& common) {
  check(f);
  const TrainingDirectory held(common.out);
  if (!f.resume && exists(common.out + "/models"))
    throw UserError("--out: {} already holds models; --resume continues with them", common.out);
  const TextSources sources = text_sources(f.text, f.valid);
  if (sources.valid.files.empty())
    throw UserError("--valid is missing: the text to compare the models on");
  const Tokenizer tokenizer = train_tokenizer(f.config.level, sources.train, f.vocab, f.min_count);
  f.config.vocabulary = tokenizer.size();
  check_flags(f.config);
  f.training.run.valid_every = f.training.run.updates;  // only at the end
  const TrainingData data{encode_text(tokenizer, sources.train), {}};
  const LanguageText valid = encode_text(tokenizer, sources.valid);
  Ablation a{.cells = ablation_cells(f.config),
             .lengths = attention_lengths(f.options, f.config.memory)};
  check_length(data.train, f.training.batch, f.config.segment);
  check_length(valid, evaluated_rows, a.lengths.back() + f.config.segment,
               "--attention and --segment");
  a.contexts = contexts_of(f, a, valid);

  catch_interrupts();
  std::vector<std::vector<AnySegmentModel>> models;
  for (int i = 0; i < f.options.seeds; ++i) {
    const std::uint64_t seed = common.seed + static_cast<std::uint64_t>(i);
    models.push_back(train_models(f, a.cells, tokenizer, data, common.out, seed));
    if (models.back().empty()) {
      std::cout << "stopped; the same command with --resume continues" << std::endl;
      return 130;
    }
  }
  measure_lengths(a, models, valid);
  measure_contexts(a, models, valid, f);
  std::vector<std::int64_t> counts;
  for (AnySegmentModel& model : models[0]) counts.push_back(parameter_count(parameters(model)));
  report(a, counts, common.seed, common.out);
  return 0;
}

}  // namespace

Command add_ablation(CLI::App& app) {
  auto f = std::make_shared<AblationFlags>();
  app.add_option("--text", f->text, "training text (default: the tutorial's own documentation)");
  app.add_option("--valid", f->valid, "the text on which the models are compared");
  integer_flag(app, "--vocab", f->vocab, "maximum vocabulary size (0: no limit; for bpe 2000)");
  integer_flag(app, "--min-count", f->min_count,
               "tokens rarer than this become <unk> (word and char only)", 1);
  app.add_flag("--resume", f->resume, "continue training the models in --out");
  for (const auto& fields :
       {config_fields(f->options), config_fields(f->config), config_fields(f->training)})
    add_field_flags(app, fields_without(fields, not_for_an_ablation));
  return [f](const CommonOptions& common) { return ablate(*f, common); };
}

}  // namespace xf::language
