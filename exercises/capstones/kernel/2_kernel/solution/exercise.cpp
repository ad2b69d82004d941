#include "exercise.hpp"

#include "tensor/parallel.hpp"

namespace xf::exercise {

template <class Memory>
void residual_norm(Memory& memory, const ResidualNorm& of, std::ptrdiff_t first,
                   std::ptrdiff_t last) {
  using Number = typename Memory::Number;
  const int whole = of.columns / 16 * 16, rest = of.columns - whole;
  const auto columns = static_cast<float>(of.columns);
  for (std::ptrdiff_t row = first; row < last; ++row) {
    const std::ptrdiff_t start = row * of.columns;
    const float *x = of.x + start, *r = of.r + start;
    float *s = of.s + start, *y = of.y + start;
    const std::ptrdiff_t next = row + 1 < last ? of.columns : 0;  // from this row to the next

    Number sums = Number::all(0);
    for (int j = 0; j < whole; j += 16) {
      const Number sum = memory.load(x + j) + memory.load(r + j);
      memory.store(s + j, sum);
      sums = sums + sum;
    }
    if (rest) {
      const Number sum = memory.load(x + whole, rest) + memory.load(r + whole, rest);
      memory.store(s + whole, sum, rest);
      sums = sums + sum;
    }
    const Number mean = Number::all(sums.sum() / columns);

    Number squares = Number::all(0);
    for (int j = 0; j < whole; j += 16) {
      memory.fetch(x + next + j);
      const Number deviation = memory.load(s + j) - mean;
      squares = squares + deviation * deviation;
    }
    if (rest) {
      const Number deviation = (memory.load(s + whole, rest) - mean).first(rest);
      squares = squares + deviation * deviation;
    }
    const Number inverse = Number::all(1 / std::sqrt(squares.sum() / columns + of.eps));

    for (int j = 0; j < whole; j += 16) {
      memory.fetch(r + next + j);
      memory.store(y + j, (memory.load(s + j) - mean) * inverse * memory.load(of.gamma + j) +
                              memory.load(of.beta + j));
    }
    if (rest)
      memory.store(
          y + whole,
          (memory.load(s + whole, rest) - mean) * inverse * memory.load(of.gamma + whole, rest) +
              memory.load(of.beta + whole, rest),
          rest);
  }
}

template void residual_norm(Direct&, const ResidualNorm&, std::ptrdiff_t, std::ptrdiff_t);
template void residual_norm(Recorder&, const ResidualNorm&, std::ptrdiff_t, std::ptrdiff_t);

void residual_norm(const ResidualNorm& of, std::ptrdiff_t rows) {
  const std::ptrdiff_t grain = 1 + (1 << 14) / of.columns;
  parallel_for(rows, grain, [&](std::ptrdiff_t first, std::ptrdiff_t last) {
    Direct memory;
    residual_norm(memory, of, first, last);
  });
}

}  // namespace xf::exercise
