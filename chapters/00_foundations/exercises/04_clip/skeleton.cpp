#include "exercise.hpp"

namespace xf::exercise {

float clip(Tensors& gradients, float limit) { TODO("00-04: my/00-04_clip.cpp"); }

bool step(Tensors& parameters, Tensors& gradients, float rate, float limit) {
  TODO("00-04: my/00-04_clip.cpp");
}

}  // namespace xf::exercise
