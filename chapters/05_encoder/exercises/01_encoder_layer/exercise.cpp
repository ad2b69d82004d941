#include "exercise.hpp"

namespace xf::exercise {

Matrix encoder_layer(const Matrix& x, const EncoderParts& layer, NormOrder order) {
  TODO("05-01: chapters/05_encoder/exercises/01_encoder_layer/exercise.cpp");
}

Matrix encoder(const Matrix& x, const std::vector<EncoderParts>& layers, const Layer& final_norm,
               NormOrder order) {
  TODO("05-01: chapters/05_encoder/exercises/01_encoder_layer/exercise.cpp");
}

}  // namespace xf::exercise
