#include "text/batches.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "support/errors.hpp"
#include "tensor/random.hpp"

using namespace xf;

namespace {

using Order = std::vector<int>;
using Numbers = std::vector<std::int32_t>;

// `count` examples of 1 to `longest` tokens and their source's <eos>.
std::vector<Example> some_examples(int count, int longest, std::uint64_t seed = 1) {
  Random random(seed);
  std::vector<Example> examples;
  for (int i = 0; i < count; ++i) {
    const int length = 1 + random.below(longest);
    Example e{Order(static_cast<std::size_t>(std::max(1, length + random.below(5) - 2)), 7),
              Order(static_cast<std::size_t>(length), 8)};
    e.source.push_back(2);
    examples.push_back(e);
  }
  return examples;
}

Order sorted_members(const std::vector<Order>& batches) {
  Order all;
  for (const Order& batch : batches) all.insert(all.end(), batch.begin(), batch.end());
  std::ranges::sort(all);
  return all;
}

// Padded and real target tokens of all batches.
std::pair<long, long> target_size(const std::vector<Example>& examples,
                                  const std::vector<Order>& batches) {
  long padded = 0, real = 0;
  for (const Order& batch : batches) {
    const Batch made = make_batch(examples, batch);
    padded += made.target_in.count();
    real += made.target_tokens;
  }
  return {padded, real};
}

void check_limits(const std::vector<Example>& examples, const std::vector<Order>& batches,
                  long limit) {
  for (const Order& batch : batches) {
    const Batch made = make_batch(examples, batch);
    const bool fits = made.source.count() <= limit && made.target_in.count() <= limit;
    CHECK((fits || batch.size() == 1));
  }
}

}  // namespace

TEST_CASE("make_batch: pads, shifts right and counts the tokens of the loss") {
  const std::vector<Example> examples = {{{9, 2}, {5}}, {{4, 5, 6, 2}, {7, 8}}, {{2}, {}}};
  const Batch batch = make_batch(examples, Order{1, 0, 2});
  CHECK(batch.source.shape() == Shape{3, 4});
  CHECK(batch.source.values() == Numbers{4, 5, 6, 2, 9, 2, 0, 0, 2, 0, 0, 0});
  CHECK(batch.target_in.shape() == Shape{3, 3});
  CHECK(batch.target_in.values() == Numbers{1, 7, 8, 1, 5, 0, 1, 0, 0});
  CHECK(batch.target_out.values() == Numbers{7, 8, 2, 5, 2, 0, 2, 0, 0});
  CHECK(batch.target_tokens == 6);
  CHECK(batch.order == Order{1, 0, 2});
  CHECK(batch.size() == 3);
}

TEST_CASE("make_batch: no examples and unknown examples are refused") {
  const std::vector<Example> examples = some_examples(3, 4);
  CHECK(test::error_of([&] { make_batch(examples, Order{}); }) == "make_batch: no examples");
  CHECK(test::error_of([&] { make_batch(examples, Order{0, 3}); }) == "make_batch: example 3 of 3");
  CHECK(test::error_of([&] { make_batch(examples, Order{-1}); }) == "make_batch: example -1 of 3");
}

TEST_CASE("length_bucketed_batches: every example once, within the limit, little padding") {
  const std::vector<Example> examples = some_examples(3000, 40);
  const auto batches = length_bucketed_batches(examples, 500, 1, 0);
  CHECK(sorted_members(batches) == all_of(examples));
  check_limits(examples, batches, 500);
  const auto [padded, real] = target_size(examples, batches);
  CHECK(static_cast<double>(real) / static_cast<double>(padded) > 0.95);
}

TEST_CASE("length_bucketed_batches: seed and epoch decide") {
  const std::vector<Example> examples = some_examples(500, 30);
  const auto batches = length_bucketed_batches(examples, 200, 1, 0);
  CHECK(batches == length_bucketed_batches(examples, 200, 1, 0));
  CHECK(batches != length_bucketed_batches(examples, 200, 1, 1));
  CHECK(batches != length_bucketed_batches(examples, 200, 2, 0));
}

TEST_CASE("length_bucketed_batches: neither batches nor their members come by length") {
  const std::vector<Example> examples = some_examples(500, 30);
  const auto length = [&](const Order& batch) { return examples[batch[0]].target.size(); };
  const auto a = length_bucketed_batches(examples, 200, 1, 0);
  CHECK_FALSE(std::ranges::is_sorted(a, {}, length));
  auto b = length_bucketed_batches(examples, 200, 1, 1);
  auto sorted_a = a;
  for (auto* batches : {&sorted_a, &b}) {
    for (Order& batch : *batches) std::ranges::sort(batch);
    std::ranges::sort(*batches);
  }
  CHECK(sorted_a != b);  // other sentences meet in the next epoch
}

TEST_CASE("batches: a sentence longer than the limit is a batch of its own") {
  std::vector<Example> examples = some_examples(20, 5);
  examples.push_back({Order(300, 7), Order(2, 8)});
  examples.push_back({Order(2, 7), Order(300, 8)});
  for (const auto& batches :
       {length_bucketed_batches(examples, 50, 1, 0), sorted_batches(examples, 50)}) {
    CHECK(sorted_members(batches) == all_of(examples));
    CHECK(std::ranges::count(batches, Order{20}) == 1);
    CHECK(std::ranges::count(batches, Order{21}) == 1);
    check_limits(examples, batches, 50);
  }
}

TEST_CASE("batches: a limit of 0 makes every sentence a batch") {
  const std::vector<Example> examples = some_examples(20, 5);
  CHECK(length_bucketed_batches(examples, 0, 1, 0).size() == 20);
  CHECK(sorted_batches(examples, 0).size() == 20);
}

TEST_CASE("batches: no examples give no batches") {
  CHECK(length_bucketed_batches({}, 100, 1, 0).empty());
  CHECK(sorted_batches({}, 100).empty());
}

TEST_CASE("sorted_batches: by target, then source length, equals in their order") {
  const std::vector<Example> examples = {
      {{4, 4, 2}, {5, 5}}, {{4, 2}, {5, 5}}, {{4, 4, 2}, {5}}, {{4, 2}, {6, 6}}};
  CHECK(sorted_batches(examples, 1000) == std::vector<Order>{{2, 1, 3, 0}});
  CHECK(sorted_batches(examples, 6) == std::vector<Order>{{2, 1}, {3, 0}});
}

TEST_CASE("split_batch: the parts hold the batch, are trimmed and share the work") {
  const std::vector<Example> examples = some_examples(200, 40);
  const Order which = all_of(examples);
  const auto work = [](const Batch& batch) {
    return batch.source.count() + batch.target_in.count();
  };
  for (int shards : {1, 2, 4}) {
    const std::vector<Batch> parts = split_batch(examples, which, shards);
    REQUIRE(static_cast<int>(parts.size()) == shards);
    Order members;
    long total = 0, largest = 0;
    for (const Batch& part : parts) {
      members.insert(members.end(), part.order.begin(), part.order.end());
      total += work(part);
      largest = std::max<long>(largest, work(part));
      std::size_t longest = 0;
      for (int i : part.order) longest = std::max(longest, examples[i].source.size());
      CHECK(part.source.size(1) == static_cast<int>(longest));
    }
    std::ranges::sort(members);
    CHECK(members == which);
    CHECK(static_cast<double>(largest) < 1.05 * static_cast<double>(total) / shards);
    CHECK(total <= work(make_batch(examples, which)));
  }
}

TEST_CASE("split_batch: long sentences go together") {
  std::vector<Example> examples;
  for (int i = 0; i < 4; ++i) {
    examples.push_back({Order(30, 7), Order(29, 8)});
    for (int j = 0; j < 10; ++j) examples.push_back({Order(3, 7), Order(2, 8)});
  }
  const std::vector<Batch> parts = split_batch(examples, all_of(examples), 2);
  REQUIRE(parts.size() == 2);
  CHECK(parts[0].source.size(1) == 3);
  CHECK(parts[1].size() == 4);
}

TEST_CASE("split_batch: fewer sentences than shards give that many parts") {
  const std::vector<Example> examples = some_examples(3, 5);
  CHECK(split_batch(examples, all_of(examples), 8).size() == 3);
  CHECK(split_batch(examples, Order{1}, 2).size() == 1);
  CHECK(test::error_of([&] { split_batch(examples, Order{1}, 0); }) == "split_batch: 0 shards");
  CHECK(test::error_of([&] { split_batch(examples, Order{}, 2); }) == "split_batch: no examples");
}
