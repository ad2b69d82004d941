#pragma once

#include "io/config.hpp"
#include "ops/matmul/precision.hpp"
#include "train/schedule.hpp"

namespace xf {

// The flags of every `train` command. They come between the chapter's own (its config's
// visit()), in four groups.
struct RunOptions {
  int updates = 0;
  int epochs = 0;
  double minutes = 0;
  ScheduleKind schedule = ScheduleKind::noam;
  double lr = 0;
  int warmup = 0;
  double clip = 0;
  double weight_decay = 0;
  int valid_every = 0;
  int average = 1;
  int patience = 0;
  int keep_every = 0;
  int shards = 4;
  int vocab = -1, min_count = -1;  // of the tokenizers; -1: not known
  bool shared_state = false;
  Precision precision = Precision::float32;

  // How long: a training ends at the first limit that it reaches.
  template <class Visitor>
  void visit_limits(Visitor&& v, const char* epochs_help) {
    v("updates", updates, "stop after this many updates (0: no limit)");
    v("epochs", epochs, epochs_help);
    v("minutes", minutes, "stop after this many minutes (0: no limit)");
  }
  template <class Visitor>
  void visit_rate(Visitor&& v, const char* lr_help) {
    v("schedule", schedule, "learning-rate schedule: noam, linear (to 0 at the end) or constant");
    v("lr", lr, lr_help);
    v("warmup", warmup, "warm-up: updates until the learning rate reaches its peak");
  }
  template <class Visitor>
  void visit_step(Visitor&& v) {
    v("clip", clip, "clip the gradient's norm to this (0: never)");
    v("weight_decay", weight_decay,
      "Adam's decoupled weight decay of the matrices, times the learning rate");
    v("shards", shards,
      "how many shards a batch is cut into in `same` arithmetic; at most that many processes can "
      "share it",
      Presence::optional);
    v("shared_state", shared_state,
      "each of several processes keeps only the Adam moments of its share of the weights",
      Presence::optional);
    v("precision", precision,
      "precision of the factors of matrix products on a GPU: float32, tf32 or bf16; all else is "
      "float32",
      Presence::optional);
  }
  // The chapters have these flags of their own. Older checkpoints do not name them.
  template <class Visitor>
  void visit_tokenizers(Visitor&& v) {
    v("vocab", vocab, "", Presence::optional);
    v("min_count", min_count, "", Presence::optional);
  }
  template <class Visitor>
  void visit_validation(Visitor&& v, const char* patience_help) {
    v("valid_every", valid_every, "updates between validations (0: once per epoch)");
    v("average", average,
      "how many of the latest checkpoints to average; the average is kept if it is better");
    v("patience", patience, patience_help);
    v("keep_every", keep_every,
      "updates between the copies of the weights that are kept for `attend` (0: none)");
  }
};

// Throws ConfigError for a value that is out of range, UserError where there is no limit.
void check_run(const RunOptions& options);

// Throws UserError for --precision if the CPU computes the products.
void require_device_for(Precision precision);

}  // namespace xf
