#include "exercise.hpp"

namespace xf::exercise {

std::vector<std::vector<int>> greedy(const Decoder& decoder, int batch, int limit) {
  TODO("06-04: chapters/06_decoder/exercises/04_greedy/exercise.cpp");
}

}  // namespace xf::exercise
