#pragma once

#include <utility>
#include <vector>

#include "support/kit.hpp"

namespace xf::exercise {

struct Node {
  double value = 0, grad = 0;
  std::vector<std::pair<int, double>> from;  // an earlier node, and the local derivative
};

struct SmallTape {
  std::vector<Node> nodes;  // in the order in which they were made
};

// Appends a node made from no other node, and returns its number.
inline int leaf(SmallTape& tape, double value) {
  tape.nodes.push_back({.value = value, .grad = 0, .from = {}});
  return static_cast<int>(tape.nodes.size()) - 1;
}

// v_a + v_b.   Appends a node, and returns its number.
int add(SmallTape& tape, int a, int b);

// v_a v_b.   Appends a node, and returns its number.
int multiply(SmallTape& tape, int a, int b);

// tanh(v_a).   Appends a node, and returns its number.
int tanh_of(SmallTape& tape, int a);

// Writes into the `grad` of each node the gradient of node y with respect to that node.
void backward(SmallTape& tape, int y);

}  // namespace xf::exercise
