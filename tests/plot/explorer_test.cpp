#include "plot/explorer.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "io/page.hpp"

using namespace xf;

namespace {

// Two tokens, one layer, one head: each query looks at itself with `share`.
AttentionView two_by_two(float share) {
  return {.kind = AttentionKind::encoder,
          .queries = {"a", "</script>"},
          .keys = {"a", "b"},
          .checkpoints = {
              {{.weights = Tensor::from({1, 1, 2, 2}, {share, 1 - share, 1 - share, share})}}}};
}
Explorer page_of(AttentionView view) {
  return {.title = "<t>", .sentence = {}, .checkpoints = {"end"}, .views = {std::move(view)}};
}

nlohmann::json data_of(const std::string& html) {
  const std::string open = "id=\"data\">";
  const std::size_t at = html.find(open) + open.size();
  return nlohmann::json::parse(html.substr(at, html.find("</script>", at) - at));
}

}  // namespace

TEST_CASE("explorer: the data of the page are the tensors, and no token ends their element") {
  const std::string html = explorer_html(page_of(two_by_two(0.75f)));
  CHECK(html.find("<title>&lt;t></title>") != std::string::npos);
  const nlohmann::json data = data_of(html);
  CHECK(data["views"][0]["queries"][1] == "</script>");
  CHECK(data["views"][0]["reach"] == nlohmann::json({0, 1, 0, 1}));
  const nlohmann::json weights = data["views"][0]["checkpoints"][0][0]["weights"];
  CHECK(weights["low"] == 0.0);
  CHECK(weights["step"].get<double>() == doctest::Approx(1 / 65535.0));
  CHECK(weights["data"] == "/78AQABA/78=");  // 49151, 16384, 16384, 49151, the low byte first
  CHECK(!data["views"][0]["checkpoints"][0][0].contains("scores"));
}

TEST_CASE("explorer: what does not fit together is refused") {
  CHECK_THROWS_AS(explorer_html({}), std::invalid_argument);
  AttentionView view = two_by_two(1);
  view.keys.pop_back();
  CHECK_THROWS_AS(explorer_html(page_of(view)), std::invalid_argument);
  view = two_by_two(1);
  view.reach = {{0, 1}, {0, 2}};
  CHECK_THROWS_AS(explorer_html(page_of(view)), std::invalid_argument);
  view = two_by_two(1);
  view.checkpoints.push_back(view.checkpoints[0]);
  CHECK_THROWS_AS(explorer_html(page_of(view)), std::invalid_argument);
}

TEST_CASE("explorer: a causal query reaches itself and the past, the memory included") {
  CHECK(causal_reach(3) == std::vector<std::pair<int, int>>{{0, 0}, {0, 1}, {0, 2}});
  CHECK(causal_reach(2, 5) == std::vector<std::pair<int, int>>{{0, 5}, {0, 6}});
}

TEST_CASE("page: a frame, style or script that does not exist is named") {
  CHECK_THROWS_WITH(html({"none.html", {}, {}, "", ""}), "page: there is no none.html");
  CHECK(page_files().contains("explorer.html"));
}
