#include <algorithm>
#include <CLI/App.hpp>
#include <cstdio>
#include <iostream>
#include <set>

#include "commands.hpp"
#include "io/files.hpp"
#include "machine.hpp"
#include "plot/lines.hpp"
#include "profile.hpp"
#include "speech/show.hpp"
#include "table.hpp"
#include "tensor/parallel.hpp"
#include "training_step.hpp"

namespace xf::bench {

namespace {

struct ScalingFlags {
  explicit ScalingFlags(CLI::App& app) : sizes(app) {
    add_step_flags(app, train);
    app.add_option("--steps", steps, "steps to time at each point")
        ->check(positive_problem)
        ->capture_default_str();
    app.add_option("--batches", batches, "sentence pairs")->capture_default_str();
    app.add_option("--layer-counts", layers, "layers")->capture_default_str();
    app.add_option("--lengths", lengths, "source and target tokens")->capture_default_str();
    app.add_option("--length-batch", length_batch, "sentence pairs while the length varies")
        ->check(positive_problem)
        ->capture_default_str();
    for (CLI::Option* list : app.get_options(
             [](const CLI::Option* option) { return option->get_items_expected_max() > 1; }))
      list->check(positive_problem);
  }
  SizeFlags sizes;
  StepOptions train;
  int steps = 7, length_batch = 8;
  std::vector<int> batches = {16, 32, 64, 128, 256}, layers = {1, 2, 4, 8},
                   lengths = {16, 32, 64, 128, 256, 512};
};

// What one step of a configuration takes.
struct Point {
  std::string axis;
  int threads, value;
  long tokens;
  double ms;            // the median step
  double attention_ms;  // the part spent in attention's products and softmax
};

// Q K^T, softmax and the product with V: the ops whose work grows with the square of the length.
// The first two occur only with --no-packed.
const std::set<std::string> attention_ops = {"matmul", "softmax", "packed_attention"};

Point measure(const std::string& axis, int value, const Sizes& sizes, const ScalingFlags& flags,
              std::uint64_t seed) {
  TrainingStep step(sizes, flags.train, seed);
  const double ms = median(times_ms(2, flags.steps, [&] { step(); }));
  double attention = 0;
  {
    Profile profile;
    for (int i = 0; i < flags.steps; ++i) step();
    for (const auto& [op, row] : profile.rows())
      if (attention_ops.count(op)) attention += (row.forward + row.backward) / flags.steps;
  }
  const int workers = std::min(step.shards(), threads());
  const long tokens = step.work().source_tokens + step.work().target_tokens;
  return {axis, threads(), value, tokens, ms, 1e3 * attention / workers};
}

// The points of one axis, on 1, 2, 4 … threads up to the number available.
std::vector<Point> sweep(const std::string& axis, const std::vector<int>& values,
                         const ScalingFlags& flags, std::uint64_t seed, int max_threads,
                         void (*set)(Sizes&, int, int)) {
  std::vector<Point> points;
  for (int count = 1; count <= max_threads; count *= 2) {
    set_threads(count);
    for (int value : values) {
      Sizes sizes = flags.sizes.sizes();
      set(sizes, value, flags.length_batch);
      points.push_back(measure(axis, value, sizes, flags, seed));
      const Point& p = points.back();
      std::printf("%s %5d %8d %9ld %10.2f %12.3f %12.2f %14.4f %12.2f\n",
                  cell(translated(axis), -8).c_str(), value, p.threads, p.tokens, p.ms,
                  1e3 * p.ms / double(p.tokens), p.attention_ms,
                  1e3 * p.attention_ms / double(value) / value, p.ms - p.attention_ms);
      std::fflush(stdout);
    }
  }
  return points;
}

std::string csv(const std::vector<Point>& points) {
  std::string text = "axis,value,threads,tokens,ms,attention_ms\n";
  for (const Point& p : points)
    text += p.axis + "," + std::to_string(p.value) + "," + std::to_string(p.threads) + "," +
            std::to_string(p.tokens) + "," + std::to_string(p.ms) + "," +
            std::to_string(p.attention_ms) + "\n";
  return text;
}

// How many times longer a step takes at the end of an axis than at its start, with all threads.
Words title_of(const std::string& axis, const std::vector<Point>& points) {
  const auto on_axis = [&](const Point& p) { return p.axis == axis; };
  const Point& last = *std::find_if(points.rbegin(), points.rend(), on_axis);
  const Point& first = *std::find_if(points.begin(), points.end(), [&](const Point& p) {
    return on_axis(p) && p.threads == last.threads;
  });
  const std::string more = fixed(double(last.value) / first.value, 0),
                    step = fixed(last.ms / first.ms, 1);
  if (axis == "batch")
    return words("With {} times the sentence pairs a step takes {} times as long", more, step);
  if (axis == "layers")
    return words("With {} times the layers a step takes {} times as long", more, step);
  return words("At {} times the length a step takes {} times as long, its attention {} times", more,
               step, fixed(last.attention_ms / first.attention_ms, 0));
}

// The series of one axis: step time per thread count and, for lengths, attention's part of it.
LineChart chart(const std::string& axis, const std::vector<Point>& points) {
  LineChart picture{.title = title_of(axis, points),
                    .x_title = translated(axis),
                    .y_title = "ms a step",
                    .series = {},
                    .log_x = true,
                    .log_y = true};
  std::set<int> counts;
  for (const Point& p : points) counts.insert(p.threads);
  for (int count : counts) {
    const Words threads_text = count == 1 ? "1 thread" : words("{} threads", count);
    Series step{words("step, {}", threads_text), {}, {}};
    Series part{words("attention, {}", threads_text), {}, {}};
    for (const Point& p : points) {
      if (p.axis != axis || p.threads != count) continue;
      step.x.push_back(p.value), step.y.push_back(p.ms);
      part.x.push_back(p.value), part.y.push_back(p.attention_ms);
    }
    picture.series.push_back(step);
    if (axis == "length") picture.series.push_back(part);
  }
  return picture;
}

int run(const ScalingFlags& flags, const CommonOptions& common) {
  warn_of_forced_blas();
  const int most = threads();
  print(heading({{"axis", -8},
                 {"value", 5},
                 {"threads", 8},
                 {"tokens", 9},
                 {"ms a step", 10},
                 {"us a token", 12},
                 {"attention ms", 12},
                 {"us / value^2", 14},
                 {"the rest ms", 12}}));
  std::vector<Point> points;
  const auto add = [&](const char* axis, const std::vector<int>& values,
                       void (*set)(Sizes&, int, int)) {
    const auto found = sweep(axis, values, flags, common.seed, most, set);
    points.insert(points.end(), found.begin(), found.end());
  };
  add("batch", flags.batches, [](Sizes& s, int value, int) { s.batch = value; });
  add("layers", flags.layers, [](Sizes& s, int value, int) { s.layers = value; });
  add("length", flags.lengths, [](Sizes& s, int value, int batch) {
    s.src_len = s.tgt_len = value;
    s.batch = batch;
  });
  write_file_atomically(output_path(common, "scaling.csv"), csv(points));
  for (const std::string axis : {"batch", "layers", "length"})
    write_file_atomically(output_path(common, "scaling_" + axis + ".svg"),
                          line_chart_svg(chart(axis, points)));
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Point& p : points)
    rows.push_back({{"axis", p.axis},
                    {"value", p.value},
                    {"threads", p.threads},
                    {"tokens", p.tokens},
                    {"ms", p.ms},
                    {"attention_ms", p.attention_ms}});
  nlohmann::ordered_json json = {{"points", rows}, {"blas", blas_core()}};
  json["config"] = to_json(flags.sizes.sizes());
  std::cout << json.dump() << '\n';
  return 0;
}

}  // namespace

Command add_scaling(CLI::App& app) { return command<ScalingFlags>(app, run); }

}  // namespace xf::bench
