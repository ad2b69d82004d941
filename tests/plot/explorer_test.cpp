#include "plot/explorer.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "page/page.hpp"
#include "plot/beam_tree.hpp"
#include "plot/xml.hpp"

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

TEST_CASE("a long text is thinned until its page is small enough, and the page says so") {
  const auto page = [] {
    AttentionView view{.kind = AttentionKind::decoder,
                       .queries = {"a", "b", "c"},
                       .keys = {"a", "b", "c"},
                       .checkpoints = {},
                       .reach = causal_reach(3)};
    for (int checkpoint = 0; checkpoint < 2; ++checkpoint) {
      view.checkpoints.emplace_back();
      for (int layer = 0; layer < 4; ++layer)
        view.checkpoints.back().push_back({.weights = Tensor::full({1, 2, 3, 3}, float(layer)),
                                           .scores = Tensor::full({1, 2, 3, 3}, 1),
                                           .values = Tensor::full({1, 2, 3, 5}, 1)});
    }
    return Explorer{.title = "", .sentence = {}, .checkpoints = {"begin", "end"}, .views = {view}};
  };
  // Six cells that can be seen, in 2 checkpoints of 4 layers of 2 heads, weights and scores: 192.
  struct Case {
    std::ptrdiff_t most;
    LeftOut out;
    std::vector<int> layers;
    std::string says;
  };
  for (const auto& [most, out, layers, says] : {
           Case{192, {}, {}, ""},
           Case{191, {.checkpoints = true}, {}, "earlier checkpoints"},
           Case{48, {true, true}, {}, "earlier checkpoints, the scores before the softmax"},
           Case{24, {true, true, 2}, {1, 3}, "all layers of a view but 2"},
           Case{6, {true, true, 1, 1}, {3}, "all heads of a layer but 1"},
       }) {
    Explorer thinned = page();
    thin(thinned, most);
    const AttentionView& view = thinned.views[0];
    CHECK(thinned.left_out.checkpoints == out.checkpoints);
    CHECK(thinned.left_out.scores == out.scores);
    CHECK(thinned.left_out.layers == out.layers);
    CHECK(thinned.left_out.heads == out.heads);
    CHECK(view.layer_numbers == layers);
    const auto data = data_of(explorer_html(thinned));
    CHECK(data["left_out"].is_null() == !out.anything());
    CHECK(thinned.left_out.sentence("P").find(says) != std::string::npos);
    const AttentionLayer& last = view.checkpoints.back().back();
    CHECK(last.weights.values().begin()[0] == 3);  // the last layer stays
    CHECK(last.weights.size(1) == (out.heads ? out.heads : 2));
    CHECK(data["views"][0]["heads"] == last.weights.size(1));
  }
}

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

TEST_CASE(
    "beam tree: a box for each candidate, lines from what it goes on from, nothing executed") {
  using Fate = SearchCandidate::Fate;
  const std::string svg = beam_tree_svg(
      "Beam",
      {{{{}, "<b>", -0.5, -0.5, Fate::kept}, {{}, "x", -2, -2, Fate::dropped}},
       {{{"<b>"}, "<eos>", -0.25, -0.75, Fate::complete}, {{"gone"}, "y", -1, -9, Fate::dropped}}},
      {"<b>", "<eos>"});
  CHECK(xf::test::XmlCheck::problem(svg).empty());
  const auto count = [&](const char* part) { return test::occurrences(svg, part); };
  CHECK(count("<line ") == 3);  // what has no parent in the tree has no line
  CHECK(count(">&lt;b&gt;</text>") == 1);
  CHECK(count(">-0.50</text>") == 1);
  CHECK(count(">y</text>") == 1);
  CHECK(count(">-9.00</text>") == 1);
  CHECK_THROWS_AS(beam_tree_svg("", {}, {}), std::invalid_argument);
}
