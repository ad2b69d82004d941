#include "plot/beam_tree.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "io/printable.hpp"
#include "plot/svg.hpp"

namespace xf {

namespace {

constexpr double box_height = 38, gap = 8, between = 26, top = 64, left = 12, size = 13;
constexpr double longest_token = 12;  // in units of the font size

using Tokens = std::vector<std::string>;
using Fate = SearchCandidate::Fate;

std::string name_of(const SearchCandidate& one) { return shortened(one.token, longest_token); }
std::string score_of(const SearchCandidate& one) { return formatted("%.2f", one.all); }

// Where the box of a prefix ends: the lines to its continuations begin there.
struct End {
  double x, y;
};

bool begins(const Tokens& result, const Tokens& before, const std::string& token) {
  return before.size() < result.size() && result[before.size()] == token &&
         std::equal(before.begin(), before.end(), result.begin());
}

double widest(const std::vector<SearchCandidate>& candidates) {
  double width = 0;
  for (const SearchCandidate& one : candidates)
    width = std::max({width, text_width(name_of(one)), text_width(score_of(one))});
  return size * width + 16;
}

void draw_box(Svg& svg, const SearchCandidate& one, double x, double y, double width, bool chosen) {
  const bool dropped = one.fate == Fate::dropped;
  svg.rectangle(x, y, width, box_height,
                chosen    ? "#efe7fd"
                : dropped ? "#f4f1ea"
                          : "#dcebfa",
                name_of(one) + "  " + score_of(one));
  if (!dropped) svg.frame(x, y, width, box_height);
  if (one.fate == Fate::complete) svg.frame(x + 3, y + 3, width - 6, box_height - 6);
  const TextStyle style{.size = size, .fill = dropped ? "#666c75" : "#222222", .bold = chosen};
  svg.text(x + 8, y + 12, name_of(one), style);
  svg.text(x + 8, y + 28, score_of(one), style);
}

}  // namespace

std::string beam_tree_svg(const Phrase& title,
                          const std::vector<std::vector<SearchCandidate>>& search,
                          const Tokens& result) {
  if (search.empty()) throw std::invalid_argument("beam_tree: there is no step");
  std::size_t most = 0;
  for (const auto& candidates : search) most = std::max(most, candidates.size());
  const double height = top + static_cast<double>(most) * (box_height + gap);
  Svg svg;
  svg.text(left, 20, title, {.size = 16, .bold = true});
  std::map<Tokens, End> ends{{{}, {left + 40, top + box_height / 2}}};
  svg.text(left, top + box_height / 2, "<bos>", {.size = size, .bold = true});
  double x = left + 40 + between;
  for (std::size_t step = 0; step < search.size(); ++step) {
    const double width = widest(search[step]);
    svg.text(x, 46, std::to_string(step), {.size = size, .fill = "#646a73"});
    double y = top;
    for (const SearchCandidate& one : search[step]) {
      const bool chosen = begins(result, one.before, one.token);
      const auto from = ends.find(one.before);
      if (from != ends.end())
        svg.line(from->second.x, from->second.y, x, y + box_height / 2,
                 chosen                      ? "#7a2ff0"
                 : one.fate == Fate::dropped ? "#dcd7cc"
                                             : "#3b6fb6",
                 chosen ? 3 : 1);
      draw_box(svg, one, x, y, width, chosen);
      Tokens all = one.before;
      all.push_back(one.token);
      if (one.fate == Fate::kept) ends[all] = {x + width, y + box_height / 2};
      y += box_height + gap;
    }
    x += width + between;
  }
  return svg.file(std::max(x - between + left, 16 + 16 * text_width(title)), height + gap);
}

}  // namespace xf
