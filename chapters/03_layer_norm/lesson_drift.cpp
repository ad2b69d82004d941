// Lesson 3, section 9: how a layer's input drifts while the layers below it learn.

#include <algorithm>
#include <cmath>

#include "03_layer_norm/lesson.hpp"
#include "03_layer_norm/lesson_measure.hpp"
#include "speech/show.hpp"
#include "tensor/parallel.hpp"

namespace xf::lesson_03 {
namespace {

constexpr int depth_of_stack = 8;
constexpr double rate = 0.001;  // at section 8's rate, the stack without norms does not train

// The standard deviation of the input of each layer's attention, over all numbers of the batch.
std::vector<double> deviations(const BlockModel& stack, const Ids& ids) {
  std::vector<double> found;
  Tensor x = add_positions(stack.table(ids));
  for (const Layer& layer : stack.layers) {
    const Tensor read = layer.kind == Block::pre ? layer.attention_norm(x) : x;
    const std::vector<float> values = read.values();
    double sum = 0, squares = 0;
    for (float value : values) {
      sum += value;
      squares += double(value) * value;
    }
    const double count = double(values.size()), mean = sum / count;
    found.push_back(std::sqrt(squares / count - mean * mean));
    x = layer(x);
  }
  return found;
}

}  // namespace

void drift(const Options& options) {
  section("What does a layer see while the layers below it learn?");
  say("Every update changes all layers at once, so that what a layer reads is no longer what its "
      "weights were computed for. We train the stack of section 7, 8 layers, with pre-norm and "
      "without any norm, at rate 0.001. The table gives the deviation of the numbers that the "
      "attention of a layer reads, for the same words before and during training:");
  Table table(
      {"stack", "layer", "at first", "40 updates", "80", "120", "160", "largest / smallest"});
  std::vector<std::vector<double>> drifts;  // per stack: those of layers 1, 4, 8
  const std::pair<const char*, Block> stacks[] = {{"pre", Block::pre}, {"no norm", Block::no_norm}};
  const auto courses = each_in_parallel(2, [&](int i) {
    CopyTraining training(stacks[i].second, warm_up_updates, options.seed, depth_of_stack, rate);
    Random random(options.seed, 9);
    const Ids ids = random_ids(random);
    std::vector<std::vector<double>> seen = {deviations(training.stack(), ids)};
    for (int update = 1; update <= 160; ++update) {
      training.step();
      if (update % 40 == 0) seen.push_back(deviations(training.stack(), ids));
    }
    return seen;
  });
  for (std::size_t i = 0; i < courses.size(); ++i) {
    const char* const name = stacks[i].first;
    drifts.emplace_back();
    for (const int layer : {1, 4, 8}) {
      std::vector<Phrase> cells = {name, std::to_string(layer)};
      std::vector<double> course;
      for (const auto& at : courses[i]) {
        course.push_back(at[std::size_t(layer - 1)]);
        cells.push_back(fixed(course.back(), 2));
      }
      const auto [least, largest] = std::minmax_element(course.begin(), course.end());
      drifts.back().push_back(*largest / *least);
      cells.push_back(fixed(drifts.back().back(), 2));
      table.row(cells);
    }
  }
  table.print();
  const std::vector<double>&pre = drifts[0], &no_norm = drifts[1];
  claim(*std::max_element(pre.begin(), pre.end()) < 1.1, "after a norm the deviation is steady");
  claim(no_norm[0] < 1.1, "without norms the first layer reads what it always read");
  claim(no_norm[1] > 1.2 && no_norm[2] > 1.2,
        "without norms the deviation drifts in the layers above");
  say("A norm gives every layer numbers of mean 0 and deviation 1, whatever the layers below do "
      "(gamma and beta move a little). Without it, the changes of all layers below add up.");
  finding(
      "The deviation of the top layer's input changes by a factor of {} without norms, {} with one",
      fixed(no_norm[2], 1), fixed(pre[2], 2));
}

}  // namespace xf::lesson_03
