#include <algorithm>
#include <CLI/App.hpp>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <memory>

#include "08_transformer_xl/experiments/speed.hpp"
#include "08_transformer_xl/program/commands.hpp"
#include "08_transformer_xl/program/language_model.hpp"
#include "io/files.hpp"
#include "io/numbers.hpp"
#include "io/printable.hpp"
#include "plot/lines.hpp"
#include "speech/show.hpp"
#include "tensor/parallel.hpp"
#include "train/progress.hpp"

namespace xf::language {

namespace {

struct SpeedFlags {
  TransformerXlConfig config;
  std::string lengths = "800,1800,2800,3800";
  int segment = 0;
  double seconds = 8, tolerance = 1e-4;
  bool processor_time = false;
};

// The results for one attention length, in ms per token; ratios are vanilla's time to the other's.
struct Row {
  int length, segment;
  double vanilla, states, keys;
  double flops_states, flops_keys;  // the ratios predicted by the operation counts
  double difference;                // between the logits with states and with keys

  double ratio_states() const { return vanilla / states; }
  double ratio_keys() const { return vanilla / keys; }
};

// Wall time, or CPU time: the work of all threads, regardless of other load on the machine.
template <class Work>
double seconds_of(bool processor_time, const Work& work) {
  const Stopwatch watch;
  const std::clock_t start = std::clock();
  work();
  return processor_time ? double(std::clock() - start) / CLOCKS_PER_SEC : watch.seconds();
}

// The three ways to continue reading, each with its times in seconds.
class Race {
 public:
  Race(const TransformerXlConfig& config, int length, bool processor_time, std::uint64_t seed)
      : length_(length),
        processor_time_(processor_time),
        random_(seed),
        vanilla_(as_vanilla(config), random_),
        xl_(config, random_),
        positions_(sinusoidal_positions(length, config.d_model)),
        causal_(causal_mask(length, length)),
        states_(xl_.start()),
        keys_(xl_.start(Remembered::keys)) {
    while (keys_.present_length() < length) segment();
    round();  // the first with a full memory is not timed: its buffers are new
    times_vanilla_.clear(), times_states_.clear(), times_keys_.clear();
  }

  void round() {
    segment();
    predict_one_token();
  }

  Row row() const {
    const TransformerXlConfig& c = xl_.config;
    const TokenCost cost(c);
    const double token = 1e3 / c.segment, vanilla = cost.vanilla(length_);
    return {.length = length_,
            .segment = c.segment,
            .vanilla = 1e3 * median(times_vanilla_),
            .states = token * median(times_states_),
            .keys = token * median(times_keys_),
            .flops_states = vanilla / cost.states(c.segment, length_),
            .flops_keys = vanilla / cost.keys(c.segment, length_),
            .difference = difference_};
  }

 private:
  Ids random_ids(int count) {
    Ids ids = Ids::full({1, count}, 0);
    for (int i = 0; i < count; ++i) ids[i] = random_.below(xl_.config.vocabulary);
    return ids;
  }

  // One window of L tokens, for the one token after it. The mask and the positions are the same for
  // every window, so they are not timed; only the last logits are computed.
  void predict_one_token() {
    const Ids ids = random_ids(length_);
    times_vanilla_.push_back(seconds_of(processor_time_, [&] {
      const Tensor x = vanilla_.embedding(ids) + positions_;              // (1, L, D)
      const Tensor h = vanilla_.stack.as<Vanilla>().encoder(x, causal_);  // (1, L, D)
      vanilla_.output.logits(slice(h, 1, length_ - 1, 1));                // (1, 1, V)
    }));
  }

  // One segment, read with states and with keys.
  void segment() {
    const Ids ids = random_ids(xl_.config.segment);
    Tensor with_states, with_keys;
    times_states_.push_back(seconds_of(processor_time_, [&] { with_states = xl_(ids, states_); }));
    times_keys_.push_back(seconds_of(processor_time_, [&] { with_keys = xl_(ids, keys_); }));
    const double difference = max_difference(with_states, with_keys);
    if (!std::isnan(difference_) && !(difference <= difference_)) difference_ = difference;
  }

  int length_;
  bool processor_time_;
  Random random_;
  AnySegmentModel vanilla_, xl_;
  Tensor positions_;  // (L, D)
  Mask causal_;
  Memory states_;
  Memory keys_;
  std::vector<double> times_vanilla_, times_states_, times_keys_;
  double difference_ = 0;
};

TransformerXlConfig config_for(const SpeedFlags& f, int length) {
  TransformerXlConfig c = f.config;
  c.memory = length;
  c.segment = f.segment > 0 ? f.segment : std::max(1, length / 2);
  check_flags(c);
  TransformerXlConfig widest = c;  // the vanilla model's scores are (H, L, L)
  widest.segment = std::max(c.segment, length);
  check_fits(widest, 1, false, "--lengths");
  return c;
}

Row measure(const SpeedFlags& f, int length, std::uint64_t seed) {
  const TransformerXlConfig config = config_for(f, length);
  std::printf("attention length %d: filling the memory, %d tokens a segment …\n", length,
              config.segment);
  std::fflush(stdout);
  Race race(config, length, f.processor_time, seed);
  const Stopwatch watch;
  int rounds = 0;
  for (; rounds < 2 || watch.seconds() < f.seconds; ++rounds) race.round();
  const Row row = race.row();
  std::printf("  ms a token: vanilla %.2f, memory %.4f, cached keys %.4f (medians of %d rounds)\n",
              row.vanilla, row.states, row.keys, rounds);
  std::printf("  logits: memory and cached keys differ by %s at most (allowed: %s)\n",
              small(row.difference).c_str(), small(f.tolerance).c_str());
  std::fflush(stdout);
  if (!(row.difference <= f.tolerance))
    throw std::runtime_error("speed: the logits with cached keys differ from those with states");
  return row;
}

std::string published(int length) {
  const double ratio = published_ratio(length);
  return ratio > 0 ? fixed(ratio, 0) : "-";
}

void print_table(const std::vector<Row>& rows) {
  Table table({"length", "vanilla ms", "memory ms", "cached ms", "paper", "memory", "flops",
               "cached", "flops", "logits"});
  for (const Row& r : rows)
    table.row({std::to_string(r.length), fixed(r.vanilla, 1), fixed(r.states, 4), fixed(r.keys, 4),
               published(r.length), fixed(r.ratio_states(), 0), fixed(r.flops_states, 0),
               fixed(r.ratio_keys(), 0), fixed(r.flops_keys, 0), small(r.difference)});
  table.print();
}

std::string as_csv(const std::vector<Row>& rows) {
  std::string text =
      "attention_length,segment,vanilla_ms,memory_ms,cached_keys_ms,paper_ratio,memory_ratio,"
      "cached_keys_ratio,flops_memory_ratio,flops_cached_keys_ratio,largest_logit_difference\n";
  for (const Row& r : rows)
    text += formatted("%d,%d,%.4f,%.6f,%.6f,%s,%.1f,%.1f,%.1f,%.1f,%.3e\n", r.length, r.segment,
                      r.vanilla, r.states, r.keys, published(r.length).c_str(), r.ratio_states(),
                      r.ratio_keys(), r.flops_states, r.flops_keys, r.difference);
  return text;
}

std::string as_chart(const std::vector<Row>& rows) {
  const auto series = [&](const char* name, auto value) {
    Series line{.name = name, .x = {}, .y = {}};
    for (const Row& r : rows) line.x.push_back(r.length), line.y.push_back(value(r));
    return line;
  };
  return line_chart_svg(
      {.title = words("At {} tokens a memory makes a token {} times faster, cached keys {} times",
                      rows.back().length, fixed(rows.back().ratio_states(), 0),
                      fixed(rows.back().ratio_keys(), 0)),
       .x_title = "attention length",
       .y_title = "times faster",
       .series = {series("memory", [](const Row& r) { return r.ratio_states(); }),
                  series("cached keys", [](const Row& r) { return r.ratio_keys(); }),
                  series("memory, by operations", [](const Row& r) { return r.flops_states; }),
                  series("cached keys, by operations", [](const Row& r) { return r.flops_keys; }),
                  series("Dai et al. 2019, GPU", [](const Row& r) {
                    const double ratio = published_ratio(r.length);
                    return ratio > 0 ? ratio : NAN;
                  })}});
}

void explain(const SpeedFlags& f) {
  const TransformerXlConfig& c = f.config;
  say("What one token costs at evaluation. Both models have {} layers with D = {}, {} heads and {} "
      "hidden units (the paper's enwik8 model has 24 layers of 1024, 8 and 3072; every layer costs "
      "the same, so that their number cancels), {} symbols, random weights, one stream of random "
      "text, {} threads.",
      c.layers, c.d_model, c.heads, c.d_ff, c.vocabulary, threads());
  say("vanilla: a window of L tokens, everything in it computed for the one token after it; then "
      "the window moves by one. memory: segments with L remembered states, so that every token "
      "attends to L tokens before it at least; states are projected anew in every segment, as in "
      "the published code. cached: the same, but the projected keys, values and distances of the "
      "memory are kept. Attention with a memory leaves out the keys behind each block of queries, "
      "which the vanilla model's mask forbids after computing them. Medians of {}",
      std::string(f.processor_time ? "the processor time." : "the wall clock."));
  std::printf("\n");
}

int run_speed(const SpeedFlags& f, const CommonOptions& common) {
  const std::vector<int> lengths = integers_in(f.lengths).value();
  for (int length : lengths) config_for(f, length);  // fail before the long measurements
  const std::string csv = output_path(common, "speed.csv"), svg = output_path(common, "speed.svg");
  explain(f);
  std::vector<Row> rows;
  for (int length : lengths) rows.push_back(measure(f, length, common.seed));
  print_table(rows);
  say("Milliseconds a token, then vanilla's divided by the others': in the paper, measured, and as "
      "the operations alone would have it; last, how far the logits of the two differ.");
  write_file_atomically(csv, as_csv(rows));
  write_file_atomically(svg, as_chart(rows));
  picture(svg);
  std::printf("table: %s\n", csv.c_str());
  return 0;
}

}  // namespace

Command add_speed(CLI::App& app) {
  auto f = std::make_shared<SpeedFlags>();
  f->config.d_model = 1024, f->config.d_ff = 3072, f->config.heads = 8, f->config.layers = 2;
  f->config.vocabulary = 205;  // enwik8's, with <unk>
  integer_flag(app, "--d-model", f->config.d_model, "width of the models", 1);
  integer_flag(app, "--d-ff", f->config.d_ff, "width of the feed-forward layers", 1);
  integer_flag(app, "--heads", f->config.heads, "attention heads", 1);
  integer_flag(app, "--layers", f->config.layers, "layers", 1);
  integer_flag(app, "--vocabulary", f->config.vocabulary, "number of different symbols in the text",
               1);
  integer_flag(app, "--segment", f->segment, "tokens per segment", 1)
      ->default_str("half the attention length");
  app.add_option("--lengths", f->lengths, "attention lengths")
      ->check([](const std::string& text) {
        const auto list = integers_in(text);
        const bool fine = list && std::ranges::min(*list) > 0;
        return fine ? ""
                    : noted(words("expected positive integers, separated by commas, not {}", text));
      })
      ->capture_default_str();
  app.add_option("--seconds", f->seconds, "seconds to measure each length (at least two rounds)")
      ->check(negative_problem)
      ->capture_default_str();
  app.add_flag("--processor-time", f->processor_time,
               "measure processor time, not wall-clock time: for a busy machine, with --threads 1");
  app.add_option("--tolerance", f->tolerance, "largest difference allowed between the logits")
      ->check(negative_problem)
      ->capture_default_str();
  return [f](const CommonOptions& common) { return run_speed(*f, common); };
}

}  // namespace xf::language
