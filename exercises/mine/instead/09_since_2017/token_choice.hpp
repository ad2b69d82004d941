#pragma once

#include <vector>

#include "tensor/portable_math.hpp"
#include "tensor/random.hpp"
#include "tensor/tensor.hpp"
#define choices choices_of_the_book
#define chosen chosen_of_the_book
#include "chapters/09_since_2017/token_choice.hpp"
#undef choices
#undef chosen

namespace xf {

Choices choices(const Values& logits, const TokenChoice& how);
int chosen(const Choices& from, Random& random);

}  // namespace xf
