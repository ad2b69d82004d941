#include <CLI/App.hpp>
#include <iostream>
#include <memory>

#include "07_transformer/program/commands.hpp"
#include "07_transformer/program/training.hpp"
#include "io/free_memory.hpp"
#include "nn/parameters.hpp"
#include "program/config_flags.hpp"
#include "train/train_command.hpp"

namespace xf {

namespace {

struct TrainFlags {
  const CLI::App* app = nullptr;  // the subcommand, which knows the flags that were given
  std::string src, tgt, pairs, valid_src, valid_tgt, valid_pairs, init;
  std::optional<TokenizerKind> tokenizer, source_tokenizer, target_tokenizer;
  int layers = 0;
  bool resume = false;
  TransformerConfig config;
  TrainingOptions training;
};

ParallelText read_text(const std::string& pairs, const std::string& src, const std::string& tgt,
                       const std::string& prefix) {
  const auto flag = [&](const char* name) { return "--" + prefix + name; };
  if (!pairs.empty() && !(src.empty() && tgt.empty()))
    throw UserError("{}: replaces {} and {}, and cannot be combined with them", flag("pairs"),
                    flag("src"), flag("tgt"));
  if (!pairs.empty()) return read_pairs(pairs);
  if (src.empty() != tgt.empty())
    throw UserError("{} is missing", flag(src.empty() ? "src" : "tgt"));
  return src.empty() ? ParallelText{} : read_parallel(src, tgt);
}

Translator new_translator(TrainFlags& f, const ParallelText& text, std::uint64_t seed) {
  const TokenizerKind both = f.tokenizer.value_or(TokenizerKind::word),
                      source_kind = f.source_tokenizer.value_or(both),
                      target_kind = f.target_tokenizer.value_or(both);
  const int vocab = f.training.run.vocab, min_count = f.training.run.min_count;
  if (is_given(*f.app, "--layers")) f.config.encoder_layers = f.config.decoder_layers = f.layers;
  f.config.source_vocabulary = f.config.target_vocabulary = special_count;
  as_flags([&] { layer_sizes(f.config); });  // checked before the tokenizers are trained
  check_memory("--d-model, --d-ff and --layers: training such a model",
               bytes_of_trained_weight * weight_count(f.config));
  if (f.config.shared_embeddings) {
    if (source_kind != target_kind)
      throw UserError("--shared-embeddings: both sides need the same --tokenizer");
    std::vector<std::string> lines = text.source;
    lines.insert(lines.end(), text.target.begin(), text.target.end());
    const Tokenizer shared = Tokenizer::train(source_kind, lines, vocab, min_count);
    return make_translator(f.config, shared, shared, Random(seed));
  }
  return make_translator(f.config, Tokenizer::train(source_kind, text.source, vocab, min_count),
                         Tokenizer::train(target_kind, text.target, vocab, min_count),
                         Random(seed));
}

// Refuses flags that ask for a model other than the one in the directory.
void check_same_model(TrainFlags& f, const std::string& path, TransformerConfig saved) {
  f.config.source_tokenizer = f.source_tokenizer.value_or(saved.source_tokenizer);
  f.config.target_tokenizer = f.target_tokenizer.value_or(saved.target_tokenizer);
  take_saved(*f.app, config_fields(f.config), config_fields(saved), path);
  if (is_given(*f.app, "--layers") &&
      (f.layers != saved.encoder_layers || f.layers != saved.decoder_layers))
    throw other_value("--layers", path);
  if (f.tokenizer && ((!f.source_tokenizer && *f.tokenizer != saved.source_tokenizer) ||
                      (!f.target_tokenizer && *f.tokenizer != saved.target_tokenizer)))
    throw other_value("--tokenizer", path);
}

// The model that training starts from: the checkpoint's (its weights are loaded later), a trained
// one, or a fresh one.
Translator first_translator(TrainFlags& f, const ParallelText& text, const std::string& out,
                            std::uint64_t seed) {
  if (!f.resume && f.init.empty()) return new_translator(f, text, seed);
  for (const char* flag : {"--vocab", "--min-count"})
    if (!f.resume && is_given(*f.app, flag))
      throw UserError("{}: the vocabularies already come from {}", std::string(flag), f.init);
  const std::string path = f.resume ? checkpoint_path(out) : weights_path(f.init);
  std::optional<double> dropout;
  if (!f.resume && is_given(*f.app, "--dropout")) dropout = f.config.dropout;
  if (dropout) as_flags([&] { require_share("dropout", *dropout); });
  Translator translator = f.resume ? load_description(out, path) : load_translator(f.init, dropout);
  check_same_model(f, path, translator.model.config);
  return translator;
}

// Refuses flags that would have no effect with these tokenizers.
void check_tokenizer_flags(const TrainFlags& f, const TransformerConfig& config) {
  const bool source = config.source_tokenizer == TokenizerKind::bpe,
             target = config.target_tokenizer == TokenizerKind::bpe;
  if (f.training.bpe_dropout > 0 && !source && !target)
    throw UserError("--bpe-dropout: neither side has --tokenizer bpe");
  if (is_given(*f.app, "--min-count") && source && target)
    throw UserError(
        "--min-count: only for words and characters, but both sides have --tokenizer bpe");
}

void check_layers(const TrainFlags& f) {
  if (is_given(*f.app, "--layers") &&
      (is_given(*f.app, "--encoder-layers") || is_given(*f.app, "--decoder-layers")))
    throw UserError("{}: replaces {} and {}, and cannot be combined with them", "--layers",
                    "--encoder-layers", "--decoder-layers");
}

void check_lengths(const TrainFlags& f, const Translator& translator, const TrainingData& data) {
  const auto both = [&](const ParallelText& text, const std::string& src, const std::string& tgt) {
    check_tokens(translator.source_tokenizer, max_sentence_tokens, text.source, src);
    check_tokens(translator.target_tokenizer, max_sentence_tokens, text.target, tgt);
  };
  f.pairs.empty() ? both(data.train, f.src, f.tgt) : both(data.train, f.pairs, f.pairs);
  f.valid_pairs.empty() ? both(data.valid, f.valid_src, f.valid_tgt)
                        : both(data.valid, f.valid_pairs, f.valid_pairs);
}

int train(TrainFlags& f, const CommonOptions& common) {
  TrainCommand command(*f.app, common, f.resume);
  if (f.resume && !f.init.empty())
    throw UserError("--init: cannot be combined with --resume, which continues from a checkpoint");
  check_layers(f);
  command.take_saved(f.training);
  as_flags([&] { check_options(f.training); });
  const TrainingData data{read_text(f.pairs, f.src, f.tgt, ""),
                          read_text(f.valid_pairs, f.valid_src, f.valid_tgt, "valid-")};
  if (data.train.size() == 0)
    throw UserError("--src and --tgt, or --pairs, are missing: the texts to train on");
  command.keep_validating(data.valid.size() > 0, "--valid-src and --valid-tgt");

  Translator translator = first_translator(f, data.train, common.out, command.seed());
  check_tokenizer_flags(f, translator.model.config);
  check_lengths(f, translator, data);
  command.describe(to_json(translator.model.config),
                   [&] { save_description(common.out, translator); });
  std::cout << data.train.size() << " training pairs, " << data.valid.size()
            << " for validation; vocabularies of " << translator.model.config.source_vocabulary
            << " and " << translator.model.config.target_vocabulary << "; "
            << parameter_count(parameters(translator.model)) << " parameters" << std::endl;
  return command.end(
      train_translator(translator, data, f.training, common.out, command.seed(), f.resume));
}

}  // namespace

Command add_train(CLI::App& app) {
  auto f = std::make_shared<TrainFlags>();
  f->app = &app;
  f->training.run.vocab = 8000;
  f->training.run.min_count = 1;
  app.add_option("--src", f->src, "training text, one source sentence per line");
  app.add_option("--tgt", f->tgt, "its translation, line by line");
  app.add_option("--pairs", f->pairs,
                 "training pairs, one source TAB target per line (instead of --src and --tgt)");
  app.add_option("--valid-src", f->valid_src, "source side of the validation text");
  app.add_option("--valid-tgt", f->valid_tgt, "target side of the validation text");
  app.add_option("--valid-pairs", f->valid_pairs,
                 "validation pairs, one source TAB target per line");
  add_kind_flag(app, "--tokenizer", &f->tokenizer,
                "word, char or bpe, for both sides (default: word)");
  add_kind_flag(app, "--source-tokenizer", &f->source_tokenizer,
                "the same, for the source side only");
  add_kind_flag(app, "--target-tokenizer", &f->target_tokenizer,
                "the same, for the target side only");
  integer_flag(app, "--vocab", f->training.run.vocab,
               "maximum vocabulary size, per side unless shared");
  integer_flag(app, "--min-count", f->training.run.min_count,
               "words rarer than this become <unk> (word and char only)", 1);
  integer_flag(app, "--layers", f->layers, "layers of the encoder, and of the decoder", 1)
      ->default_str("");
  app.add_option("--init", f->init,
                 "start from the weights and tokenizers of this model directory; of the model's "
                 "options, only --dropout may differ");
  app.add_flag("--resume", f->resume, "continue from the checkpoint in --out");
  add_field_flags(
      app, fields_without(config_fields(f->config), {"source_vocabulary", "target_vocabulary",
                                                     "source_tokenizer", "target_tokenizer"}));
  add_field_flags(app, fields_without(config_fields(f->training), {"vocab", "min_count"}));
  return [f](const CommonOptions& common) { return train(*f, common); };
}

}  // namespace xf
