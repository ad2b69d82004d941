#pragma once

#include "07_transformer/transformer.hpp"
#include "ops/cross_entropy/cross_entropy.hpp"
#include "ops/matmul/precision.hpp"
#include "text/packed_batch.hpp"
#include "train/adam.hpp"
#include "train/data_parallel.hpp"
#include "train/exchange/exchange.hpp"
#include "workload.hpp"

namespace CLI {
class App;
}

namespace xf::bench {

struct StepOptions {
  double dropout = 0.1;
  double smoothing = 0.1;
  bool ragged = false;
  Precision precision = Precision::float32;
  bool packed = true;  // sentences packed end to end instead of padded to a rectangle
  int shards = 0;      // 0: see shard_count()
  bool shared_state = false;
};
// --dropout, --smoothing, --ragged, --precision, --packed, --shards, --shared-state
void add_step_flags(CLI::App& app, StepOptions& options);

// The number of parts a batch is cut into: one per thread of each process; with padding and varying
// lengths four per thread, so that each part has sentences of similar length; never fewer than 8
// pairs each.
int shard_count(const Sizes& sizes, const StepOptions& options);

// What one update of `07_transformer train` does, on the same random batch every time.
class TrainingStep {
 public:
  TrainingStep(const Sizes& sizes, const StepOptions& options, std::uint64_t seed);

  // One step of forward, backward and Adam. Returns the loss.
  double operator()();
  // Its two halves.
  const ShardLosses& loss_and_gradients();
  void update();

  const Workload& work() const { return work_; }
  int shards() const { return static_cast<int>(shards_.size() + packed_.size()); }
  std::int64_t parameter_count() const { return xf::parameter_count(parameters_); }
  // The share of the (padded) positions that are padding.
  double padding() const;

 private:
  Workload work_;
  std::vector<Batch> shards_;  // one of these two is empty
  std::vector<PackedBatch> packed_;
  Transformer model_;
  std::vector<NamedParameter> parameters_;
  std::unique_ptr<Exchange> exchange_;
  Adam adam_;
  DataParallel parallel_;
  CrossEntropyOptions loss_options_;
  std::uint64_t seed_;
};

}  // namespace xf::bench
