#pragma once

#include <cctype>
#include <string>
#include <string_view>
#include <vector>

namespace xf::test {

// How often `part` occurs.
inline int occurrences(std::string_view text, std::string_view part) {
  int count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != text.npos; at += part.size()) ++count;
  return count;
}

// Is it one well-formed element? Tags balance, attributes are quoted and not repeated, < and &
// stand in text only as entities. (The subset of XML that the plots write: no comments, no CDATA.)
class XmlCheck {
 public:
  // "" or what is wrong.
  static std::string problem(std::string_view text) { return XmlCheck(text).check(); }

 private:
  explicit XmlCheck(std::string_view text) : text_(text) {}

  std::string check() {
    while (at_ < text_.size() && problem_.empty()) {
      if (text_[at_] == '<')
        tag();
      else
        content();
    }
    if (problem_.empty() && !open_.empty()) return "unclosed " + open_.back();
    return problem_.empty() && roots_ != 1 ? "not one root" : problem_;
  }
  void content() {
    if (text_[at_] == '&') entity();
    if (open_.empty() && !std::isspace(static_cast<unsigned char>(text_[at_])))
      problem_ = "text outside the root";
    ++at_;
  }
  void entity() {
    for (std::string_view known : {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"})
      if (text_.substr(at_).starts_with(known)) return;
    problem_ = "a bare &";
  }
  std::string name() {
    const std::size_t first = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) ||
                                  text_[at_] == '-' || text_[at_] == ':'))
      ++at_;
    return std::string(text_.substr(first, at_ - first));
  }
  bool take(std::string_view expected) {
    if (!text_.substr(at_).starts_with(expected)) return false;
    at_ += expected.size();
    return true;
  }
  void tag() {
    if (take("</")) {
      const std::string closed = name();
      if (open_.empty() || open_.back() != closed || !take(">")) problem_ = "wrong end " + closed;
      if (!open_.empty()) open_.pop_back();
      return;
    }
    ++at_;
    const std::string opened = name();
    if (opened.empty()) problem_ = "a bare <";
    if (open_.empty()) ++roots_;
    std::vector<std::string> seen;
    while (problem_.empty() && take(" ")) attribute(seen);
    if (take("/>")) return;
    if (!take(">")) problem_ = "bad tag " + opened;
    open_.push_back(opened);
  }
  void attribute(std::vector<std::string>& seen) {
    const std::string key = name();
    for (const std::string& other : seen)
      if (other == key) problem_ = "repeated attribute " + key;
    seen.push_back(key);
    if (!take("=\"")) problem_ = "unquoted attribute " + key;
    while (problem_.empty() && !take("\"")) {
      if (at_ == text_.size() || text_[at_] == '<') problem_ = "attribute without end " + key;
      if (!problem_.empty()) return;
      if (text_[at_] == '&') entity();
      ++at_;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int roots_ = 0;
  std::vector<std::string> open_;
  std::string problem_;
};

}  // namespace xf::test
