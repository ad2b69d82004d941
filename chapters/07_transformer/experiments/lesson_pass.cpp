// Lesson 7, section 9: a whole Transformer, small enough that you can read every number in it.

#include "07_transformer/experiments/lesson.hpp"
#include "07_transformer/transformer.hpp"
#include "ops/cross_entropy/cross_entropy.hpp"
#include "speech/show.hpp"
#include "trace/trace_page.hpp"

namespace xf::lesson_07 {

void one_pass(const CommonOptions& options) {
  section("One pass forward and backward: what is computed, and what comes back?");
  const TransformerConfig config{.source_vocabulary = 8,
                                 .target_vocabulary = 8,
                                 .d_model = 8,
                                 .d_ff = 16,
                                 .heads = 2,
                                 .encoder_layers = 1,
                                 .decoder_layers = 1,
                                 .dropout = 0};
  Random random(options.seed, 9);
  Transformer model(config, random);
  const std::vector<NamedParameter> all = parameters(model);
  const Ids source({1, 4}, {4, 5, 6, eos_id}), target_in({1, 4}, {bos_id, 5, 6, 7}),
      target_out({4}, {5, 6, 7, eos_id});
  const TraceWords words{{"source_embedding.weight", {"I", "like", "winter", "<eos>"}},
                         {"target_embedding.weight", {"<bos>", "我", "喜欢", "冬天"}}};
  say("This is the same model, small enough to read every number in it: d = 8, 2 heads, 1 + 1 "
      "layers, {} untrained parameters. It reads three words and <eos>, and is to write three "
      "others. The forward pass ends in one loss, and its gradient comes back.",
      parameter_count(all));
  Gradients gradients;
  double loss = 0;
  const std::string path = output_path(options, "trace.html");
  const int operations =
      trace_pass(path, "One pass of a whole Transformer, forward and backward", all, words, [&] {
        Tape tape;
        const Tensor logits = model(source, target_in);  // (1, T, V)
        const Tensor mean = cross_entropy(logits, target_out);
        loss = mean.item();
        gradients = tape.backward(mean);
        return gradients;
      });
  say("trace.html goes through the pass one operation at a time, forward and back. It shows the "
      "numbers, the gradient that came back to them, the formula, the shapes, and the line of the "
      "chapter that computed it. At the end come the parameters, each with its gradient.");
  picture(path);
  for (const NamedParameter& parameter : all)
    claim(gradients.of(*parameter.tensor).defined(), "every parameter gets a gradient");
  finding(
      "One pass of a whole Transformer: {} operations, loss {}, gradients for {} parameter tensors",
      operations, fixed(loss, 2), all.size());
}

}  // namespace xf::lesson_07
