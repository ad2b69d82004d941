#include <algorithm>
#include <CLI/App.hpp>
#include <cstdio>
#include <iostream>

#include "commands.hpp"
#include "io/printable.hpp"
#include "machine.hpp"
#include "profile.hpp"
#include "speech/show.hpp"
#include "table.hpp"
#include "tensor/parallel.hpp"
#include "training_step.hpp"

namespace xf::bench {

namespace {

struct OpsFlags {
  explicit OpsFlags(CLI::App& app) : sizes(app) {
    add_step_flags(app, train);
    app.add_option("--steps", steps, "steps to average, after two that do not count")
        ->check(positive_problem)
        ->capture_default_str();
    app.add_flag("--shapes", shapes, "a row for each shape of an op's output");
    add_peak_flag(app, peak_size);
  }
  SizeFlags sizes;
  StepOptions train;
  int steps = 10, peak_size = 2048;
  bool shapes = false;
};

// One line of the table; times in ms of a step's wall clock.
struct Line {
  std::string name;
  long calls = 0;
  double forward = 0, backward = 0, gflops = 0;

  double total() const { return forward + backward; }
};

// The threads run in parallel, so a step's share of the wall clock is the mean of their times.
std::vector<Line> lines_of(const Profile& profile, int steps, int workers) {
  std::vector<Line> lines;
  for (const auto& [op, row] : profile.rows()) {
    const double ms = 1e3 / steps / workers;
    Line line{op, row.calls / steps, row.forward * ms, row.backward * ms};
    line.gflops = 3 * row.flops / steps / line.total() / 1e6;
    lines.push_back(line);
  }
  return lines;
}

void print_row(const Line& line, double step_ms, double peak) {
  std::printf("%s %6ld %9.3f %9.3f %9.3f %6.1f %%", cell(translated(line.name), -34).c_str(),
              line.calls, line.forward, line.backward, line.total(), 100 * line.total() / step_ms);
  if (line.gflops > 0) std::printf(" %8.1f", line.gflops);
  if (line.gflops > 0 && peak > 0) std::printf(" %6.1f %%", 100 * line.gflops / peak);
  std::printf("\n");
}

nlohmann::ordered_json to_json(const Line& line, double step_ms) {
  return {{"op", line.name},
          {"calls", line.calls},
          {"forward_ms", line.forward},
          {"backward_ms", line.backward},
          {"share", line.total() / step_ms},
          {"gflops", line.gflops}};
}

int run(const OpsFlags& flags, const CommonOptions& common) {
  warn_of_forced_blas();
  const Sizes sizes = flags.sizes.sizes();
  TrainingStep step(sizes, flags.train, common.seed);
  Profile profile(flags.shapes);
  times_ms(0, 2, [&] { step(); });
  profile.reset();
  double adam = 0, total = 0;
  for (int i = 0; i < flags.steps; ++i) {
    total += times_ms(0, 1, [&] { step.loss_and_gradients(); })[0] / flags.steps;
    adam += times_ms(0, 1, [&] { step.update(); })[0] / flags.steps;
  }
  total += adam;

  const int workers = std::min(step.shards(), threads());
  std::vector<Line> lines = lines_of(profile, flags.steps, workers);
  lines.push_back({"Adam and the sum of the gradients", 1, 0, adam, 0});
  std::sort(lines.begin(), lines.end(),
            [](const Line& a, const Line& b) { return a.total() > b.total(); });
  double rest = total;
  for (const Line& line : lines) rest -= line.total();
  lines.push_back({"between the ops; waiting", 1, rest, 0, 0});  // waiting: e.g. for a longer shard

  const double peak = sgemm_peak(flags.peak_size);
  print(
      words(
          "{} threads, {} shards; ms of a step's wall-clock time, mean of {} steps; sgemm peak {} "
          "GFLOP/s",
          threads(), step.shards(), flags.steps, fixed(peak, 0))
          .str() +
      "\n\n");
  print(heading({{"op", -34},
                 {"calls", 6},
                 {"forward", 9},
                 {"backward", 9},
                 {"both", 9},
                 {"of step", 8},
                 {"GFLOP/s", 8},
                 {"of peak", 8}}));
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Line& line : lines) {
    print_row(line, total, peak);
    rows.push_back(to_json(line, total));
  }
  const double gflops = training_flops(sizes, step.work().pairs) / total / 1e6;
  std::printf("%s %36.3f\n", cell("step", -34).c_str(), total);
  std::fflush(stdout);
  nlohmann::ordered_json json = {{"ms_per_step", total}};
  json.update(machine_record(gflops, peak));
  json["ops"] = rows;
  json["config"] = to_json(sizes);
  std::cout << json.dump() << '\n';
  return 0;
}

}  // namespace

Command add_ops(CLI::App& app) { return command<OpsFlags>(app, run); }

}  // namespace xf::bench
