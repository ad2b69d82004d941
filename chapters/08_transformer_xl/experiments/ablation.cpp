#include "08_transformer_xl/experiments/ablation.hpp"

#include <algorithm>
#include <set>

#include "io/numbers.hpp"

namespace xf::language {

namespace {

// Indices of the cells in ablation_cells().
constexpr std::size_t both = 0, relative_only = 1, recurrence_only = 2, neither = 3, lstm = 4;

Claim lower(const Words& text, const std::vector<double>& high, const std::vector<double>& low) {
  return {text, mean(high) - mean(low), std::max(spread(high), spread(low))};
}

Claim same_models_lower(const Words& text, const std::vector<double>& high,
                        const std::vector<double>& low) {
  std::vector<double> gaps;
  for (std::size_t seed = 0; seed < high.size(); ++seed) gaps.push_back(high[seed] - low[seed]);
  return {text, mean(gaps), spread(gaps)};
}

}  // namespace

std::string Cell::name() const {
  if (lstm()) return "LSTM";
  return std::string(recurrence ? "recurrence" : "no recurrence") +
         (relative ? ", relative" : ", absolute");
}
std::string Cell::file() const {
  if (lstm()) return "lstm";
  return std::string(recurrence ? "recurrence" : "segments") +
         (relative ? "_relative" : "_absolute");
}

std::vector<Cell> ablation_cells(const TransformerXlConfig& base) {
  TransformerXlConfig relative = base, recurrent = vanilla_equal(base);
  relative.memory = 0;
  recurrent.kind = ModelKind::recurrent_vanilla;
  return {{true, true, base},
          {false, true, relative},
          {true, false, recurrent},
          {false, false, as_vanilla(recurrent)},
          {true, false, lstm_equal(base)}};
}

std::vector<int> attention_lengths(const AblationOptions& options, int memory) {
  std::set<int> lengths = {0, memory};
  if (options.attention.empty()) lengths.insert({memory / 2, 2 * memory, 4 * memory});
  const auto given = integers_in(options.attention);
  const auto length = [](int value) { return value >= 0 && value < 1'000'000; };
  if (!options.attention.empty() && !(given && std::ranges::all_of(*given, length)))
    throw ConfigError("attention", "expected numbers of tokens, separated by commas, not {}",
                      options.attention);
  if (given) lengths.insert(given->begin(), given->end());
  if (*lengths.rbegin() <= memory)
    throw ConfigError("attention",
                      "expected at least one length above the {} {} of training, not only {}",
                      OtherField{"memory"}, memory, options.attention);
  return {lengths.begin(), lengths.end()};
}

int trained_attention(const Cell& cell) { return cell.recurrence ? cell.config.memory : 0; }

Loss loss_at(const AnySegmentModel& model, const LanguageText& text, int attention) {
  const int segment = model.config.segment;
  AnySegmentModel at = model;
  if (model.config.kind == ModelKind::lstm) return evaluate(at, text, evaluated_rows);
  if (model.config.memory > 0) {
    at.config.memory = attention, at.config.extended = 0;
  } else {
    at.config.segment = std::max({segment - attention, segment / 2, 1});
    at.config.extended = attention;
  }
  return evaluate(at, text, evaluated_rows);
}

std::vector<double> Ablation::at(std::size_t cell, std::size_t k) const {
  std::vector<double> values;
  for (const std::vector<double>& of_seed : nats[cell]) values.push_back(of_seed[k]);
  return values;
}
std::size_t Ablation::trained(std::size_t cell) const {
  const auto found = std::find(lengths.begin(), lengths.end(), trained_attention(cells[cell]));
  return static_cast<std::size_t>(found - lengths.begin());
}
std::size_t Ablation::best(std::size_t cell) const {
  std::size_t best = 0;
  for (std::size_t k = 1; k < lengths.size(); ++k)
    if (mean(at(cell, k)) < mean(at(cell, best))) best = k;
  return best;
}

double spread(const std::vector<double>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return *high - *low;
}

std::vector<Claim> claims(const Ablation& a) {
  const auto as_trained = [&](std::size_t cell) { return a.at(cell, a.trained(cell)); };
  std::size_t runner_up = relative_only;
  for (std::size_t cell : {recurrence_only, neither})
    if (mean(as_trained(cell)) < mean(as_trained(runner_up))) runner_up = cell;
  std::size_t longer = a.trained(both) + 1;  // the best of those longer than in training
  for (std::size_t k = longer; k < a.lengths.size(); ++k)
    if (mean(a.at(both, k)) < mean(a.at(both, longer))) longer = k;
  return {
      lower("recurrence lowers the loss (relative positions)", as_trained(relative_only),
            as_trained(both)),
      lower("relative positions lower the loss (no recurrence)", as_trained(neither),
            as_trained(relative_only)),
      lower("relative positions lower the loss (recurrence)", as_trained(recurrence_only),
            as_trained(both)),
      lower("both together have the lowest loss of the four", as_trained(runner_up),
            as_trained(both)),
      lower("both together have a lower loss than the LSTM", as_trained(lstm), as_trained(both)),
      same_models_lower(
          words("a memory of {}, longer than in training, lowers it further", a.lengths[longer]),
          as_trained(both), a.at(both, longer)),
  };
}

}  // namespace xf::language
