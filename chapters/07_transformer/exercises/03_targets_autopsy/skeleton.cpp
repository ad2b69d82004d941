#include "exercise.hpp"

namespace xf::exercise {

DecoderBatch decoder_batch(const std::vector<std::vector<int>>& sentences) {
  TODO("07-03: my/07-03_targets_autopsy.cpp");
  std::size_t longest = 0;
  for (const std::vector<int>& words : sentences) longest = std::max(longest, words.size());
  const int rows = static_cast<int>(sentences.size()), length = static_cast<int>(longest) + 1;
  DecoderBatch batch{Ids::full({rows, length}, pad), Ids::full({rows, length}, pad)};
  for (int b = 0; b < rows; ++b) {
    const std::vector<int>& words = sentences[static_cast<std::size_t>(b)];
    std::int32_t* in = batch.in.begin() + b * length;
    std::int32_t* out = batch.out.begin() + b * length;
    in[0] = bos;
    std::copy(words.begin(), words.end(), in + 1);
    out[0] = bos;
    std::copy(words.begin(), words.end(), out + 1);
  }
  return batch;
}

}  // namespace xf::exercise
