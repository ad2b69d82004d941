#include "speech/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string_view>

namespace xf {
namespace {

constexpr int widest_page = 100, narrowest = 40;

bool is_terminal() {
  static const bool answer = isatty(STDOUT_FILENO) == 1;
  return answer;
}

bool has_colours() {
  static const bool answer = [] {
    const char* const none = std::getenv("NO_COLOR");
    const char* const kind = std::getenv("TERM");
    return is_terminal() && !(none && *none) && kind && std::string_view(kind) != "dumb";
  }();
  return answer;
}

bool is_wide(char lead) {
  const unsigned char byte = static_cast<unsigned char>(lead);
  return (byte >= 0xE3 && byte <= 0xED) || byte == 0xEF;  // CJK and full-width punctuation
}

// Whether `piece` ends with an opening bracket or quotation mark, after which no line may break.
bool opens(const std::string& piece) {
  for (const char* mark : {"（", "《", "「", "『", "“", "‘"})
    if (piece.ends_with(mark)) return true;
  return false;
}

// A sign that must not be separated from the words around it, as in "D = 32".
bool is_sign(std::string_view piece) {
  piece = piece.substr(piece.find_last_of(' ') + 1);
  for (const char* sign : {"=", "<", ">", "<=", ">=", "≈"})
    if (piece == sign) return true;
  return false;
}

// The pieces between which a line may break, each with the space before it, if there is one.
std::vector<std::string> pieces(const std::string& paragraph) {
  static const std::string closing = "，。、；：？！）》」』”’…";
  std::vector<std::string> found;
  bool blank = false, after_wide = true;
  for (std::size_t i = 0; i < paragraph.size();) {
    if (paragraph[i] == ' ' || paragraph[i] == '\n') {
      blank = !found.empty();
      ++i;
      continue;
    }
    std::size_t length = 1;
    while (i + length < paragraph.size() && (paragraph[i + length] & 0xC0) == 0x80) ++length;
    const std::string character = paragraph.substr(i, length);
    const bool wide = is_wide(paragraph[i]), closes = closing.find(character) != std::string::npos;
    if (blank || found.empty() || ((wide || after_wide) && !closes))
      found.push_back((blank ? " " : "") + character);
    else
      found.back() += character;
    blank = false;
    after_wide = wide;
    i += length;
  }
  std::vector<std::string> together;
  for (const std::string& piece : found) {
    const bool belongs =
        !together.empty() && (is_sign(piece) || opens(together.back()) || is_sign(together.back()));
    if (belongs)
      together.back() += piece;
    else
      together.push_back(piece);
  }
  return together;
}

struct Gap {
  std::size_t at = 0, blanks = 0;
};

// The widest gap that begins within the first `width` columns of the line.
Gap widest_gap(const std::string& line, int width) {
  Gap widest;
  for (std::size_t i = line.find_first_not_of(' '); i < line.size();) {
    const std::size_t at = line.find(' ', i);
    if (at == line.npos || display_width(line.substr(0, at)) > width) break;
    i = std::min(line.find_first_not_of(' ', at), line.size());
    if (i - at > widest.blanks && i < line.size()) widest = {at, i - at};
  }
  return widest;
}

}  // namespace

int terminal_width() {
  winsize size{};
  if (!is_terminal() || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return std::numeric_limits<int>::max();
  return std::max<int>(size.ws_col, narrowest);
}

int page_width() { return std::min(terminal_width(), widest_page); }

std::string toned(const std::string& text, Tone tone) {
  if (!has_colours()) return text;
  const char* const codes[] = {"1", "1;36", "32", "1;31"};  // bold, cyan, green, red
  return std::string("\033[") + codes[static_cast<int>(tone)] + "m" + text + "\033[0m";
}

int display_width(const std::string& text) {
  int width = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const unsigned char byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0) == 0x80) continue;
    // Lead bytes E3 ... ED and EF, EFBx start the CJK, Hangul and full-width blocks; F0 emoji.
    width += is_wide(text[i]) || byte == 0xF0 ? 2 : 1;
  }
  return width;
}

std::vector<std::string> wrapped(const std::string& text, int width) {
  std::vector<std::string> lines(1);
  for (const std::string& piece : pieces(text)) {
    std::string& line = lines.back();
    const std::string word = piece[0] == ' ' ? piece.substr(1) : piece;
    if (line.empty())
      line = word;
    else if (display_width(line) + display_width(piece) > width)
      lines.push_back(word);
    else
      line += piece;
  }
  return lines;
}

std::vector<std::string> folded(const std::string& line, int width) {
  const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
  const std::string deeper(begin + 4, ' ');
  std::vector<std::string> lines{line};
  while (display_width(lines.back()) > width) {
    const std::string rest = lines.back();
    const Gap gap = widest_gap(rest, width);
    if (gap.blanks < 2) break;
    lines.back() = rest.substr(0, gap.at);
    lines.push_back(deeper + rest.substr(gap.at + gap.blanks));
  }
  if (display_width(lines.back()) <= width) return lines;
  const std::string text = lines.back().substr(lines.back().find_first_not_of(' '));
  lines.pop_back();
  for (const std::string& part : wrapped(text, width - static_cast<int>(deeper.size())))
    lines.push_back((lines.empty() ? line.substr(0, begin) : deeper) + part);
  return lines;
}

}  // namespace xf
