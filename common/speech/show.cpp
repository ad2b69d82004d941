#include "speech/show.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <sstream>

#include "io/printable.hpp"
#include "language/language.hpp"
#include "speech/claims.hpp"
#include "speech/sections.hpp"
#include "speech/terminal.hpp"

namespace xf {
namespace {

constexpr int text_width = 96;  // of a paragraph
constexpr int max_rows = 20;

// Skips blank lines at the beginning of the output.
void print_line(const std::string& text) {
  static bool begun = false;
  if (!section_speaks() || (!begun && text.empty())) return;
  begun = true;
  std::printf("%s\n", text.c_str());
}

void print_folded(const std::string& line) {
  for (const std::string& part : folded(line, terminal_width())) print_line(part);
}

// Prints a text after a mark, which is coloured on a terminal.
void print_marked(const std::string& mark, const std::string& text, Tone tone) {
  const int beside = display_width(mark);
  if (beside + display_width(text) <= terminal_width()) return print_line(toned(mark, tone) + text);
  std::string before = toned(mark, tone);
  for (const std::string& line : wrapped(text, terminal_width() - beside)) {
    print_line(before + line);
    before = std::string(static_cast<std::size_t>(beside), ' ');
  }
}

std::string padded(const std::string& text, int width, bool left = false) {
  const std::string blank(static_cast<std::size_t>(std::max(0, width - display_width(text))), ' ');
  return left ? text + blank : blank + text;
}

int widest(const std::vector<std::string>& texts) {
  int width = 0;
  for (const std::string& text : texts) width = std::max(width, display_width(text));
  return width;
}

// Which indices of a list of `count` are shown when `most` fit; -1 stands for an ellipsis.
std::vector<int> shown_indices(int count, int most) {
  std::vector<int> indices;
  const int kept = count <= most ? count : std::max(most - 1, 2);
  for (int i = 0; i < kept; ++i) {
    const bool tail = i >= (kept + 1) / 2;
    if (count > most && i == (kept + 1) / 2) indices.push_back(-1);
    indices.push_back(tail ? count - kept + i : i);
  }
  return indices;
}

std::string label(const std::vector<std::string>& labels, int index) {
  return static_cast<std::size_t>(index) < labels.size() ? labels[static_cast<std::size_t>(index)]
                                                         : "";
}

// Prints one matrix; text(r, c) is the content of a cell.
void print_matrix(int rows, int columns, const std::function<std::string(int, int)>& text,
                  const Labels& labels) {
  const int gap = 2, indent = 4, beside = widest(labels.rows);
  int cell = widest(labels.columns);
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) cell = std::max(cell, display_width(text(r, c)));
  const int fit = (page_width() - indent - beside) / (cell + gap);
  const std::vector<int> across = shown_indices(columns, fit);

  const auto line = [&](const std::string& head, const std::function<std::string(int)>& at) {
    std::string out = std::string(indent, ' ') + padded(head, beside, true);
    for (int c : across) out += c < 0 ? "  …" : std::string(gap, ' ') + padded(at(c), cell);
    print_line(out);
  };
  if (!labels.columns.empty()) line("", [&](int c) { return label(labels.columns, c); });
  for (int r : shown_indices(rows, max_rows)) {
    if (r < 0)
      print_line(std::string(std::size_t(indent + beside), ' ') + "…");
    else
      line(label(labels.rows, r), [&](int c) { return text(r, c); });
  }
}

void show_values(const std::string& name, const Shape& shape,
                 const std::function<std::string(std::ptrdiff_t)>& text, const Labels& labels) {
  if (shape.count() == 1 && shape.rank() < 2) {
    print_folded("  " + name + "  " + shape.str() + "  " + text(0));
    return;
  }
  print_folded("  " + name + "  " + shape.str());
  if (shape.count() == 0) return;
  const int columns = shape[-1];
  const int rows = shape.rank() < 2 ? 1 : shape[-2];
  const std::ptrdiff_t blocks = shape.count() / (static_cast<std::ptrdiff_t>(rows) * columns);
  for (std::ptrdiff_t block = 0; block < blocks; ++block) {
    if (blocks > 1) {
      std::string index;
      std::ptrdiff_t rest = block;
      for (int axis = shape.rank() - 3; axis >= 0; --axis) {
        index = std::to_string(rest % shape[axis]) + ", " + index;
        rest /= shape[axis];
      }
      print_line("    [" + index + ":, :]");
    }
    print_matrix(
        rows, columns,
        [&](int r, int c) {
          return text((block * rows + r) * static_cast<std::ptrdiff_t>(columns) + c);
        },
        labels);
  }
}

// Whether a blank line is due depends on what was printed last.
enum class Last { nothing, heading, finding, other };
Last last = Last::nothing;

void blank_line_unless(Last before) {
  if (last != Last::nothing && last != before) print_line("");
}

}  // namespace

void section(const Words& title) {
  const std::string line = begin_section(title.str());
  const int under = std::min(display_width(line), terminal_width());
  const std::string rule(static_cast<std::size_t>(under), '-');
  print_line("");
  for (const std::string& part : wrapped(line, terminal_width()))
    print_line(toned(part, Tone::heading));
  print_line(toned(rule, Tone::heading));
  last = Last::heading;
}

void say(const Words& paragraph) {
  blank_line_unless(Last::heading);
  last = Last::other;
  for (const std::string& line : wrapped(paragraph, std::min(text_width, page_width())))
    print_line(line);
}

void equation(const Words& lines) { quote(lines); }

void quote(const std::string& lines) {
  std::istringstream all(lines);
  for (std::string line; std::getline(all, line);) print_folded("    " + line);
}

void picture(const std::string& path) { print_line("    " + Words("picture").str() + ": " + path); }

void finding(const Words& text) {
  blank_line_unless(Last::finding);
  print_marked("=> ", text.str(), Tone::finding);
  last = Last::finding;
}

void show(const Name& name, const Tensor& tensor, const Labels& labels) {
  const Values values = tensor.values();
  show_values(
      name, tensor.shape(), [&](std::ptrdiff_t i) { return fixed(values[i], 4); }, labels);
}

void show(const Name& name, const Ids& ids, const Labels& labels) {
  show_values(
      name, ids.shape(), [&](std::ptrdiff_t i) { return std::to_string(ids[i]); }, labels);
}

std::vector<std::string> words_of(const Ids& ids, int b,
                                  const std::vector<std::string>& vocabulary) {
  std::vector<std::string> words;
  for (int t = 0; t < ids.size(1); ++t)
    words.push_back(vocabulary[static_cast<std::size_t>(ids.at(b, t))]);
  return words;
}

Table::Table(std::vector<Phrase> heading) : rows_{std::move(heading)} {}

void Table::row(std::vector<Phrase> cells) {
  if (cells.size() != rows_.front().size())
    throw std::invalid_argument("table: " + std::to_string(cells.size()) + " cells under " +
                                std::to_string(rows_.front().size()) + " headings");
  rows_.push_back(std::move(cells));
}

// The first column and columns of words are left-aligned, columns of numbers right-aligned.
void Table::print() const {
  std::vector<bool> words(rows_.front().size(), false);
  std::vector<int> widths(words.size(), 0);
  words[0] = true;
  for (const auto& cells : rows_)
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const std::string& cell = cells[c];
      const bool has_digit = cell.find_first_of("0123456789") != cell.npos;
      if (&cells != &rows_.front() && !has_digit && cell.size() > 6) words[c] = true;
      widths[c] = std::max(widths[c], display_width(cell));
    }
  print_columns(words, widths);
}

// All columns side by side; on a narrow terminal in several blocks, each with the first column and
// as many of the others as fit.
void Table::print_columns(const std::vector<bool>& words, const std::vector<int>& widths) const {
  const int indent = 4, gap = 3, room = terminal_width();
  for (std::size_t from = 1, to; from <= widths.size(); from = std::max(to, from + 1)) {
    int total = widths[0];
    for (to = from; to < widths.size(); ++to) {
      if (to > from && indent + total + gap + widths[to] > room) break;
      total += gap + widths[to];
    }
    if (from > 1 && from == widths.size()) break;
    if (from > 1) print_line("");
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      std::string line = std::string(indent, ' ') + padded(rows_[r][0], widths[0], words[0]);
      for (std::size_t c = from; c < to; ++c)
        line += std::string(gap, ' ') + padded(rows_[r][c], widths[c], words[c]);
      line.erase(line.find_last_not_of(' ') + 1);
      print_folded(line);
      if (r == 0) print_line(std::string(indent, ' ') + std::string(std::size_t(total), '-'));
    }
  }
}

std::string fixed(double value, int decimals) {
  if (std::isnan(value)) return "nan";  // whatever its sign bit
  const std::string text = formatted("%.*f", decimals, value);
  const bool negative_zero = text[0] == '-' && text.find_first_not_of("-0.") == std::string::npos;
  return negative_zero ? text.substr(1) : text;
}

std::string small(double value) { return formatted("%.1e", value); }

double max_difference(const Tensor& a, const Tensor& b) {
  if (!(a.shape() == b.shape()))
    throw std::invalid_argument("max_difference: " + a.shape().str() + " and " + b.shape().str());
  double largest = 0;
  const Values left = a.values(), right = b.values();
  for (std::ptrdiff_t i = 0; i < a.count(); ++i) {
    const double x = left[i], y = right[i];
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;  // also equal infinities
    if (std::isnan(x - y)) return std::numeric_limits<double>::quiet_NaN();
    largest = std::max(largest, std::abs(x - y));
  }
  return largest;
}

double norm_of(const Tensor& x) {
  double squares = 0;
  for (const float value : x.values()) squares += double(value) * value;
  return std::sqrt(squares);
}

void agree(const Words& what, const Tensor& a, const Tensor& b, double tolerance) {
  const double difference = max_difference(a, b);
  const bool ok = note_claim(difference <= tolerance, what);
  // Prints the bound, because the difference itself depends on the processor's BLAS.
  const std::string found = !ok ? words("NOT EQUAL, max |difference| {}: ", small(difference)).str()
                            : tolerance > 0 ? words("ok, within {}: ", small(tolerance)).str()
                                            : words("ok, equal: ").str();
  print_marked("    " + found, what.str(), ok ? Tone::good : Tone::bad);
}

void claim(bool holds, const Words& what) {
  if (!note_claim(holds, what))
    print_marked("    " + Words("FALSE: ").str(), what.str(), Tone::bad);
}

}  // namespace xf
