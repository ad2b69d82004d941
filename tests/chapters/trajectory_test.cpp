#include <array>

#include "support/transformers.hpp"
#include "train/adam.hpp"
#include "train/schedule.hpp"

// Ten updates of the whole model, compared with torch.optim.Adam, update by update.
namespace xf::test {

namespace {

struct Run {
  std::vector<float> losses, norms;
};

template <class LearningRate>
Run train(Transformer& model, const std::string& name, const AdamOptions& options, double longest,
          const LearningRate& learning_rate) {
  Adam adam(parameters(model), options);
  Gradients gradients;
  Run run;
  for (int step = 1; step <= 10; ++step) {
    Tape tape;
    const Tensor loss = loss_of(model, golden_batch(name, (step - 1) % 2));
    gradients.reset();
    tape.backward(loss, gradients);
    run.losses.push_back(loss.item());
    GradientSums sums = sum_of(parameters(model), gradients);
    run.norms.push_back(static_cast<float>(clip(sums, longest)));
    adam.step(sums, learning_rate(step));
  }
  return run;
}

// The key biases have no gradient but round-off (golden.hpp), which Adam blows up to steps of the
// size of the learning rate; they change nothing that the model computes.
void expect_final(Transformer& model, const std::string& prefix) {
  for (const NamedParameter& p : parameters(model)) {
    if (p.name.ends_with("w_k.bias")) continue;
    expect_close(prefix + p.name, *p.tensor, transformer_golden()(prefix + p.name), trajectory);
  }
}

}  // namespace

TEST_CASE("training: ten updates with a constant rate follow PyTorch's trajectory") {
  Transformer model = golden_model("post");
  const Run run = train(model, "post", {.beta1 = 0.9, .beta2 = 0.98, .epsilon = 1e-9}, 0,
                        [](int) { return 1e-3; });
  expect_close("losses", numbers(run.losses), transformer_golden()("train.constant/losses"),
               trajectory);
  expect_final(model, "train.constant/final/");
}

TEST_CASE("training: ten updates with Noam's warm-up and clipping follow PyTorch's trajectory") {
  Transformer model = golden_model("pre");
  const int warmup = 4;
  const Schedule noam{
      .kind = ScheduleKind::noam, .peak = 0.1 * noam_peak(12, warmup), .warmup = warmup};
  const Run run = train(model, "pre", {.beta1 = 0.9, .beta2 = 0.98, .epsilon = 1e-9}, 1,
                        [&](int step) { return noam(step); });
  expect_close("losses", numbers(run.losses), transformer_golden()("train.noam/losses"),
               trajectory);
  expect_close("norms", numbers(run.norms), transformer_golden()("train.noam/norms"), trajectory);
  expect_final(model, "train.noam/final/");
}

}  // namespace xf::test
