#include <doctest/doctest.h>

#include <cmath>

#include "io/files.hpp"
#include "io/safetensors.hpp"
#include "ops/dropout/dropout.hpp"
#include "ops/elementwise/elementwise.hpp"
#include "ops/reduce/reduce.hpp"
#include "support/errors.hpp"
#include "support/temporary.hpp"
#include "tensor/parallel.hpp"
#include "train/averaging.hpp"
#include "train/checkpoint.hpp"
#include "train/data_parallel.hpp"
#include "train/progress.hpp"
#include "train/schedule.hpp"

namespace xf::test {

TEST_CASE("schedule: Noam's rate is the paper's formula and peaks at the end of the warm-up") {
  const int d_model = 512, warmup = 4000;
  const Schedule noam{
      .kind = ScheduleKind::noam, .peak = noam_peak(d_model, warmup), .warmup = warmup};
  for (int t : {1, 100, 4000, 4001, 100000}) {
    const double paper =
        std::pow(d_model, -0.5) * std::min(std::pow(t, -0.5), t * std::pow(warmup, -1.5));
    CHECK(noam(t) == doctest::Approx(paper));
  }
  CHECK(noam(4000) == doctest::Approx(6.987712e-4));
}

TEST_CASE("schedule: constant and linear rise alike; linear falls to 0 at the end") {
  const Schedule constant{.kind = ScheduleKind::constant, .peak = 1.0, .warmup = 4};
  const Schedule linear{.kind = ScheduleKind::linear, .peak = 1.0, .warmup = 4};
  CHECK(constant(1, 0.1) == doctest::Approx(0.25));
  CHECK(linear(1, 0.1) == doctest::Approx(0.25));
  CHECK(constant(100, 0.75) == doctest::Approx(1.0));
  CHECK(linear(100, 0.75) == doctest::Approx(0.25));
  CHECK(linear(100, 1.0) == 0.0);
  CHECK(Schedule{.kind = ScheduleKind::noam, .peak = 1.0, .warmup = 0}(1) == doctest::Approx(1.0));
}

TEST_CASE("data parallel: two shards on two threads give the gradient of the whole batch") {
  const Tensor w = parameter(Tensor::from({2}, {0.5f, -1.0f}));
  const std::vector<Tensor> rows{Tensor::from({2}, {1, 2}), Tensor::from({2}, {3, 4}),
                                 Tensor::from({2}, {5, 6})};
  const auto loss_of = [&](int i) {
    return weighted_sum(w * w, rows[static_cast<std::size_t>(i)]);  // gradient: 2 w row
  };
  for (int count : {1, 2}) {
    set_threads(count);
    DataParallel parallel;
    const double loss = parallel.run(3, 1, loss_of);
    CHECK(loss == doctest::Approx(0.25 * 9 + 12));
    float first = 0, second = 0;
    for (const Gradients& gradients : parallel.gradients()) {
      first += gradients.of(w).values()[0];
      second += gradients.of(w).values()[1];
    }
    CHECK(first == doctest::Approx(9.0));     // 2 * 0.5 * (1 + 3 + 5)
    CHECK(second == doctest::Approx(-24.0));  // 2 * -1 * (2 + 4 + 6)
  }
}

TEST_CASE("data parallel: the seed and the shard fix the dropout masks, whatever the threads") {
  const Tensor w = parameter(Tensor::full({4000}, 1.0f));
  const auto loss_of = [&](int) { return sum(dropout(w, 0.5f)); };
  const auto losses = [&](int count, std::uint64_t seed) {
    set_threads(count);
    DataParallel parallel;
    const double loss = parallel.run(2, seed, loss_of);
    return loss;
  };
  const double one = losses(1, 7);
  CHECK(one == losses(2, 7));
  CHECK(one != losses(2, 8));
  CHECK(losses(1, 7) / 8000 == doctest::Approx(1.0).epsilon(0.05));
}

TEST_CASE("data parallel: an exception in a shard reaches the caller") {
  set_threads(2);
  DataParallel parallel;
  const Tensor w = parameter(Tensor::full({1}, 1.0f));
  const auto loss_of = [&](int i) {
    if (i == 1) throw std::invalid_argument("shard 1 is bad");
    return sum(w * w);
  };
  CHECK_THROWS_WITH_AS(parallel.run(2, 1, loss_of), "shard 1 is bad", std::invalid_argument);
}

TEST_CASE("checkpoint: parameters, Adam's state and the counters come back exactly") {
  const TemporaryDirectory scratch;
  const std::string path = scratch / "checkpoint.safetensors";
  Tensor w = parameter(Tensor::from({3}, {1, 2, 3}));
  const std::vector<NamedParameter> list{{"w", &w}};
  const auto train = [&](Adam& adam, int steps) {
    for (int i = 0; i < steps; ++i) {
      Tape tape;
      Gradients gradients = tape.backward(sum(w * w));
      adam.step(gradients, 0.1);
    }
  };
  Exchange alone(list);
  Adam adam(list);
  train(adam, 3);
  save_checkpoint(path, list, adam, alone, {{"update", "3"}});
  train(adam, 2);
  const std::vector<float> expected = w.values();

  Adam resumed(list);
  const Counters counters = load_checkpoint(path, list, resumed, alone);
  CHECK(counters.at("update") == "3");
  CHECK(resumed.steps() == 3);
  train(resumed, 2);
  CHECK(w.values() == expected);
}

TEST_CASE("checkpoint: one of another model is refused, and nothing changes") {
  const TemporaryDirectory scratch;
  const std::string path = scratch / "checkpoint.safetensors";
  Tensor w = parameter(Tensor::from({3}, {1, 2, 3})), other = parameter(Tensor::full({2}, 5.0f));
  Exchange alone({{"w", &w}});
  Adam adam({{"w", &w}}), adam_of_other({{"w", &other}});
  save_checkpoint(path, {{"w", &w}}, adam, alone, {});
  CHECK_THROWS_AS(load_checkpoint(path, {{"w", &other}}, adam_of_other, alone), UserError);
  CHECK(other.values() == std::vector<float>(2, 5.0f));
  CHECK_THROWS_AS(load_checkpoint(scratch / "none", {{"w", &w}}, adam, alone), UserError);
  Tensor broken = Tensor::from({3}, {1, NAN, 3});
  save_checkpoint(path, {{"w", &broken}}, adam, alone, {});
  CHECK_THROWS_WITH_AS(load_checkpoint(path, {{"w", &w}}, adam, alone),
                       (path + ": w holds NaN or infinity").c_str(), UserError);
  CHECK(w.values() == std::vector<float>{1, 2, 3});
}

TEST_CASE("checkpoint: of a damaged counter the message quotes the beginning") {
  const Counters counters{{"word", std::string(900, 'x')}, {"number", std::string(900, '9')}};
  const auto refused = [&](const auto& read, const std::string& said, char letter) {
    CHECK_THROWS_WITH_AS(read(),
                         ("file: " + said + std::string(60, letter) + " ... (900 bytes)").c_str(),
                         UserError);
  };
  refused([&] { counter(counters, "word", "file"); }, "word is not a number: ", 'x');
  refused([&] { counter(counters, "number", "file"); }, "number is not a number: ", '9');
  refused([&] { whole_counter(counters, "word", "file"); }, "word is not a whole number: ", 'x');
  refused([&] { whole_counter(counters, "number", "file"); },
          "number is not a whole number: ", '9');
}

TEST_CASE("averaging: every parameter becomes its mean over the files") {
  const TemporaryDirectory scratch;
  Tensor w = parameter(Tensor::from({2}, {1, 10}));
  const std::vector<NamedParameter> list{{"w", &w}};
  std::vector<std::string> paths;
  for (float factor : {1.0f, 2.0f, 6.0f}) {
    Tensor copy = scale(w, factor);
    paths.push_back(scratch / (std::to_string(paths.size()) + ".safetensors"));
    save_parameters(paths.back(), {{"w", &copy}});
  }
  load_average(paths, list);
  CHECK(w.values() == std::vector<float>{3.0f, 30.0f});

  paths.push_back(scratch / "none.safetensors");
  CHECK_THROWS_AS(load_average(paths, list), UserError);
  CHECK(w.values() == std::vector<float>{3.0f, 30.0f});  // as before
}

namespace {

// Distance of w from `best`: what a snapshot's loss is here.
struct Distance {
  const Tensor& w;
  float best;
  double operator()() const { return std::abs(w.item() - best); }
};

}  // namespace

TEST_CASE("snapshots: the mean of the last ones where it is better, else the last one") {
  const TemporaryDirectory scratch;
  Tensor w = parameter(Tensor::zeros({1}));
  const std::vector<NamedParameter> list{{"w", &w}};
  Snapshots snapshots(scratch.path, 3);
  for (int update = 1; update <= 5; ++update) {
    copy_into(w, {static_cast<float>(update * update)});
    snapshots.add(update, list);
  }
  CHECK(snapshots.load_better(list, Distance{w, 17}) == doctest::Approx(17 - 50 / 3.0));
  CHECK(w.item() == doctest::Approx(50 / 3.0));  // of 9, 16 and 25
  CHECK(snapshots.load_better(list, Distance{w, 22}) == doctest::Approx(22 - 50 / 3.0));
  snapshots.load_last(list);
  CHECK(snapshots.load_better(list, Distance{w, 22}) == 3);
  CHECK(w.item() == 25);
}

TEST_CASE("snapshots: a run that is killed after the last one goes on from the one before") {
  const TemporaryDirectory scratch;
  Tensor w = parameter(Tensor::zeros({1}));
  const std::vector<NamedParameter> list{{"w", &w}};
  const auto add = [&](Snapshots& snapshots, int update) {
    copy_into(w, {static_cast<float>(update)});
    snapshots.add(update, list);
  };
  Snapshots killed(scratch.path, 2), resumed(scratch.path, 2), fresh(scratch.path, 2);
  for (int update : {10, 20}) add(killed, update);
  const std::string needed = killed.needed();
  CHECK(needed == "10 20");
  add(killed, 30);
  CHECK(killed.needed() == "20 30");
  resumed.restore(20, needed);
  CHECK(resumed.load_better(list, Distance{w, 0}) == 15);  // of 10 and 20
  add(resumed, 30);
  CHECK(resumed.load_better(list, Distance{w, 0}) == 25);
  write_file_atomically(scratch.path + "/average/00000010.safetensors", "cut");
  expect_user_error([&] { fresh.restore(20, needed); },
                    {"average/00000010.safetensors: ", "--average 1"});
  remove_all(scratch.path + "/average/00000010.safetensors");
  expect_user_error([&] { fresh.restore(20, needed); },
                    {"average/00000010.safetensors is missing", "--average 1"});
  Snapshots(scratch.path, 1).restore(20, needed);
  fresh.clear();
  CHECK(!std::filesystem::exists(scratch.path + "/average"));
}

TEST_CASE("snapshots: one alone is the model itself, and needs no file") {
  const TemporaryDirectory scratch;
  Tensor w = parameter(Tensor::full({1}, 4));
  Snapshots snapshots(scratch.path, 1);
  snapshots.add(1, {{"w", &w}});
  CHECK(snapshots.load_better({{"w", &w}}, Distance{w, 0}) == 4);
  snapshots.load_last({{"w", &w}});
  CHECK(w.item() == 4);
  CHECK(!std::filesystem::exists(scratch.path + "/average"));
}

TEST_CASE("progress: times are minutes and seconds, with hours when there are any") {
  CHECK(clock_time(0) == "0:00");
  CHECK(clock_time(65.4) == "1:05");
  CHECK(clock_time(3599.6) == "1:00:00");
  CHECK(clock_time(7265) == "2:01:05");
  CHECK(clock_time(-3) == "0:00");
}

}  // namespace xf::test
