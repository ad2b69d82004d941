#include "03_layer_norm/lesson_measure.hpp"
#include "live/session.hpp"
#include "ops/reduce/reduce.hpp"

namespace xf::live {

namespace {

using namespace lesson_03;

class NormSession : public Session {
 public:
  NormSession(Block block, int warm_up, int layers, int updates, std::uint64_t seed)
      : training_(block, warm_up, seed, layers, rate),
        warm_up_(warm_up),
        updates_(updates),
        seed_(seed) {}

  std::vector<NamedParameter> parameters() override { return xf::parameters(training_.stack()); }
  int updates() const override { return updates_; }
  Json about() const override {
    const std::vector<Layer>& layers = training_.stack().layers;
    return {{"layers", layers.size()},
            {"d_model", d_model},
            {"heads", layers[0].attention.heads},
            {"batch", batch},
            {"length", length},
            {"vocabulary", vocabulary},
            {"rate", rate},
            {"warmup", warm_up_}};
  }
  double step() override { return training_.step(); }

  double held_out() override {
    Random random(seed_, held_out_stream);
    double sum = 0;
    for (int i = 0; i < held_out_batches; ++i) {
      const Ids ids = random_ids(random);
      sum += cross_entropy(training_.stack()(ids), ids).item();
    }
    return sum / held_out_batches;
  }

  Json score(Fields& request) override {
    request.done();
    Random random(seed_, held_out_stream);
    int right = 0, all = 0;
    for (int i = 0; i < held_out_batches; ++i) {
      const Ids ids = random_ids(random);
      for (const int best : argmax(training_.stack()(ids)))
        right += best == ids[all++ % ids.count()];
    }
    return {{"right", right}, {"of", all}, {"share", double(right) / all}};
  }

 private:
  static constexpr double rate = 0.003;
  static constexpr std::uint64_t held_out_stream = 1;
  static constexpr int held_out_batches = 4;

  CopyTraining training_;
  int warm_up_, updates_;
  std::uint64_t seed_;
};

}  // namespace

std::unique_ptr<Session> norm_session(Fields options, std::uint64_t seed) {
  const auto block = static_cast<Block>(
      options.choice("norm", {"post", "pre", "overwritten", "no_residual", "no_norm", "neither"}));
  const int warm_up = options.integer("warmup", 0, 10000, 0);
  const int layers = options.integer("layers", 1, 24, 8);
  const int updates = options.integer("updates", 1, 10000, 240);
  options.done();
  return std::make_unique<NormSession>(block, warm_up, layers, updates, seed);
}

}  // namespace xf::live
