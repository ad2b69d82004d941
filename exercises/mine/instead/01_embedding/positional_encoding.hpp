#pragma once

#define sinusoidal_positions sinusoidal_positions_of_the_book
#define add_positions add_positions_of_the_book
#define PositionTable PositionTableOfTheBook
#include "chapters/01_embedding/positional_encoding.hpp"
#undef sinusoidal_positions
#undef add_positions
#undef PositionTable

namespace xf {

Tensor sinusoidal_positions(int length, int d_model, int first = 0,
                            PositionLayout layout = PositionLayout::interleaved,
                            double base = 10000);

inline Tensor add_positions(const Tensor& x, int first = 0) {
  return x + sinusoidal_positions(x.size(1), x.size(2), first);
}

struct PositionTable : PositionTableOfTheBook {
  PositionTable(int length, int d_model) : PositionTableOfTheBook(length, d_model) {
    rows = sinusoidal_positions(length, d_model);
  }
};

}  // namespace xf
