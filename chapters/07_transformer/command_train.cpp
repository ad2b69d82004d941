#include <algorithm>
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "07_transformer/commands.hpp"
#include "07_transformer/training.hpp"
#include "io/config.hpp"
#include "io/free_memory.hpp"
#include "io/saved_fields.hpp"
#include "train/train_command.hpp"
#include "train/training_directory.hpp"

namespace xf {

namespace {

struct TrainFlags {
  const CLI::App* app = nullptr;  // the subcommand: it knows which flags were given
  std::string src, tgt, pairs, valid_src, valid_tgt, valid_pairs;
  std::string tokenizer, source_tokenizer, target_tokenizer, init;
  int vocab = 8000, min_count = 1, layers = 0;
  bool resume = false;
  TransformerConfig config;
  TrainingOptions training;
};

constexpr double training_copies = 4;  // of a weight: its value, gradient, and Adam's two

bool given(const TrainFlags& f, const std::string& flag) { return xf::given(*f.app, flag); }
// The same for the flags that all programs have.
bool given_to_program(const TrainFlags& f, const std::string& flag) {
  return f.app->get_parent()->get_option(flag)->count() > 0;
}

ParallelText read_text(const std::string& pairs, const std::string& src, const std::string& tgt,
                       const std::string& prefix) {
  if (!pairs.empty() && !(src.empty() && tgt.empty()))
    throw UserError("--" + prefix + "pairs: instead of --" + prefix + "src and --" + prefix +
                    "tgt, not beside them");
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
  if (given(f, "--layers")) f.config.encoder_layers = f.config.decoder_layers = f.layers;
  f.config.source_vocabulary = f.config.target_vocabulary = special_count;
  layer_sizes(f.config, flag_name);  // refuses wrong sizes before the tokenizers are trained
  check_memory("--d-model, --d-ff and --layers: training such a model",
               training_copies * sizeof(float) * weight_count(f.config));
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
SavedRun take_saved_options(TrainFlags& f, const CommonOptions& common) {
  SavedRun run = saved_run(common.out);
  auto saved = from_json<TrainingOptions>(run.options, checkpoint_path(common.out));
  take_saved(*f.app, config_fields(f.training), config_fields(saved), checkpoint_path(common.out));
  if (given_to_program(f, "--seed")) run.seed = common.seed;
  return run;
}

// Refuses flags that ask for another model than the one that is there.
void check_same_model(TrainFlags& f, const std::string& path, TransformerConfig saved) {
  const auto other = [&](const std::string& flag) {
    throw UserError(flag + ": " + path + " was made with another value");
  };
  const auto kind = [&](const char* flag, const std::string& wanted, const std::string& kept) {
    if (given(f, flag) && wanted != kept) other(flag);
  };
  f.config.source_tokenizer = f.source_tokenizer;
  f.config.target_tokenizer = f.target_tokenizer;
  take_saved(*f.app, config_fields(f.config), config_fields(saved), path);
  if (given(f, "--layers") &&
      (f.layers != saved.encoder_layers || f.layers != saved.decoder_layers))
    other("--layers");
  if (f.source_tokenizer.empty()) kind("--tokenizer", f.tokenizer, saved.source_tokenizer);
  if (f.target_tokenizer.empty()) kind("--tokenizer", f.tokenizer, saved.target_tokenizer);
}

void check_share(const char* flag, double value) {
  if (!(value >= 0 && value < 1))
    throw UserError(std::string(flag) + ": at least 0 and less than 1");
}

// The model that training begins with: that of the checkpoint (which brings the weights later), a
// trained one, or a fresh one.
Translator first_translator(TrainFlags& f, const ParallelText& text, const std::string& out,
                            std::uint64_t seed) {
  if (!f.resume && f.init.empty()) return new_translator(f, text, seed);
  for (const char* flag : {"--vocab", "--min-count"})
    if (!f.resume && given(f, flag))
      throw UserError(std::string(flag) + ": the vocabularies are those of " + f.init);
  const std::string path = f.resume ? checkpoint_path(out) : weights_path(f.init);
  std::optional<double> dropout;
  if (!f.resume && given(f, "--dropout")) dropout = f.config.dropout;
  if (dropout) check_share("--dropout", *dropout);
  Translator translator = f.resume ? load_description(out, path) : load_translator(f.init, dropout);
  check_same_model(f, path, translator.model.config);
  return translator;
}

// Refuses flags that would do nothing with these tokenizers.
void check_tokenizer_flags(const TrainFlags& f, const TransformerConfig& config) {
  const auto is_bpe = [](const std::string& kind) {
    return parse_tokenizer_kind(kind) == TokenizerKind::bpe;
  };
  const bool source = is_bpe(config.source_tokenizer), target = is_bpe(config.target_tokenizer);
  if (f.training.bpe_dropout > 0 && !source && !target)
    throw UserError("--bpe-dropout: neither side has --tokenizer bpe");
  if (given(f, "--min-count") && source && target)
    throw UserError("--min-count: for words and characters; both sides have --tokenizer bpe");
}

void check_layers(const TrainFlags& f) {
  if (!given(f, "--layers")) return;
  if (f.layers < 1) throw UserError("--layers: at least 1, not " + std::to_string(f.layers));
  if (given(f, "--encoder-layers") || given(f, "--decoder-layers"))
    throw UserError("--layers: instead of --encoder-layers and --decoder-layers, not beside them");
}

// Throws UserError naming the flag.
void check(const TrainingOptions& t) {
  check_limits(limits_of(t));
  check_at_least("--batch-tokens", 1, t.batch_tokens);
  check_at_least("--lr", 0, t.lr);
  check_at_least("--warmup", 0, t.warmup);
  check_at_least("--clip", 0, t.clip);
  check_at_least("--weight-decay", 0, t.weight_decay);
  check_at_least("--average", 1, t.average);
  check_at_least("--r-drop", 0, t.r_drop);
  check_share("--label-smoothing", t.label_smoothing);
  check_share("--bpe-dropout", t.bpe_dropout);
  if (t.inner_dropout != -1) check_share("--inner-dropout", t.inner_dropout);
  parse_schedule(t.schedule);
  parse_bleu_tokens(t.bleu_tokens);
}

void check_lengths(const TrainFlags& f, const Translator& translator, const TrainingData& data) {
  const auto both = [&](const ParallelText& text, const std::string& src, const std::string& tgt) {
    check_tokens(translator.source_tokenizer, text.source, src);
    check_tokens(translator.target_tokenizer, text.target, tgt);
  };
  f.pairs.empty() ? both(data.train, f.src, f.tgt) : both(data.train, f.pairs, f.pairs);
  f.valid_pairs.empty() ? both(data.valid, f.valid_src, f.valid_tgt)
                        : both(data.valid, f.valid_pairs, f.valid_pairs);
}

void summarise(Translator& translator, const TrainingData& data) {
  std::cout << data.train.size() << " training pairs, " << data.valid.size()
            << " for validation; vocabularies of " << translator.model.config.source_vocabulary
            << " and " << translator.model.config.target_vocabulary << "; "
            << parameter_count(parameters(translator.model)) << " parameters" << std::endl;
}

int train(TrainFlags& f, const CommonOptions& common) {
  if (!given_to_program(f, "--out"))
    throw UserError("--out: in which directory shall the model be?");
  const TrainingDirectory held(common.out);
  refuse_known_model(common.out, f.resume);
  if (f.resume && !f.init.empty()) throw UserError("--init: it is too late for that with --resume");
  check_layers(f);
  if (f.min_count < 1)
    throw UserError("--min-count: at least 1, not " + std::to_string(f.min_count));
  const SavedRun run =
      f.resume ? take_saved_options(f, common) : SavedRun{.options = {}, .seed = common.seed};
  check(f.training);
  const TrainingData data{read_text(f.pairs, f.src, f.tgt, ""),
                          read_text(f.valid_pairs, f.valid_src, f.valid_tgt, "valid-")};
  if (data.train.size() == 0) throw UserError("--src and --tgt, or --pairs: what to train on?");
  if (data.valid.size() == 0 && run.best > 0)
    throw UserError(
        "--resume: the run was validated; give it its --valid-src and --valid-tgt again,"
        " or its best model would be lost");

  Translator translator = first_translator(f, data.train, common.out, run.seed);
  check_tokenizer_flags(f, translator.model.config);
  check_lengths(f, translator, data);
  if (!f.resume) {
    refuse_other_config(common.out, to_json(translator.model.config));
    save_description(common.out, translator);
  }
  catch_interrupts();
  summarise(translator, data);
  return say_end(train_translator(translator, data, f.training, common.out, run.seed, f.resume),
                 common.out);
}

}  // namespace

Command add_train(CLI::App& app) {
  auto f = std::make_shared<TrainFlags>();
  f->app = &app;
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
      ->check(integer_problem)
      ->capture_default_str();
  app.add_option("--min-count", f->min_count, "rarer words are <unk> (word and char only)")
      ->check(integer_problem)
      ->capture_default_str();
  app.add_option("--layers", f->layers, "layers of the encoder and of the decoder alike")
      ->check(integer_problem);
  app.add_option("--init", f->init,
                 "begin with the weights and tokenizers of this model directory; of what "
                 "belongs to the model, only --dropout may differ");
  app.add_flag("--resume", f->resume, "go on from the checkpoint in --out");
  std::vector<ConfigField> model_fields;
  for (const ConfigField& field : config_fields(f->config))
    if (field.name.find("vocabulary") == std::string::npos &&
        field.name.find("tokenizer") == std::string::npos)
      model_fields.push_back(field);
  add_field_flags(app, model_fields);
  add_flags(app, f->training);
  return [f](const CommonOptions& common) { return train(*f, common); };
}

}  // namespace xf
