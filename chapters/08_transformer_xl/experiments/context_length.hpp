#pragma once

#include <vector>

#include "08_transformer_xl/baselines/any_stack.hpp"
#include "08_transformer_xl/program/language_text.hpp"

namespace xf::language {

// -log p of the tokens predicted at `offsets` (offset 0 is the text's first prediction), each from
// exactly the `context` tokens before it. A model with memory reads them segment by segment and
// remembers all of them; one without reads them all at once; a vanilla model is limited to one
// segment, because it has no positions beyond it. Every offset must be at least context - 1: throws
// std::invalid_argument otherwise.
std::vector<float> losses_with_context(const AnySegmentModel& model, const LanguageText& text,
                                       const std::vector<std::ptrdiff_t>& offsets, int context);

// How far back a model's context still helps, compared with a group of models, so that a model
// with a bad loss cannot gain more than a good one (RECL).   Dai et al. 2019, 4.3, appendix C
//   l_i(c, t)  -log p of token t by model i from the c tokens before it
//   b(c, t)    = min_i l_i(c, t), the loss of the group's best model in a short context
//   T          the positions t with the largest b(c, t): the share `ratio` of all
//   f_i(c, c') = mean over T of min(b(c, t), l_i(c', t)):  only what beats the group counts
//   g_i        = (exp f_i(c, c) - exp f_i(c, c')) / exp f_i(c, c)     with c' = c + step
// RECL is the first c at which a step gains less than 1%.
using LossesByContext = std::vector<std::vector<float>>;  // [context][position]

// g_i from the context with index `k` to k + 1. losses: same contexts and positions per model.
double relative_gain(const std::vector<LossesByContext>& losses, std::size_t model, std::size_t k,
                     double ratio);
// The index k of the context beyond which a longer one no longer pays off; the last if all do.
std::size_t relative_effective_context(const std::vector<LossesByContext>& losses,
                                       std::size_t model, double ratio);

}  // namespace xf::language
