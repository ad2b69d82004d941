#pragma once

#include <string>

#include "07_transformer/evaluation.hpp"

namespace xf {

// How a translator is trained. Each field is a flag of `07_transformer train`.
struct TrainingOptions {
  int updates = 0;
  int epochs = 0;
  double minutes = 0;
  int batch_tokens = 4096;
  std::string schedule = "noam";
  double lr = 0;
  int warmup = 1000;
  double label_smoothing = 0.1;
  double clip = 0;
  double weight_decay = 0;
  double bpe_dropout = 0;
  double inner_dropout = -1;
  double r_drop = 0;
  int valid_every = 0;
  int average = 5;
  int patience = 0;
  std::string bleu_tokens = "13a";

  template <class Visitor>
  void visit(Visitor&& v) {
    v("updates", updates, "stop after so many updates (0: no limit)");
    v("epochs", epochs, "stop after so many passes over the data (0: no limit)");
    v("minutes", minutes, "stop after so many minutes (0: no limit)");
    v("batch_tokens", batch_tokens, "padded tokens of a batch, on the longer side");
    v("schedule", schedule, "learning rate: noam, linear (to 0 at the end) or constant");
    v("lr", lr, "peak learning rate (0: the paper's, (d_model * warmup)^-0.5)");
    v("warmup", warmup, "updates until the peak is reached");
    v("label_smoothing", label_smoothing, "probability spread over the whole vocabulary");
    v("clip", clip, "cut the gradient's norm to this (0: never)");
    v("weight_decay", weight_decay, "Adam's decoupled decay of the matrices, times the rate");
    v("bpe_dropout", bpe_dropout, "merges left out at random when cutting words (bpe only)");
    v("inner_dropout", inner_dropout,
      "dropout of attention weights and hidden layers (-1: as --dropout; the paper: 0)");
    v("r_drop", r_drop,
      "draw the predictions of two dropout masks together, so strongly (Liang et al. 2021: 5)");
    v("valid_every", valid_every, "updates between validations (0: once an epoch)");
    v("average", average, "validate the mean of the last so many checkpoints, where it is better");
    v("patience", patience, "stop after so many validations without a better BLEU (0: never)");
    v("bleu_tokens", bleu_tokens, "tokens of the validation BLEU: 13a, zh, char or none");
  }
};

// What is trained on. `valid` may be empty; then the last state of the model is kept.
struct TrainingData {
  ParallelText train, valid;
};

// Adam on the label-smoothed cross-entropy of the data, until the first limit is reached. Writes
// into `directory`: the best model so far (by validation BLEU, greedy), history.csv, and
// checkpoint.safetensors, from which `resume` goes on exactly. Prints its progress. Throws
// std::runtime_error when the loss or a gradient stops being finite. Returns false when it was
// interrupted (Ctrl-C), after saving a checkpoint.
bool train_translator(Translator& translator, const TrainingData& data,
                      const TrainingOptions& options, const std::string& directory,
                      std::uint64_t seed, bool resume);

}  // namespace xf
