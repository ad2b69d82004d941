#pragma once

#include <span>
#include <vector>

namespace xf {

// What an attention head does, measured by its weight on a token chosen by a rule. Each measure is
// a mean over the queries for which all of these tokens are distinct.
struct HeadMeasures {
  double first = 0;     // the first token, the sink of Xiao et al. 2023
  double last = 0;      // the last one, if queries may see later tokens
  double previous = 0;  // the token before the query's
  double next = 0;      // the one after it, if queries may see it
  double itself = 0;
  double same = 0;    // other occurrences of its token except in first place, for queries with any
  double spread = 0;  // effective number of tokens: exp of the entropy
};

enum class Sight { back, both };  // whether a query may see later tokens

// The measures of one matrix of weights, row-major (T, T), over a text with these ids. The queries
// are 2 ... T - 1, or with Sight::both 2 ... T - 3. Throws std::invalid_argument if there are none,
// or if the number of weights does not match.
HeadMeasures measured(std::span<const float> weights, const std::vector<int>& ids, Sight sight);

// A text of `period` tokens repeated twice, after `before` others: weights (T, T) with
// T = before + 2 period.                              Olsson et al. 2022, "prefix matching"
struct Repeated {
  int before, period;
  int length() const { return before + 2 * period; }
};
// How much weight the second copy's queries put on the token that followed theirs in the first
// copy, which is the one to predict; and on the same token in the first copy.
double induction(std::span<const float> weights, const Repeated& text);
double duplicates(std::span<const float> weights, const Repeated& text);

}  // namespace xf
