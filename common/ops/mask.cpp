#include "ops/mask.hpp"

#include <algorithm>

#include "ops/check.hpp"

namespace xf {

namespace {

bool are_starts(const std::vector<int>& starts) {
  return !starts.empty() && starts.front() == 0 && std::is_sorted(starts.begin(), starts.end());
}

Ids written_out(const Packing& p) {
  const int queries = p.queries.back(), keys = p.keys.back();
  Ids allowed = Ids::full({1, queries, keys}, 0);
  for (std::size_t i = 0; i + 1 < p.queries.size(); ++i) {
    const int first = p.keys[i], count = p.keys[i + 1] - first;
    for (int t = p.queries[i]; t < p.queries[i + 1]; ++t) {
      const int seen = p.causal ? std::min(t - p.queries[i] + 1, count) : count;
      std::fill_n(allowed.begin() + std::ptrdiff_t(t) * keys + first, seen, 1);
    }
  }
  return allowed;
}

}  // namespace

Mask::Mask(Ids allowed) {
  if (allowed.defined()) kind_ = std::move(allowed);
}

Mask::Mask(Packing sentences) {
  const bool fits = are_starts(sentences.queries) && are_starts(sentences.keys) &&
                    sentences.queries.size() == sentences.keys.size();
  require(fits, "mask", [] {
    return "packed sentences begin at 0 and follow one another, as many of queries as of keys";
  });
  kind_ = std::make_shared<const Packing>(std::move(sentences));
}

const Packing* Mask::packing() const {
  const auto* packed = std::get_if<std::shared_ptr<const Packing>>(&kind_);
  return packed ? packed->get() : nullptr;
}

Ids Mask::allowed() const {
  if (const Packing* sentences = packing()) return written_out(*sentences);
  const Ids* numbers = std::get_if<Ids>(&kind_);
  return numbers ? *numbers : Ids();
}

}  // namespace xf
