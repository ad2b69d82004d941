#include <algorithm>
#include <CLI/App.hpp>
#include <cstdio>
#include <iostream>
#include <map>

#include "08_transformer_xl/baselines/any_stack.hpp"
#include "commands.hpp"
#include "counting.hpp"
#include "distributed/processes.hpp"
#include "io/config.hpp"
#include "io/printable.hpp"
#include "machine.hpp"
#include "profile.hpp"
#include "program/program.hpp"
#include "speech/show.hpp"
#include "table.hpp"
#include "tensor/parallel.hpp"
#include "train/adam.hpp"
#include "train/data_parallel.hpp"
#include "train/exchange/exchange.hpp"
#include "train/run_options.hpp"

namespace xf::bench {

namespace {

// A language model and the segments it reads. The presets are those of torch_xl.py.
struct Sizes {
  int d_model, d_ff, heads, layers, batch, tgt_len, mem_len, vocab;
};
struct SizeField {
  const char* name;
  int Sizes::*member;
  const char* help;
};
constexpr SizeField size_fields[] = {
    {"d_model", &Sizes::d_model, "width of the model"},
    {"d_ff", &Sizes::d_ff, "width of the feed-forward layer"},
    {"heads", &Sizes::heads, "attention heads; must divide d_model"},
    {"layers", &Sizes::layers, "layers"},
    {"batch", &Sizes::batch, "streams of the text"},
    {"tgt_len", &Sizes::tgt_len, "tokens of a segment, all counted in the loss"},
    {"mem_len", &Sizes::mem_len, "states remembered per layer"},
    {"vocab", &Sizes::vocab, "entries of the vocabulary"},
};
const std::map<std::string, Sizes> presets = {
    //          d_model d_ff heads layers batch tgt_len mem_len vocab
    {"small", {128, 512, 8, 4, 16, 64, 64, 65}},
    {"medium", {256, 1024, 8, 6, 60, 150, 150, 65}},
};

struct XlFlags {
  explicit XlFlags(CLI::App& app) {
    app.add_option("--preset", preset, "small or medium")->capture_default_str();
    for (const SizeField& field : size_fields)
      app.add_option(flag_name(field.name), given.*field.member, field.help)
          ->check(positive_problem)
          ->default_str("the preset's");
    app.add_option("--dropout", dropout, "dropout rate, of the attention weights too")
        ->check(share_problem)
        ->capture_default_str();
    app.add_option("--clip", clip, "clip the gradient's norm to this; 0: never")
        ->check(negative_problem)
        ->capture_default_str();
    app.add_option("--shards", shards, "parts into which the streams are split")
        ->check(positive_problem)
        ->default_str("one per thread");
    app.add_flag("--shared-state", shared_state,
                 "each of several processes keeps only the Adam moments of its share of the "
                 "weights");
    app.add_option("--warmup", warmup, "warm-up steps, not timed, which fill the memory")
        ->check(negative_problem)
        ->capture_default_str();
    app.add_option("--steps", steps, "steps to time")
        ->check(positive_problem)
        ->capture_default_str();
    add_peak_flag(app, peak_size);
    add_precision_flag(app, precision);
    app.add_flag("--ops", ops, "first print where the time of a step goes, op by op");
    add_count_flag(app, counted);
  }
  // With `small`, sizes without a flag are no larger than the emulator needs to run every kernel.
  Sizes sizes(bool small = false) const {
    const auto found = presets.find(preset);
    if (found == presets.end())
      throw UserError("--preset: expected small or medium, not '{}'", preset);
    Sizes sizes = found->second;
    if (small) sizes = {8 * sizes.heads, 16 * sizes.heads, sizes.heads, sizes.layers, 2, 6, 6, 96};
    for (const SizeField& field : size_fields)
      if (given.*field.member > 0) sizes.*field.member = given.*field.member;
    return sizes;
  }
  std::string preset = "small";
  Sizes given{};  // 0: the preset's value
  double dropout = 0.1, clip = 0.25;
  int shards = 0, warmup = 3, steps = 15, peak_size = 2048;
  bool shared_state = false, ops = false, counted = false;
  Precision precision = Precision::float32;
};

TransformerXlConfig config_of(const Sizes& n, double dropout) {
  TransformerXlConfig c{.vocabulary = n.vocab,
                        .d_model = n.d_model,
                        .d_ff = n.d_ff,
                        .heads = n.heads,
                        .layers = n.layers,
                        .segment = n.tgt_len,
                        .memory = n.mem_len};
  c.dropout = c.attention_dropout = dropout;
  return c;
}

AnySegmentModel make_model(const TransformerXlConfig& config, std::uint64_t seed) {
  Random random(seed);
  return AnySegmentModel(config, random);
}

// Floating-point operations of the matrix products of a step with a full memory. An addition and a
// multiplication count as two, and backward as twice forward. Multiply-adds of a layer:
//   q, o: 2 D^2 T   k, v: 2 D^2 S   feed-forward: 2 D Dff T   scores, positions, values: 3 D T S
// per stream, plus D^2 S for W_kR R, once for the model's own batch.
double training_flops(const Sizes& n) {
  const double d = n.d_model, t = n.tgt_len, s = t + n.mem_len;
  const double layer = 2 * d * d * (t + s) + 2 * d * n.d_ff * t + 3 * d * t * s;
  return 6 * (n.batch * (n.layers * layer + d * n.vocab * t) + n.layers * d * d * s);
}

// What one update of `08_transformer_xl train` does, on the same random segment every time.
class XlStep {
 public:
  XlStep(const Sizes& sizes, const XlFlags& flags, std::uint64_t seed)
      : model_(make_model(config_of(sizes, flags.dropout), seed)),
        parameters_(parameters(model_)),
        exchange_(make_exchange(parameters_, flags.shared_state)),
        adam_(exchange_->own()),
        clip_(flags.clip),
        seed_(seed) {
    const int shards =
        std::min(flags.shards > 0 ? flags.shards : threads() * everyone().ranks(), sizes.batch);
    Random random(seed);
    for (int i = 0; i < shards; ++i) {
      const int rows = sizes.batch * (i + 1) / shards - sizes.batch * i / shards;
      Ids ids = Ids::full({rows, sizes.tgt_len}, 0), expected = ids;
      expected = Ids::full({rows, sizes.tgt_len}, 0);
      for (int b = 0; b < rows; ++b) fill_row(ids, expected, b, sizes, random);
      shards_.push_back({ids, expected, model_.start()});
    }
    tokens_ = double(sizes.batch) * sizes.tgt_len;
  }

  double operator()() {
    const std::uint64_t seed = mix(seed_) + static_cast<std::uint64_t>(adam_.steps());
    const ShardLosses& loss = parallel_.run(shards(), seed, [&](int i) {
      Shard& shard = shards_[static_cast<std::size_t>(i)];
      return model_.loss(shard.ids, shard.expected, shard.memory, {.divisor = tokens_});
    });
    GradientSums sums = exchange_->sum(parallel_.gradients(), &parallel_.losses());
    clip(sums, clip_);
    adam_.step(sums, 2.5e-4);
    exchange_->share_weights();
    return loss;
  }

  int shards() const { return static_cast<int>(shards_.size()); }
  double tokens() const { return tokens_; }
  std::int64_t parameter_count() const { return xf::parameter_count(parameters_); }

 private:
  struct Shard {
    Ids ids, expected;
    Memory memory;
  };
  // The expected tokens are the next ones.
  static void fill_row(Ids& ids, Ids& expected, int b, const Sizes& sizes, Random& random) {
    std::int32_t last = random.below(sizes.vocab);
    for (int t = 0; t < sizes.tgt_len; ++t) {
      ids[b * sizes.tgt_len + t] = last;
      expected[b * sizes.tgt_len + t] = last = random.below(sizes.vocab);
    }
  }

  AnySegmentModel model_;
  std::vector<NamedParameter> parameters_;
  std::unique_ptr<Exchange> exchange_;
  Adam adam_;
  double clip_;
  DataParallel parallel_;
  std::vector<Shard> shards_;
  std::uint64_t seed_;
  double tokens_ = 0;
};

// Forward and backward wall-clock ms per step for each op, averaged over the threads.
void print_ops(XlStep& step, int steps) {
  Profile profile;
  double total = 0;
  for (double ms : times_ms(0, steps, [&] { step(); })) total += ms / steps;
  const double unit = 1e3 / steps / std::min(step.shards(), threads());
  std::vector<std::pair<std::string, Profile::Row>> rows(profile.rows().begin(),
                                                         profile.rows().end());
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return a.second.forward + a.second.backward > b.second.forward + b.second.backward;
  });
  print(heading(
      {{"op", -20}, {"calls", 6}, {"forward", 9}, {"backward", 9}, {"both", 9}, {"of step", 8}}));
  double rest = total;
  for (const auto& [op, row] : rows) {
    const double both = (row.forward + row.backward) * unit;
    rest -= both;
    std::printf("%-20s %6ld %9.3f %9.3f %9.3f %6.1f %%\n", op.c_str(), row.calls / steps,
                row.forward * unit, row.backward * unit, both, 100 * both / total);
  }
  std::printf("%s %36.3f %6.1f %%\n%s %36.3f\n", cell("Adam, the rest", -20).c_str(), rest,
              100 * rest / total, cell("step", -20).c_str(), total);
}

nlohmann::ordered_json to_json(const Sizes& sizes) {
  nlohmann::ordered_json json;
  for (const SizeField& field : size_fields) json[field.name] = sizes.*field.member;
  return json;
}

// Counts one step with a full memory.
int count(const XlFlags& flags, const CommonOptions& common) {
  const Counter counter(common);
  const Sizes sizes = flags.sizes(true);
  XlStep step(sizes, flags, common.seed);
  for (int i = 0; i < 1 + sizes.mem_len / sizes.tgt_len; ++i) step();
  print_counts(counter.of([&] { step(); }), to_json(sizes));
  return 0;
}

int run(const XlFlags& flags, const CommonOptions& common) {
  require_device_for(flags.precision);
  const ProductPrecision precision(flags.precision);
  if (flags.counted) return count(flags, common);
  warn_of_forced_blas();
  const Sizes sizes = flags.sizes();
  XlStep step(sizes, flags, common.seed);
  double loss = 0;
  for (int i = 0; i < flags.warmup; ++i) loss = step();
  if (flags.ops) print_ops(step, flags.steps);
  const std::vector<double> times = times_ms(0, flags.steps, [&] { loss = step(); });
  const double ms = median(times), rss = peak_rss_mb(), peak = sgemm_peak(flags.peak_size);
  const double flops = training_flops(sizes), gflops = flops / ms / 1e6;
  const auto [least, most] = std::minmax_element(times.begin(), times.end());
  print_line(words("loss {}  parameters {}  {} shards", fixed(loss), step.parameter_count(),
                   step.shards()));
  print_line(words("{} ms a step ({} to {})  {} GFLOP/s", fixed(ms, 2), fixed(*least, 2),
                   fixed(*most, 2), fixed(gflops, 0))
                 .str() +
             share_of_peak(gflops, peak));
  std::fflush(stdout);

  nlohmann::ordered_json json = {{"tokens_per_s", step.tokens() / ms * 1e3},
                                 {"ms_per_step", ms},
                                 {"ms_min", *least},
                                 {"ms_max", *most},
                                 {"tgt_tokens", long(step.tokens())},
                                 {"model_flops", flops}};
  json.update(machine_record(gflops, peak));
  json["peak_rss_mb"] = rss;  // of the training alone
  add_processes(json, rss);
  json["dropout"] = flags.dropout;
  json["precision"] = name(flags.precision);
  json["shards"] = step.shards();
  json["config"] = to_json(sizes);
  std::cout << json.dump() << '\n';
  return 0;
}

}  // namespace

Command add_xl(CLI::App& app) { return command<XlFlags>(app, run); }

}  // namespace xf::bench
