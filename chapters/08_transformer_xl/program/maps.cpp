#include "08_transformer_xl/program/maps.hpp"

#include <algorithm>

#include "ops/softmax/softmax.hpp"
#include "ops/top_k/top_k.hpp"

namespace xf::language {

namespace {

// The segment [begin, end) of the tokens, after `memory` remembered ones.
AttentionView view_of(const AnySegmentModel& model, const std::vector<std::string>& tokens,
                      std::ptrdiff_t begin, std::ptrdiff_t end, int memory) {
  const auto first = tokens.begin();
  AttentionView view{.kind = AttentionKind::xl,
                     .queries = {first + begin, first + end},
                     .keys = {first + begin - memory, first + end},
                     .checkpoints = {},
                     .memory = memory,
                     .reach = causal_reach(static_cast<int>(end - begin), memory)};
  if (model.config.same_length)  // memory.hpp, segment_mask()
    for (auto& [nearest, last] : view.reach) nearest = std::max(0, last - model.config.memory + 1);
  return view;
}

}  // namespace

std::vector<Likeliest> likeliest_next(const Tensor& logits, const Piece& piece) {
  std::vector<Likeliest> all(static_cast<std::size_t>(logits.size(1)));
  const std::vector<Placed> tops = top_k(softmax(logits), 5);
  const std::size_t each = tops.size() / all.size();
  for (std::size_t i = 0; i < tops.size(); ++i)
    all[i / each].emplace_back(piece(tops[i].index), static_cast<double>(tops[i].value));
  return all;
}

void look(const AnySegmentModel& model, const std::vector<std::int32_t>& ids, const Piece& piece,
          const std::string& checkpoint, Explorer& page) {
  std::vector<std::string> tokens;
  for (const std::int32_t id : ids) tokens.push_back(piece(id));
  const bool xl = model.stack.is<TransformerXl>();
  Memory memory = model.start();
  memory.extended_length = 0;  // every token is read once
  const auto count = static_cast<std::ptrdiff_t>(ids.size());
  std::size_t number = 0;
  for (std::ptrdiff_t begin = 0; begin < count; begin += model.config.segment, ++number) {
    const std::ptrdiff_t end = std::min(count, begin + model.config.segment);
    if (number == page.views.size())
      page.views.push_back(view_of(model, tokens, begin, end, memory.present_length()));
    const auto length = static_cast<std::size_t>(end - begin);
    const Ids segment({1, static_cast<int>(length)}, {ids.data() + begin, length});
    Recorder recorder({"scores", "weights", "values"});
    const Tensor logits = model(segment, memory);
    AttentionView& view = page.views[number];
    view.checkpoints.push_back(recorded_attention(
        recorder, xl ? "layers.*.attention" : "encoder.layers.*.self_attention"));
    view.next = likeliest_next(logits, piece);
  }
  page.checkpoints.push_back(checkpoint);
}

}  // namespace xf::language
