#include "ops/embedding/embedding.hpp"

#include "ops/elementwise/elementwise.hpp"

#include "support/golden.hpp"
#include "support/grad_check.hpp"
#include "support/xt_reference.hpp"

namespace xf::test {

TEST_CASE("embedding: the rows that the ids name, worked by hand") {
  const Tensor table = Tensor::from({3, 2}, {1, 2, 3, 4, 5, 6});
  expect_same("y", embedding(Ids({1, 3}, {2, 0, 2}), table),
              Tensor::from({1, 3, 2}, {5, 6, 1, 2, 5, 6}));
}

TEST_CASE("embedding: backward adds up every occurrence of an id") {
  const Tensor table = parameter(Tensor::zeros({4, 2}));
  Tape tape;
  const Tensor y = embedding(Ids({1, 3}, {2, 0, 2}), table);
  const Tensor dy = Tensor::from({1, 3, 2}, {1, 2, 10, 20, 100, 200});
  const Gradients gradients = tape.backward(weighted_sum(y, dy));
  expect_same("dtable", gradients.of(table), Tensor::from({4, 2}, {10, 20, 0, 0, 101, 202, 0, 0}));
}

TEST_CASE("embedding: agrees with the xtensor formula") {
  const Tensor table = random_leaf({7, 5}, 1);
  const Ids ids({2, 3}, {6, 0, 3, 3, 1, 6});
  expect_same("embedding", embedding(ids, table), xt_reference::embedding(ids, table));
}

TEST_CASE("embedding: forward and gradients agree with PyTorch") {
  const Ids ids = ops_golden().ids("embedding/ids");
  check_case(ops_golden(), "embedding", {"table"},
             [&](const Inputs& in) { return embedding(ids, in[0]); });
}

TEST_CASE("embedding: backward matches finite differences, the table used twice") {
  const Tensor table = random_leaf({5, 3}, 2);
  const Ids ids({2, 3}, {4, 0, 4, 1, 1, 2}), others({2, 3}, {0, 0, 3, 4, 1, 4});
  check_gradients("embedding", {{"table", table}}, [&] { return embedding(ids, table); });
  check_gradients("embedding twice", {{"table", table}},
                  [&] { return embedding(ids, table) * embedding(others, table); });
}

TEST_CASE("embedding: bad ids and shapes are refused, named in the message") {
  const Tensor table = Tensor::zeros({3, 2});
  expect_error([&] { embedding(Ids({1, 2}, {0, 3}), table); }, {"embedding: ", "3"});
  expect_error([&] { embedding(Ids({1, 2}, {-1, 0}), table); }, {"embedding: ", "-1", "3"});
  expect_error([&] { embedding(Ids({2}, {0, 1}), table); }, {"embedding: ", "(2)", "(3, 2)"});
  expect_error([&] { embedding(Ids({1, 1}, {0}), zeros(3)); }, {"embedding: ", "(1, 1)", "(3)"});
}

}  // namespace xf::test
