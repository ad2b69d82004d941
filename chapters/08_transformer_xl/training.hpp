#pragma once

#include "08_transformer_xl/language_model.hpp"

namespace xf::language {

// How a language model is trained. Each field is a flag of `08_transformer_xl train`.
struct TrainingOptions {
  int updates = 0;
  int epochs = 0;
  double minutes = 0;
  int batch = 12;
  std::string schedule = "linear";
  double lr = 1e-3;
  int warmup = 100;
  double beta2 = 0.99;
  double clip = 0.25;
  double weight_decay = 0;
  double embedding_dropout = 0;
  int valid_every = 0;
  int average = 1;
  int patience = 0;

  template <class Visitor>
  void visit(Visitor&& v) {
    v("updates", updates, "stop after so many updates (0: no limit)");
    v("epochs", epochs, "stop after so many passes over the text (0: no limit)");
    v("minutes", minutes, "stop after so many minutes (0: no limit)");
    v("batch", batch, "streams of the text that are read side by side");
    v("schedule", schedule, "learning rate: noam, linear (to 0 at the end) or constant");
    v("lr", lr, "peak learning rate");
    v("warmup", warmup, "updates until the peak is reached");
    v("beta2", beta2, "Adam's second decay rate");
    v("clip", clip, "cut the gradient's norm to this (0: never)");
    v("weight_decay", weight_decay, "Adam's decoupled decay of the matrices, times the rate");
    v("embedding_dropout", embedding_dropout,
      "share of the vocabulary that the input does without, anew at each update");
    v("valid_every", valid_every, "updates between validations (0: once an epoch)");
    v("average", average, "validate the mean of the last so many checkpoints, where it is better");
    v("patience", patience, "stop after so many validations without a lower loss (0: never)");
  }
};

// Throws UserError naming the flag of a value that is out of range.
void check_options(const TrainingOptions& options);

// What is trained on. `valid` may be empty; then the last state of the model is kept.
struct TrainingData {
  LanguageText train, valid;
};

// Adam on the cross-entropy of the text, segment by segment, until the first limit is reached; the
// streams carry their memories along. Writes into `directory`: the best model so far (by validation
// loss), history.csv, and checkpoint.safetensors, memories included, from which `resume` goes on
// exactly. Prints its progress. Throws std::runtime_error when the loss or a gradient stops being
// finite. Returns false when it was interrupted (Ctrl-C), after saving a checkpoint.
bool train_model(LanguageModel& model, const TrainingData& data, const TrainingOptions& options,
                 const std::string& directory, std::uint64_t seed, bool resume);

}  // namespace xf::language
