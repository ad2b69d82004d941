#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;

namespace {

using exercise::SmallTape;

// What is calculated: 0 add, 1 multiply, 2 tanh; of which nodes.
struct Step {
  int kind, a, b;
};
struct Program {
  std::vector<double> leaves;
  std::vector<Step> steps;
};

// Node y, where node `moved` becomes larger by `by` on its way.
double value(const Program& program, int y, int moved = 0, double by = 0) {
  std::vector<double> v = program.leaves;
  if (moved < static_cast<int>(v.size())) v[moved] += by;
  for (const Step& step : program.steps) {
    const bool here = moved == static_cast<int>(v.size());
    const double made = step.kind == 0   ? v[step.a] + v[step.b]
                        : step.kind == 1 ? v[step.a] * v[step.b]
                                         : std::tanh(v[step.a]);
    v.push_back(here ? made + by : made);
  }
  return v[y];
}

// The gradient of node y by all nodes, by the five-point difference: the test has no tape.
Tensor differences(const Program& program, int y) {
  std::vector<float> gradient;
  for (std::size_t i = 0; i < program.leaves.size() + program.steps.size(); ++i) {
    const auto at = [&](double by) { return value(program, y, static_cast<int>(i), by); };
    const double h = 1e-3;
    gradient.push_back(
        static_cast<float>((8 * (at(h) - at(-h)) - at(2 * h) + at(-2 * h)) / (12 * h)));
  }
  return Tensor::from({static_cast<int>(gradient.size())}, gradient);
}

SmallTape recorded(const Program& program) {
  SmallTape tape;
  for (double leaf : program.leaves) exercise::leaf(tape, leaf);
  for (const Step& step : program.steps) {
    if (step.kind == 0) exercise::add(tape, step.a, step.b);
    if (step.kind == 1) exercise::multiply(tape, step.a, step.b);
    if (step.kind == 2) exercise::tanh_of(tape, step.a);
  }
  return tape;
}

Tensor gradients(const SmallTape& tape) {
  std::vector<float> found;
  for (const exercise::Node& node : tape.nodes) found.push_back(static_cast<float>(node.grad));
  return Tensor::from({static_cast<int>(found.size())}, found);
}

Tensor own(const Program& program, int y) {
  SmallTape tape = recorded(program);
  exercise::backward(tape, y);
  return gradients(tape);
}

std::vector<float> returned() {
  SmallTape tape;
  std::vector<float> found;
  for (double value : {0.5, -2.0}) exercise::leaf(tape, value);
  for (int round = 0; round < 2; ++round)
    for (int node :
         {exercise::multiply(tape, 0, 1), exercise::add(tape, 0, 1), exercise::tanh_of(tape, 0)})
      found.push_back(static_cast<float>(node));
  return found;
}

Program program(std::vector<Step> steps, int leaves, std::uint64_t seed) {
  const std::vector<float> drawn = exercise::random({leaves}, seed).values();
  return {std::vector<double>(drawn.begin(), drawn.end()), std::move(steps)};
}

void check(const std::string& name, const Program& p, int y) {
  COMPARE(name + ", value of y", Tensor::full({1}, float(value(p, y))),
          Tensor::full({1}, static_cast<float>(recorded(p).nodes[y].value)));
  COMPARE(name + ", gradients of all nodes", differences(p, y), own(p, y));
}

}  // namespace

TEST_CASE("each operation, with its derivatives") {
  check("a + b", program({{0, 0, 1}}, 2, 51), 2);
  check("a b", program({{1, 0, 1}}, 2, 52), 2);
  Program of_zero = program({{1, 0, 1}, {1, 2, 1}}, 2, 63);
  of_zero.leaves[0] = 0;
  check("a b b, a = 0", of_zero, 3);
  Program by_zero = program({{1, 0, 1}}, 2, 64);
  by_zero.leaves[1] = 0;
  check("a b, b = 0", by_zero, 2);
  check("tanh(a)", program({{2, 0, 0}}, 1, 53), 1);
  COMPARE("the numbers that six operations return", Tensor::from({6}, {2, 3, 4, 5, 6, 7}),
          Tensor::from({6}, returned()));
}

TEST_CASE("a chain passes the gradient on") {
  check("tanh(a b) c", program({{1, 0, 1}, {2, 3, 0}, {1, 4, 2}}, 3, 54), 5);
}

TEST_CASE("a node that is used several times collects every share") {
  check("(a + b) a", program({{0, 0, 1}, {1, 2, 0}}, 2, 55), 3);
  check("a a", program({{1, 0, 0}}, 1, 56), 1);
}

// Node 2 is used by node 5 itself and on a longer way, whichever of the two is followed first.
TEST_CASE("was a gradient passed on before it was complete?") {
  check("s = a + b, s + tanh(s) s", program({{0, 0, 1}, {2, 2, 0}, {1, 3, 2}, {0, 2, 4}}, 2, 60),
        5);
  check("s = a + b, tanh(s) s + s", program({{0, 0, 1}, {2, 2, 0}, {1, 3, 2}, {0, 4, 2}}, 2, 61),
        5);
  check("y = a + b, y = y y + y, twice",
        program({{0, 0, 1}, {1, 2, 2}, {0, 3, 2}, {1, 4, 4}, {0, 5, 4}}, 2, 57), 6);
}

TEST_CASE("y need not be the last node") {
  check("tanh(a) b in the middle of the tape",
        program({{2, 0, 0}, {1, 3, 1}, {1, 4, 2}, {0, 5, 0}}, 3, 58), 4);
}

TEST_CASE("a second call begins anew") {
  const Program p = program({{1, 0, 1}, {0, 2, 0}, {1, 3, 2}}, 2, 59);
  const auto twice = [&] {
    SmallTape tape = recorded(p);
    exercise::backward(tape, 4);
    exercise::backward(tape, 3);
    return gradients(tape);
  };
  COMPARE("gradients of the second call", differences(p, 3), twice());
}

TEST_CASE("each node is visited once, however many paths lead to it") {
  Program p = program({}, 2, 62);
  p.leaves[1] = 0.5;
  int y = 0;
  for (int round = 0, rounds = exercise::given(40, 36, 60); round < rounds; ++round) {
    const int sum = 2 + 2 * round;
    p.steps.insert(p.steps.end(), {{0, y, y}, {1, sum, 1}});
    y = sum + 1;
  }
  check("y = (y + y) / 2, 40 times", p, y);
}
