#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>

#include "08_transformer_xl/commands.hpp"
#include "08_transformer_xl/training.hpp"
#include "io/config.hpp"
#include "io/safetensors.hpp"
#include "io/saved_fields.hpp"

namespace xf::language {

namespace {

struct TrainFlags {
  const CLI::App* app = nullptr;  // the subcommand: it knows which flags were given
  std::string text, valid;
  int vocab = 0, min_count = 1;
  bool resume = false, equal_parameters = false;
  TransformerXlConfig config;
  TrainingOptions training;
};

// The tutorial's own documentation, for who has no text at hand.
const std::string documentation = XF_DOCUMENTATION;

// The lines to train on and to validate on; of the documentation the last tenth is held out.
struct Lines {
  std::vector<std::string> train, valid;
};

Lines read_lines_of(const TrainFlags& f) {
  Lines lines{read_text(f.text.empty() ? documentation : f.text), {}};
  if (!f.valid.empty()) lines.valid = read_text(f.valid);
  if (!f.text.empty() || !f.valid.empty()) return lines;
  const auto kept = lines.train.begin() + static_cast<std::ptrdiff_t>(lines.train.size() * 9 / 10);
  lines.valid.assign(kept, lines.train.end());
  lines.train.erase(kept, lines.train.end());
  return lines;
}

// Throws UserError naming the flag.
void check(const TrainingOptions& t) {
  const auto at_least = [](const char* flag, double least, double value) {
    if (!(value >= least))
      throw UserError(std::string(flag) + (least > 0 ? ": at least 1" : ": at least 0"));
  };
  at_least("--updates", 0, t.updates);
  at_least("--epochs", 0, t.epochs);
  at_least("--minutes", 0, t.minutes);
  if (t.updates == 0 && t.epochs == 0 && t.minutes == 0)
    throw UserError("--updates, --epochs or --minutes: how long to train?");
  at_least("--batch", 1, t.batch);
  at_least("--warmup", 0, t.warmup);
  at_least("--clip", 0, t.clip);
  at_least("--valid-every", 0, t.valid_every);
  at_least("--patience", 0, t.patience);
  if (!(t.lr > 0)) throw UserError("--lr: more than 0");
  if (!(t.beta2 >= 0 && t.beta2 < 1)) throw UserError("--beta2: at least 0 and less than 1");
  parse_schedule(t.schedule);
}

TokenizerKind level_of(const TrainFlags& f) {
  try {
    return parse_tokenizer_kind(f.config.level);
  } catch (const UserError&) {
    throw UserError("--level: char, word or bpe, not " + f.config.level);
  }
}

// What a kind leaves no choice in, and what --equal-parameters asks for.
void settle_kind(TrainFlags& f) {
  if (f.config.kind == "vanilla" && !given(*f.app, "--memory")) f.config.memory = 0;
  if (!f.equal_parameters) return;
  if (f.config.kind == "transformer_xl")
    throw UserError("--equal-parameters: equal to what? It is for the other kinds (--kind)");
  f.config = vanilla_equal(f.config);
}

// A model of the flags, which are refused before the tokenizer is trained, where they can be.
LanguageModel new_model(TrainFlags& f, const std::vector<std::string>& lines, std::uint64_t seed) {
  const TokenizerKind level = level_of(f);
  settle_kind(f);
  TransformerXlConfig sizes = f.config;
  sizes.vocabulary = special_count;
  sizes.cutoffs = "";
  check_flags(sizes);
  check_fits(sizes, f.training.batch, true);
  const int largest = f.vocab == 0 && level == TokenizerKind::bpe ? 2000 : f.vocab;
  Tokenizer tokenizer = Tokenizer::train(level, lines, largest, f.min_count);
  f.config.vocabulary = tokenizer.size();
  check_flags(f.config);
  return make_model(f.config, std::move(tokenizer), seed);
}

// What was given once need not be repeated; what is given again must agree. Returns the seed.
std::uint64_t take_saved_options(TrainFlags& f, const CommonOptions& common) {
  const std::string path = checkpoint_path(common.out);
  if (!std::filesystem::exists(path)) throw UserError("--resume: there is no " + path);
  const Metadata metadata = load_safetensors(path).metadata;
  const auto options = metadata.find("options"), seed = metadata.find("seed");
  if (options == metadata.end() || seed == metadata.end())
    throw UserError(path + ": not a training checkpoint");
  auto saved = from_json<TrainingOptions>(options->second, path);
  take_saved(*f.app, config_fields(f.training), config_fields(saved));
  return given(*f.app->get_parent(), "--seed") ? common.seed
                                               : std::strtoull(seed->second.c_str(), nullptr, 10);
}

LanguageModel saved_model(TrainFlags& f, const std::string& directory) {
  LanguageModel model = load_description(directory);
  TransformerXlConfig saved = model.model.config();
  if (f.equal_parameters) f.config = vanilla_equal(f.config);  // as when it was started
  take_saved(*f.app, config_fields(f.config), config_fields(saved));
  return model;
}

// Throws UserError unless each of `rows` streams of the text fills a segment.
void check_length(const LanguageText& text, const std::string& path, int rows, int segment) {
  if (text.predictions() / rows < segment)
    throw UserError(path + ": " + std::to_string(text.predictions()) + " tokens, too few for " +
                    std::to_string(rows) + " streams (--batch) of a segment of " +
                    std::to_string(segment) + " (--segment)");
}

std::string known_file(const std::string& directory) {
  for (const char* file :
       {"checkpoint.safetensors", "model.safetensors", "config.json", "history.csv"})
    if (std::filesystem::exists(directory + "/" + file)) return file;
  return "";
}

int train(TrainFlags& f, const CommonOptions& common) {
  if (!given(*f.app->get_parent(), "--out"))
    throw UserError("--out: in which directory shall the model be?");
  const std::string known = known_file(common.out);
  if (!known.empty() && !f.resume)
    throw UserError("--out: " + common.out + " holds " + known +
                    " already; --resume goes on with it");
  if (f.min_count < 1)
    throw UserError("--min-count: at least 1, not " + std::to_string(f.min_count));
  const std::uint64_t seed = f.resume ? take_saved_options(f, common) : common.seed;
  check(f.training);
  const Lines lines = read_lines_of(f);
  LanguageModel model = f.resume ? saved_model(f, common.out) : new_model(f, lines.train, seed);
  TrainingData data{encode_text(model.tokenizer, lines.train), {{eos_id}}};
  if (!lines.valid.empty()) data.valid = encode_text(model.tokenizer, lines.valid);
  const int segment = model.model.config().segment;
  check_length(data.train, f.text.empty() ? documentation : f.text, f.training.batch, segment);
  if (!f.valid.empty()) check_length(data.valid, f.valid, 1, segment);

  if (!f.resume) save_description(common.out, model);
  catch_interrupts();
  std::cout << data.train.predictions() << " training tokens, " << data.valid.predictions()
            << " for validation; a vocabulary of " << model.model.config().vocabulary << "; "
            << parameter_count(parameters(model.model)) << " parameters" << std::endl;
  if (train_model(model, data, f.training, common.out, seed, f.resume)) {
    std::cout << "the model is in " << common.out << std::endl;
    return 0;
  }
  std::cout << "stopped; the same command with --resume goes on" << std::endl;
  return 130;
}

}  // namespace

Command add_train(CLI::App& app) {
  auto f = std::make_shared<TrainFlags>();
  f->app = &app;
  app.add_option("--text", f->text, "training text (default: the tutorial's own documentation)");
  app.add_option("--valid", f->valid, "validation text");
  app.add_option("--vocab", f->vocab, "largest vocabulary (0: no limit, for bpe 2000)")
      ->check(integer_problem)
      ->capture_default_str();
  app.add_option("--min-count", f->min_count, "rarer tokens are <unk> (word and char only)")
      ->check(integer_problem)
      ->capture_default_str();
  app.add_flag("--equal-parameters", f->equal_parameters,
               "vanilla kinds: a --d-ff that gives as many parameters as transformer_xl has");
  app.add_flag("--resume", f->resume, "go on from the checkpoint in --out");
  std::vector<ConfigField> model_fields;
  for (const ConfigField& field : config_fields(f->config))
    if (field.name != "vocabulary") model_fields.push_back(field);
  add_field_flags(app, model_fields);
  add_flags(app, f->training);
  return [f](const CommonOptions& common) { return train(*f, common); };
}

}  // namespace xf::language
