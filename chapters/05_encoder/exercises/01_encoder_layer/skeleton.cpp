#include "exercise.hpp"

namespace xf::exercise {

Matrix encoder_layer(const Matrix& x, const EncoderParts& layer, NormOrder order) {
  TODO("05-01: my/05-01_encoder_layer.cpp");
}

Matrix encoder(const Matrix& x, const std::vector<EncoderParts>& layers, const Layer& final_norm,
               NormOrder order) {
  TODO("05-01: my/05-01_encoder_layer.cpp");
}

}  // namespace xf::exercise
