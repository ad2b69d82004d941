#pragma once

#include <span>
#include <vector>

namespace xf {

// What a head of attention does, as the share of its weight on a token chosen by a rule. Each is a
// mean over the queries for which all of these tokens are different.
struct HeadMeasures {
  double first = 0;     // the first token, the sink of Xiao et al. 2023
  double last = 0;      // the last one, where a query may see later tokens
  double previous = 0;  // the token before the query's
  double next = 0;      // the one after it, where a query may see it
  double itself = 0;
  double same = 0;  // other places of the query's token but the first place, for queries with some
  double spread = 0;  // exp of the entropy: the number of equally weighted tokens with that entropy
};

enum class Sight { back, both };  // may a query see later tokens?

// The measures of one matrix of weights, row-major (T, T), over a text with these ids. The queries
// are 2 ... T - 1, and with Sight::both 2 ... T - 3. Throws std::invalid_argument where that is
// none of them, and for another number of weights.
HeadMeasures measured(std::span<const float> weights, const std::vector<int>& ids, Sight sight);

// A text of `period` tokens repeated twice, after `before` others: weights (T, T) with
// T = before + 2 period.                              Olsson et al. 2022, "prefix matching"
struct Repeated {
  int before, period;
  int length() const { return before + 2 * period; }
};
// The weight of the second copy's queries on the token after theirs in the first copy, which is the
// one to be predicted; and on the same token of the first copy.
double induction(std::span<const float> weights, const Repeated& text);
double duplicates(std::span<const float> weights, const Repeated& text);

}  // namespace xf
