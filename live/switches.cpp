#include "live/switches.hpp"

#include <array>
#include <cmath>

namespace xf::live {

namespace {

constexpr std::array<const char*, 3> names = {"encoder", "decoder", "cross"};

Switches::Head head_of(const Json& json, const Fields& fields, const TransformerConfig& config) {
  const auto refuse = [&] {
    fields.fail(
        "\"heads_off\" has lists of \"encoder\", \"decoder\" or \"cross\", a layer and a "
        "head that the model has, not " +
        json.dump().substr(0, 60));
  };
  const bool whole = json.is_array() && json.size() == 3 && json[0].is_string() &&
                     json[1].is_number_unsigned() && json[2].is_number_unsigned();
  if (!whole) refuse();
  const auto name = std::find(names.begin(), names.end(), json[0].get<std::string>());
  if (name == names.end()) refuse();
  const auto attention = static_cast<Attention>(name - names.begin());
  const int layers =
      attention == Attention::encoder ? config.encoder_layers : config.decoder_layers;
  const auto within = [](const Json& number, int count) {
    return number.get<std::uint64_t>() < static_cast<std::uint64_t>(count);
  };
  if (!within(json[1], layers) || !within(json[2], config.heads)) refuse();
  return {attention, json[1].get<int>(), json[2].get<int>()};
}

MultiHeadAttention& attention_of(Transformer& model, const Switches::Head& head) {
  const auto layer = static_cast<std::size_t>(head.layer);
  if (head.attention == Attention::encoder) return model.encoder.layers[layer].self_attention;
  DecoderLayer& decoder = model.decoder.layers[layer];
  return head.attention == Attention::decoder ? decoder.self_attention : decoder.cross_attention;
}

// w_o: (D, D), its columns are the heads' numbers side by side.
Tensor without_head(const Tensor& w_o, int head, int heads) {
  const int d_model = w_o.size(1), d_k = d_model / heads;
  std::vector<float> numbers = w_o.values();
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (static_cast<int>(i) % d_model / d_k == head) numbers[i] = 0;
  return Tensor::from(w_o.shape(), numbers);
}

void unscale(MultiHeadAttention& attention) {
  Linear& w_q = attention.w_q;
  const float root_dk = std::sqrt(static_cast<float>(w_q.weight.size(0) / attention.heads));
  w_q.weight = scale(w_q.weight, root_dk);
  w_q.bias = scale(w_q.bias, root_dk);
}

}  // namespace

Switches Switches::read(Fields fields, const TransformerConfig& config) {
  Switches switches{.heads_off = {},
                    .scale = fields.boolean("scale", true),
                    .positions = fields.boolean("positions", true),
                    .mask = fields.boolean("mask", true),
                    .residual = fields.boolean("residual", true)};
  for (const Json& head : fields.list("heads_off"))
    switches.heads_off.push_back(head_of(head, fields, config));
  fields.done();
  return switches;
}

Transformer switched(const Transformer& model, const Switches& switches) {
  Transformer changed = model;
  for (const Switches::Head& head : switches.heads_off) {
    MultiHeadAttention& attention = attention_of(changed, head);
    attention.w_o.weight = without_head(attention.w_o.weight, head.number, attention.heads);
  }
  if (!switches.scale) {
    for (EncoderLayer& layer : changed.encoder.layers) unscale(layer.self_attention);
    for (DecoderLayer& layer : changed.decoder.layers) {
      unscale(layer.self_attention);
      unscale(layer.cross_attention);
    }
  }
  if (!switches.positions) changed.config.positions = PositionKind::none;
  if (!switches.residual) {
    for (EncoderLayer& layer : changed.encoder.layers) layer.shortcut = Residual::none;
    for (DecoderLayer& layer : changed.decoder.layers) layer.shortcut = Residual::none;
  }
  changed.causal = model.causal && switches.mask;
  return changed;
}

}  // namespace xf::live
