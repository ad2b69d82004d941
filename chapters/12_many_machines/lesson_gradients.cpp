// Lesson 12, sections 1 and 2: why gradients may be added, and in what order.

#include <cstring>

#include "12_many_machines/lesson.hpp"
#include "autograd/tape.hpp"
#include "distributed/collectives.hpp"
#include "distributed/mailboxes.hpp"
#include "distributed/neighbours.hpp"
#include "nn/init.hpp"
#include "ops/cross_entropy/cross_entropy.hpp"
#include "ops/elementwise/elementwise.hpp"
#include "ops/matmul/matmul.hpp"
#include "ops/shape/shape_ops.hpp"
#include "speech/show.hpp"

namespace xf::many_machines {

namespace {

// The gradient of the loss of rows [first, last), divided by `divisor`.
Tensor gradient_of(const Tensor& w, const Tensor& x, const Ids& targets, int first, int last,
                   double divisor) {
  Tape tape;
  Ids own = Ids::full({last - first}, 0);
  for (int i = first; i < last; ++i) own[i - first] = targets[i];
  const Tensor logits = matmul(slice(x, 0, first, last - first), w);
  return tape.backward(cross_entropy(logits, own, {.divisor = divisor})).of(w);
}

using Numbers = std::vector<float>;

// Process r's sum of its shards, in the order of their numbers.
Numbers sum_of_own(const std::vector<Numbers>& shards, int rank, int processes) {
  const Range own = share_of(std::ssize(shards), rank, processes);
  Numbers sum = shards[static_cast<std::size_t>(own.first)];
  for (std::ptrdiff_t shard = own.first + 1; shard < own.last; ++shard)
    for (std::size_t i = 0; i < sum.size(); ++i)
      sum[i] += shards[static_cast<std::size_t>(shard)][i];
  return sum;
}

Numbers by_ring(const std::vector<Numbers>& shards, int processes) {
  Numbers result;
  run_threads_as_processes(processes, [&](Endpoint& self) {
    Numbers x = sum_of_own(shards, self.rank(), processes);
    add_up_ring(self, x);
    if (self.rank() == 0) result = x;
  });
  return result;
}

// The sum of neighbours: each process adds what the order allows, and process 0 the rest.
Numbers by_fixed_tree(std::vector<Numbers> shards, int processes) {
  std::vector<Numbers*> slots;
  for (Numbers& shard : shards) slots.push_back(&shard);
  const auto add = [](Numbers* sum, const Numbers* x) {
    for (std::size_t i = 0; i < sum->size(); ++i) (*sum)[i] += (*x)[i];
  };
  for (int rank = 0; rank < processes; ++rank) {
    const Range own = share_of(std::ssize(shards), rank, processes);
    add_neighbours(std::span(slots), static_cast<int>(own.first), static_cast<int>(own.last), add);
  }
  add_neighbours(std::span(slots), add);
  return *slots[0];
}

int differ(const Numbers& a, const Numbers& b) {
  int count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += std::memcmp(&a[i], &b[i], sizeof a[i]) != 0;
  return count;
}

}  // namespace

void adding_section(Random& random) {
  section("Why gradients may be added");
  say("The loss of a batch is a sum over its tokens, divided by their number T. The gradient of a "
      "sum is the sum of the gradients. So a batch may be cut into shards, each machine computes "
      "the gradient of its own shard, and the sum is the gradient of the whole batch:");
  equation("dL/dw = sum over shards s of dL_s/dw,   L_s = 1/T sum over the tokens of s");
  const int tokens = 12, width = 4, classes = 3;
  const Tensor w = parameter(normal({width, classes}, 1, random));
  const Tensor x = normal({tokens, width}, 1, random);
  Ids targets = Ids::full({tokens}, 0);
  for (int i = 0; i < tokens; ++i) targets[i] = random.below(classes);
  const Tensor whole = gradient_of(w, x, targets, 0, tokens, tokens);
  const int cuts[] = {0, 2, 5, 12};
  Table table({"shard", "tokens", "norm of its gradient"});
  Tensor sum, mean;
  for (int s = 0; s < 3; ++s) {
    const int own = cuts[s + 1] - cuts[s];
    const Tensor part = gradient_of(w, x, targets, cuts[s], cuts[s + 1], tokens);
    const Tensor of_mean = gradient_of(w, x, targets, cuts[s], cuts[s + 1], own);
    sum = s ? sum + part : part;
    mean = s ? mean + of_mean : of_mean;
    table.row({std::to_string(s), std::to_string(own), fixed(norm_of(part))});
  }
  table.row({words("their sum"), std::to_string(tokens), fixed(norm_of(sum))});
  table.row({words("the whole batch"), std::to_string(tokens), fixed(norm_of(whole))});
  table.print();
  agree("the sum of the shards' gradients and that of the whole batch", sum, whole);
  const double off = norm_of(scale(mean, 1.0f / 3) + scale(whole, -1)) / norm_of(whole);
  say("Every shard's loss is divided by the T of the whole batch, which all machines must "
      "know. If each shard divided by its own number of tokens and the gradients were then "
      "averaged over the machines, they would be divided twice, and neither divisor would be "
      "T: a token of a short shard would count more than one of a long shard. Here the result "
      "would be off by {} of the gradient's norm.",
      fixed(off, 2));
  claim(off > 0.01, "the mean of means is another gradient");
  finding("The gradients of shards may be added if all are divided by the same number of tokens.");
}

void order_section(Random& random) {
  section("In which order they are added");
  const float a = 1e8f, b = -1e8f, c = 1.5f;
  say("In float32 a sum depends on the order of its additions: with a = 1e8, b = -1e8 and c = "
      "1.5, (a + b) + c = {}, and a + (b + c) = {}. A run on four machines adds in a different "
      "order from a run on one. If that order is whichever is fastest, the digits differ, and "
      "after some thousand updates so do the models.",
      fixed((a + b) + c, 1), fixed(a + (b + c), 1));
  claim((a + b) + c != a + (b + c), "a sum depends on the order");
  say("Eight shards have 1,000 gradients each. How many of the 1,000 sums differ in their last "
      "bits from those of one machine? In a ring, each machine first sums its own shards. A "
      "fixed tree always adds adjacent shards, whichever machine has them: ((0 + 1) + (2 + 3)) "
      "+ ((4 + 5) + (6 + 7)).");
  std::vector<Numbers> shards(8, Numbers(1000));
  for (Numbers& shard : shards)
    for (float& number : shard) number = static_cast<float>(random.normal());
  const Numbers ring_of_one = by_ring(shards, 1), tree_of_one = by_fixed_tree(shards, 1);
  Table table({"processes", "ring", "fixed tree"});
  int most = 0, of_tree = 0;
  for (const int processes : {1, 2, 3, 4, 5, 8}) {
    const int ring = differ(by_ring(shards, processes), ring_of_one),
              tree = differ(by_fixed_tree(shards, processes), tree_of_one);
    most = std::max(most, ring), of_tree += tree;
    table.row({std::to_string(processes), std::to_string(ring), std::to_string(tree)});
  }
  table.print();
  claim(most > 100, "a ring's sums depend on the number of machines");
  claim(of_tree == 0, "those of the fixed tree do not");
  say("In `same` arithmetic this project cuts every batch into four shards (or the number given by "
      "--shards), however many processes there are, and adds their gradients in that tree. So 1, "
      "2, 3 and 4 processes write the same bytes, and a run may be resumed with a different number "
      "of processes.");
  finding("A fixed tree over fixed shards: the same bytes on 1, 2, 3, 4, 5 and 8 machines.");
}

}  // namespace xf::many_machines
