#include "train/training_run.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "io/files.hpp"
#include "ops/elementwise/elementwise.hpp"
#include "ops/reduce/reduce.hpp"
#include "program/program.hpp"
#include "support/errors.hpp"
#include "support/temporary.hpp"
#include "text/corpus.hpp"
#include "train/train_command.hpp"
#include "train/training_directory.hpp"

namespace xf::test {

namespace {

std::string directory;  // of the test that runs

struct Scratch {
  TemporaryDirectory own;
  Scratch() { directory = own.path; }
};

// Fits w to 5 numbers, one batch each, so that an epoch has 5 batches.
class FitTask : public TrainingTask {
 public:
  std::vector<NamedParameter> parameters() override { return {{"w", &w}}; }
  void start_epoch(int epoch) override { begun = epoch; }
  void end_epoch() override { next = 0; }
  double epoch_share() const override { return next / 5.0; }
  ShardedBatch batch() override {
    const Tensor target = Tensor::full({1}, static_cast<float>(++next));
    if (interrupt_at > 0 && ++batches == interrupt_at) interrupted() = true;
    return {.tokens = 1, .shards = 1, .loss = [this, target](int) {
              const Tensor gap = w + scale(target, -1);
              return (next == 3 && broken ? NAN : 1) * sum(gap * gap);
            }};
  }
  double valid_loss() override { return std::abs(w.item() - best_w); }
  Validation validate(double valid_loss) override {
    losses.push_back(valid_loss);
    if (scores.empty()) return {{}, "  fine", ",7"};
    return {scores[std::min(losses.size(), scores.size()) - 1], "  fine", ",7"};
  }
  std::string history_columns() const override { return ",seven"; }
  Counters counters() const override { return {{"next", std::to_string(next)}}; }
  NamedTensors tensors() const override { return {{"extra", Tensor::full({2}, 3)}}; }
  void restore(const Counters& counters, const std::string& path) override {
    next = static_cast<int>(counter(counters, "next", path));
  }

  Tensor w = parameter(Tensor::full({1}, 10));
  int next = 0, begun = -1, interrupt_at = 0, batches = 0;
  bool broken = false;
  std::vector<double> scores = {};  // of the validations in turn, the last one for all others
  float best_w = 0;                 // where the validation loss is 0
  std::vector<double> losses = {};  // that were validated
};

TrainingSetup setup(RunOptions run, const std::string& text = "a text", Best best = Best::highest) {
  run.schedule = ScheduleKind::constant;
  return {.run = run,
          .peak = 0.1,
          .best = best,
          .directory = directory,
          .seed = 3,
          .options = "{}",
          .text = text,
          .valid = "a validation text",
          .unit = "numbers"};
}

// The updates after which the run was validated, as history.csv has them.
std::string validated() {
  std::string updates;
  for (const std::string& line : read_lines(directory + "/history.csv"))
    updates += line.substr(0, line.find(',')) + " ";
  return updates;
}

float saved_w() { return load_safetensors(weights_path(directory)).tensors.at("w").item(); }

}  // namespace

TEST_CASE("run_training: limits, epochs and validations") {
  const Scratch scratch;
  FitTask updates, epochs, every, patience;
  CHECK(run_training(updates, setup({.updates = 12}), false));
  CHECK(validated() == "update 5 10 12 ");
  CHECK(updates.begun == 2);
  run_training(epochs, setup({.epochs = 2}), false);
  CHECK(validated() == "update 5 10 ");
  CHECK(epochs.begun == 1);
  run_training(every, setup({.updates = 8, .valid_every = 3}), false);
  CHECK(validated() == "update 3 6 8 ");
  patience.scores = {1};
  patience.best_w = 10;  // every loss is greater than the one before
  run_training(patience, setup({.updates = 100, .patience = 2}), false);
  CHECK(validated() == "update 5 10 15 ");  // the first one is a gain
}

TEST_CASE("run_training: the model with the best score is kept, and its score") {
  for (const Best best : {Best::highest, Best::lowest}) {
    const Scratch scratch;
    FitTask first, whole, resumed;
    first.best_w = resumed.best_w = 10;  // every loss is greater than the one before
    first.scores = {2, best == Best::highest ? 3.0 : 1.0, 2};
    run_training(first, setup({.updates = 10}, "a text", best), false);
    const float second = saved_w();
    CHECK(second == first.w.item());
    CHECK(saved_run(directory).best == first.scores[1]);
    resumed.scores = {2, best == Best::highest ? 3.0 : 1.0};
    run_training(resumed, setup({.updates = 20}, "a text", best), true);
    CHECK(saved_w() == second);  // as good, with a greater loss, is no gain
    CHECK(resumed.w.item() != second);
    CHECK(saved_run(directory).best == first.scores[1]);
  }
}

TEST_CASE("run_training: among equal scores the lower validation loss wins, for patience as well") {
  const Scratch scratch;
  FitTask task, resumed, older;
  task.scores = {0};  // as BLEU of a text that it cannot judge; w, and so the loss, falls
  run_training(task, setup({.updates = 15, .patience = 1}), false);
  CHECK(validated() == "update 5 10 15 ");
  CHECK(saved_w() == task.w.item());
  CHECK(counter(load_safetensors(checkpoint_path(directory)).metadata, "best_loss", "") ==
        task.losses.back());
  resumed.scores = {0};
  resumed.best_w = -100;  // 100 more, which falls, too
  run_training(resumed, setup({.updates = 25}), true);
  CHECK(saved_w() == task.w.item());

  SafeTensors before = load_safetensors(checkpoint_path(directory));
  before.metadata.erase("best_loss");  // as older versions wrote it
  save_safetensors(checkpoint_path(directory), {before.tensors.begin(), before.tensors.end()},
                   before.metadata);
  older.scores = {0};
  run_training(older, setup({.updates = 30}), true);
  CHECK(saved_w() == older.w.item());
}

TEST_CASE("run_training: a score that is not finite is never the best") {
  const Scratch scratch;
  FitTask task, never;
  task.scores = {NAN, 2, INFINITY, NAN};
  run_training(task, setup({.updates = 5}), false);
  CHECK(saved_w() == task.w.item());  // better than none
  CHECK(saved_run(directory).best == -1);
  run_training(task, setup({.updates = 10}), true);
  const float second = saved_w();
  CHECK(second == task.w.item());
  run_training(task, setup({.updates = 20}), true);
  CHECK(saved_w() == second);
  CHECK(saved_run(directory).best == 2);
  never.scores = {NAN};
  run_training(never, setup({.updates = 100, .patience = 2}), false);
  CHECK(validated() == "update 5 10 ");
}

TEST_CASE("run_training: without a score the last model is kept") {
  const Scratch scratch;
  FitTask task;
  run_training(task, setup({.updates = 10}), false);
  CHECK(saved_w() == task.w.item());
  CHECK(saved_run(directory).best == -1);
}

TEST_CASE("run_training: the mean of the last checkpoints is validated where it is better") {
  const Scratch scratch;
  FitTask alone, mean;
  std::vector<float> values;
  for (int updates : {5, 10}) {
    run_training(alone, setup({.updates = updates}), updates == 10);
    values.push_back(alone.w.item());
  }
  const float middle = (values[0] + values[1]) / 2;
  mean.best_w = middle;
  run_training(mean, setup({.updates = 10, .average = 2}), false);
  CHECK(mean.losses[1] == doctest::Approx(0).epsilon(1e-6));
  CHECK(saved_w() == doctest::Approx(middle));
  CHECK(mean.w.item() == values[1]);  // from which the training goes on
  CHECK(load_safetensors(checkpoint_path(directory)).metadata.at("average") == "5 10");
}

TEST_CASE("run_training: interrupted and resumed is uninterrupted") {
  const Scratch scratch;
  FitTask whole, first, second;
  CHECK(run_training(whole, setup({.updates = 13}), false));
  first.interrupt_at = 7;
  CHECK(!run_training(first, setup({.updates = 13}), false));
  interrupted() = false;
  CHECK(saved_run(directory).seed == 3);
  CHECK(load_safetensors(checkpoint_path(directory)).tensors.contains("extra"));
  CHECK(run_training(second, setup({.updates = 13}), true));
  CHECK(second.w.item() == whole.w.item());
  CHECK(first.w.item() != whole.w.item());
  const std::string history = read_file(directory + "/history.csv");
  CHECK(history.starts_with(
      "update,epoch,seconds,train_loss,learning_rate,numbers_per_s,seven\n5,1,"));
  expect_parts(history, {"\n10,2,", "\n13,3,"});  // in the middle of the third epoch
  CHECK(std::count(history.begin(), history.end(), '\n') == 4);
}

TEST_CASE("run_training: what was noted after the checkpoint is noted once") {
  const Scratch scratch;
  FitTask first, lost, resumed;
  first.interrupt_at = 7;
  run_training(first, setup({.updates = 13}), false);
  interrupted() = false;
  const std::string checkpoint = read_file(checkpoint_path(directory));
  run_training(lost, setup({.updates = 13}), true);
  write_file_atomically(checkpoint_path(directory), checkpoint);  // as if the next were not written
  run_training(resumed, setup({.updates = 13}), true);
  CHECK(validated() == "update 5 10 13 ");
}

TEST_CASE("run_training: a history without its heading has it again") {
  for (const char* left : {"", "upda", "5,1,0.0,1.00000,1.000e-01,9,7\n"}) {
    const Scratch scratch;
    FitTask first, resumed;
    run_training(first, setup({.updates = 5}), false);
    write_file_atomically(directory + "/history.csv", left);
    run_training(resumed, setup({.updates = 10}), true);
    CHECK(validated() == (std::string(left).ends_with("\n") ? "update 5 10 " : "update 10 "));
  }
}

TEST_CASE("run_training: another seed or text is refused, and the loss that is not finite") {
  const Scratch scratch;
  FitTask task, broken;
  run_training(task, setup({.updates = 2}), false);
  expect_user_error([&] { run_training(task, setup({.updates = 4}, "other"), true); },
                    {"--resume", "another training text", "a text", "other"});
  TrainingSetup judged = setup({.updates = 4});
  judged.valid = "another";
  run_training(task, judged, true);  // without a score none is the best
  task.scores = {1};
  run_training(task, setup({.updates = 6}), true);
  judged.run.updates = 8;
  expect_user_error([&] { run_training(task, judged, true); },
                    {"--resume", "another validation text", "a validation text", "another"});
  TrainingSetup seeded = setup({.updates = 4});
  seeded.seed = 4;
  expect_user_error([&] { run_training(task, seeded, true); }, {"--seed", "3"});
  broken.broken = true;
  CHECK_THROWS_WITH_AS(run_training(broken, setup({.updates = 4}), false),
                       doctest::Contains("update 3: the loss is not finite"), std::runtime_error);
}

TEST_CASE("train commands: what is in the way is named") {
  const Scratch scratch;
  refuse_known_model(directory, false);
  expect_user_error([] { saved_run(directory); },
                    {"--resume: there is no", "checkpoint.safetensors"});
  refuse_other_config(directory, "{}");
  write_file_atomically(directory + "/config.json", "{}");
  refuse_known_model(directory, false);
  refuse_other_config(directory, "{}");
  expect_user_error([] { refuse_other_config(directory, "{1}"); },
                    {"--out", "config.json", "no checkpoint", "remove it"});
  write_file_atomically(directory + "/model.safetensors", "");
  expect_user_error([] { refuse_known_model(directory, false); },
                    {"--out", "model.safetensors", "no checkpoint", "remove it"});
  write_file_atomically(checkpoint_path(directory), "");
  expect_user_error([] { refuse_known_model(directory, false); },
                    {"--out", "checkpoint.safetensors", "--resume"});
  refuse_known_model(directory, true);
  expect_user_error([] { const TrainingDirectory first(directory), second(directory); },
                    {"--out: another training run is active in", directory.c_str()});
  CHECK(!exists(directory + "/lock"));
}

TEST_CASE("run options: what is out of range is named") {
  const auto refused = [](const RunOptions& run, const char* message) {
    expect_user_error([&] { as_flags([&] { check_run(run); }); }, {message});
  };
  check_run({.updates = 1});
  refused({}, "--updates, --epochs or --minutes is missing: how long to train");
  refused({.updates = 1, .clip = -1}, "--clip: must be at least 0");
  refused({.updates = 1, .average = 0}, "--average: must be at least 1, not 0");
  refused({.updates = 1, .patience = -1}, "--patience: must be at least 0, not -1");
}

}  // namespace xf::test
