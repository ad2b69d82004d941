#pragma once

#include <string>
#include <vector>

#include "08_transformer_xl/baselines/any_stack.hpp"
#include "train/adam.hpp"
#include "train/data_parallel.hpp"
#include "train/schedule.hpp"

namespace xf::lesson_08 {

// A task whose answer is in the previous segment: two segments of T tokens. The first has one
// capital letter among lower-case ones; the second has a "?", and the next token is that capital,
// one of 8, which only the first segment shows.
struct Episodes {
  static constexpr int letters = 8;
  static constexpr std::int32_t first_noise = special_count, first_secret = first_noise + letters,
                                ask = first_secret + letters, vocabulary = ask + 1;

  Ids first, second;         // (B, T)
  Ids expected;              // (B, T): the answer after "?", -1 elsewhere
  std::vector<int> asked;    // per row: the position of "?"
  std::vector<int> secrets;  // per row: the position of the capital in the first segment

  Episodes(int rows, Random& random, int segment);

  // "c", "D" or "?"
  static std::string name_of(std::int32_t id);
  static std::vector<std::string> names(const Ids& ids);

  // The model's output for the second segment, after it has read the first, which a vanilla model
  // forgets.   returns (B, T, V)
  Tensor logits(const AnySegmentModel& model) const;
  // How many answers these logits get right.
  int right(const Tensor& scores) const;
};

// The config of a Transformer-XL large enough for the task.
TransformerXlConfig recall_sizes(int segment);

// Trains with Adam on such episodes; only the answer counts. The rate rises to its peak over
// `warmup` updates and decays to 0 at the last.
class RecallTraining {
 public:
  static constexpr int batch = 64;  // episodes per update, in two shards
  static constexpr int warmup = 50;
  static constexpr double rate = 3e-3;

  RecallTraining(AnySegmentModel& model, std::uint64_t seed, int updates);

  // One update; returns the loss before it.
  double step();

 private:
  AnySegmentModel& model_;
  std::uint64_t seed_;
  int updates_;
  Adam adam_;
  Schedule schedule_{.kind = ScheduleKind::linear, .peak = rate, .warmup = warmup};
  Random random_;
  DataParallel parallel_;
};

}  // namespace xf::lesson_08
