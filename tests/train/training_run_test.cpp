#include "train/training_run.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "io/files.hpp"
#include "io/program.hpp"
#include "ops/elementwise/elementwise.hpp"
#include "ops/reduce/reduce.hpp"
#include "support/temporary.hpp"
#include "support/user_error.hpp"
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
  BatchLoss batch(DataParallel& parallel, std::uint64_t) override {
    const Tensor target = Tensor::full({1}, static_cast<float>(++next));
    if (interrupt_at > 0 && ++batches == interrupt_at) interrupted() = true;
    const double loss = parallel.run(1, 1, [&](int) {
      const Tensor gap = w + scale(target, -1);
      return sum(gap * gap);
    });
    return {next == 3 && broken ? std::nan("") : loss, 1};
  }
  Validation validate(int update) override {
    validated.push_back(update);
    return {gains, "  fine", ",7"};
  }
  std::string history_columns() const override { return ",seven"; }
  Counters counters() const override { return {{"next", std::to_string(next)}}; }
  NamedTensors tensors() const override { return {{"extra", Tensor::full({2}, 3)}}; }
  void restore(const Counters& counters, int, const std::string& path) override {
    next = static_cast<int>(counter(counters, "next", path));
  }

  Tensor w = parameter(Tensor::full({1}, 10));
  int next = 0, begun = -1, interrupt_at = 0, batches = 0;
  bool broken = false, gains = true;
  std::vector<int> validated = {};
};

RunSettings settings(const RunLimits& limits, const std::string& text = "a text") {
  return {.limits = limits,
          .adam = {},
          .schedule = {.kind = ScheduleKind::constant, .peak = 0.1},
          .directory = directory,
          .seed = 3,
          .options = "{}",
          .text = text,
          .unit = "numbers"};
}

}  // namespace

TEST_CASE("run_training: limits, epochs and validations") {
  const Scratch scratch;
  FitTask updates, epochs, every, patience;
  CHECK(run_training(updates, settings({.updates = 12}), false));
  CHECK(updates.validated == std::vector<int>{5, 10, 12});
  CHECK(updates.begun == 2);
  run_training(epochs, settings({.epochs = 2}), false);
  CHECK(epochs.validated == std::vector<int>{5, 10});
  CHECK(epochs.begun == 1);
  run_training(every, settings({.updates = 8, .valid_every = 3}), false);
  CHECK(every.validated == std::vector<int>{3, 6, 8});
  patience.gains = false;
  run_training(patience, settings({.updates = 100, .patience = 2}), false);
  CHECK(patience.validated == std::vector<int>{5, 10});
}

TEST_CASE("run_training: interrupted and resumed is uninterrupted") {
  const Scratch scratch;
  FitTask whole, first, second;
  CHECK(run_training(whole, settings({.updates = 13}), false));
  first.interrupt_at = 7;
  CHECK(!run_training(first, settings({.updates = 13}), false));
  interrupted() = false;
  CHECK(saved_run(directory).seed == 3);
  CHECK(load_safetensors(checkpoint_path(directory)).tensors.contains("extra"));
  CHECK(run_training(second, settings({.updates = 13}), true));
  CHECK(second.w.item() == whole.w.item());
  CHECK(first.w.item() != whole.w.item());
  CHECK(second.validated == std::vector<int>{10, 13});
  const std::string history = read_file(directory + "/history.csv");
  CHECK(history.starts_with(
      "update,epoch,seconds,train_loss,learning_rate,numbers_per_s,seven\n5,1,"));
  CHECK(history.find("\n10,2,") != std::string::npos);
  CHECK(history.find("\n13,3,") != std::string::npos);  // in the middle of the third epoch
  CHECK(std::count(history.begin(), history.end(), '\n') == 4);
}

TEST_CASE("run_training: what was noted after the checkpoint is noted once") {
  const Scratch scratch;
  FitTask first, lost, resumed;
  first.interrupt_at = 7;
  run_training(first, settings({.updates = 13}), false);
  interrupted() = false;
  const std::string checkpoint = read_file(checkpoint_path(directory));
  run_training(lost, settings({.updates = 13}), true);
  write_file_atomically(checkpoint_path(directory), checkpoint);  // as if the next were not written
  run_training(resumed, settings({.updates = 13}), true);
  std::vector<std::string> updates;
  for (const std::string& line : read_lines(directory + "/history.csv"))
    updates.push_back(line.substr(0, line.find(',')));
  CHECK(updates == std::vector<std::string>{"update", "5", "10", "13"});
}

TEST_CASE("run_training: another seed or text is refused, and the loss that is not finite") {
  const Scratch scratch;
  FitTask task, broken;
  run_training(task, settings({.updates = 2}), false);
  expect_user_error([&] { run_training(task, settings({.updates = 4}, "other"), true); },
                    {"--resume", "another training text", "a text", "other"});
  RunSettings seeded = settings({.updates = 4});
  seeded.seed = 4;
  expect_user_error([&] { run_training(task, seeded, true); }, {"--seed", "3"});
  broken.broken = true;
  CHECK_THROWS_WITH_AS(run_training(broken, settings({.updates = 4}), false),
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
                    {"--out: another training runs in", directory.c_str()});
  CHECK(!exists(directory + "/lock"));
  expect_user_error([] { check_limits({}); }, {"how long to train?"});
  expect_user_error([] { check_limits({.updates = 1, .patience = -1}); },
                    {"--patience: at least 0"});
}

}  // namespace xf::test
