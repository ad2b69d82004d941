#include "08_transformer_xl/baselines/any_stack.hpp"

#include "support/errors.hpp"
#include "support/language_models.hpp"

namespace xf::test {

namespace {

TransformerXlConfig of_kind(const std::string& kind, const std::string& norm = "post") {
  return small(norm, named<ModelKind>(kind));
}

}  // namespace

TEST_CASE("segment_model: programs train and read the very model of the chapter") {
  const TransformerXlConfig config = of_kind("transformer_xl");
  Random one(4), other(4);
  const SegmentModel taught(config, one);
  const AnySegmentModel trained(config, other);
  for (const Remembered what : {Remembered::states, Remembered::keys}) {
    Memory memory = taught.start(what), any = trained.start(what);
    for (int segment = 0; segment < 3; ++segment) {
      const Ids ids = random_ids({2, 3}, 9, static_cast<std::uint64_t>(segment));
      expect_same("logits", trained(ids, any), taught(ids, memory));
    }
  }
}

TEST_CASE("segment_model: the kind of the config, and what means nothing to it is refused") {
  CHECK(lively_model(of_kind("transformer_xl"), 1).stack.kind.index() == 0);
  CHECK(lively_model(of_kind("vanilla"), 1).stack.kind.index() == 1);
  CHECK(lively_model(of_kind("recurrent_vanilla"), 1).stack.kind.index() == 1);
  CHECK(lively_model(of_kind("lstm"), 1).stack.kind.index() == 2);
  const auto refusal = [](const std::string& kind, const char* names, auto change) {
    TransformerXlConfig config = of_kind(kind);
    change(config);
    expect_user_error([&] { lively_model(config, 1); }, {names});
  };
  refusal("vanilla", "memory: ", [](TransformerXlConfig& c) { c.memory = 1; });
  refusal("vanilla", "clamp: ", [](TransformerXlConfig& c) { c.clamp = 1; });
  refusal("recurrent_vanilla", "untie: ", [](TransformerXlConfig& c) { c.untie = true; });
  refusal("lstm", "memory: ", [](TransformerXlConfig& c) { c.memory = 1; });
  refusal("lstm", "extended: ", [](TransformerXlConfig& c) { c.extended = 1; });
  refusal("recurrent_vanilla",
          "same_length: ", [](TransformerXlConfig& c) { c.same_length = true; });
}

TEST_CASE("vanilla: a segment is read as if there had been none before") {
  const AnySegmentModel model = lively_model(of_kind("vanilla"), 1);
  Memory memory = model.start(), fresh = model.start();
  model.hidden(random_ids({2, 3}, 9, 2), memory);
  const Ids ids = random_ids({2, 3}, 9, 3);
  expect_same("second segment", model.hidden(ids, memory), model.hidden(ids, fresh));
  CHECK(memory.present_length() == 0);
}

TEST_CASE("recurrent_vanilla: one layer is an encoder layer over both segments' inputs") {
  for (const std::string norm : {"post", "pre"}) {
    TransformerXlConfig config = of_kind("recurrent_vanilla", norm);
    config.layers = 1;
    const AnySegmentModel model = lively_model(config, 1);
    const Ids first = random_ids({2, 3}, 9, 2), second = random_ids({2, 3}, 9, 3);
    Memory memory = model.start();
    model.hidden(first, memory);
    CHECK(memory.present_length() == 3);
    // The positions of both are 0, 1, 2.
    const Tensor inputs = concat(add_positions(model.embedding(first)),
                                 add_positions(model.embedding(second)), 1);           // (B, 2T, D)
    const Tensor both = model.stack.as<Vanilla>().encoder(inputs, causal_mask(6, 6));  // (B, 2T, D)
    expect_close(norm, model.hidden(second, memory), slice(both, 1, 3, 3), 1e-5);
  }
}

TEST_CASE("recurrent_vanilla: gradients match finite differences, and stop at the memory") {
  for (const std::string norm : {"post", "pre"}) {
    TransformerXlConfig config = of_kind("recurrent_vanilla", norm);
    config.layers = 1;
    AnySegmentModel model = lively_model(config, 1);
    check_second_segment("recurrent_vanilla", model);
  }
}

TEST_CASE("recurrent_vanilla: as many parameters as the vanilla model") {
  AnySegmentModel one = lively_model(of_kind("vanilla"), 1),
                  other = lively_model(of_kind("recurrent_vanilla"), 1);
  CHECK(parameter_count(parameters(one)) == parameter_count(parameters(other)));
}

}  // namespace xf::test
