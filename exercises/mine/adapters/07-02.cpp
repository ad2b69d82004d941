#include "exercise.hpp"
#include "mine/parts.hpp"

extern "C" void take_part(xf::mine::Parts& parts) {
  parts.logits.of = [](const auto& model, const auto& source, const auto& target) {
    return xf::exercise::logits(
        {model.source_table, model.target_table, model.encoder, model.decoder}, source, target);
  };
}
