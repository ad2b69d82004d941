#include "exercise.hpp"

namespace xf::exercise {

static int append(SmallTape& tape, double value, std::vector<std::pair<int, double>> from) {
  const int number = leaf(tape, value);
  tape.nodes[number].from = std::move(from);
  return number;
}

int add(SmallTape& tape, int a, int b) {
  return append(tape, tape.nodes[a].value + tape.nodes[b].value, {{a, 1}, {b, 1}});
}

int multiply(SmallTape& tape, int a, int b) {
  const double va = tape.nodes[a].value, vb = tape.nodes[b].value;
  return append(tape, va * vb, {{a, vb}, {b, va}});
}

int tanh_of(SmallTape& tape, int a) {
  const double value = std::tanh(tape.nodes[a].value);
  return append(tape, value, {{a, 1 - value * value}});
}

void backward(SmallTape& tape, int y) {
  for (Node& node : tape.nodes) node.grad = 0;
  tape.nodes[y].grad = 1;
  for (int i = y; i >= 0; --i)
    for (const auto& [input, derivative] : tape.nodes[i].from)
      tape.nodes[input].grad += tape.nodes[i].grad * derivative;
}

}  // namespace xf::exercise
