#include "08_transformer_xl/experiments/lesson.hpp"

#include "speech/show.hpp"

namespace xf {

int lesson(const CommonOptions& options) {
  say("Lesson 8. Transformer-XL: relative positions, and a memory of earlier segments");
  lesson_08::the_shift(options);
  lesson_08::four_terms(options);
  lesson_08::no_gradient_into_memory(options);
  lesson_08::recall(options);
  lesson_08::windows(options);
  lesson_08::one_pass(options);
  return 0;
}

Command add_trace(CLI::App&) { return alone(lesson_08::one_pass); }

}  // namespace xf
