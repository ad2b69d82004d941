#include "text/letter_case.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "io/utf8.hpp"
#include "text/letter_case_table.hpp"

namespace xf {

namespace {

constexpr char32_t capital_i_dot = 0x130, dot_above = 0x307;
constexpr char32_t capital_sigma = 0x3A3, final_sigma = 0x3C2;

// The range that `value` lies in, or null.
template <class Range, std::size_t count>
const Range* range_of(const Range (&ranges)[count], char32_t value) {
  const Range* after =
      std::upper_bound(std::begin(ranges), std::end(ranges), value,
                       [](char32_t wanted, const Range& range) { return wanted < range.first; });
  return after != std::begin(ranges) && value <= std::prev(after)->last ? std::prev(after)
                                                                        : nullptr;
}

char32_t lower(char32_t value) {
  const LoweredRange* range = range_of(lowered_characters, value);
  if (range == nullptr || (value - range->first) % static_cast<char32_t>(range->step) != 0)
    return value;
  return value + static_cast<char32_t>(range->difference);
}

// Has the first character that is not looked through a case?
template <class Iterator>
bool meets_case(Iterator next, Iterator end) {
  while (next != end && range_of(case_ignorable_characters, next->value)) ++next;
  return next != end && range_of(cased_characters, next->value);
}

}  // namespace

std::string lower_case(std::string_view text) {
  std::vector<CodePoint> points;
  for (std::string_view rest = text; !rest.empty(); rest.remove_prefix(points.back().bytes))
    points.push_back(first_code_point(rest));
  std::string lowered;
  std::size_t at = 0;  // the byte where the character begins
  for (auto point = points.begin(); point != points.end(); at += point++->bytes) {
    const bool ends_word = point->value == capital_sigma &&
                           meets_case(std::make_reverse_iterator(point), points.rend()) &&
                           !meets_case(point + 1, points.end());
    const char32_t value = ends_word ? final_sigma : lower(point->value);
    if (point->value == capital_i_dot) {
      lowered += 'i';
      append_code_point(lowered, dot_above);
    } else if (value == point->value) {
      lowered += text.substr(at, point->bytes);
    } else {
      append_code_point(lowered, value);
    }
  }
  return lowered;
}

}  // namespace xf
