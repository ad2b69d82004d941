#include <array>
#include <optional>

#include "ops/matmul/product_choice.hpp"
#include "support/transformers.hpp"
#include "tensor/random.hpp"
#include "train/adam.hpp"

namespace xf::test {

namespace {

Ids random_ids(int rows, int columns, int vocabulary, Random& random) {
  Ids ids = Ids::full({rows, columns}, 0);
  for (std::ptrdiff_t i = 0; i < ids.count(); ++i) ids[i] = 4 + random.below(vocabulary - 4);
  return ids;
}

// Twenty updates with dropout, all products on one path.
std::vector<double> losses(std::optional<kernel::ProductPath> path) {
  kernel::force_path(path);
  Random random(5);
  const TransformerConfig config{.source_vocabulary = 90,
                                 .target_vocabulary = 70,
                                 .d_model = 64,
                                 .d_ff = 128,
                                 .heads = 4,
                                 .encoder_layers = 2,
                                 .decoder_layers = 2,
                                 .dropout = 0.1};
  Transformer model(config, random);
  const Batch batch{random_ids(8, 16, 90, random), random_ids(8, 16, 70, random),
                    random_ids(8, 16, 70, random)};
  Adam adam(parameters(model));
  Gradients gradients;
  std::vector<double> found;
  for (std::uint64_t step = 0; step < 20; ++step) {
    const Training training(step);
    Tape tape;
    const Tensor loss = loss_of(model, batch);
    gradients.reset();
    tape.backward(loss, gradients);
    adam.step(gradients, 1e-3);
    found.push_back(loss.item());
  }
  return found;
}

}  // namespace

TEST_CASE("training: the losses with our products and with OpenBLAS's agree to rounding") {
  const std::vector<double> plain = losses(kernel::ProductPath::openblas);
  const std::vector<double> fastest = losses({});
  CHECK(plain.back() < 0.8 * plain.front());  // it learns, so that errors could show
  for (std::size_t step = 0; step < plain.size(); ++step) {
    CAPTURE(step);
    CHECK(std::abs(fastest[step] - plain[step]) < 1e-5 * plain[step]);
  }
}

}  // namespace xf::test
