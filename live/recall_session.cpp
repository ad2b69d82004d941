#include "08_transformer_xl/experiments/recall.hpp"
#include "io/utf8.hpp"
#include "live/maps.hpp"
#include "live/session.hpp"
#include "ops/reduce/reduce.hpp"

namespace xf::live {

namespace {

using namespace lesson_08;

constexpr int shown = 5;  // episodes

// In the same order of random draws as the lesson: the vanilla model after the Transformer-XL.
AnySegmentModel fresh(bool vanilla, bool memory, int segment, std::uint64_t seed) {
  Random draw(seed, 6);
  TransformerXlConfig sizes = recall_sizes(segment);
  if (!memory) sizes.memory = 0;
  AnySegmentModel xl(sizes, draw);
  return vanilla ? AnySegmentModel(as_vanilla(vanilla_equal(sizes)), draw) : xl;
}

class RecallSession : public Session {
 public:
  RecallSession(AnySegmentModel model, int updates, std::uint64_t seed)
      : model_(std::move(model)),
        training_(model_, seed, updates),
        updates_(updates),
        seed_(seed) {}

  std::vector<NamedParameter> parameters() override { return xf::parameters(model_); }
  int updates() const override { return updates_; }
  Json about() const override {
    const auto& c = model_.config;
    return {{"layers", c.layers},
            {"d_model", c.d_model},
            {"heads", c.heads},
            {"batch", RecallTraining::batch},
            {"segment", c.segment},
            {"rate", RecallTraining::rate},
            {"warmup", RecallTraining::warmup}};
  }
  double step() override { return training_.step(); }

  double held_out() override {
    Random random(seed_, held_out_stream);
    const Episodes episodes(held_out_episodes, random, model_.config.segment);
    const CrossEntropyOptions mean{.divisor = double(held_out_episodes)};
    return cross_entropy(episodes.logits(model_), episodes.expected, mean).item();
  }

  Json score(Fields& request) override {
    const bool memory = request.boolean("memory", true);
    const int count = request.integer("count", 1, 4096, 1024);
    request.done();
    Random random(seed_, held_out_stream);
    const Episodes one(1, random, model_.config.segment);
    const Episodes tested(count, random, model_.config.segment);
    const Tensor scores = logits(tested, memory);
    const int right = tested.right(scores);
    return {{"right", right},
            {"of", count},
            {"share", double(right) / count},
            {"examples", examples(tested, argmax(scores))},
            {"look", look(one, memory)}};
  }

 private:
  // The logits of the second segment, after the first one or on its own.
  Tensor logits(const Episodes& episodes, bool memory) const {
    if (memory) return episodes.logits(model_);
    Memory none = model_.start();
    return model_(episodes.second, none);
  }

  Json examples(const Episodes& episodes, const std::vector<int>& best) const {
    Json list = Json::array();
    const int segment = model_.config.segment;
    const auto names = [&](const Ids& ids, int row) {
      const std::int32_t* first = ids.begin() + row * segment;
      return joined(Episodes::names(Ids({segment}, std::span(first, std::size_t(segment)))), " ");
    };
    for (int row = 0; row < std::min(shown, episodes.second.size(0)); ++row) {
      const int place = row * segment + episodes.asked[std::size_t(row)];
      const std::string expected = Episodes::name_of(episodes.expected[place]);
      const std::string written = name_of(best[std::size_t(place)]);
      list.push_back({{"first", names(episodes.first, row)},
                      {"second", names(episodes.second, row)},
                      {"expected", expected},
                      {"written", written}});
    }
    return list;
  }

  // The name of a token that the model may output, special tokens included.
  static std::string name_of(int id) {
    return id < special_count ? "<" + std::to_string(id) + ">" : Episodes::name_of(id);
  }

  // Where the model attends to from the second segment of an episode.
  Json look(const Episodes& one, bool memory) const {
    Memory before = model_.start();
    if (memory) model_.hidden(one.first, before);
    const int remembered = before.present_length();
    Recorder recorder({"weights"});
    model_(one.second, before);
    const bool xl = model_.stack.is<TransformerXl>();
    const std::vector<std::string> rows = Episodes::names(one.second);
    std::vector<std::string> columns = Episodes::names(one.first);
    columns.erase(columns.begin(), columns.end() - remembered);
    columns.insert(columns.end(), rows.begin(), rows.end());
    return {{"rows", rows},
            {"columns", columns},
            {"boundary", remembered},
            {"asked", one.asked[0]},
            {"secret", remembered ? Json(one.secrets[0]) : Json()},
            {"maps", maps(recorder, xl ? "layers.*.attention.weights"
                                       : "encoder.layers.*.self_attention.weights")}};
  }

  static constexpr std::uint64_t held_out_stream = 5;
  static constexpr int held_out_episodes = 64;

  AnySegmentModel model_;
  RecallTraining training_;
  int updates_;
  std::uint64_t seed_;
};

}  // namespace

std::unique_ptr<Session> recall_session(Fields options, std::uint64_t seed) {
  const bool vanilla = options.choice("model", {"transformer_xl", "vanilla"}) == 1;
  const bool memory = options.boolean("memory", true);
  const int segment = options.integer("segment", 2, 32, 8);
  const int updates = options.integer("updates", 1, 10000, 600);
  options.done();
  return std::make_unique<RecallSession>(fresh(vanilla, memory, segment, seed), updates, seed);
}

}  // namespace xf::live
