#pragma once

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "08_transformer_xl/experiments/context_length.hpp"
#include "08_transformer_xl/program/training.hpp"
#include "language/language.hpp"

namespace xf::language {

// One of the models that are compared: recurrence on or off, relative or absolute positions, and an
// LSTM in addition to these four. All have the same number of parameters (equal_parameters) and
// read the same number of tokens.
struct Cell {
  bool recurrence, relative;
  TransformerXlConfig config;

  bool lstm() const { return config.kind == ModelKind::lstm; }
  std::string name() const;  // "recurrence, relative"
  std::string file() const;  // "recurrence_relative"
};
// `base` is the Transformer-XL, the first of the cells.
std::vector<Cell> ablation_cells(const TransformerXlConfig& base);

struct AblationOptions {
  int seeds = 3;
  std::string attention = "";
  int positions = 300;
  int step = 0;

  template <class Visitor>
  void visit(Visitor&& v) {
    v("seeds", seeds, "training runs of each model, with different initial weights and dropout");
    v("attention", attention,
      "attention lengths at evaluation, e.g. 0,16,32 (default: 0 to 4 times the memory)");
    v("positions", positions, "tokens at which the effective context length is measured");
    v("step", step, "step by which its contexts grow, in tokens (0: half the memory)");
  }
};

// The attention lengths: those of the options, or 0, half the memory, and 1, 2 and 4 times it; 0
// and the memory, the lengths of the training, are always included. Throws ConfigError.
std::vector<int> attention_lengths(const AblationOptions& options, int memory);

inline constexpr int evaluated_rows = 4;  // streams per evaluation

// The loss when every prediction may look back over at least `attention` tokens (fewer only at a
// stream's beginning): with recurrence that is the memory's length. Without it the tokens are
// reread as the beginning of a window, which is no longer than in training if possible:
//   window = attention + new,   new = max(segment - attention, segment / 2, 1)
// An LSTM carries its state regardless of the length.
Loss loss_at(const AnySegmentModel& model, const LanguageText& text, int attention);
// The attention length that a model was trained with.
int trained_attention(const Cell& cell);

// The measurements: [cell][seed].
struct Ablation {
  std::vector<Cell> cells = {};
  std::vector<int> lengths = {};                            // of the attention
  std::vector<std::vector<std::vector<double>>> nats = {};  // [cell][seed][length], per token
  std::vector<int> contexts = {};                           // exact ones, for the effective context
  std::vector<std::vector<LossesByContext>> by_context = {};  // [seed][cell]

  // The losses of all seeds at the length with index k.
  std::vector<double> at(std::size_t cell, std::size_t k) const;
  std::size_t trained(std::size_t cell) const;  // the index of its length in training
  std::size_t best(std::size_t cell) const;     // the index with the lowest mean
};

template <class Number>
double mean(const std::vector<Number>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / double(values.size());
}
double spread(const std::vector<double>& values);  // largest - smallest

// "Higher - lower is more than the seeds' spread": mean gap > the larger spread of the two. Where
// both are the same models (evaluated twice), the spread is that of the gap itself.
struct Claim {
  Words text;
  double gap, spread;
  bool holds() const { return gap > spread; }
};
std::vector<Claim> claims(const Ablation& a);

// Prints the tables and whether each claim holds, and writes into `out`:
//   ablation.csv           the loss of every model at every attention length
//   ablation_context.csv   the loss and the relative gain of every model from exact contexts
//   ablation.svg, ablation_context.svg    the means over the seeds as lines
// parameters: of each cell;   first_seed: of the first training
void report(const Ablation& a, const std::vector<std::int64_t>& parameters,
            std::uint64_t first_seed, const std::string& out);

}  // namespace xf::language
