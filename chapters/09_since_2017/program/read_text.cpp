#include "09_since_2017/program/read_text.hpp"

#include "io/utf8.hpp"
#include "ops/cross_entropy/cross_entropy.hpp"
#include "tensor/error.hpp"

namespace xf::since_2017 {

ReadText::ReadText(const std::string& model, const std::string& text, const std::string& given)
    : published((check_utf8(text, given), load_published_model(model))),
      tokenizer(load_published_tokenizer(model, published)),
      ids(tokenizer.encode(text)) {
  if (ids.size() < 2) throw UserError("{}: fewer than two tokens", given);
}

void ReadText::check_length(const std::string& given) const {
  const int most = published.max_positions;
  if (most > 0 && std::ssize(ids) > most)
    throw UserError("{}: {} tokens, but the model has only {} positions", given, ids.size(), most);
}

std::string ReadText::spelled(int id) const {
  TokenText text = tokenizer.text();
  const std::string token = text.take(tokenizer.token(id));
  return token + text.end();
}

std::vector<std::string> ReadText::all_spelled(const std::vector<int>& list) const {
  std::vector<std::string> all;
  for (const int id : list) all.push_back(spelled(id));
  return all;
}

std::vector<double> log_probabilities(const DecoderOnly& model, const Tensor& states,
                                      std::span<const int> ids) {
  std::vector<double> all;
  logits_in_parts(model, states, [&](int first, const Tensor& logits) {
    const Values logs = log_softmax(logits).values();
    for (int i = 0; i < logits.size(1) && first + i + 1 < std::ssize(ids); ++i)
      all.push_back(double(
          logs[std::ptrdiff_t(i) * logits.size(2) + ids[static_cast<std::size_t>(first + i) + 1]]));
  });
  return all;
}

std::vector<double> log_probabilities(const DecoderOnly& model, std::span<const int> ids) {
  const auto length = static_cast<int>(ids.size());
  const Ids before({1, length - 1}, ids.first(ids.size() - 1));
  return log_probabilities(model, model.states(before), ids);
}

}  // namespace xf::since_2017
