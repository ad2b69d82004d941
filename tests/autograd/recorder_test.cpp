#include "autograd/recorder.hpp"

#include <thread>

#include "ops/elementwise/elementwise.hpp"
#include "ops/reduce/reduce.hpp"
#include "support/close.hpp"
#include "support/grad_check.hpp"

namespace xf::test {

namespace {

Tensor number(float value) { return Tensor::full({1}, value); }

std::vector<std::string> paths_of(const Recorder& recorder) {
  std::vector<std::string> paths;
  for (const Recorder::Value& value : recorder.values()) paths.push_back(value.path);
  return paths;
}

// Two layers of two marked values each.
void walk(float start) {
  const Scope scope("stack");
  for (std::size_t i = 0; i < 2; ++i) {
    const Scope layer("layers", i);
    watch("half", number(start + static_cast<float>(i)));
    const Scope part("part");
    watch("whole", number(2 * (start + static_cast<float>(i))));
  }
}

}  // namespace

TEST_CASE("recorder: paths are those of the scopes, in order") {
  Recorder recorder;
  watch("first", number(7));
  walk(1);
  CHECK(paths_of(recorder) ==
        std::vector<std::string>{"first", "stack.layers.0.half", "stack.layers.0.part.whole",
                                 "stack.layers.1.half", "stack.layers.1.part.whole"});
  CHECK(recorder.of("first").item() == 7);
  CHECK(recorder.of("stack.layers.1.part.whole").item() == 4);
}

TEST_CASE("recorder: what is recorded twice is found last first, or all in order") {
  Recorder recorder;
  walk(1);
  walk(10);
  CHECK(recorder.of("stack.layers.0.half").item() == 10);
  std::vector<float> numbers;
  for (const Tensor& value : recorder.all("stack.layers.*.half")) numbers.push_back(value.item());
  CHECK(numbers == std::vector<float>{1, 2, 10, 11});
  CHECK(recorder.all("stack.*.*.*.whole").size() == 4);
  CHECK(recorder.all("stack.layers.*").empty());
  CHECK(recorder.all("*").empty());
}

TEST_CASE("recorder: a path that is not there is told, with those that are") {
  Recorder recorder;
  expect_error([&] { (void)recorder.of("a.b"); }, {"recorder: ", "a.b", "nothing recorded"});
  walk(1);
  expect_error([&] { (void)recorder.of("stack.half"); },
               {"recorder: ", "stack.half", "stack.layers.0.half, stack.layers.0.part.whole"});
}

TEST_CASE("recorder: keeps only the names that it was given") {
  CHECK_FALSE(watched("whole"));
  Recorder recorder({"whole", "rest"});
  CHECK(watched("whole"));
  CHECK(watched("rest"));
  CHECK_FALSE(watched("half"));
  walk(1);
  CHECK(paths_of(recorder) ==
        std::vector<std::string>{"stack.layers.0.part.whole", "stack.layers.1.part.whole"});
}

TEST_CASE("recorder: the innermost one records, from where it was opened") {
  Recorder outer;
  const Scope scope("outside");
  {
    Recorder inner;
    watch("x", number(1));
    CHECK(paths_of(inner) == std::vector<std::string>{"x"});
  }
  watch("y", number(2));
  CHECK(paths_of(outer) == std::vector<std::string>{"outside.y"});
}

TEST_CASE("recorder: without one nothing is kept, and other threads have none") {
  CHECK(Recorder::active() == nullptr);
  walk(1);
  Recorder recorder;
  std::thread([] {
    CHECK(Recorder::active() == nullptr);
    walk(1);
  }).join();
  CHECK(recorder.values().empty());
}

TEST_CASE("recorder: an error on the way leaves the scopes as they were") {
  Recorder recorder;
  try {
    const Scope scope("broken");
    throw std::runtime_error("stop");
  } catch (const std::runtime_error&) {
  }
  watch("x", number(1));
  CHECK(paths_of(recorder) == std::vector<std::string>{"x"});
}

TEST_CASE("recorder: a value outlives its tape, and recording changes no gradient") {
  const Tensor x = random_leaf({3}, 1);
  const auto gradient = [&] {
    Tape tape;
    const Tensor y = x * x;
    watch("y", y);
    return tape.backward(sum(y * y)).of(x);
  };
  const Tensor plain = gradient();
  Recorder recorder;
  expect_same("dx", gradient(), plain);
  expect_same("y", recorder.of("y"), detach(x * x));
}

}  // namespace xf::test
