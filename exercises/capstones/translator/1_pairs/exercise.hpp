#pragma once

#include <string>
#include <vector>

#include "support/kit.hpp"

namespace xf::exercise {

// A sentence and its translation. Words are separated by blanks.
struct Pair {
  std::string source, target;
};

struct Limits {
  int most = 40;     // words of a side
  double ratio = 3;  // words of the longer side for each of the shorter
};

// The pairs that are worth training on, in their order. Blanks at both ends go, and several between
// two words become one. Then left out is a pair with an empty side, with more than `most` words
// on a side, with a longer side of more than `ratio` times the words of the other, with equal
// sides (nobody translated it), and one that stands further above already.
std::vector<Pair> cleaned(const std::vector<Pair>& pairs, const Limits& limits);

// The group of each pair: two pairs with the same source or the same target are in one group, and
// so are those that are joined through other pairs. Groups have the numbers 0, 1, 2, … in the order
// in which they first occur.
std::vector<int> groups(const std::vector<Pair>& pairs);

enum class Part { train, valid, test };

// Where each pair goes, a group as a whole. The groups are shuffled, the list 0, 1, 2, … by
// random.shuffle(list.begin(), list.end()); one after the other goes to `test` as long as that has
// fewer than `test` pairs, else to `valid` as long as that has fewer than `valid`, else to
// training. A group of more than `largest` pairs is always for training.
std::vector<Part> split(const std::vector<Pair>& pairs, int valid, int test, int largest,
                        Random& random);

}  // namespace xf::exercise
