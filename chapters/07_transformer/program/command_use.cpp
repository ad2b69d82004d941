#include <CLI/App.hpp>
#include <iostream>
#include <memory>

#include "07_transformer/program/commands.hpp"
#include "07_transformer/program/evaluation.hpp"
#include "07_transformer/program/maps.hpp"
#include "io/config.hpp"
#include "io/printable.hpp"
#include "io/utf8.hpp"
#include "language/language.hpp"
#include "nn/parameters.hpp"
#include "ops/matmul/decoding_session.hpp"
#include "program/config_flags.hpp"
#include "text/bleu_doubt.hpp"
#include "text/windows.hpp"
#include "train/progress.hpp"

namespace xf {

namespace {

struct UseFlags {
  std::string model, src, tgt, source, target;
  BleuTokens bleu_tokens = BleuTokens::mteval_13a;
  SearchOptions search{.beam = 5};
  const CLI::Option *beam = nullptr, *length_penalty = nullptr;
  bool lowercase = false, everything = false, ids = false;
  WeightPrecision precision = WeightPrecision::float32;
};

std::shared_ptr<UseFlags> model_flag(CLI::App& app) {
  auto f = std::make_shared<UseFlags>();
  app.add_option("--model", f->model, "model directory, as written by `train`, or a published one")
      ->required();
  return f;
}

void search_flags(CLI::App& app, UseFlags& f) {
  f.beam = app.add_option("--beam", f.search.beam, "beam width; 1 is greedy search")
               ->capture_default_str()
               ->check(range_problem(1, widest_beam));
  f.length_penalty = app.add_option("--length-penalty", f.search.length_penalty,
                                    "hypotheses are compared by log p / length^this")
                         ->check(range_problem(0, 10))
                         ->capture_default_str();
}

// The given flags, and the model's defaults for the others.
SearchOptions search_of(const UseFlags& f, const Translator& translator) {
  SearchOptions search = translator.search;
  if (f.beam->count() > 0) search.beam = f.search.beam;
  if (f.length_penalty->count() > 0) search.length_penalty = f.search.length_penalty;
  return search;
}

void pair_flags(CLI::App& app, UseFlags& f) {
  app.add_option("--src", f.src, "source text, one sentence per line")->required();
  app.add_option("--tgt", f.tgt, "its translation, line by line")->required();
}

ParallelText read_text(const UseFlags& f, const Translator& translator) {
  ParallelText text = read_parallel(f.src, f.tgt);
  check_tokens(translator.source_tokenizer, translator.max_tokens, text.source, f.src);
  check_tokens(translator.target_tokenizer, translator.max_tokens, text.target, f.tgt);
  return text;
}

// A text from `path` or, if empty, standard input, with limits on the tokens and bytes per line.
AnsweredText answered(const Translator& translator, const Tokenizer& tokenizer,
                      const std::string& path = "") {
  LineReader lines = path.empty() ? LineReader::of_standard_input(max_line_bytes)
                                  : LineReader(path, max_line_bytes);
  return {std::move(lines), [&translator, &tokenizer](const std::string& line) {
            return token_problem(tokenizer, translator.max_tokens, line);
          }};
}

// Answers the lines; each one that cannot be answered is reported, and the others are answered
// nevertheless.   returns the exit code, 2 if any was refused
int answer_lines(std::vector<AnsweredText> texts, const AnswerWindow& answer) {
  const std::size_t refused = for_each_window(
      std::move(texts),
      [&](const std::vector<Lines>& window, std::size_t before) {
        answer(window, before);
        std::cout.flush();
      },
      say_error);
  return refused > 0 ? 2 : 0;
}

int run_translate(const UseFlags& f) {
  const Translator translator = load_translator(f.model);
  const SearchOptions search = search_of(f, translator);
  const DecodingSession session(weights(translator.model), f.precision);  // for all windows
  Meanwhile meanwhile(0, "sentences");
  const Done done = [&](double n) { meanwhile.add(n); };
  return answer_lines(
      {answered(translator, translator.source_tokenizer)},
      [&](const std::vector<Lines>& window, std::size_t) {
        for (const std::string& line : translate_lines(translator, window[0], search, done))
          std::cout << line << '\n';
      });
}

int run_tokens(const UseFlags& f) {
  const Translator translator = load_translator(f.model);
  const Tokenizer& tokenizer = translator.source_tokenizer;
  const MarianVocabulary* published = tokenizer.published();
  AnsweredText text = answered(translator, tokenizer);
  text.problem = {};  // the lines are only shown, not translated
  return answer_lines({text}, [&](const std::vector<Lines>& window, std::size_t) {
    for (const std::string& line : window[0]) {
      std::vector<std::string> shown;
      for (const int id : translator.encode_source(line))
        shown.push_back(f.ids ? std::to_string(published ? published->published(id) : id)
                              : tokenizer.piece(id));
      std::cout << joined(shown, " ") << '\n';
    }
  });
}

int run_evaluate(const UseFlags& f) {
  const Translator translator = load_translator(f.model);
  const ParallelText text = read_text(f, translator);
  const SearchOptions search = search_of(f, translator);
  const DecodingSession session(weights(translator.model), f.precision);
  std::optional<Meanwhile> meanwhile(std::in_place, 2.0 * double(text.size()), "sentences");
  const Done done = [&](double n) { meanwhile->add(n); };
  const auto translations = translate_lines(translator, text.source, search, done);
  const Bleu score =
      bleu(translations, text.target, {.tokens = f.bleu_tokens, .lowercase = f.lowercase});
  const auto pairs = encode_pairs(translator, text.source, text.target);
  const auto scores = score_pairs(translator, pairs, done);
  meanwhile.reset();
  std::cout << score.str() << "\nsignature " << score.signature << "\nbeam " << search.beam
            << "  length penalty " << search.length_penalty << "\nperplexity "
            << perplexity(scores, pairs) << " per target token, <eos> included\n";
  if (const Phrase doubt = bleu_doubt(text.target, f.bleu_tokens); !doubt.empty())
    std::cerr << doubt.str() << '\n';
  return 0;
}

// A rejected pair produces a blank line.
int run_score(const UseFlags& f) {
  const Translator translator = load_translator(f.model);
  const DecodingSession session(weights(translator.model), f.precision);
  const auto side = [&](const Tokenizer& tokenizer, const std::string& path) {
    AnsweredText text = answered(translator, tokenizer, path);
    text.problem = [fits = text.problem](const std::string& line) {
      return split_words(line).empty() ? words("an empty line") : fits(line);
    };
    return text;
  };
  std::size_t lines = 0;
  Meanwhile meanwhile(0, "sentences");
  const int code = answer_lines(
      {side(translator.source_tokenizer, f.src), side(translator.target_tokenizer, f.tgt)},
      [&](const std::vector<Lines>& window, std::size_t before) {
        Lines source, target;
        for (std::size_t i = 0; i < window[0].size(); ++i) {
          if (window[0][i].empty()) continue;
          source.push_back(window[0][i]);
          target.push_back(window[1][i]);
        }
        const auto scores = score_pairs(translator, encode_pairs(translator, source, target),
                                        [&](double n) { meanwhile.add(n); });
        auto score = scores.begin();
        for (const std::string& line : window[0])
          std::cout << (line.empty() ? "" : formatted("%.6f", *score++)) << '\n';
        lines = before + window[0].size();
      });
  if (lines == 0) throw UserError("{}: no sentences in it", f.src);
  return code;
}

// One sentence from the command line.
void check_sentence(const Tokenizer& tokenizer, std::size_t most, const std::string& line,
                    const std::string& flag) {
  check_utf8(line, flag);
  if (split_words(line).empty()) throw UserError("{}: no words", flag);
  check_tokens(tokenizer, most, {line}, flag);
}

int run_attend(const UseFlags& f, const CommonOptions& common) {
  const Translator translator = load_translator(f.model);
  const SearchOptions search = search_of(f, translator);
  const std::size_t most = translator.max_tokens;
  check_sentence(translator.source_tokenizer, most, f.source, "--source");
  if (!f.target.empty()) check_sentence(translator.target_tokenizer, most, f.target, "--target");
  std::string target = f.target;
  if (target.empty()) target = translate_lines(translator, {f.source}, search).front();
  std::cout << f.source << " -> " << target << '\n';
  for (const std::string& path :
       draw_attention(translator, f.model, f.source, target, search, f.everything, common))
    std::cout << path << '\n';
  return 0;
}

}  // namespace

Command add_translate(CLI::App& app) {
  const auto f = model_flag(app);
  search_flags(app, *f);
  add_precision_flag(app, f->precision);
  return [f](const CommonOptions&) { return run_translate(*f); };
}

Command add_tokens(CLI::App& app) {
  const auto f = model_flag(app);
  app.add_flag("--ids", f->ids, "print the ids instead, as in the model's own files");
  return [f](const CommonOptions&) { return run_tokens(*f); };
}

Command add_evaluate(CLI::App& app) {
  const auto f = model_flag(app);
  pair_flags(app, *f);
  search_flags(app, *f);
  add_kind_flag(app, "--bleu-tokens", &f->bleu_tokens,
                "tokenization for BLEU: 13a, zh, char or none");
  app.add_flag("--lowercase", f->lowercase, "ignore case in BLEU");
  add_precision_flag(app, f->precision);
  return [f](const CommonOptions&) { return run_evaluate(*f); };
}

Command add_score(CLI::App& app) {
  const auto f = model_flag(app);
  pair_flags(app, *f);
  add_precision_flag(app, f->precision);
  return [f](const CommonOptions&) { return run_score(*f); };
}

Command add_attend(CLI::App& app) {
  const auto f = model_flag(app);
  app.add_option("--source", f->source, "the source sentence")->required();
  app.add_option("--target", f->target, "the target sentence (default: the model's translation)");
  app.add_flag("--everything", f->everything, "leave nothing out, however large the page gets");
  search_flags(app, *f);
  return [f](const CommonOptions& common) { return run_attend(*f, common); };
}

}  // namespace xf
