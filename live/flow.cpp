#include "live/flow.hpp"

#include <string_view>

#include "autograd/observer.hpp"
#include "autograd/recorder.hpp"
#include "live/translation.hpp"
#include "ops/softmax/softmax.hpp"

namespace xf::live {

namespace {

// While in scope, records the outputs of the norms and the activations, in order.
class Watch : public TapeObserver {
 public:
  Watch() : previous_(tape_observer) { tape_observer = this; }
  ~Watch() override { tape_observer = previous_; }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  std::vector<Tensor> norms, activations;

 private:
  void begin() override {}
  void backward(const Op&, const Tensor&) override {}
  void forward(const Op& op, Tensor& y, std::initializer_list<const Tensor*>) override {
    const std::string_view name = op.name;
    if (name == "layer_norm") norms.push_back(y);
    if (name == "relu" || name == "gelu" || name == "silu") activations.push_back(y);
  }

  TapeObserver* previous_;
};

const std::initializer_list<std::string_view> parts = {"source_embedding",
                                                       "source_positions",
                                                       "target_embedding",
                                                       "target_positions",
                                                       "encoder_feed_forward",
                                                       "encoder_norm_1",
                                                       "encoder_norm_2",
                                                       "decoder_feed_forward",
                                                       "decoder_norm_1",
                                                       "decoder_norm_2",
                                                       "decoder_norm_3",
                                                       "linear",
                                                       "softmax",
                                                       "encoder",
                                                       "decoder"};

}  // namespace

Json tensor_of_part(const Subject& subject, Fields& request) {
  const int number = request.choice("part", parts);
  const TransformerConfig& config = subject.translator.model.config;
  const std::string_view part = parts.begin()[number];
  const bool decodes = part.substr(0, 7) == "decoder";
  const int layers = decodes ? config.decoder_layers : config.encoder_layers;
  const int layer = request.integer("layer", 0, layers - 1, 0);
  const Passed passed = pass(subject, request);
  const Ids read({1, static_cast<int>(passed.read.size())}, passed.read);
  const Transformer& model = passed.model.model;
  if (part == "source_embedding") return matrix(model.source_embedding(passed.source));
  if (part == "source_positions") return matrix(model.embed(model.source_embedding, passed.source));
  if (part == "target_embedding") return matrix(model.target_embedding(read));
  if (part == "target_positions") return matrix(model.embed(model.target_embedding, read));

  if (part == "encoder") return matrix(passed.model.encode(passed.source));

  Watch watch;
  Recorder recorder({"output"});
  const Tensor logits = passed.model(passed.source, read);  // (1, T, V)
  if (part == "linear") return matrix(logits);
  if (part == "softmax") return matrix(softmax(logits));
  if (part == "decoder") {
    const Tensor x = recorder.all("decoder.layers.*.output").back();
    return matrix(model.decoder.ends_in_norm ? model.decoder.final_norm(x) : x);
  }
  // The encoder's come first: two norms and an activation per layer, and any final norm.
  const auto at = [&](const std::vector<Tensor>& all, int first, int each, int which) {
    return matrix(all.at(static_cast<std::size_t>(first + layer * each + which)));
  };
  if (part.substr(8) == "feed_forward")
    return at(watch.activations, decodes ? config.encoder_layers : 0, 1, 0);
  const int encoder_norms = 2 * config.encoder_layers + (model.encoder.ends_in_norm ? 1 : 0);
  return at(watch.norms, decodes ? encoder_norms : 0, decodes ? 3 : 2, part.back() - '1');
}

}  // namespace xf::live
