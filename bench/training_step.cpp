#include "training_step.hpp"

#include <algorithm>
#include <CLI/App.hpp>

#include "distributed/processes.hpp"
#include "machine.hpp"
#include "program/program.hpp"
#include "tensor/parallel.hpp"

namespace xf::bench {

namespace {

constexpr double learning_rate = 1e-4;

Transformer make_model(const Sizes& sizes, double dropout, std::uint64_t seed) {
  Random random(seed);
  return Transformer(transformer_config(sizes, dropout), random);
}

}  // namespace

void add_step_flags(CLI::App& app, StepOptions& options) {
  app.add_option("--dropout", options.dropout, "dropout rate")
      ->check(share_problem)
      ->capture_default_str();
  app.add_option("--smoothing", options.smoothing, "label smoothing")
      ->check(range_problem(0, 1))
      ->capture_default_str();
  add_precision_flag(app, options.precision);
  app.add_flag("--ragged", options.ragged, "sentences of different lengths");
  app.add_flag("--packed,!--no-packed", options.packed,
               "sentences end to end, as in `07_transformer train`, or padded to a rectangle");
  app.add_option("--shards", options.shards, "parts into which the batch is split")
      ->check(positive_problem)
      ->default_str("one per thread; with --ragged --no-packed up to four");
  app.add_flag("--shared-state", options.shared_state,
               "each of several processes keeps only the Adam moments of its share of the weights");
}

int shard_count(const Sizes& sizes, const StepOptions& options) {
  if (options.shards > 0) return options.shards;
  if (!options.ragged || options.packed) return threads() * everyone().ranks();
  return std::clamp(sizes.batch / 8, threads(), 4 * threads());
}

TrainingStep::TrainingStep(const Sizes& sizes, const StepOptions& options, std::uint64_t seed)
    : work_(random_pairs(sizes, options.ragged, seed)),
      shards_(options.packed
                  ? std::vector<Batch>{}
                  : split_batch(work_.pairs, all_of(work_.pairs), shard_count(sizes, options))),
      packed_(options.packed ? split_packed_batch(work_.pairs, all_of(work_.pairs),
                                                  shard_count(sizes, options))
                             : std::vector<PackedBatch>{}),
      model_(make_model(sizes, options.dropout, seed)),
      parameters_(parameters(model_)),
      exchange_(make_exchange(parameters_, options.shared_state)),
      adam_(exchange_->own()),
      loss_options_{.ignore = pad_id,
                    .smoothing = static_cast<float>(options.smoothing),
                    .divisor = double(work_.target_tokens)},
      seed_(seed) {}

double TrainingStep::operator()() {
  const ShardLosses& loss = loss_and_gradients();
  update();
  return loss;
}

const ShardLosses& TrainingStep::loss_and_gradients() {
  const std::uint64_t seed = mix(seed_) + static_cast<std::uint64_t>(adam_.steps());
  return parallel_.run(shards(), seed, [&](int i) {
    if (!packed_.empty()) {
      const PackedBatch& part = packed_[static_cast<std::size_t>(i)];
      return cross_entropy_in_place(model_(part.source, part.target_in), part.target_out,
                                    loss_options_);
    }
    const Batch& shard = shards_[static_cast<std::size_t>(i)];
    return cross_entropy_in_place(model_(shard.source, shard.target_in), shard.target_out,
                                  loss_options_);
  });
}

void TrainingStep::update() {
  adam_.step(exchange_->sum(parallel_.gradients(), &parallel_.losses()), learning_rate);
  exchange_->share_weights();
}

double TrainingStep::padding() const {
  if (!packed_.empty()) return 0;
  double positions = 0;
  for (const Batch& shard : shards_)
    positions += double(shard.source.count()) + double(shard.target_in.count());
  return 1 - double(work_.source_tokens + work_.target_tokens) / positions;
}

}  // namespace xf::bench
