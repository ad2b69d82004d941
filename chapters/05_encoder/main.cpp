// Lesson 5: the encoder.

#include "05_encoder/lesson.hpp"
#include "05_encoder/program/commands.hpp"
#include "speech/show.hpp"
#include "tensor/parallel.hpp"

int main(int argc, char** argv) {
  const auto lesson = [](const xf::CommonOptions& options) {
    if (options.threads == 0) xf::set_threads(1);  // little work
    xf::say("Lesson 5. The encoder: a layer assembled from its parts, the stack, and padding");
    xf::lesson_05::one_layer(options.seed);
    xf::lesson_05::kept_residual(options.seed);
    xf::lesson_05::the_stack(options.seed);
    xf::lesson_05::padding_stays_out(options.seed);
    xf::lesson_05::a_real_word_with_id_0(options.seed);
    xf::lesson_05::growth_with_depth(options);
    xf::lesson_05::gradient_flow(options.seed);
    xf::lesson_05::attention_pictures(options);
    xf::lesson_05::dropout_places(options.seed);
    xf::lesson_05::ambiguous_word(options.seed);
    xf::lesson_05::heads_that_begin_alike(options.seed);
    return 0;
  };
  return xf::run_commands(
      argc, argv,
      "Chapter 5: the encoder, and a published one. Without a subcommand it runs the lesson.",
      "out/05_encoder",
      {{"encode",
        "the vectors that a published encoder gives to sentences, and which are close to each "
        "other",
        xf::lesson_05::add_encode},
       {"heads", "what each head of a published encoder looks at: maps, and a web page",
        xf::lesson_05::add_heads}},
      lesson, 11);
}
