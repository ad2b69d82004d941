#include <algorithm>
#include <atomic>
#include <CLI/App.hpp>
#include <iostream>

#include "07_transformer/program/translator.hpp"
#include "commands.hpp"
#include "io/files.hpp"
#include "machine.hpp"
#include "nn/parameters.hpp"
#include "ops/matmul/decoding_session.hpp"
#include "program/config_flags.hpp"
#include "speech/show.hpp"
#include "table.hpp"
#include "tensor/parallel.hpp"
#include "text/batches.hpp"
#include "text/corpus.hpp"

namespace xf::bench {

namespace {

constexpr int shared_from = 8;  // from so many sentences per thread, each takes a share of a batch

struct TranslateFlags {
  explicit TranslateFlags(CLI::App& app) {
    app.add_option("--model", model, "model directory, written by `train` or published")
        ->required();
    app.add_option("--src", src, "source text, one sentence per line")->required();
    const auto count = [&app](const char* name, int& value, const char* help) {
      return app.add_option(name, value, help)->check(positive_problem)->capture_default_str();
    };
    count("--batch", batch, "sentences of similar length that are translated together");
    count("--beam", beam, "beam width; 1 is greedy search");
    count("--runs", runs, "timed translations of the whole text");
    app.add_option(
           "--length", length,
           "write exactly this many tokens for each sentence, as an untrained model would never "
           "end; 0: as many as the model wants")
        ->check(negative_problem)
        ->capture_default_str();
    add_precision_flag(app, precision);
  }
  std::string model, src;
  int batch = 64, beam = 1, runs = 3, length = 0;
  WeightPrecision precision = WeightPrecision::float32;
};

// All sentences, in batches of at most `most`, longest first, so that later batches reuse the
// memory blocks of earlier ones.
std::vector<std::vector<int>> batches_of(const std::vector<Example>& sentences, int most) {
  std::vector<int> order = all_of(sentences);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return sentences[std::size_t(a)].source.size() > sentences[std::size_t(b)].source.size();
  });
  std::vector<std::vector<int>> batches;
  for (std::size_t first = 0; first < order.size(); first += std::size_t(most))
    batches.emplace_back(
        order.begin() + std::ptrdiff_t(first),
        order.begin() + std::ptrdiff_t(std::min(order.size(), first + std::size_t(most))));
  return batches;
}

// A translator's search rules, except that no sentence ends before its length limit.
struct Endless : SearchRules {
  std::shared_ptr<const SearchRules> rules;

  explicit Endless(std::shared_ptr<const SearchRules> others) : rules(std::move(others)) {}
  NextTokens next(const Tensor& log_p, const std::vector<Prefix>& prefixes,
                  const SearchOptions& options) const override {
    NextTokens tops = rules->next(log_p, prefixes, options);
    for (std::vector<Placed>& list : tops)
      std::erase_if(list, [](const Placed& top) { return top.index == eos_id; });
    return tops;
  }
};

int run(const TranslateFlags& flags, const CommonOptions&) {
  warn_of_forced_blas();
  const Translator translator = load_translator(flags.model);
  std::vector<Example> sentences;
  for (const std::string& line : read_lines(flags.src))
    if (!split_words(line).empty()) sentences.push_back({translator.encode_source(line), {}});
  if (sentences.empty()) throw UserError("{}: no sentences", flags.src);
  SearchOptions search = translator.search;
  search.beam = flags.beam;
  std::shared_ptr<const SearchRules> rules = translator.rules;
  if (flags.length > 0) {
    search.max_length = flags.length;
    rules = std::make_shared<Endless>(rules);
  }
  const int parts = flags.batch >= shared_from * threads() ? threads() : 1;
  const auto batches = batches_of(sentences, (flags.batch + parts - 1) / parts);
  const DecodingSession session(weights(translator.model), flags.precision);
  std::atomic<long> tokens = 0;
  const auto translate_all = [&] {
    tokens = 0;
    std::atomic<std::size_t> next = 0;
    run_parallel(parts, [&](int) {
      for (std::size_t i; (i = next++) < batches.size();)
        for (const Hypothesis& best :
             translate(translator.model, make_batch(sentences, batches[i]).source, search, *rules))
          tokens += static_cast<long>(best.tokens.size()) + 1;  // with <eos>
    });
  };
  const std::vector<double> times = times_ms(1, flags.runs, translate_all);
  const double ms = median(times), rss = peak_rss_mb();
  print_line(words("{} sentences, {} tokens, batches of {}, beam {}, {}", sentences.size(),
                   tokens.load(), flags.batch, flags.beam, name(flags.precision)));
  print_line(words("{} tokens a second, {} ms a sentence", fixed(double(tokens) / ms * 1e3, 0),
                   fixed(ms / double(sentences.size()), 2)));
  std::fflush(stdout);
  const nlohmann::ordered_json json = {{"tokens_per_s", double(tokens) / ms * 1e3},
                                       {"ms", ms},
                                       {"tokens", tokens.load()},
                                       {"sentences", sentences.size()},
                                       {"batch", flags.batch},
                                       {"beam", flags.beam},
                                       {"precision", name(flags.precision)},
                                       {"threads", threads()},
                                       {"peak_rss_mb", rss}};
  std::cout << json.dump() << '\n';
  return 0;
}

}  // namespace

Command add_translate(CLI::App& app) { return command<TranslateFlags>(app, run); }

}  // namespace xf::bench
