#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "tensor/portable_math.hpp"
#include "tensor/random.hpp"
#include "tensor/tensor.hpp"

namespace xf {

// How the next token is chosen from its logits z.
//   p_i = softmax(z / temperature)_i, 0 for all but the `top_k` largest, then for all but the
//   fewest largest whose sum reaches top_p (Holtzman et al. 2020, 3.1), renormalised each time.
//   temperature 0: the largest logit, and the first of equal ones.
struct TokenChoice {
  double temperature = 1, top_p = 1;
  int top_k = 0;  // 0: all
};

// The tokens that may be chosen and their probabilities, the likeliest first.
struct Choices {
  std::vector<int> ids;
  std::vector<double> p;
};
inline Choices choices(const Values& logits, const TokenChoice& how) {
  Choices all{std::vector<int>(logits.size()), {}};
  std::iota(all.ids.begin(), all.ids.end(), 0);
  const auto larger = [&](int a, int b) {
    return logits[a] != logits[b] ? logits[a] > logits[b] : a < b;
  };
  const auto most = static_cast<std::ptrdiff_t>(logits.size());
  const std::ptrdiff_t kept = how.temperature == 0 ? 1 : how.top_k > 0 ? how.top_k : most;
  const auto end = all.ids.begin() + std::min(kept, most);
  std::partial_sort(all.ids.begin(), end, all.ids.end(), larger);
  all.ids.erase(end, all.ids.end());
  const double temperature = how.temperature == 0 ? 1 : how.temperature;
  double sum = 0;
  for (const int id : all.ids) {
    all.p.push_back(portable::exp(double(logits[id] - logits[all.ids[0]]) / temperature));
    sum += all.p.back();
  }
  double reached = 0;
  std::size_t count = 0;
  while (count < all.p.size() && reached < how.top_p * sum) reached += all.p[count++];
  all.ids.resize(std::max<std::size_t>(1, count));
  all.p.resize(all.ids.size());
  for (double& p : all.p) p /= reached > 0 ? reached : sum;
  return all;
}

inline int chosen(const Choices& from, Random& random) {
  double rest = from.ids.size() == 1 ? 0 : random.uniform();
  for (std::size_t i = 0; i < from.ids.size(); ++i)
    if ((rest -= from.p[i]) < 0) return from.ids[i];
  return from.ids.back();
}

}  // namespace xf
