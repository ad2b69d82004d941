#include "trace/trace.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "autograd/recorder.hpp"
#include "autograd/tape.hpp"
#include "ops/elementwise/elementwise.hpp"
#include "ops/reduce/reduce.hpp"

using namespace xf;

TEST_CASE("trace: least, mean and most, without what is not finite") {
  CHECK(Spread({1, 2, 6}).str() == "min 1  mean 3  max 6");
  const float infinite = std::numeric_limits<float>::infinity();
  CHECK(Spread({1, infinite, 3}).str() == "min 1  mean 2  max 3  1 not finite");
  CHECK(Spread({infinite}).str() == "1 not finite");
  CHECK(Spread({}).str().empty());
}

TEST_CASE("trace: sees every op, with a tape and without, and gradients before they are used up") {
  std::vector<TraceStep> steps;
  std::vector<std::vector<float>> numbers;
  {
    const Trace trace([&](const TraceStep& step, const std::vector<float>& values) {
      steps.push_back(step);
      numbers.push_back(values);
    });
    const Tensor x = parameter(Tensor::from({2}, {-1, 2}));
    relu(detach(x));  // 1: nobody wants its gradient
    Tape tape;
    const Tensor y = relu(x);           // 2
    const Tensor z = sum(scale(y, 3));  // 3, 4
    tape.backward(z);                   // 5: of the sum, 6: of scale, 7: of relu
  }
  relu(Tensor::from({1}, {1}));  // nobody is told
  REQUIRE(steps.size() == 7);
  CHECK(std::string(steps[0].op.name) == "relu");
  CHECK(numbers[0] == std::vector<float>{0, 2});
  CHECK(std::string(steps[2].op.name) == "scale");
  CHECK(numbers[2] == std::vector<float>{0, 6});
  CHECK(numbers[3] == std::vector<float>{6});
  for (int i : {4, 5, 6}) {
    CHECK(steps[static_cast<std::size_t>(i)].backward);
    CHECK(steps[static_cast<std::size_t>(i)].of == 8 - i);
  }
  CHECK(numbers[5] == std::vector<float>{1, 1});
  CHECK(numbers[6] == std::vector<float>{3, 3});
}

TEST_CASE("trace: what nobody wants to know is counted, and has its op") {
  std::vector<TraceStep> steps;
  std::vector<std::size_t> numbers;
  {
    const Trace trace(
        [&](const TraceStep& step, const std::vector<float>& values) {
          steps.push_back(step);
          numbers.push_back(values.size());
        },
        {}, [&] { return steps.size() < 2; });
    const Tensor x = parameter(Tensor::from({2}, {-1, 2}));
    Tape tape;
    tape.backward(sum(scale(relu(x), 3)));  // 1, 2, 3; 4, 5, 6
  }
  REQUIRE(steps.size() == 6);
  CHECK(numbers == std::vector<std::size_t>{2, 2, 0, 0, 0, 0});
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK(steps[i].number == static_cast<int>(i) + 1);
    CHECK(steps[i].backward == (i >= 3));
    CHECK(std::string(steps[i].op.name) == std::string(steps[i < 3 ? i : 5 - i].op.name));
  }
}

TEST_CASE("trace: steps are called what the code says by watch(), with a tape and without") {
  std::vector<TraceStep> steps;
  {
    const Trace outer([](const TraceStep&, const std::vector<float>&) {});
    const Trace trace(
        [&](const TraceStep& step, const std::vector<float>&) { steps.push_back(step); });
    const Tensor x = parameter(Tensor::from({2}, {-1, 2}));
    watch("x", x);                                  // of no step
    const Tensor kept = scale(relu(detach(x)), 2);  // 1, 2
    watch("kept", kept);
    Tape tape;
    const Tensor y = relu(x);           // 3
    const Tensor z = sum(scale(y, 3));  // 4, 5
    watch("z", z);
    watch("y", y);
    watch("again", y);
    const Recorder recorder({"others"});
    watch("hidden", detach(y));
    tape.backward(z);  // 6, 7, 8
  }
  REQUIRE(steps.size() == 8);
  std::vector<std::string> names;
  for (const TraceStep& step : steps) names.push_back(*step.name);
  CHECK(names == std::vector<std::string>{"", "kept", "y", "", "z", "z", "", "y"});
  CHECK(steps[1].inputs[0].step == 1);
  CHECK(steps[0].inputs[0].step == 0);
}

TEST_CASE("trace: a later one does not take results of an earlier one for its own") {
  Tensor before;
  std::vector<TraceStep> steps;
  const auto keep = [&](const TraceStep& step, const std::vector<float>&) {
    steps.push_back(step);
  };
  {
    const Trace trace(keep);
    before = relu(Tensor::from({1}, {1}));
  }
  const Trace trace(keep);
  const Tensor after = relu(before);
  watch("before", before);
  REQUIRE(steps.size() == 2);
  CHECK(steps[1].inputs[0].step == 0);
  CHECK(steps[1].name->empty());
}
