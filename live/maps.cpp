#include "live/maps.hpp"

namespace xf::live {

Json maps(const Recorder& recorder, const std::string& path) {
  Json layers = Json::array();
  for (const Tensor& weights : recorder.all(path + ".weights")) {  // (1, H, T, S)
    const Values values = weights.values();
    Json heads = Json::array();
    for (int head = 0; head < weights.size(1); ++head)
      heads.push_back(matrix(weights.size(2), weights.size(3),
                             values.begin() + head * weights.shape().count(2, 4)));
    layers.push_back(heads);
  }
  return layers;
}

}  // namespace xf::live
