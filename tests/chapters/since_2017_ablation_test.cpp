#include "09_since_2017/experiments/ablation.hpp"
#include "nn/parameters.hpp"
#include "support/errors.hpp"

namespace xf::since_2017 {

using namespace xf::test;

TEST_CASE("ablation: the parts are swapped, and as many parameters are left") {
  const std::vector<Variant> all = variants({}, 66);
  REQUIRE(all.size() == 7);
  const std::int64_t wanted = parameters_of(all[0]);
  // 66 D + 3 (3 D^2 + 3 D Dff + 2 D) + D, with D = 64, Dff = 168 and half of the heads of keys
  CHECK(wanted == 66 * 64 + 3 * (3 * 64 * 64 + 3 * 64 * 168 + 2 * 64) + 64);
  for (const Variant& each : all)
    CHECK(std::abs(parameters_of(each) - wanted) <= 3 * 3 * 64 / 2);  // half a hidden unit a layer
  CHECK(cache_bytes(all[0]) == 3 * 2 * 2 * 16 * 4);
  CHECK(cache_bytes(all[5]) == 2 * cache_bytes(all[0]));
  CHECK(cache_bytes(all[6]) == 2 * cache_bytes(all[0]));
}

TEST_CASE("ablation: sinusoidal positions are those of chapter 1, and no parameter") {
  const std::vector<Variant> all = variants({}, 66);
  const DecoderOnly model = make_model(all[2], 1);
  CHECK(model.positions.data(Cpu{})[1] == 0.125f);  // cos 0 / sqrt(64)
  DecoderOnly learned = make_model(all[1], 1);
  CHECK(parameter_count(parameters(learned)) == parameters_of(all[1]));
}

TEST_CASE("ablation: the loss at a time lies on the line between two points") {
  const Curve curve = {{10, 1.0, 3.0}, {20, 2.0, 2.0}, {30, 4.0, 1.0}};
  CHECK(nats_at(curve, 1.5) == 2.5);
  CHECK(nats_at(curve, 3.0) == 1.5);
  CHECK(nats_at(curve, 9.0) == 1.0);
}

TEST_CASE("ablation: sizes that make no model are refused") {
  AblationOptions odd;
  odd.heads = 3;
  expect_user_error([&] { check_options(odd); }, {"half of"});
  AblationOptions shared;
  shared.key_value_heads = 3;
  expect_user_error([&] { check_options(shared); }, {"divisor"});
}

}  // namespace xf::since_2017
