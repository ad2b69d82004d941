#include "live/switches.hpp"

#include <array>
#include <cmath>

#include "ops/shape/shape_ops.hpp"

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

// w_o: (D, D); its columns are those of the heads, side by side.
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

// A residual block without its residual connection: norm(f(x)), or f(norm(x)).
template <class SubLayer>
Tensor without_sum(const Tensor& x, const LayerNorm& norm, NormOrder order, const SubLayer& f) {
  return order == NormOrder::post ? norm(f(x)) : f(norm(x));
}

// Runs under the name that Recorder and traces use for it.
auto attention_to(const char* name, const MultiHeadAttention& attention, const Tensor& keys,
                  const Mask& mask) {
  return [=, &attention](const Tensor& x) {
    const Scope scope(name);
    return attention(x, keys.defined() ? keys : x, mask);
  };
}

Tensor without_sums(const EncoderLayer& layer, const Tensor& x, const Mask& mask) {
  const auto attend = attention_to("self_attention", layer.self_attention, {}, mask);
  const Tensor y = without_sum(x, layer.self_attention_norm, layer.order, attend);
  return without_sum(y, layer.feed_forward_norm, layer.order, layer.feed_forward);
}

Tensor without_sums(const DecoderLayer& layer, const Tensor& x, const Tensor& encoded,
                    const Mask& self_mask, const Mask& source_mask) {
  const auto attend = attention_to("self_attention", layer.self_attention, {}, self_mask);
  const auto ask = attention_to("cross_attention", layer.cross_attention, encoded, source_mask);
  const Tensor y = without_sum(x, layer.self_attention_norm, layer.order, attend);
  const Tensor z = without_sum(y, layer.cross_attention_norm, layer.order, ask);
  return without_sum(z, layer.feed_forward_norm, layer.order, layer.feed_forward);
}

}  // namespace

Switches Subject::switches(Fields fields) const {
  Switches switches{.heads_off = {},
                    .scale = fields.boolean("scale", true) && trained.scale,
                    .positions = fields.boolean("positions", true) && trained.positions,
                    .mask = fields.boolean("mask", true) && trained.mask,
                    .residual = fields.boolean("residual", true) && trained.residual};
  for (const Json& head : fields.list("heads_off"))
    switches.heads_off.push_back(head_of(head, fields, translator.model.config));
  fields.done();
  return switches;
}

SwitchedModel::SwitchedModel(const Transformer& whole, const Switches& switches)
    : model(whole), mask(switches.mask), residual(switches.residual) {
  for (const Switches::Head& head : switches.heads_off) {
    MultiHeadAttention& attention = attention_of(model, head);
    attention.w_o.weight = without_head(attention.w_o.weight, head.number, attention.heads);
  }
  if (!switches.scale) {
    for (EncoderLayer& layer : model.encoder.layers) unscale(layer.self_attention);
    for (DecoderLayer& layer : model.decoder.layers) {
      unscale(layer.self_attention);
      unscale(layer.cross_attention);
    }
  }
  if (!switches.positions) model.config.positions = PositionKind::none;
}

Tensor SwitchedModel::encode(const Sentences& source) const {
  if (residual) return model.encode(source);
  const Scope scope("encoder");
  const Mask allowed = mask_of(source, source);
  return model.encoder.through(model.embed(model.source_embedding, source),
                               [&](const EncoderLayer& layer, const Tensor& x, std::size_t) {
                                 return without_sums(layer, x, allowed);
                               });
}

Tensor SwitchedModel::operator()(const Sentences& source, const Sentences& target) const {
  const Tensor encoded = encode(source);
  const Scope scope("decoder");
  const Mask self_mask = mask_of(target, target, mask), source_mask = mask_of(target, source);
  const Tensor x = model.embed(model.target_embedding, target);
  if (residual) return model.output(model.decoder(x, encoded, self_mask, source_mask));
  return model.output(
      model.decoder.through(x, [&](const DecoderLayer& layer, const Tensor& h, std::size_t) {
        return without_sums(layer, h, encoded, self_mask, source_mask);
      }));
}

std::vector<Hypothesis> SwitchedModel::translate(const Ids& source, const SearchOptions& options,
                                                 const SearchObserver& observer) const {
  if (mask && residual) return xf::translate(model, source, options, SearchRules(), observer);
  const auto logits = [&](const std::vector<Prefix>& prefixes) {
    const auto rows = static_cast<int>(prefixes.size());
    const int source_length = source.size(1),
              length = static_cast<int>(prefixes[0].tokens.size()) + 1;
    std::vector<std::int32_t> sources, targets;
    for (const Prefix& p : prefixes) {
      const std::int32_t* from = source.begin() + p.sentence * source_length;
      sources.insert(sources.end(), from, from + source_length);
      targets.push_back(bos_id);
      targets.insert(targets.end(), p.tokens.begin(), p.tokens.end());
    }
    const Tensor all = (*this)(Ids({rows, source_length}, sources), Ids({rows, length}, targets));
    return slice(all, 1, length - 1, 1);  // (R, 1, V)
  };
  return beam_search(logits, source, options, observer);
}

}  // namespace xf::live
