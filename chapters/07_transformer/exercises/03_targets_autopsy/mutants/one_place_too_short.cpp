// en: T is the longest sentence, without a place for <eos>: it is one more
// zh: T 只取了最长句长，没有给 <eos> 留位置：应再加 1

#include "exercise.hpp"

namespace xf::exercise {

DecoderBatch decoder_batch(const std::vector<std::vector<int>>& sentences) {
  std::size_t longest = 0;
  for (const std::vector<int>& words : sentences) longest = std::max(longest, words.size());
  const int rows = static_cast<int>(sentences.size()), length = static_cast<int>(longest);
  DecoderBatch batch{Ids::full({rows, length}, pad), Ids::full({rows, length}, pad)};
  for (int b = 0; b < rows; ++b) {
    const std::vector<int>& words = sentences[static_cast<std::size_t>(b)];
    std::int32_t* in = batch.in.begin() + b * length;
    std::int32_t* out = batch.out.begin() + b * length;
    in[0] = bos;
    std::copy(words.begin(), std::min(words.end(), words.begin() + length - 1), in + 1);
    std::copy(words.begin(), words.end(), out);
    if (words.size() < longest) out[words.size()] = eos;
  }
  return batch;
}

}  // namespace xf::exercise
