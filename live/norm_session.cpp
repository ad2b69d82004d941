#include "03_layer_norm/lesson_measure.hpp"
#include "live/session.hpp"
#include "ops/reduce/reduce.hpp"

namespace xf::live {

namespace {

using namespace lesson_03;

class NormSession : public Session {
 public:
  NormSession(Block block, int warm_up, int layers, int updates, std::uint64_t seed)
      : training_(block, warm_up, seed, layers), updates_(updates), seed_(seed) {}

  std::int64_t parameters() override { return parameter_count(xf::parameters(training_.stack())); }
  int updates() const override { return updates_; }
  double step() override { return training_.step(); }

  Json score(Fields& request) override {
    request.done();
    Random random(seed_, 1);
    int right = 0, all = 0;
    for (int i = 0; i < 4; ++i) {
      const Ids ids = random_ids(random);
      for (const int best : argmax(training_.stack()(ids)))
        right += best == ids[all++ % ids.count()];
    }
    return {{"right", right}, {"of", all}, {"share", double(right) / all}};
  }

 private:
  CopyTraining training_;
  int updates_;
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
