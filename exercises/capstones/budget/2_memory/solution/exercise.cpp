#include "exercise.hpp"

namespace xf::exercise {

Segment segment_of(const Text& text, int streams, int segment, int step) {
  const int length = (static_cast<int>(text.size()) - 1) / streams;
  const int number = step % (length / segment);
  Segment piece{Ids::full({streams, segment}, 0), Ids::full({streams, segment}, 0), number == 0};
  for (int b = 0; b < streams; ++b) {
    const auto from = text.begin() + b * length + number * segment;
    std::copy_n(from, segment, piece.ids.begin() + b * segment);
    std::copy_n(from + 1, segment, piece.expected.begin() + b * segment);
  }
  return piece;
}

Tensor carried(const Tensor& past, const Tensor& h, int length) {
  if (length == 0) return {};
  const Tensor all = past.defined() ? concat(past, h, 1) : h;  // (B, M + T, D)
  const int count = std::min(length, all.size(1));
  return detach(slice(all, 1, all.size(1) - count, count));
}

Tensor through(const std::vector<Layer>& layers, Tensor h, std::vector<Tensor>& memory,
               int length) {
  memory.resize(layers.size());
  for (std::size_t n = 0; n < layers.size(); ++n) {
    const Tensor y = layers[n](h, memory[n]);
    memory[n] = carried(memory[n], h, length);
    h = y;
  }
  return h;
}

double evaluate(const Model& model, const Text& text, int segment, int length) {
  std::vector<Tensor> memory;
  double nats = 0;
  const int last = static_cast<int>(text.size()) - 1;
  for (int first = 0; first < last; first += segment) {
    const int count = std::min(segment, last - first);
    Ids ids = Ids::full({1, count}, 0), expected = Ids::full({1, count}, 0);
    std::copy_n(text.begin() + first, count, ids.begin());
    std::copy_n(text.begin() + first + 1, count, expected.begin());
    nats += double(model(ids, expected, memory, length).item()) * count;
  }
  return nats / last / std::log(2.0);
}

Choice choose_length(const Model& model, const Text& text, int segment,
                     const std::vector<int>& lengths, double slack) {
  Choice choice{};
  for (int length : lengths) choice.bits.push_back(evaluate(model, text, segment, length));
  const double lowest = *std::min_element(choice.bits.begin(), choice.bits.end());
  choice.length = std::numeric_limits<int>::max();
  for (std::size_t i = 0; i < lengths.size(); ++i)
    if (choice.bits[i] <= lowest + slack) choice.length = std::min(choice.length, lengths[i]);
  return choice;
}

}  // namespace xf::exercise
