#include <algorithm>
#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>

#include "07_transformer/commands.hpp"
#include "07_transformer/training.hpp"
#include "io/config.hpp"
#include "io/safetensors.hpp"

namespace xf {

namespace {

struct TrainFlags {
  std::string src, tgt, pairs, valid_src, valid_tgt, valid_pairs;
  std::string tokenizer, source_tokenizer, target_tokenizer;
  int vocab = 8000, min_count = 1, layers = 0;
  bool resume = false;
  TransformerConfig config;
  TrainingOptions training;
};

ParallelText read_text(const std::string& pairs, const std::string& src, const std::string& tgt,
                       const std::string& prefix) {
  if (!pairs.empty()) return read_pairs(pairs);
  if (src.empty() != tgt.empty())
    throw UserError("--" + prefix + (src.empty() ? "src" : "tgt") + " is missing");
  return src.empty() ? ParallelText{} : read_parallel(src, tgt);
}

Translator new_translator(TrainFlags& f, const ParallelText& text, std::uint64_t seed) {
  const auto kind = [&](const std::string& own) {
    return parse_tokenizer_kind(!own.empty() ? own : f.tokenizer.empty() ? "word" : f.tokenizer);
  };
  const TokenizerKind source_kind = kind(f.source_tokenizer),
                      target_kind = kind(f.target_tokenizer);
  if (f.layers > 0) f.config.encoder_layers = f.config.decoder_layers = f.layers;
  f.config.source_vocabulary = f.config.target_vocabulary = special_count;
  layer_sizes(f.config);  // refuses wrong sizes before the tokenizers are trained
  if (f.config.shared_embeddings) {
    if (source_kind != target_kind)
      throw UserError("--shared-embeddings: both sides need the same --tokenizer");
    std::vector<std::string> lines = text.source;
    lines.insert(lines.end(), text.target.begin(), text.target.end());
    const Tokenizer both = Tokenizer::train(source_kind, lines, f.vocab, f.min_count);
    return make_translator(f.config, both, both, seed);
  }
  return make_translator(f.config, Tokenizer::train(source_kind, text.source, f.vocab, f.min_count),
                         Tokenizer::train(target_kind, text.target, f.vocab, f.min_count), seed);
}

// What was given once need not be repeated; what is given again must agree.
void take_saved_options(CLI::App& app, TrainFlags& f, const std::string& directory) {
  const SafeTensors file = load_safetensors(checkpoint_path(directory));
  const auto found = file.metadata.find("options");
  if (found == file.metadata.end())
    throw UserError(checkpoint_path(directory) + ": not a training checkpoint");
  auto saved = from_json<TrainingOptions>(found->second, checkpoint_path(directory));
  const auto now = config_fields(f.training), before = config_fields(saved);
  for (std::size_t i = 0; i < now.size(); ++i) {
    const bool limit =
        now[i].name == "updates" || now[i].name == "epochs" || now[i].name == "minutes";
    std::string flag = "--" + now[i].name;
    std::replace(flag.begin(), flag.end(), '_', '-');
    const bool given = app.get_option(flag)->count() > 0;
    std::visit(
        [&](auto* value) {
          using Pointer = decltype(value);
          const auto old = *std::get<Pointer>(before[i].value);
          if (given && !limit && *value != old)
            throw UserError(flag + ": the checkpoint was made with another value");
          if (!given) *value = old;
        },
        now[i].value);
  }
}

void summarise(Translator& translator, const TrainingData& data) {
  std::cout << data.train.size() << " training pairs, " << data.valid.size()
            << " for validation; vocabularies of " << translator.model.config.source_vocabulary
            << " and " << translator.model.config.target_vocabulary << "; "
            << parameter_count(parameters(translator.model)) << " parameters" << std::endl;
}

int train(CLI::App& app, TrainFlags& f, const CommonOptions& common) {
  const bool known = std::filesystem::exists(checkpoint_path(common.out)) ||
                     std::filesystem::exists(weights_path(common.out));
  if (known && !f.resume)
    throw UserError("--out: " + common.out + " holds a model already; --resume goes on with it");
  TrainingData data{read_text(f.pairs, f.src, f.tgt, ""),
                    read_text(f.valid_pairs, f.valid_src, f.valid_tgt, "valid-")};
  if (data.train.size() == 0) throw UserError("--src and --tgt, or --pairs: what to train on?");
  if (f.resume) take_saved_options(app, f, common.out);
  const TrainingOptions& t = f.training;
  if (t.updates <= 0 && t.epochs <= 0 && t.minutes <= 0)
    throw UserError("--updates, --epochs or --minutes: how long to train?");
  if (t.batch_tokens < 1) throw UserError("--batch-tokens: at least 1");
  if (!(t.label_smoothing >= 0 && t.label_smoothing < 1))
    throw UserError("--label-smoothing: in [0, 1)");
  if (!(t.bpe_dropout >= 0 && t.bpe_dropout < 1)) throw UserError("--bpe-dropout: in [0, 1)");
  parse_schedule(t.schedule);
  parse_bleu_tokens(t.bleu_tokens);

  Translator translator =
      f.resume ? load_description(common.out) : new_translator(f, data.train, common.seed);
  if (!f.resume) save_description(common.out, translator);
  summarise(translator, data);
  catch_interrupts();
  if (train_translator(translator, data, t, common.out, common.seed, f.resume)) {
    std::cout << "the model is in " << common.out << std::endl;
    return 0;
  }
  std::cout << "stopped; the same command with --resume goes on" << std::endl;
  return 130;
}

}  // namespace

Command add_train(CLI::App& app) {
  auto f = std::make_shared<TrainFlags>();
  app.add_option("--src", f->src, "training text, one source sentence a line");
  app.add_option("--tgt", f->tgt, "its translation, line by line");
  app.add_option("--pairs", f->pairs, "training pairs, source TAB target a line (instead of both)");
  app.add_option("--valid-src", f->valid_src, "source side of the validation text");
  app.add_option("--valid-tgt", f->valid_tgt, "target side of the validation text");
  app.add_option("--valid-pairs", f->valid_pairs, "validation pairs, source TAB target a line");
  app.add_option("--tokenizer", f->tokenizer, "word, char or bpe, for both sides (default: word)");
  app.add_option("--source-tokenizer", f->source_tokenizer, "the same for the source side alone");
  app.add_option("--target-tokenizer", f->target_tokenizer, "the same for the target side alone");
  app.add_option("--vocab", f->vocab, "largest vocabulary, per side unless shared")
      ->capture_default_str();
  app.add_option("--min-count", f->min_count, "rarer words are <unk> (word and char only)")
      ->capture_default_str();
  app.add_option("--layers", f->layers, "layers of the encoder and of the decoder alike");
  app.add_flag("--resume", f->resume, "go on from the checkpoint in --out");
  std::vector<ConfigField> model_fields;
  for (const ConfigField& field : config_fields(f->config))
    if (field.name.find("vocabulary") == std::string::npos &&
        field.name.find("tokenizer") == std::string::npos)
      model_fields.push_back(field);
  add_field_flags(app, model_fields);
  add_flags(app, f->training);
  return [f, &app](const CommonOptions& common) { return train(app, *f, common); };
}

}  // namespace xf
