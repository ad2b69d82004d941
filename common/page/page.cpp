#include "page/page.hpp"

#include <stdexcept>

#include "io/utf8.hpp"

namespace xf {

namespace {

std::string_view file_of(const std::string& name) {
  const auto found = page_files().find(name);
  if (found == page_files().end()) throw std::invalid_argument("page: there is no " + name);
  return found->second;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += file_of(name);
  return text;
}

}  // namespace

std::string html(const Page& page) {
  const std::string_view frame = file_of(page.frame);
  std::string text;
  for (std::size_t at = 0; at < frame.size();) {
    const std::size_t open = frame.find("{{", at), close = frame.find("}}", open);
    text += frame.substr(at, open - at);
    if (open == std::string_view::npos) break;
    const std::string_view name = frame.substr(open + 2, close - open - 2);
    if (name == "title") text += replaced(replaced(page.title, "&", "&amp;"), "<", "&lt;");
    if (name == "style") text += joined(page.styles);
    if (name == "data") text += replaced(page.data, "<", "\\u003c");
    if (name == "script") text += "'use strict';\n" + joined(page.scripts);
    at = close + 2;
  }
  return text;
}

}  // namespace xf
