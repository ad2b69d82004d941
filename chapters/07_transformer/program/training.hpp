#pragma once

#include <functional>
#include <memory>
#include <string>

#include "07_transformer/program/evaluation.hpp"
#include "train/run_options.hpp"
#include "train/training_task.hpp"

namespace xf {

// How a translator is trained. Each field is a flag of `07_transformer train`.
struct TrainingOptions {
  RunOptions run{.warmup = 1000, .average = 5};
  int batch_tokens = 4096;
  double label_smoothing = 0.1;
  double bpe_dropout = 0;
  double inner_dropout = -1;
  double r_drop = 0;
  BleuTokens bleu_tokens = BleuTokens::mteval_13a;

  template <class Visitor>
  void visit(Visitor&& v) {
    run.visit_limits(v, "stop after this many passes over the data (0: no limit)");
    v("batch_tokens", batch_tokens, "tokens per batch, padding included, on the longer side");
    run.visit_rate(v, "peak learning rate (0: the paper's, (d_model * warmup)^-0.5)");
    v("label_smoothing", label_smoothing,
      "label smoothing: probability spread over the whole vocabulary");
    run.visit_step(v);
    run.visit_tokenizers(v);
    v("bpe_dropout", bpe_dropout,
      "fraction of the merges skipped at random when splitting words (bpe only)");
    v("inner_dropout", inner_dropout,
      "dropout rate of the attention weights and hidden layers (-1: as --dropout; the paper: 0)");
    v("r_drop", r_drop,
      "weight of the R-Drop loss, which pulls the predictions of two dropout masks together (Liang "
      "et al. 2021: 5)");
    run.visit_validation(v, "stop after this many validations without a better BLEU (0: never)");
    v("bleu_tokens", bleu_tokens, "tokenization for the validation BLEU: 13a, zh, char or none");
  }
};

// Throws ConfigError for a value that is out of range.
void check_options(const TrainingOptions& options);

// The training data. If `valid` is empty, the last state of the model is kept.
struct TrainingData {
  ParallelText train, valid;
};

// Computes the logits from the model's parameters instead of its operator().
using Forward = std::function<Tensor(const Transformer& model, const Sentences& source,
                                     const Sentences& target)>;

// The batches of the data for this translator, and their loss: what train_translator() trains on.
// Both must outlive the task; `directory` is for messages.
std::unique_ptr<TrainingTask> translation_task(Translator& translator, const TrainingData& data,
                                               const TrainingOptions& options,
                                               const std::string& directory, std::uint64_t seed,
                                               Forward forward = {});

// Adam on the label-smoothed cross-entropy of the data, until the first limit is reached. Writes
// into `directory`: the best model so far (by validation BLEU, greedy, then perplexity),
// history.csv, and checkpoint.safetensors, from which `resume` continues exactly. Prints its
// progress. Throws std::runtime_error when the loss or a gradient stops being finite. Returns false
// when it was interrupted (Ctrl-C), after saving a checkpoint.
bool train_translator(Translator& translator, const TrainingData& data,
                      const TrainingOptions& options, const std::string& directory,
                      std::uint64_t seed, bool resume);

}  // namespace xf
