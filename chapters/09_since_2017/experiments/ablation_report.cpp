#include <algorithm>
#include <iostream>

#include "08_transformer_xl/experiments/ablation.hpp"
#include "09_since_2017/experiments/ablation.hpp"
#include "io/files.hpp"
#include "plot/lines.hpp"
#include "speech/show.hpp"

namespace xf::since_2017 {

namespace {

using language::mean;
using language::spread;

// The results of `number` for the curves of a variant, one per seed.
template <class Number>
std::vector<double> of_seeds(const Ablation& a, std::size_t variant, const Number& number) {
  std::vector<double> values;
  for (const std::vector<Curve>& curves : a.curves) values.push_back(number(curves[variant]));
  return values;
}

// The time of the fastest training: every training ran at least that long.
double shared_seconds(const Ablation& a) {
  double least = a.curves[0][0].back().seconds;
  for (const std::vector<Curve>& curves : a.curves)
    for (const Curve& curve : curves) least = std::min(least, curve.back().seconds);
  return least;
}

std::string signed_number(double value) {
  const std::string text = fixed(value);
  return value < 0 || text.find_first_of("123456789") == std::string::npos ? text : "+" + text;
}

// Whether the difference from the first model exceeds the spread of the seeds.
std::string verdict(const std::vector<double>& first, const std::vector<double>& other) {
  const double gap = mean(other) - mean(first);
  if (std::abs(gap) <= std::max(spread(first), spread(other))) return "within the spread";
  return gap > 0 ? "higher" : "lower";
}

std::string csv_of(const Ablation& a, std::uint64_t first_seed) {
  std::string csv =
      "model,seed,parameters,d_ff,cache_bytes_per_position,updates,seconds,nats_per_token\n";
  for (std::size_t v = 0; v < a.variants.size(); ++v)
    for (std::size_t seed = 0; seed < a.curves.size(); ++seed)
      for (const Point& p : a.curves[seed][v])
        csv += a.variants[v].name + "," + std::to_string(first_seed + seed) + "," +
               std::to_string(parameters_of(a.variants[v])) + "," +
               std::to_string(a.variants[v].config.d_ff) + "," +
               std::to_string(cache_bytes(a.variants[v])) + "," + std::to_string(p.updates) + "," +
               fixed(p.seconds, 2) + "," + fixed(p.nats, 5) + "\n";
  return csv;
}

// Compares the first model with the last, which differ in everything.
Words title_of(const Ablation& a) {
  const double seconds = shared_seconds(a);
  const auto nats = [&](std::size_t variant) {
    return fixed(
        mean(of_seeds(a, variant, [&](const Curve& curve) { return nats_at(curve, seconds); })), 2);
  };
  const std::size_t last = a.variants.size() - 1;
  return words("After {} s, {} reaches {} nats, {} reaches {}", fixed(seconds, 1),
               a.variants[0].name, nats(0), a.variants[last].name, nats(last));
}

LineChart chart_of(const Ablation& a) {
  LineChart chart{.title = title_of(a),
                  .x_title = "seconds of one core",
                  .y_title = "nats per character",
                  .series = {}};
  for (std::size_t v = 0; v < a.variants.size(); ++v) {
    chart.series.push_back({a.variants[v].name, {}, {}});
    for (std::size_t i = 1; i < a.curves[0][v].size(); ++i) {  // the first is far above the rest
      const auto at = [&](auto number) {
        return mean(of_seeds(a, v, [&](const Curve& curve) { return number(curve[i]); }));
      };
      chart.series.back().x.push_back(at([](const Point& p) { return p.seconds; }));
      chart.series.back().y.push_back(at([](const Point& p) { return p.nats; }));
    }
  }
  return chart;
}

}  // namespace

void report(const Ablation& a, std::uint64_t first_seed, const std::string& out) {
  const double seconds = shared_seconds(a);
  const int updates = a.curves[0][0].back().updates;
  const auto at_updates = [](const Curve& curve) { return curve.back().nats; };
  const auto at_time = [&](const Curve& curve) { return nats_at(curve, seconds); };
  const auto ms = [](const Curve& curve) {
    return 1000 * curve.back().seconds / curve.back().updates;
  };
  std::cout << "Nats per token on the held-out text, the mean of " << a.curves.size()
            << " seeds (spread: largest - smallest), after " << updates << " updates and after "
            << fixed(seconds, 1) << " s of one core, which is what the fastest training took.\n"
            << "Last: the difference from the first model, and whether it is more than the larger "
               "spread of the two.\n";
  Table table({"model", "parameters", "d_ff", "cache, bytes", "ms an update", "equal updates",
               "spread", "difference", "", "equal time", "spread", "difference", ""});
  for (std::size_t v = 0; v < a.variants.size(); ++v) {
    std::vector<Phrase> row = {a.variants[v].name, std::to_string(parameters_of(a.variants[v])),
                               std::to_string(a.variants[v].config.d_ff),
                               std::to_string(cache_bytes(a.variants[v])),
                               fixed(mean(of_seeds(a, v, ms)), 2)};
    const auto add = [&](const auto& number) {
      const std::vector<double> first = of_seeds(a, 0, number), own = of_seeds(a, v, number);
      row.push_back(fixed(mean(own)));
      row.push_back(fixed(spread(own)));
      row.push_back(v == 0 ? "" : signed_number(mean(own) - mean(first)));
      row.push_back(v == 0 ? "" : verdict(first, own));
    };
    add(at_updates);
    add(at_time);
    table.row(row);
  }
  table.print();
  for (const auto& [file, content] : {std::pair{"/ablation.csv", csv_of(a, first_seed)},
                                      std::pair{"/ablation.svg", line_chart_svg(chart_of(a))}}) {
    write_file_atomically(out + file, content);
    std::cout << out << file << "\n";
  }
}

}  // namespace xf::since_2017
