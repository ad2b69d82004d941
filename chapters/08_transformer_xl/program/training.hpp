#pragma once

#include "08_transformer_xl/program/language_model.hpp"
#include "train/run_options.hpp"

namespace xf::language {

// How a language model is trained. Each field is a flag of `08_transformer_xl train`.
struct TrainingOptions {
  RunOptions run{.schedule = ScheduleKind::linear, .lr = 1e-3, .warmup = 100, .clip = 0.25};
  int batch = 12;
  double beta2 = 0.99;
  double embedding_dropout = 0;

  template <class Visitor>
  void visit(Visitor&& v) {
    run.visit_limits(v, "stop after this many passes over the text (0: no limit)");
    v("batch", batch, "streams of the text read in parallel");
    run.visit_rate(v, "peak learning rate");
    v("beta2", beta2, "Adam's second decay rate");
    run.visit_step(v);
    run.visit_tokenizers(v);
    v("embedding_dropout", embedding_dropout,
      "fraction of the vocabulary dropped from the input, redrawn at each update");
    run.visit_validation(v, "stop after this many validations without a lower loss (0: never)");
  }
};

// Throws ConfigError for a value that is out of range.
void check_options(const TrainingOptions& options);

// The training data. If `valid` is empty, the last state of the model is kept.
struct TrainingData {
  LanguageText train, valid;
};

// Adam on the cross-entropy of the text, segment by segment, until the first limit is reached; each
// stream carries its memory along. Writes into `directory`: the best model so far (by validation
// loss), history.csv, and checkpoint.safetensors, memories included, from which `resume` continues
// exactly. Prints its progress. Throws std::runtime_error when the loss or a gradient stops being
// finite. Returns false when it was interrupted (Ctrl-C), after saving a checkpoint.
bool train_model(LanguageModel& model, const TrainingData& data, const TrainingOptions& options,
                 const std::string& directory, std::uint64_t seed, bool resume);

}  // namespace xf::language
