#include "seeing/heads_table.hpp"

#include <algorithm>
#include <numeric>

#include "io/printable.hpp"

namespace xf {

namespace {

char tenths(double value) {
  if (value < 0.05) return '.';
  return static_cast<char>('0' + std::min(9, static_cast<int>(10 * value + 0.5)));
}

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

// Some of the maps as text, side by side.
std::string side_by_side(const HeadsView& view, const std::vector<const HeadMap*>& maps) {
  const auto heads = static_cast<std::size_t>(view.heads);
  std::string text = "layer  ";
  for (const HeadMap* map : maps) text += padded(map->name, heads) + "  ";
  for (int layer = 0; layer < view.layers; ++layer) {
    text += formatted("\n%5d  ", layer);
    for (const HeadMap* map : maps) {
      std::string cells;
      for (int head = 0; head < view.heads; ++head)
        cells += tenths(map->values[static_cast<std::size_t>(layer * view.heads + head)]);
      text += padded(cells, map->name.size()) + "  ";
    }
  }
  return text + "\n\n";
}

std::string strongest_row(const HeadMap& map, int heads) {
  std::string row = padded(map.name, 12);
  if (map.name != "removed")
    row += formatted("%8td", std::count_if(map.values.begin(), map.values.end(),
                                           [](double value) { return value > 0.5; }));
  else
    row += "       -";
  for (const HeadOf& one : strongest(map, heads, 4))
    row += formatted("   %2d.%-2d %6.3f", one.layer, one.head, one.value);
  return row + '\n';
}

}  // namespace

std::vector<HeadOf> strongest(const HeadMap& map, int heads, int count) {
  std::vector<int> order(map.values.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return map.values[static_cast<std::size_t>(a)] > map.values[static_cast<std::size_t>(b)];
  });
  order.resize(std::min(order.size(), static_cast<std::size_t>(count)));
  std::vector<HeadOf> all;
  for (const int at : order)
    all.push_back({at / heads, at % heads, map.values[static_cast<std::size_t>(at)]});
  return all;
}

std::string heads_table(const HeadsView& view, int width) {
  std::string text;
  std::vector<const HeadMap*> row;
  int used = 7;
  for (const HeadMap& map : view.maps) {
    if (map.name == "removed") continue;  // its unit is another
    const int needs = std::max(view.heads, static_cast<int>(map.name.size())) + 2;
    if (!row.empty() && used + needs > width)
      text += side_by_side(view, row), row.clear(), used = 7;
    row.push_back(&map);
    used += needs;
  }
  text += side_by_side(view, row);
  text += "              > 0.5   the strongest: layer.head and number\n";
  for (const HeadMap& map : view.maps) text += strongest_row(map, view.heads);
  return text;
}

}  // namespace xf
