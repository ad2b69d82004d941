// Lesson 2, section 9: which step waits for which, in attention and in a recurrent network.

#include <algorithm>
#include <functional>

#include "02_attention/lesson.hpp"
#include "02_attention/recurrent.hpp"
#include "ops/shape/shape_ops.hpp"
#include "speech/show.hpp"
#include "tensor/parallel.hpp"
#include "train/progress.hpp"

namespace xf::lesson_02 {
namespace {

constexpr int width = 256;

// Milliseconds with this many threads, the best of 3.
double milliseconds(int thread_count, const std::function<void()>& work) {
  const int before = threads();
  set_threads(thread_count);
  const double best = fastest_ms(3, work);
  set_threads(before);
  return best;
}

}  // namespace

void waiting(const Options& options) {
  say("A recurrent network (section 11) multiplies less, T D^2 for a sentence. But each of its T "
      "steps waits for the one before, so extra threads have nothing to do; attention computes "
      "each of its four stages (projections, scores, mixture, projection) for all words at once. "
      "The number of stages that wait for one another:");
  const std::vector<int> counts = {1, std::max(2, threads())};
  std::vector<Phrase> heading = {"T"};
  for (const Words name : {"recurrent", "attention"}) {
    heading.push_back(name);
    for (const int count : counts)
      if (options.time)
        heading.push_back(std::to_string(count) + (count == 1 ? " thread, ms" : " threads, ms"));
  }
  Random random(options.seed, 9);
  const Recurrent recurrent(1, width, 1.0, random);
  const MultiHeadAttention attention(width, 8, 0, random);
  Table table(heading);
  for (const int length : {32, 128, 512, 2048}) {
    const Tensor x = normal({1, length, width}, 1, random);
    std::vector<Tensor> words;
    for (int t = 0; t < length; ++t) words.push_back(slice(x, 1, t, 1));  // (1, 1, D)
    std::vector<Phrase> cells = {std::to_string(length)};
    const auto stages = [&](int count, const std::function<void()>& work) {
      cells.push_back(std::to_string(count));
      for (const int thread_count : counts)
        if (options.time) cells.push_back(fixed(milliseconds(thread_count, work), 2));
    };
    stages(length, [&] { recurrent(words); });
    stages(4, [&] { attention(x, x, {}); });
    table.row(cells);
  }
  table.print();
}

}  // namespace xf::lesson_02
