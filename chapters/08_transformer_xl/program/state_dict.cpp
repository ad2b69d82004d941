#include "08_transformer_xl/program/state_dict.hpp"

#include "tensor/portable_math.hpp"

namespace xf::language {

namespace {

void check_published(const TransformerXlConfig& c) {
  const auto refuse = [](bool wrong, const char* field, const Phrase& why) {
    if (wrong) throw ConfigError(field, "the published code has {}", why);
  };
  refuse(c.kind != ModelKind::transformer_xl, "kind",
         words("no model of the kind {}", name(c.kind)));
  refuse(c.untie, "untie", "one u and one v for all layers");
  refuse(layer_sizes(c).ends_in_norm(), "final_norm", "no norm at the end of the stack");
  refuse(c.activation != Activation::relu, "activation", "no function but relu");
}

// Collects the entries; a parameter tied to an earlier one adds another name to its entry.
struct Collector {
  std::vector<StateEntry> entries = {};

  void add(const std::string& name, const std::vector<StateBlock>& blocks) {
    for (StateEntry& known : entries)
      if (!known.blocks.empty() && known.blocks[0].tensor->key() == blocks[0].tensor->key() &&
          known.blocks[0].first == blocks[0].first)
        return known.also.push_back(name);
    entries.push_back({name, blocks});
  }
  void norm(const std::string& name, LayerNorm& layer) {
    add(name + ".layer_norm.weight", {{&layer.gamma}});
    add(name + ".layer_norm.bias", {{&layer.beta}});
  }
  void linear(const std::string& name, Linear& layer) {
    add(name + ".weight", {{&layer.weight}});
    add(name + ".bias", {{&layer.bias}});
  }
};

std::string numbered(const std::string& name, std::size_t i) { return name + std::to_string(i); }

// Tables and projections of the input, or of the output.
void add_words(Collector& all, const std::string& layers, const std::string& projections,
               Tensor& table, NarrowWords& narrow) {
  all.add(numbered(layers, 0) + ".weight", {{&table}});
  for (std::size_t i = 0; i < narrow.tables.size(); ++i)
    all.add(numbered(layers, i + 1) + ".weight", {{&narrow.tables[i]}});
  for (std::size_t i = 0; i < narrow.projections.size(); ++i)
    all.add(numbered(projections, i), {{&narrow.projections[i]}});
}

void add_layer(Collector& all, const std::string& name, TransformerXlLayer& layer) {
  RelativeAttention& attention = layer.attention;
  const std::string attend = name + ".dec_attn", feed = name + ".pos_ff";
  all.add(attend + ".qkv_net.weight",
          {{&attention.w_q.weight}, {&attention.w_k.weight}, {&attention.w_v.weight}});
  all.add(attend + ".r_net.weight", {{&attention.w_r.weight, StateOrder::columns_in_halves}});
  all.add(attend + ".o_net.weight", {{&attention.w_o.weight}});
  all.norm(attend, layer.attention_norm);
  all.linear(feed + ".CoreNet.0", layer.feed_forward.w_1);
  all.linear(feed + ".CoreNet.3", layer.feed_forward.w_2);
  all.norm(feed, layer.feed_forward_norm);
}

void add_output(Collector& all, AdaptiveSoftmax& output) {
  add_words(all, "crit.out_layers.", "crit.out_projs.", output.weight, output.narrow);
  int begin = 0;
  for (std::size_t i = 0; i <= output.narrow.tables.size(); ++i) {
    const Tensor& table = i == 0 ? output.weight : output.narrow.tables[i - 1];
    all.add(numbered("crit.out_layers.", i) + ".bias",
            {{&output.bias, StateOrder::same, begin, table.size(0)}});
    begin += table.size(0);
  }
  if (output.clusters() == 0) return;
  all.add("crit.cluster_weight", {{&output.cluster_weight, StateOrder::rows_reversed}});
  all.add("crit.cluster_bias", {{&output.cluster_bias, StateOrder::rows_reversed}});
}

// 1 / 10000^(2j / D), which PyTorch stores as part of the model.   returns (D / 2)
Tensor inverse_frequencies(int d_model) {
  std::vector<float> numbers;
  for (int j = 0; j < d_model / 2; ++j)
    numbers.push_back(static_cast<float>(1 / portable::pow(10000, 2.0 * j / d_model)));
  return Tensor::from({d_model / 2}, numbers);
}

}  // namespace

std::vector<StateEntry> state_entries(AnySegmentModel& model) {
  check_published(model.config);
  Collector all;
  auto& xl = std::get<TransformerXl>(model.stack.kind);
  all.add("r_w_bias", {{&xl.biases[0].u}});
  all.add("r_r_bias", {{&xl.biases[0].v}});
  add_words(all, "word_emb.emb_layers.", "word_emb.emb_projs.", model.embedding.weight,
            model.narrow);
  for (std::size_t i = 0; i < xl.stack.layers.size(); ++i)
    add_layer(all, numbered("layers.", i), xl.stack.layers[i]);
  add_output(all, model.output);
  all.entries.push_back({"pos_emb.inv_freq", {}, {}, inverse_frequencies(model.config.d_model)});
  return all.entries;
}

}  // namespace xf::language
