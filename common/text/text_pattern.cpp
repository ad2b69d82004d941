#include "text/text_pattern.hpp"

#include <oniguruma.h>

#include <stdexcept>

#include "io/printable.hpp"
#include "io/utf8.hpp"
#include "tensor/error.hpp"

namespace xf {

namespace {

const OnigUChar* begin_of(std::string_view text) {
  return reinterpret_cast<const OnigUChar*>(text.data());
}
const OnigUChar* end_of(std::string_view text) { return begin_of(text) + text.size(); }

std::string reason(int code, OnigErrorInfo* info) {
  OnigUChar text[ONIG_MAX_ERROR_MESSAGE_LEN];
  const int length = onig_error_code_to_str(text, code, info);
  return {reinterpret_cast<const char*>(text), static_cast<std::size_t>(length)};
}

}  // namespace

// The objects of the Oniguruma library.
struct TextPattern::Compiled {
  std::unique_ptr<OnigRegexType, void (*)(OnigRegexType*)> regex{nullptr, onig_free};
  std::unique_ptr<OnigMatchParam, void (*)(OnigMatchParam*)> limits{onig_new_match_param(),
                                                                    onig_free_match_param};

  explicit Compiled(const std::string& expression) {
    OnigErrorInfo info = {};
    OnigRegex made = nullptr;
    const int code = onig_new(&made, begin_of(expression), end_of(expression), ONIG_OPTION_NONE,
                              ONIG_ENCODING_UTF8, ONIG_SYNTAX_RUBY, &info);
    if (code != ONIG_NORMAL) throw std::invalid_argument(reason(code, &info));
    regex.reset(made);
    onig_initialize_match_param(limits.get());
    onig_set_retry_limit_in_match_of_match_param(limits.get(), max_steps);
    onig_set_retry_limit_in_search_of_match_param(limits.get(), max_steps);
  }
};

TextPattern TextPattern::literal(std::string text) {
  TextPattern pattern;
  pattern.text_ = std::move(text);
  return pattern;
}

TextPattern TextPattern::expression(const std::string& expression) {
  TextPattern pattern = literal(expression);
  pattern.compiled_ = std::make_shared<const Compiled>(expression);
  return pattern;
}

TextPattern::Found TextPattern::find(std::string_view text, std::size_t from) const {
  if (!compiled_) {
    const std::size_t at = text.find(text_, from);
    return {at, at + text_.size()};
  }
  // Reused by the next search of the thread.
  thread_local const std::unique_ptr<OnigRegion, void (*)(OnigRegion*)> region(
      onig_region_new(), [](OnigRegion* it) { onig_region_free(it, 1); });
  const int at = onig_search_with_param(compiled_->regex.get(), begin_of(text), end_of(text),
                                        begin_of(text) + from, end_of(text), region.get(),
                                        ONIG_OPTION_NONE, compiled_->limits.get());
  if (at == ONIG_MISMATCH) return {text.npos, text.npos};
  const auto fail = [&](const Phrase& why) -> UserError {
    return UserError("the expression {}: {}", shortened(text_), why);
  };
  if (at < 0) throw fail(reason(at, nullptr));
  const auto begin = static_cast<std::size_t>(region->beg[0]);
  const auto end = static_cast<std::size_t>(region->end[0]);
  if (begin < from || end < begin) throw fail("a match ends before it begins");  // \\K in (?=...)
  return {begin, end};
}

std::vector<TextPattern::Part> TextPattern::parts(std::string_view text) const {
  std::vector<Part> all;
  if (text.empty()) return all;
  std::size_t given = 0, last_end = text.npos;
  for (std::size_t from = 0; from <= text.size();) {
    const auto [begin, end] = find(text, from);
    if (begin == text.npos) break;
    if (begin == end && end == last_end) {  // empty, directly after the last match
      if (from == text.size()) break;
      from += first_code_point(text.substr(from)).bytes;
      continue;
    }
    if (given < begin) all.push_back({text.substr(given, begin - given), false});
    all.push_back({text.substr(begin, end - begin), true});
    given = from = last_end = end;
  }
  if (given < text.size()) all.push_back({text.substr(given), false});
  return all;
}

}  // namespace xf
