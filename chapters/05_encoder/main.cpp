// Lesson 5: the encoder.

#include "05_encoder/lesson.hpp"
#include "speech/show.hpp"

int main(int argc, char** argv) {
  xf::CommonOptions options;
  options.out = "out/05_encoder";
  options.threads = 1;  // little work
  const auto lesson = [&] {
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
  };
  return xf::run_lesson(
      argc, argv, "Lesson 5, encoder: a layer assembled from its parts, the stack, and padding",
      options, 10, lesson);
}
