#include <CLI/App.hpp>
#include <iostream>
#include <memory>

#include "08_transformer_xl/program/commands.hpp"
#include "08_transformer_xl/program/training.hpp"
#include "program/config_flags.hpp"
#include "train/train_command.hpp"

namespace xf::language {

namespace {

struct TrainFlags {
  const CLI::App* app = nullptr;  // the subcommand, which knows the flags that were given
  std::string text, valid;
  bool resume = false, equal_parameters = false;
  TransformerXlConfig config;
  TrainingOptions training;
};

// Applies what a kind implies, and what --equal-parameters asks for.
void settle_kind(TrainFlags& f) {
  const bool forgets = f.config.kind == ModelKind::vanilla || f.config.kind == ModelKind::lstm;
  if (forgets && !is_given(*f.app, "--memory")) f.config.memory = 0;
  if (!f.equal_parameters) return;
  if (f.config.kind == ModelKind::transformer_xl)
    throw UserError("--equal-parameters: applies only to the other kinds of model (--kind)");
  f.config = equal_parameters(f.config);
}

// A model from the flags; invalid ones are refused before the tokenizer is trained, if possible.
LanguageModel new_model(TrainFlags& f, const TextSource& text, std::uint64_t seed) {
  settle_kind(f);
  check_sizes(f.config, f.training.batch);
  Tokenizer tokenizer =
      train_tokenizer(f.config.level, text, f.training.run.vocab, f.training.run.min_count);
  f.config.vocabulary = tokenizer.size();
  check_flags(f.config);
  return make_model(f.config, std::move(tokenizer), Random(seed));
}

LanguageModel saved_model(TrainFlags& f, const std::string& directory) {
  LanguageModel model = load_description(directory, checkpoint_path(directory));
  TransformerXlConfig saved = model.model.config;
  if (f.equal_parameters) f.config = equal_parameters(f.config);  // as in the original run
  take_saved(*f.app, config_fields(f.config), config_fields(saved), checkpoint_path(directory));
  return model;
}

int train(TrainFlags& f, const CommonOptions& common) {
  TrainCommand command(*f.app, common, f.resume);
  command.take_saved(f.training);
  as_flags([&] { check_options(f.training); });
  const TextSources sources = text_sources(f.text, f.valid);
  LanguageModel model =
      f.resume ? saved_model(f, common.out) : new_model(f, sources.train, command.seed());
  const TrainingData data{encode_text(model.tokenizer, sources.train),
                          encode_text(model.tokenizer, sources.valid)};
  const int segment = model.model.config.segment;
  check_length(data.train, f.training.batch, segment);
  command.keep_validating(data.valid.predictions() > 0, "--valid");
  if (!f.valid.empty()) check_length(data.valid, 1, segment, "--segment");
  command.describe(to_json(model.model.config), [&] { save_description(common.out, model); });
  std::cout << data.train.predictions() << " training tokens, " << data.valid.predictions()
            << " for validation; a vocabulary of " << model.model.config.vocabulary << "; "
            << parameter_count(parameters(model.model)) << " parameters" << std::endl;
  return command.end(train_model(model, data, f.training, common.out, command.seed(), f.resume));
}

}  // namespace

Command add_train(CLI::App& app) {
  auto f = std::make_shared<TrainFlags>();
  f->app = &app;
  f->training.run.vocab = 0;
  f->training.run.min_count = 1;
  app.add_option("--text", f->text, "training text (default: the tutorial's own documentation)");
  app.add_option("--valid", f->valid, "validation text");
  integer_flag(app, "--vocab", f->training.run.vocab,
               "maximum vocabulary size (0: no limit; for bpe 2000)");
  integer_flag(app, "--min-count", f->training.run.min_count,
               "tokens rarer than this become <unk> (word and char only)", 1);
  app.add_flag(
      "--equal-parameters", f->equal_parameters,
      "for the other kinds: choose --d-ff to give as many parameters as transformer_xl has");
  app.add_flag("--resume", f->resume, "continue from the checkpoint in --out");
  add_field_flags(app, fields_without(config_fields(f->config), {"vocabulary"}));
  add_field_flags(app, fields_without(config_fields(f->training), {"vocab", "min_count"}));
  return [f](const CommonOptions& common) { return train(*f, common); };
}

}  // namespace xf::language
