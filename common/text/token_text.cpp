#include "text/token_text.hpp"

#include <charconv>
#include <optional>

#include "io/json_object.hpp"
#include "io/printable.hpp"
#include "io/utf8.hpp"
#include "text/byte_merges.hpp"
#include "text/text_steps.hpp"

namespace xf {

namespace {

// The byte that a token such as <0x0A> stands for.
std::optional<char> byte_of(std::string_view token) {
  if (token.size() != 6 || !token.starts_with("<0x") || !token.ends_with('>')) return {};
  unsigned value = 0;
  const auto [end, error] = std::from_chars(token.data() + 3, token.data() + 5, value, 16);
  if (error != std::errc() || end != token.data() + 5) return {};
  return static_cast<char>(value);
}

// Adds a step other than ByteLevel and Metaspace; returns its position in the required order.
int add_piece_step(const JsonObject& part, const std::string& type, Spelling& spelling) {
  if (type == "Replace") {
    const std::string from = part.object("pattern").text("String");
    if (from.empty()) part.fail("pattern.String", "expected a non-empty string");
    spelling.replaced.emplace_back(from, part.text("content"));
    return 0;
  }
  if (type == "ByteFallback") {
    spelling.byte_fallback = true;
    return 1;
  }
  if (type == "Fuse") return 2;
  if (type != "Strip")
    part.fail("type",
              words("expected ByteLevel, Metaspace, WordPiece, Replace, ByteFallback, Fuse, "
                    "Strip or Sequence, not {}",
                    shortened(type)));
  spelling.stripped = part.text("content");
  spelling.most = part.integer("start", 0);
  if (spelling.stripped.empty()) part.fail("content", "expected a character");
  if (part.integer("stop", 0) != 0) part.fail("stop", "expected 0");
  return 3;
}

}  // namespace

Spelling Spelling::read(const JsonObject& part) {
  Spelling spelling{Kind::pieces};
  const std::string type = part.text("type");
  if (type == "ByteLevel") return {Kind::byte_level};
  if (type == "Metaspace") {
    const bool flag = part.flag("add_prefix_space", true);  // older files have only this
    return {Kind::metaspace, part.text("replacement"),
            part.text("prepend_scheme", flag ? "always" : "never") != "never"};
  }
  if (type == "WordPiece") {
    Spelling pieces{Kind::spaced, part.text("prefix", "##")};
    if (part.flag("cleanup", true))
      pieces.replaced = {{" .", "."},   {" ?", "?"},     {" !", "!"},    {" ,", ","},
                         {" ' ", "'"},  {" n't", "n't"}, {" 'm", "'m"},  {" do not", " don't"},
                         {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
    return pieces;
  }
  if (type != "Sequence") {
    if (add_piece_step(part, type, spelling) == 3)
      part.fail("type", "Strip is allowed only after Fuse");
    return spelling;
  }
  int last = 0;
  for (const JsonObject& inner : objects_of(part, "decoders")) {
    const std::string name = inner.text("type");
    if (name == "ByteLevel" || name == "Metaspace") {
      if (part.find("decoders")->size() == 1) return read(inner);
      inner.fail("type", words("expected {} on its own", name));
    }
    const int step = add_piece_step(inner, name, spelling);
    if (step < last || (step == 3 && last != 2))
      inner.fail("type", "expected the order Replace, ByteFallback, Fuse, Strip");
    last = step;
  }
  return spelling;
}

std::string TokenText::take(std::string_view token) {
  const bool first = std::exchange(first_, false);
  if (spelling_.kind == Spelling::Kind::byte_level)
    return characters_.take(ByteMerges::bytes(token));
  std::string text(token);
  if (spelling_.kind == Spelling::Kind::metaspace)
    return replaced(text, spelling_.mark, first && spelling_.marks_first ? "" : " ");
  if (spelling_.kind == Spelling::Kind::spaced && !first) {
    const bool goes_on = !spelling_.mark.empty() && token.starts_with(spelling_.mark);
    text = goes_on ? text.substr(spelling_.mark.size()) : " " + text;
  }
  for (const auto& [from, to] : spelling_.replaced) text = replaced(text, from, to);
  if (const auto byte = spelling_.byte_fallback ? byte_of(text) : std::nullopt) {
    bytes_ += *byte;
    return "";
  }
  return stripped(bytes_so_far() + text);
}

// A run of byte tokens is decoded if its bytes are characters; else each of them becomes U+FFFD.
std::string TokenText::bytes_so_far() {
  const std::string bytes = std::exchange(bytes_, "");
  if (valid_utf8(bytes)) return bytes;
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) append_code_point(text, 0xFFFD);
  return text;
}

std::string TokenText::stripped(std::string text) {
  std::size_t begin = 0;
  for (; stripped_ < spelling_.most && begin < text.size(); ++stripped_) {
    if (!std::string_view(text).substr(begin).starts_with(spelling_.stripped)) {
      stripped_ = spelling_.most;
      break;
    }
    begin += spelling_.stripped.size();
  }
  return text.substr(begin);
}

std::string TokenText::end() { return characters_.end() + stripped(bytes_so_far()); }

}  // namespace xf
