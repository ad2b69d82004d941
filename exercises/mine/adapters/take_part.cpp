// What a learner's library is loaded for: it puts the functions of one exercise into the table.
// XF_PART is the exercise as a number, 205 for 02-05. XF_SAME are the assignments for an exercise
// that uses the table's types; tools/exercises/own_parts.py writes them.

#include "exercise.hpp"
#include "mine/parts.hpp"

extern "C" void take_part(xf::mine::Parts& parts) {
#if XF_PART == 205
  parts.attention_backward.of = [](const auto&... in) {
    const auto d = xf::exercise::attention_backward(in...);
    return xf::mine::Rows{d.dq, d.dk, d.dv};
  };
#elif XF_PART == 302
  parts.layer_norm_backward.of = [](const auto&... in) {
    const auto d = xf::exercise::layer_norm_backward(in...);
    return xf::mine::Tensors{d.dx, d.dgamma, d.dbeta};
  };
#elif XF_PART == 402
  parts.feed_forward_backward.of = [](const auto&... in) {
    const auto d = xf::exercise::feed_forward_backward(in...);
    return xf::mine::Tensors{d.dx, d.dw_1, d.db_1, d.dw_2, d.db_2};
  };
#elif XF_PART == 404
  parts.dropout.of = [](const auto& x, const auto& u, float p, bool training) {
    const auto dropped = xf::exercise::dropout_forward(x, u, p, training);
    return xf::mine::Dropped{dropped.y, dropped.mask};
  };
  parts.dropout_backward.of = [](const auto& dy, const auto& dropped) {
    return xf::exercise::dropout_backward(dy, {dropped.y, dropped.mask});
  };
#elif XF_PART == 501
  parts.encoder_layer.of = [](const auto& x, xf::NormOrder order, const auto&... layers) {
    return xf::exercise::encoder_layer(x, {layers...}, order);
  };
#elif XF_PART == 602
  parts.decoder_layer.of = [](const auto& l, const auto&... in) {
    return xf::exercise::decoder_layer(
        {l.self_attention, l.self_attention_norm, l.cross_attention, l.cross_attention_norm,
         l.feed_forward, l.feed_forward_norm},
        in...);
  };
#elif XF_PART == 702
  parts.logits.of = [](const auto& source_table, const auto& target_table, const auto& encoder,
                       const auto& decoder, const auto&... in) {
    return xf::exercise::logits({source_table, target_table, encoder, decoder}, in...);
  };
#elif XF_PART == 705
  parts.adam.of = [](auto& moments, auto& p, const auto& g, double rate) {
    xf::exercise::Adam adam{moments.beta1, moments.beta2, moments.epsilon,
                            moments.m,     moments.v,     moments.t};
    xf::exercise::update(adam, p, g, rate);
    moments.m = adam.m;
    moments.v = adam.v;
  };
#elif XF_PART == 707
  parts.beam_search.of = [](const auto&... in) { return xf::exercise::beam_search(in...).words; };
#elif XF_PART == 905
  parts.shared_heads.of = [](const auto& q, const auto& k, const auto& v, auto& kept) {
    xf::exercise::Cache cache{std::move(kept.k), std::move(kept.v)};
    xf::mine::Matrix y = xf::exercise::step(q, k, v, cache);
    kept = {std::move(cache.k), std::move(cache.v)};
    return y;
  };
#else
  XF_SAME
#endif
}
