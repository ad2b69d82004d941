#include "exercise.hpp"

namespace xf::exercise {

Found beam_search(const Decoder& decoder, int width, int limit, double alpha) {
  TODO("07-07: chapters/07_transformer/exercises/07_beam_search/exercise.cpp");
}

}  // namespace xf::exercise
