#include "seeing/head_measures.hpp"

#include <stdexcept>
#include <string>

#include "tensor/portable_math.hpp"

namespace xf {

namespace {

void check(std::span<const float> weights, std::size_t length) {
  if (weights.size() != length * length)
    throw std::invalid_argument("head_measures: " + std::to_string(weights.size()) +
                                " weights for " + std::to_string(length) + " tokens");
}

double spread_of(std::span<const float> row) {
  double entropy = 0;
  for (const float w : row)
    if (w > 0) entropy -= double(w) * portable::log(double(w));
  return portable::exp(entropy);
}

// The second copy's mean weight on the key `behind` places after the same token in the first.
double at_first_time(std::span<const float> weights, const Repeated& text, int behind) {
  const int length = text.length();
  check(weights, static_cast<std::size_t>(length));
  double sum = 0;
  for (int i = text.before + text.period; i < length; ++i)
    sum += double(weights[static_cast<std::size_t>(i * length + i - text.period + behind)]);
  return sum / text.period;
}

}  // namespace

HeadMeasures measured(std::span<const float> weights, const std::vector<int>& ids, Sight sight) {
  const std::size_t length = ids.size(), beyond = sight == Sight::both ? 2 : 0;
  check(weights, length);
  if (length < 3 + beyond)
    throw std::invalid_argument("head_measures: " + std::to_string(length) + " tokens are too few");
  HeadMeasures sum;
  std::size_t queries = 0, repeating = 0;
  for (std::size_t i = 2; i + beyond < length; ++i, ++queries) {
    const std::span<const float> row = weights.subspan(i * length, length);
    sum.first += double(row[0]);
    sum.previous += double(row[i - 1]);
    sum.itself += double(row[i]);
    if (sight == Sight::both) sum.last += double(row[length - 1]), sum.next += double(row[i + 1]);
    sum.spread += spread_of(row);
    bool has_same = false;
    for (std::size_t j = 1; j < (sight == Sight::both ? length : i); ++j)
      if (j != i && ids[j] == ids[i]) sum.same += double(row[j]), has_same = true;
    repeating += has_same;
  }
  const auto n = static_cast<double>(queries);
  return {sum.first / n, sum.last / n,   sum.previous / n,
          sum.next / n,  sum.itself / n, repeating ? sum.same / double(repeating) : 0,
          sum.spread / n};
}

double induction(std::span<const float> weights, const Repeated& text) {
  return at_first_time(weights, text, 1);
}

double duplicates(std::span<const float> weights, const Repeated& text) {
  return at_first_time(weights, text, 0);
}

}  // namespace xf
