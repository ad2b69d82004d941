// en: in and out are swapped: <bos> belongs to what is read, <eos> to what is predicted
// zh: in 和 out 弄反了：<bos> 属于输入，<eos> 属于目标

#include "exercise.hpp"

namespace xf::exercise {

DecoderBatch decoder_batch(const std::vector<std::vector<int>>& sentences) {
  std::size_t longest = 0;
  for (const std::vector<int>& words : sentences) longest = std::max(longest, words.size());
  const int rows = static_cast<int>(sentences.size()), length = static_cast<int>(longest) + 1;
  DecoderBatch batch{Ids::full({rows, length}, pad), Ids::full({rows, length}, pad)};
  for (int b = 0; b < rows; ++b) {
    const std::vector<int>& words = sentences[static_cast<std::size_t>(b)];
    std::int32_t* in = batch.in.begin() + b * length;
    std::int32_t* out = batch.out.begin() + b * length;
    out[0] = bos;
    std::copy(words.begin(), words.end(), out + 1);
    std::copy(words.begin(), words.end(), in);
    in[words.size()] = eos;
  }
  return batch;
}

}  // namespace xf::exercise
