#include "live/maps.hpp"

namespace xf::live {

Json maps(const Recorder& recorder, const std::string& path) {
  Json layers = Json::array();
  for (const Tensor& recorded : recorder.all(path)) {  // (1, H, rows, columns)
    const Values values = recorded.values();
    Json heads = Json::array();
    for (int head = 0; head < recorded.size(1); ++head)
      heads.push_back(matrix(recorded.size(2), recorded.size(3),
                             values.begin() + head * recorded.shape().count(2, 4)));
    layers.push_back(heads);
  }
  return layers;
}

}  // namespace xf::live
