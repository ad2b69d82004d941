#pragma once

#include <functional>
#include <string>
#include <vector>

#include "08_transformer_xl/baselines/any_stack.hpp"
#include "plot/explorer.hpp"

namespace xf::language {

// The text of a token.
using Piece = std::function<std::string(int)>;

// The five likeliest next tokens after each position, with their probabilities.
//   logits: (1, T, V)
using Likeliest = std::vector<std::pair<std::string, double>>;
std::vector<Likeliest> likeliest_next(const Tensor& logits, const Piece& piece);

// Lets the model read the ids segment by segment, and adds its attention to the page as another
// checkpoint: a view for each segment, with the memory to the left of its tokens and the five
// likeliest next tokens for each. `piece` names an id.
//   page.views is empty on the first call; every further model must have the same lengths
void look(const AnySegmentModel& model, const std::vector<std::int32_t>& ids, const Piece& piece,
          const std::string& checkpoint, Explorer& page);

}  // namespace xf::language
