// en: without <bos> the input begins with the first word: nobody predicts that one
// zh: 没有 <bos>，输入从第一个词开始：第一个词就没有人预测了

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
    std::copy(words.begin(), words.end(), in);
    std::copy(words.begin() + 1, words.end(), out);
    out[words.size() - 1] = eos;
  }
  return batch;
}

}  // namespace xf::exercise
