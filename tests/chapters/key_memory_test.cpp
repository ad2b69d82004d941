#include "08_transformer_xl/memory.hpp"

#include "08_transformer_xl/program/language_model.hpp"
#include "support/language_models.hpp"

namespace xf::test {

namespace {

std::vector<TransformerXlConfig> variants() {
  std::vector<TransformerXlConfig> all;
  for (const std::string norm : {"post", "pre"})
    for (const bool same_length : {false, true})
      for (const int extended : {0, 2})
        for (const int memory : {1, 3, 8}) {
          TransformerXlConfig c = small(norm);
          c.same_length = same_length, c.extended = extended, c.memory = memory;
          c.untie = memory == 3, c.clamp = memory == 8 ? 4 : 0;
          all.push_back(c);
        }
  return all;
}

// The likeliest tokens after `prompt`, with the memory's states projected again for every one.
std::vector<int> greedy_with_states(const AnySegmentModel& model, std::vector<std::int32_t> prompt,
                                    int length) {
  Memory memory = model.start();
  memory.extended_length = 0;
  const auto count = static_cast<int>(prompt.size());
  Tensor logits;
  for (int begin = 0; begin < count; begin += model.config.segment)
    logits = model(
        columns(Ids({1, count}, prompt), begin, std::min(count, begin + model.config.segment)),
        memory);
  std::vector<int> made;
  while (true) {
    const float* last = logits.values().end() - logits.size(-1);
    int best = 2;  // <eos>; never <pad>, <bos>, <unk>
    for (int id = 4; id < logits.size(-1); ++id)
      if (last[id] > last[best]) best = id;
    made.push_back(best);
    if (static_cast<int>(made.size()) == length) return made;
    logits = model(Ids({1, 1}, {best}), memory);
  }
}

}  // namespace

TEST_CASE("key_memory: the logits of every segment are those of the memory of states") {
  for (const TransformerXlConfig& config : variants()) {
    const AnySegmentModel model = lively_model(config, 1);
    Memory states = model.start();
    Memory keys = model.start(Remembered::keys);
    for (int t : {3, 1, 4, 9, 1, 3}) {  // 9: more keys than the model's table of positions has
      const Ids ids = random_ids({2, t}, 9, static_cast<std::uint64_t>(t));
      expect_close("logits", model(ids, keys), model(ids, states), 1e-5);
      CHECK(keys.present_length() == states.present_length());
    }
  }
}

TEST_CASE("key_memory: without a memory, every segment stands alone") {
  TransformerXlConfig config = small("post");
  config.memory = 0;
  const AnySegmentModel model = lively_model(config, 1);
  Memory keys = model.start(Remembered::keys);
  Memory states = model.start();
  for (int i = 0; i < 2; ++i) {
    const Ids ids = random_ids({1, 3}, 9, 2);
    expect_close("logits", model(ids, keys), model(ids, states), 1e-5);
  }
}

TEST_CASE("generate: the cached keys write exactly the tokens that the states write") {
  for (const TransformerXlConfig& config : variants()) {
    const AnySegmentModel model = lively_model(config, 7);
    for (const std::vector<std::int32_t>& prompt :
         {std::vector<std::int32_t>{2}, std::vector<std::int32_t>{2, 5, 4, 8, 6, 7, 4}}) {
      const std::vector<int> tokens =
          language::generate(model, prompt, {.length = 40, .temperature = 0});
      CHECK(tokens == greedy_with_states(model, prompt, 40));
    }
  }
}

}  // namespace xf::test
