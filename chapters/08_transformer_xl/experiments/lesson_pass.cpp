// Lesson 8, section 7: one segment with a memory, small enough that you can read every number.

#include "08_transformer_xl/experiments/lesson.hpp"
#include "08_transformer_xl/segment_model.hpp"
#include "speech/show.hpp"
#include "trace/trace_page.hpp"

namespace xf::lesson_08 {

void one_pass(const CommonOptions& options) {
  section("One segment forward and backward: what is computed, and what comes back?");
  const TransformerXlConfig config{.vocabulary = 8,
                                   .d_model = 8,
                                   .d_ff = 16,
                                   .heads = 2,
                                   .layers = 2,
                                   .segment = 3,
                                   .memory = 3,
                                   .dropout = 0,
                                   .attention_dropout = 0};
  Random random(options.seed, 9);
  SegmentModel model(config, random);
  const std::vector<NamedParameter> all = parameters(model);
  const Ids first({1, 3}, {1, 4, 5}), second({1, 3}, {6, 7, 4}), expected({3}, {7, 4, 5});
  const TraceWords words{{"embedding.weight", {"<bos>", "the", "cat", "sees", "that", "the"}}};
  Memory memory = model.start();
  model.hidden(first, memory);
  say("Take a model so small that every number in it can be read: d = 8, 2 heads, 2 layers, a "
      "segment of 3 tokens, and a memory of the 3 before. The first segment has been read. The "
      "second one goes forward to its loss, and the gradient comes back.");
  double loss = 0;
  const std::string path = output_path(options, "trace.html");
  const int operations = trace_pass(
      path, "One segment of Transformer-XL with its memory, forward and backward", all, words, [&] {
        Tape tape;
        const Tensor logits = model(second, memory);  // (1, T, V)
        const Tensor mean = cross_entropy(logits, expected);
        loss = mean.item();
        return tape.backward(mean);
      });
  say("trace.html goes through the pass one operation at a time. Find concat, where the memory "
      "joins the segment, and see that only the segment's rows of the returning gradient are "
      "used.");
  picture(path);
  finding(
      "One segment with a memory of 3: {} operations lead to a loss of {}, each with its line of "
      "code",
      operations, fixed(loss, 2));
}

}  // namespace xf::lesson_08
