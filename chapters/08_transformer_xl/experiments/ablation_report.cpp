#include "08_transformer_xl/experiments/ablation.hpp"

#include <algorithm>
#include <array>
#include <iostream>

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
               fixed(mean(a.by_context[seed][cell][k]), 6);
        for (double ratio : ratios)
          csv += "," + (k + 1 < a.contexts.size()
                            ? fixed(relative_gain(a.by_context[seed], cell, k, ratio), 6)
                            : std::string());
        csv += "\n";
      }
  return csv;
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

// A line for each model through nats(cell, k) at x[k].
template <class Nats>
std::string chart_of(const Ablation& a, const Phrase& x_title, const std::vector<int>& x,
                     const Nats& nats) {
  LineChart chart{.title = {}, .x_title = x_title, .y_title = "nats per token", .series = {}};
  for (std::size_t cell = 0; cell < a.cells.size(); ++cell) {
    chart.series.push_back({a.cells[cell].name(), {x.begin(), x.end()}, {}});
    for (std::size_t k = 0; k < x.size(); ++k) chart.series.back().y.push_back(nats(cell, k));
  }
  chart.title = title_of(chart);
  return line_chart_svg(chart);
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
  const auto by_length = [&](std::size_t cell, std::size_t k) { return mean(a.at(cell, k)); };
  const auto by_context = [&](std::size_t cell, std::size_t k) {
    std::vector<double> of_seeds;
    for (const std::vector<LossesByContext>& seed : a.by_context)
      of_seeds.push_back(mean(seed[cell][k]));
    return mean(of_seeds);
  };
  write("ablation.svg", chart_of(a, "attention length (tokens)", a.lengths, by_length));
  write("ablation_context.svg", chart_of(a, "tokens of context", a.contexts, by_context));
}

}  // namespace xf::language
