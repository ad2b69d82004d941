#include <algorithm>
#include <CLI/App.hpp>
#include <cstdio>
#include <iostream>

#include "commands.hpp"
#include "counting.hpp"
#include "machine.hpp"
#include "speech/show.hpp"
#include "table.hpp"
#include "train/run_options.hpp"
#include "training_step.hpp"

namespace xf::bench {

namespace {

struct TrainFlags {
  explicit TrainFlags(CLI::App& app) : sizes(app) {
    add_step_flags(app, train);
    app.add_option("--warmup", warmup, "warm-up steps, not timed")
        ->check(negative_problem)
        ->capture_default_str();
    app.add_option("--steps", steps, "steps to time")
        ->check(positive_problem)
        ->capture_default_str();
    add_peak_flag(app, peak_size);
    add_count_flag(app, count);
  }
  SizeFlags sizes;
  StepOptions train;
  int warmup = 3, steps = 15, peak_size = 2048;
  bool count = false;
};

// Counts the second step: the first one also allocates Adam's moments.
int count(const TrainFlags& flags, const CommonOptions& common) {
  const Counter counter(common);
  const Sizes sizes = flags.sizes.sizes(true);
  TrainingStep step(sizes, flags.train, common.seed);
  step();
  print_counts(counter.of([&] { step(); }), to_json(sizes));
  return 0;
}

int run(const TrainFlags& flags, const CommonOptions& common) {
  require_device_for(flags.train.precision);
  const ProductPrecision precision(flags.train.precision);
  if (flags.count) return count(flags, common);
  warn_of_forced_blas();
  const Sizes sizes = flags.sizes.sizes();
  TrainingStep step(sizes, flags.train, common.seed);
  double loss = 0;
  const std::vector<double> times = times_ms(flags.warmup, flags.steps, [&] { loss = step(); });
  const double ms = median(times), rss = peak_rss_mb(), peak = sgemm_peak(flags.peak_size);
  const double flops = training_flops(sizes, step.work().pairs), gflops = flops / ms / 1e6;
  const auto [least, most] = std::minmax_element(times.begin(), times.end());
  print_line(words("loss {}  parameters {}  {} shards  padding {} %", fixed(loss),
                   step.parameter_count(), step.shards(), fixed(100 * step.padding(), 1)));
  print_line(words("{} ms a step ({} to {})  {} GFLOP/s", fixed(ms, 2), fixed(*least, 2),
                   fixed(*most, 2), fixed(gflops, 0))
                 .str() +
             share_of_peak(gflops, peak));
  std::fflush(stdout);

  nlohmann::ordered_json json = {{"tokens_per_s", double(step.work().target_tokens) / ms * 1e3},
                                 {"ms_per_step", ms},
                                 {"ms_min", *least},
                                 {"ms_max", *most},
                                 {"tgt_tokens", step.work().target_tokens},
                                 {"src_tokens", step.work().source_tokens},
                                 {"model_flops", flops}};
  json.update(machine_record(gflops, peak));
  json["peak_rss_mb"] = rss;  // of the training alone
  add_processes(json, rss);
  json["dropout"] = flags.train.dropout;
  json["ragged"] = flags.train.ragged;
  json["precision"] = name(flags.train.precision);
  json["shards"] = step.shards();
  json["config"] = to_json(sizes);
  std::cout << json.dump() << '\n';
  return 0;
}

}  // namespace

Command add_train(CLI::App& app) { return command<TrainFlags>(app, run); }

}  // namespace xf::bench
