// Lesson 12, sections 8 and 9: when more machines no longer pay, and the memory that they need.

#include <numeric>

#include "00_foundations/next_letter.hpp"
#include "12_many_machines/lesson.hpp"
#include "autograd/tape.hpp"
#include "nn/init.hpp"
#include "ops/cross_entropy/cross_entropy.hpp"
#include "ops/matmul/matmul.hpp"
#include "ops/shape/shape_ops.hpp"
#include "speech/show.hpp"
#include "tensor/parallel.hpp"
#include "tensor/portable_math.hpp"

namespace xf::many_machines {

namespace {

constexpr int examples = 2048, width = 16, classes = 4;

// Examples with classes sampled from a linear model: it can be learned, but none is certain.
struct Data {
  Tensor x;  // (examples, width)
  Ids y;
};

Data draw(Random& random) {
  const Tensor teacher = normal({width, classes}, 0.5, random);
  Data data{normal({examples, width}, 1, random), Ids::full({examples}, 0)};
  float* numbers = data.x.data(SameCpu{});  // features on different scales, as in any real task
  for (int i = 0; i < examples * width; ++i)
    numbers[i] /= 1 + 0.25f * static_cast<float>(i % width);
  const Tensor logits = matmul(data.x, teacher);
  for (int i = 0; i < examples; ++i) {
    int best = 0;
    double most = -1e30;
    for (int c = 0; c < classes; ++c) {  // Gumbel's trick: the largest of logit + noise
      const double noise = -portable::log(-portable::log(random.uniform() + 1e-12));
      const double value = double(logits.values()[i * classes + c]) + noise;
      if (value > most) most = value, best = c;
    }
    data.y[i] = best;
  }
  return data;
}

struct Step {
  double loss;
  Tensor gradient;
};

// The step for a batch of these examples.
Step step_of(const Tensor& w, const Data& data, const std::vector<int>& batch) {
  Tape tape;
  Ids y = Ids::full({static_cast<int>(batch.size())}, 0);
  for (std::size_t i = 0; i < batch.size(); ++i) y[static_cast<int>(i)] = data.y[batch[i]];
  const Tensor loss = cross_entropy_in_place(matmul(gather_rows(data.x, batch), w), y);
  return {double(loss.item()), tape.backward(loss).of(w)};
}

std::vector<int> drawn(int size, Random& random) {
  std::vector<int> batch(static_cast<std::size_t>(size));
  for (int& i : batch) i = random.below(examples);
  return batch;
}

double loss_of_all(const Tensor& w, const Data& data) {
  return double(cross_entropy(matmul(data.x, w), data.y).item());
}

constexpr int max_updates = 2000;

// The number of plain gradient descent updates until the loss over all examples is below `wanted`,
// with the best of several rates. The first rate works for every batch size, and its count is an
// upper limit for the others.
int updates_needed(const Data& data, int batch, double wanted, std::uint64_t seed) {
  int least = max_updates;
  for (const float rate : {0.25f, 0.125f, 0.5f, 1.0f, 2.0f, 4.0f}) {
    Random random(seed);  // the same batches for each rate
    Tensor w = parameter(Tensor::zeros({width, classes}));
    for (int update = 1; update < least; ++update) {
      descend(w, step_of(w, data, drawn(batch, random)).gradient, rate);
      if (loss_of_all(w, data) < wanted) {
        least = update;
        break;
      }
    }
  }
  return least;
}

double square_norm(const Tensor& x) {
  double sum = 0;
  for (std::ptrdiff_t i = 0; i < x.count(); ++i) sum += double(x.values()[i]) * x.values()[i];
  return sum;
}

// tr(Sigma) / |G|^2, where Sigma is the covariance of one example's gradient and G the mean.
double noise_scale(const Tensor& w, const Data& data, const std::vector<int>& all, Random& random) {
  const double of_mean = square_norm(step_of(w, data, all).gradient);
  double of_one = 0;
  constexpr int drawn_examples = 512;
  for (int i = 0; i < drawn_examples; ++i)
    of_one += square_norm(step_of(w, data, drawn(1, random)).gradient) / drawn_examples;
  return (of_one - of_mean) / of_mean;
}

}  // namespace

void noise_section(Random& random) {
  section("When it no longer pays");
  say("More machines mean larger batches. The gradient of a batch of B examples has sqrt(B) times "
      "less noise than that of one example. While the noise is larger than the gradient, doubling "
      "the batch saves half of the updates; once it is smaller, a larger batch saves nothing. The "
      "batch size at which both are equal is the noise scale (McCandlish et al. 2018):");
  equation("B_noise = tr(Sigma) / |G|^2");
  const Data data = draw(random);
  Tensor w = parameter(Tensor::zeros({width, classes}));
  std::vector<int> all(examples);
  std::iota(all.begin(), all.end(), 0);
  const double at_first = loss_of_all(w, data), noise_at_first = noise_scale(w, data, all, random);
  for (int update = 0; update < 200; ++update) descend(w, step_of(w, data, all).gradient, 2);
  const double wanted = loss_of_all(w, data) + 0.01;
  w = parameter(Tensor::zeros({width, classes}));
  while (loss_of_all(w, data) > wanted + 0.01) descend(w, step_of(w, data, all).gradient, 1);
  say("In a softmax regression with {} examples, the noise scale is {} at the beginning, where the "
      "loss is {}, and {} shortly before the loss reaches {}. It grows while a model learns.",
      examples, fixed(noise_at_first, 0), fixed(at_first, 3),
      fixed(noise_scale(w, data, all, random), 0), fixed(wanted, 3));
  Table table({"batch", "updates", "examples seen"});
  constexpr int count = 5, batches[count] = {8, 32, 128, 512, 2048};
  std::uint64_t seeds[count];
  for (std::uint64_t& seed : seeds) seed = random.bits();
  const std::vector<int> needed = each_in_parallel(
      count, [&](int i) { return updates_needed(data, batches[i], wanted, seeds[i]); });
  for (int i = 0; i < count; ++i) {
    const int updates = needed[static_cast<std::size_t>(i)];
    table.row({std::to_string(batches[i]), std::to_string(updates),
               std::to_string(updates * batches[i])});
  }
  say("Updates until the loss of all examples is below {}, with the best of six rates:",
      fixed(wanted, 3));
  table.print();
  claim(needed[0] > 4 * needed[2],
        "16 times a small batch saves more than three quarters of the updates");
  claim(needed[4] * 2 > needed[3], "four times a large batch saves less than half of them");
  finding(
      "It takes {} updates with batches of 8, {} with 128, {} with 512 and still {} with 2,048.",
      needed[0], needed[2], needed[3], needed[4]);
}

void memory_section() {
  section("What each machine must remember");
  say("Training with Adam keeps 16 bytes per parameter: the weight, its gradient and two "
      "moments. Usually every machine has all of them. If instead each machine keeps the "
      "moments of only its n-th of the parameters, updates these, and sends the new weights to "
      "all others (ZeRO, stage 1; Rajbhandari et al. 2020), it keeps 8 + 8 / n bytes per "
      "parameter. No more bytes are sent than before, because weights are sent instead of sums "
      "of gradients. The flag is --shared-state.");
  constexpr double millions = 65;
  Table table({"machines", "all of it, MB", "--shared-state, MB"});
  for (const int n : {1, 2, 4, 8, 64})
    table.row({std::to_string(n), fixed(16 * millions, 0), fixed((8 + 8.0 / n) * millions, 0)});
  table.print();
  say("Transformer-XL needs more. Each stream of the text has its own memory of layers x M x D "
      "states, which its next segment reads. So a stream stays on its machine, while sentences are "
      "redistributed for each batch. With 6 layers, M = 150, D = 256 and 60 streams the memories "
      "take {} MB, all of which would otherwise have to be sent at every step. The checkpoint "
      "stores the memories by stream, so a run can be resumed on a different number of machines.",
      fixed(6 * 150 * 256 * 60 * 4 / 1e6, 0));
  finding("Shared out among n machines, Adam needs 8 + 8/n bytes a parameter instead of 16.");
}

}  // namespace xf::many_machines
