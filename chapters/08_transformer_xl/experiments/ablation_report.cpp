#include "08_transformer_xl/experiments/ablation_report.hpp"

#include <algorithm>
#include <array>
#include <iostream>
#include <numeric>

#include "io/files.hpp"
#include "io/utf8.hpp"
#include "plot/lines.hpp"
#include "speech/show.hpp"

namespace xf::language {

namespace {

// The shares of the tokens used in the published table.   Dai et al. 2019, table 8
constexpr std::array<double, 3> ratios = {0.1, 0.5, 1.0};

std::string recurrence_of(const Cell& cell) {
  if (cell.lstm()) return "LSTM";
  return cell.recurrence ? "on" : "off";
}
std::string positions_of(const Cell& cell) {
  if (cell.lstm()) return "none";
  return cell.relative ? "relative" : "absolute";
}

double mean_of(const std::vector<float>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / double(values.size());
}

void show_losses(const Ablation& a, const std::vector<std::int64_t>& parameters) {
  std::vector<Phrase> heading = {"recurrence", "positions"};
  for (int length : a.lengths) heading.push_back(std::to_string(length));
  for (const char* name : {"trained", "best", "spread"}) heading.push_back(name);
  Table table(heading);
  for (std::size_t cell = 0; cell < a.cells.size(); ++cell) {
    std::vector<Phrase> row = {recurrence_of(a.cells[cell]), positions_of(a.cells[cell])};
    for (std::size_t k = 0; k < a.lengths.size(); ++k) row.push_back(fixed(mean(a.at(cell, k))));
    row.push_back(std::to_string(a.lengths[a.trained(cell)]));
    row.push_back(std::to_string(a.lengths[a.best(cell)]));
    row.push_back(fixed(spread(a.at(cell, a.trained(cell)))));
    table.row(row);
  }
  say("Nats per token on the held-out text by attention length, the mean of {} seeds; the length "
      "of the training, the best one, and the spread (largest - smallest) over the seeds at that "
      "of the training. Parameters: {}.",
      a.nats[0].size(), joined(parameters, ", "));
  table.print();
}

// RECL in tokens; one number per seed.
std::vector<double> effective(const Ablation& a, std::size_t cell, double ratio) {
  std::vector<double> lengths;
  for (const std::vector<LossesByContext>& of_seed : a.by_context)
    lengths.push_back(a.contexts[relative_effective_context(of_seed, cell, ratio)]);
  return lengths;
}

void show_contexts(const Ablation& a) {
  std::vector<Phrase> heading = {"recurrence", "positions"};
  for (double ratio : ratios) heading.push_back("r = " + fixed(ratio, 1));
  Table table(heading);
  for (std::size_t cell = 0; cell < a.cells.size(); ++cell) {
    std::vector<Phrase> row = {recurrence_of(a.cells[cell]), positions_of(a.cells[cell])};
    for (double ratio : ratios) {
      const std::vector<double> of_seeds = effective(a, cell, ratio);
      row.push_back(words("{} (spread {})", fixed(mean(of_seeds), 0), fixed(spread(of_seeds), 0)));
    }
    table.row(row);
  }
  say("Relative effective context length: the context in tokens from which {} more gain less than "
      "1% of the perplexity, over the share r of the tokens that are hardest for the best model; "
      "{} is the longest that was measured.",
      a.contexts[0], a.contexts.back());
  table.print();
}

void show_claims(const Ablation& a) {
  say(a.nats[0].size() == 1 ? "Does it hold? The gap must be larger than the seeds' spread, which "
                              "one seed does not show."
                            : "Does it hold? The gap must be larger than the seeds' spread.");
  Table table({"claim", "gap", "spread", "verdict"});
  for (const Claim& claim : claims(a))
    table.row(
        {claim.text, fixed(claim.gap), fixed(claim.spread), claim.holds() ? "checked" : "failed"});
  table.print();
}

std::string losses_csv(const Ablation& a, const std::vector<std::int64_t>& parameters,
                       std::uint64_t first_seed) {
  std::string csv = "recurrence,positions,parameters,seed,attention_length,nats_per_token\n";
  for (std::size_t cell = 0; cell < a.cells.size(); ++cell)
    for (std::size_t seed = 0; seed < a.nats[cell].size(); ++seed)
      for (std::size_t k = 0; k < a.lengths.size(); ++k)
        csv += recurrence_of(a.cells[cell]) + "," + positions_of(a.cells[cell]) + "," +
               std::to_string(parameters[cell]) + "," + std::to_string(first_seed + seed) + "," +
               std::to_string(a.lengths[k]) + "," + fixed(a.nats[cell][seed][k], 6) + "\n";
  return csv;
}

std::string contexts_csv(const Ablation& a, std::uint64_t first_seed) {
  std::string csv = "recurrence,positions,seed,context,nats_per_token";
  for (double ratio : ratios) csv += ",next_gain_r" + fixed(ratio, 1);
  csv += "\n";
  for (std::size_t cell = 0; cell < a.cells.size(); ++cell)
    for (std::size_t seed = 0; seed < a.by_context.size(); ++seed)
      for (std::size_t k = 0; k < a.contexts.size(); ++k) {
        csv += recurrence_of(a.cells[cell]) + "," + positions_of(a.cells[cell]) + "," +
               std::to_string(first_seed + seed) + "," + std::to_string(a.contexts[k]) + "," +
               fixed(mean_of(a.by_context[seed][cell][k]), 6);
        for (double ratio : ratios)
          csv += "," + (k + 1 < a.contexts.size()
                            ? fixed(relative_gain(a.by_context[seed], cell, k, ratio), 6)
                            : std::string());
        csv += "\n";
      }
  return csv;
}

LineChart chart(const Ablation& a, const Phrase& x_title) {
  LineChart chart{.title = {}, .x_title = x_title, .y_title = "nats per token", .series = {}};
  for (const Cell& cell : a.cells) chart.series.push_back({cell.name(), {}, {}});
  return chart;
}

// The best and the worst model at the right end of the chart.
Words title_of(const LineChart& chart) {
  const auto order = [](const Series& one, const Series& other) {
    return one.y.back() < other.y.back();
  };
  const auto [best, worst] = std::minmax_element(chart.series.begin(), chart.series.end(), order);
  return words("At {} tokens, from {} nats ({}) to {} ({})", int(best->x.back()),
               fixed(best->y.back(), 2), best->name, fixed(worst->y.back(), 2), worst->name);
}

LineChart lengths_chart(const Ablation& a) {
  LineChart lines = chart(a, "attention length (tokens)");
  for (std::size_t cell = 0; cell < a.cells.size(); ++cell)
    for (std::size_t k = 0; k < a.lengths.size(); ++k) {
      lines.series[cell].x.push_back(a.lengths[k]);
      lines.series[cell].y.push_back(mean(a.at(cell, k)));
    }
  lines.title = title_of(lines);
  return lines;
}

LineChart contexts_chart(const Ablation& a) {
  LineChart lines = chart(a, "tokens of context");
  for (std::size_t cell = 0; cell < a.cells.size(); ++cell)
    for (std::size_t k = 0; k < a.contexts.size(); ++k) {
      std::vector<double> of_seeds;
      for (const std::vector<LossesByContext>& seed : a.by_context)
        of_seeds.push_back(mean_of(seed[cell][k]));
      lines.series[cell].x.push_back(a.contexts[k]);
      lines.series[cell].y.push_back(mean(of_seeds));
    }
  lines.title = title_of(lines);
  return lines;
}

}  // namespace

void report(const Ablation& a, const std::vector<std::int64_t>& parameters,
            std::uint64_t first_seed, const std::string& out) {
  show_losses(a, parameters);
  show_contexts(a);
  show_claims(a);
  const auto write = [&](const std::string& file, const std::string& content) {
    write_file_atomically(out + "/" + file, content);
    std::cout << "    " << out << "/" << file << std::endl;
  };
  say("Written:");
  write("ablation.csv", losses_csv(a, parameters, first_seed));
  write("ablation_context.csv", contexts_csv(a, first_seed));
  write("ablation.svg", line_chart_svg(lengths_chart(a)));
  write("ablation_context.svg", line_chart_svg(contexts_chart(a)));
}

}  // namespace xf::language
